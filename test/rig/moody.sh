#!/bin/sh
# A swap script as people write them: it tells the old server to end, starts the new one in the background, and returns.
#   MOODY_NODE, MOODY_SERVER, MOODY_STATE   the program and the folder
#   MOODY_PORTS                             such as "chat=1234 code=1234"
# STATE/NAME.moods holds the arguments for each start of a model, one line each; further starts get none.
# While STATE/unload-fails is there, `unload` ends with 1 when all is done.
set -eu
cd "$MOODY_STATE"

# Prints what the system says of process $1 behind its name, or nothing if it does not run; a zombie does not.
stat_of() {
  line=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  case ${line##*) } in
    [ZX]*) ;;
    *) echo "${line##*) }" ;;
  esac
}

end() {
  read -r pid _ <"$1.pid"
  if [ -z "$(stat_of "$pid")" ]; then
    echo "$1 does not run" >&2
    return 1
  fi
  kill -TERM "$pid"
}

case $1 in
  status) exit 1 ;;
  unload)
    end "$2"
    [ ! -e unload-fails ]
    exit
    ;;
esac
for name in $JANO_FROM; do
  end "$name" || true
done
echo start >>"$1.starts"
arguments=$(sed -n "$(wc -l <"$1.starts")p" "$1.moods" 2>/dev/null) || true
for entry in $MOODY_PORTS; do
  if [ "${entry%%=*}" = "$1" ]; then port=${entry#*=}; fi
done
# shellcheck disable=SC2086 # several arguments
"$MOODY_NODE" "$MOODY_SERVER" --model "$1" --port "$port" $arguments >"$1.log" 2>&1 </dev/null &
echo "$! $(stat_of $! | cut -d ' ' -f 20)" >"$1.pid"
