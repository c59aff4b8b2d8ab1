#!/bin/sh
# A swap script for llama-server: each model of the table below gets a server of its own, and those that have to make room
# are stopped. Edit the table, then name this script in jano.yaml as swap.command.
#
#   llama.sh MODEL          stop what has to make room, start MODEL in the background; Jano then waits until it can serve
#   llama.sh status         print "NAME: loaded" for each model whose server runs
#   llama.sh unload MODEL   stop MODEL
#
# Exit status 0: done. Anything else: it failed, and what was written to stderr says why.
#
# Jano sets
#   JANO_FROM      the models that have to make room, with spaces between them; unset: all others (a call by hand)
# You may set
#   LLAMA_SERVER   the program (default: llama-server, looked for on the PATH)
#   LLAMA_ARGS     arguments for all models, such as "-ngl 99 --jinja" (default: none)
#   LLAMA_MODELS   another table, in place of the one below
#   LLAMA_STATE    folder for what this script has to remember, and for the logs of the servers
set -eu

# Each line: the model's name in jano.yaml, the port of its url there, and llama-server's arguments as you would type them.
table="
chat   8081   -m '$HOME/models/chat.gguf' -c 16384
code   8080   -m '$HOME/models/code.gguf' -c 32768
"

table=$(printf '%s\n' "${LLAMA_MODELS:-$table}" | grep -Ev '^[[:space:]]*(#|$)') || true
state=${LLAMA_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/jano/llama}

names() {
  printf '%s\n' "$table" | while read -r name _; do
    echo "$name"
  done
}

# Prints the port of model $1 and its arguments.
row_of() {
  row=$(printf '%s\n' "$table" | while read -r name rest; do
    if [ "$name" = "$1" ]; then
      printf '%s\n' "$rest"
    fi
  done)
  if [ -z "$row" ]; then
    echo "unknown model \"$1\"; there are: $(names | tr '\n' ' ')" >&2
    return 1
  fi
  printf '%s\n' "$row"
}

# Becomes the server of model $1, given its row of the table.
run_server() {
  name=$1
  read -r port arguments <<ROW
$2
ROW
  eval "set -- $arguments ${LLAMA_ARGS:-}" # eval, so that quotes mean what they mean on a command line
  # A session of its own, where there is setsid: the server then goes on when Jano is stopped and started again.
  exec $(command -v setsid) "${LLAMA_SERVER:-llama-server}" --alias "$name" --host 127.0.0.1 --port "$port" "$@"
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
case ${1:?usage: llama.sh MODEL, llama.sh status or llama.sh unload MODEL} in
  status)
    for name in $(names); do
      if [ -n "$(pid_of "$name")" ]; then
        echo "$name: loaded"
      fi
    done
    ;;
  unload)
    row_of "${2:?usage: llama.sh unload MODEL}" >/dev/null
    stop "$2"
    ;;
  *)
    row=$(row_of "$1")
    for name in ${JANO_FROM-$(names | grep -vFx -e "$1")}; do
      stop "$name"
    done
    start "$1" "$row"
    ;;
esac
