#!/bin/sh
# The swap script of Jano's example model servers. Copy it and put your own servers in.
#
#   swap.sh MODEL          stop what has to make room, start MODEL in the background; Jano then waits until it can serve
#   swap.sh status         print "NAME: loaded" for each model whose server runs
#   swap.sh unload MODEL   stop MODEL
#
# Exit status 0: done. Anything else: it failed, and what was written to stderr says why.
#
# Jano sets
#   JANO_FROM   the models that have to make room, with spaces between them; unset: all others (a call by hand)
# and for the example servers also
#   JANO_EXAMPLE_MODELS   names and ports: "chat=9101 code=9102"
#   JANO_EXAMPLE_STATE    folder for what this script has to remember, and for the logs of the servers
#   JANO_EXAMPLE_NODE     the Node.js that runs them (default: node)
#   JANO_EXAMPLE_ARGS     more arguments for them, such as "--load-ms 500" (default: none)
#   JANO_EXAMPLE_PARENT   process without which they are not to go on running (default: none)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
models=${JANO_EXAMPLE_MODELS:?}
state=${JANO_EXAMPLE_STATE:?}
node=${JANO_EXAMPLE_NODE:-node}

# --- what to start: this is the part to replace -----------------------------------------------------------------------

names() {
  for entry in $models; do
    echo "${entry%%=*}"
  done
}

port_of() {
  for entry in $models; do
    if [ "${entry%%=*}" = "$1" ]; then
      echo "${entry#*=}"
      return
    fi
  done
  echo "unknown model \"$1\"; there are: $(names | tr '\n' ' ')" >&2
  return 1
}

# Becomes the server of model $1 on port $2.
run_server() {
  # shellcheck disable=SC2086 # several arguments
  exec "$node" "$here/modelServer.ts" --model "$1" --port "$2" \
    ${JANO_EXAMPLE_PARENT:+--parent "$JANO_EXAMPLE_PARENT"} ${JANO_EXAMPLE_ARGS:-}
}

# --- how to start and stop it -----------------------------------------------------------------------------------------
# For each server that was started, the file STATE/NAME.pid holds its process number and when that process was born.

# Prints when process $1 was born, or nothing if it does not run. A number alone is not enough: once its process is gone,
# the system gives it to another one. And kill -0 takes a zombie, dead but not yet buried by its parent, for alive.
born() {
  if [ -d /proc/self ]; then
    line=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
    line=${line##*) } # skip the number and the (name); the state is now field 1, the birth field 20
    case $line in
      [ZX]*) ;;
      *) echo "$line" | cut -d ' ' -f 20 ;;
    esac
  else
    ps -o stat= -o lstart= -p "$1" | sed -n '/^Z/!s/^[^ ]* *//p'
  fi
}

# Prints the process number of model $1, or nothing if its server does not run.
pid_of() {
  [ -f "$state/$1.pid" ] || return 0
  read -r pid birth <"$state/$1.pid" || return 0
  if [ -n "$birth" ] && [ "$(born "$pid")" = "$birth" ]; then
    echo "$pid"
  fi
}

stop() {
  pid=$(pid_of "$1")
  if [ -n "$pid" ]; then
    kill -TERM "$pid" 2>/dev/null || true
  fi
  waited=0
  while [ -n "$(pid_of "$1")" ]; do
    case $waited in
      40) kill -KILL "$pid" 2>/dev/null || true ;; # TERM had 2 seconds
      80)
        echo "$1 (process $pid) can't be stopped" >&2
        return 1
        ;;
    esac
    waited=$((waited + 1))
    sleep 0.05
  done
  rm -f "$state/$1.pid"
}

start() {
  if [ -n "$(pid_of "$1")" ]; then
    return # it runs already, or is being loaded
  fi
  run_server "$1" "$2" >"$state/$1.log" 2>&1 </dev/null &
  echo "$! $(born $!)" >"$state/$1.pid"
  # A server that can't start mostly says so at once. Tell Jano, instead of having it wait for nothing.
  sleep 0.2
  if [ -z "$(pid_of "$1")" ]; then
    echo "$1 did not start: $(tail -n 3 "$state/$1.log")" >&2
    return 1
  fi
}

# --- what to do -------------------------------------------------------------------------------------------------------

mkdir -p "$state"
case ${1:?usage: swap.sh MODEL, swap.sh status or swap.sh unload MODEL} in
  status)
    for name in $(names); do
      if [ -n "$(pid_of "$name")" ]; then
        echo "$name: loaded"
      fi
    done
    ;;
  unload)
    port_of "${2:?usage: swap.sh unload MODEL}" >/dev/null
    stop "$2"
    ;;
  *)
    port=$(port_of "$1")
    for name in ${JANO_FROM-$(names | grep -vFx -e "$1")}; do
      stop "$name"
    done
    start "$1" "$port"
    ;;
esac
