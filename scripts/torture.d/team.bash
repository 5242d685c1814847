# Common code of the stories about teammates: a folder, teammates that may be killed, and counts.
#
# A story begins with `begin BIN` and ends with `finish`, which exits 1 if a guarantee was broken. Its files are removed
# at the end, unless KEEP=1. The disk is TMPDIR, else /tmp; TEAM_DURABILITY is process unless it is set.
set -u

declare -A PID=()   # of each teammate
ENDED_EARLY=0
KILLS=0
BROKEN=0

begin() {
  local bin
  bin=$(cd "$1" && pwd) || exit
  PATH=$bin:$PATH
  unset TEAM_ROOT TEAM_NAME TEAM_MEMBER TEAM_RUN_ID TEAM_NOTIFY
  export TEAM_DURABILITY=${TEAM_DURABILITY:-process} LC_ALL=C.UTF-8
  PLACE=$(mktemp -d "${TMPDIR:-/tmp}/team.XXXXXX") || exit
  export XDG_STATE_HOME=$PLACE/.state
  export STORY=$PLACE  # marks all started processes
  trap clear_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  cd "$PLACE" || exit
  echo "on $(stat -f -c %T .), durability $TEAM_DURABILITY, load $(cut -d ' ' -f 1 /proc/loadavg)"
  team-create alpha --max-teammates 0 >/dev/null || exit
  touch killed
}

# All processes that a teammate has started end with it.
clear_up() {
  local pid
  for pid in "${PID[@]}"; do kill -KILL "$pid" 2>/dev/null; done
  wait
  cd /
  if [ -n "${KEEP:-}" ]; then echo "it is all in $PLACE"; else rm -rf "$PLACE"; fi
}

# enlist NAME N: NAME-1 to NAME-N join the team, so that commands that wait for all members know them.
enlist() {
  local i
  for ((i = 1; i <= $2; i++)); do team-join "$1-$i" >/dev/null || exit; done
}

# start NAME [OPTION…]: starts a teammate; the output of all its runs is kept.
start() {
  teammate-run "$@" >>"$1.out" 2>>"$1.err" </dev/null &
  PID[$1]=$!
}

# await_idle: waits until all started teammates are idle.
await_idle() {
  local deadline=$((SECONDS + 60))
  until [ "$(teammate-list | cut -f 3 | grep -cx idle)" = "${#PID[@]}" ]; do
    ((SECONDS < deadline)) || { never "they do not idle: $(teammate-list)"; return; }
    sleep 0.1
  done
}

runs() {
  kill -0 "${PID[$1]}" 2>/dev/null
}

# kill_one NAME: kills it, as a crash would. Reads its run id afterwards, when nobody writes that file any more.
kill_one() {
  local status=0
  kill -KILL "${PID[$1]}" 2>/dev/null
  wait "${PID[$1]}" 2>/dev/null || status=$?
  if ((status == 137)); then
    KILLS=$((KILLS + 1))
    sed -n 's/^ *"run": "\(.*\)",/\1/p' ".teams/alpha/$1.json" >>killed 2>/dev/null
  else
    # It ended by itself: 4 if the one before still runs, else an error to look at.
    ENDED_EARLY=$((ENDED_EARLY + 1))
    echo "$1 had ended with $status: $(tail -n 1 "$1.err")" >>early
  fi
}

# stop_all: with the handshake; none of them may have ended before.
stop_all() {
  local name
  for name in "${!PID[@]}"; do
    runs "$name" || {
      wait "${PID[$name]}"
      echo "$name had ended with $?: $(tail -n 1 "$name.err")" >>early
      ENDED_EARLY=$((ENDED_EARLY + 1))
    }
  done
  teammate-stop --all --timeout 30 >stopped 2>&1 || never "$(cat stopped)"
  # They have left the team; a sanitizer checks for leaks after that.
  for name in "${!PID[@]}"; do timeout 10 tail --pid="${PID[$name]}" -s 0.01 -f /dev/null; done
}

# events: number, time, member, type, task and new state of each event, in order.
events() {
  cat .teams/alpha/events-*.jsonl .teams/alpha/events.jsonl 2>/dev/null |
    jq -r '[.seq, .timestamp, .agent_id, .event.type, .event.task_id // "-", .event.to // "-"] | @tsv' | sort -n
}

# never TEXT…: reports a broken guarantee.
never() {
  BROKEN=$((BROKEN + 1))
  printf 'never: %s\n' "$*"
}

# none NUMBER WHAT: prints the count, which must be 0.
none() {
  printf '%s %s\n' "$1" "$2"
  [ "$1" = 0 ] || BROKEN=$((BROKEN + 1))
}

# all NUMBER OF WHAT: prints the count, which must be OF.
all() {
  printf '%s of %s %s\n' "$1" "$2" "$3"
  [ "$1" = "$2" ] || BROKEN=$((BROKEN + 1))
}

# middle_and_longest TEXT: the median and the maximum of the numbers on stdin, in milliseconds; TEXT says what was
# measured.
middle_and_longest() {
  sort -n | awk -v text="$1" '{ all[NR] = $1 * 1000 }
    END { printf "%.1f ms %s in the middle, %.1f at the longest\n", all[int((NR + 1) / 2)], text, all[NR] }'
}

# seconds_since MOMENT: of EPOCHREALTIME.
seconds_since() {
  awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.3f", to - from }'
}

# left_running: the processes of the story that still run, a line each.
left_running() {
  local file files
  files=$(grep -lszxF "STORY=$STORY" /proc/[0-9]*/environ 2>/dev/null)  # grep is among them, and gone afterwards
  for file in $files; do
    file=${file%/environ}
    ! grep -qs '^State:.[^ZX]' "$file/status" || echo "${file#/proc/} $(tr '\0' ' ' 2>/dev/null <"$file/cmdline")"
  done
}

finish() {
  left_running >left
  none "$(wc -l <left)" 'processes left running'
  cat left
  none "$(events | awk -F '\t' '$1 != NR { gaps++ } END { print gaps + 0 }')" 'gaps in the numbers of the events'
  team-fsck >fsck 2>&1 || never "team-fsck: $(head -n 3 fsck)"
  [ ! -s early ] || cat early
  ((BROKEN == 0))
  exit
}
