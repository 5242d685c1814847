# For tests that start teammates. Load it last: its processes end with the test, and trouble.bash cleans up after that.
# A teammate called NAME leaves its stdout in NAME.out and its stderr in NAME.err.
load trouble

declare -gA TEAMMATE=()  # the pid of each

# start_teammate NAME [OPTION…]: runs teammate-run in the background; it receives HUP even under nohup.
start_teammate() {
  env --default-signal=HUP teammate-run "$@" >"$1.out" 2>"$1.err" </dev/null 3>&- &
  TEAMMATE[$1]=$!
}

# start_idle NAME [OPTION…]: the same, and returns when the teammate is idle and sleeps.
start_idle() {
  start_teammate "$@"
  wait_until sleeps "$1"
}

# state_is NAME STATE: by its file; a killed teammate leaves its last state. Called again and again, so without jq.
state_is() {
  grep -qsF "\"state\": \"$2\"" ".teams/${TEAM:-alpha}/$1.json"
}

# state_of NAME FILTER: a value of its file, by jq; empty while there is no file.
state_of() {
  [ ! -e ".teams/${TEAM:-alpha}/$1.json" ] || jq -r "$2" ".teams/${TEAM:-alpha}/$1.json"
}

# sleeps NAME: it is idle, has reported it, and sleeps.
sleeps() {
  state_is "$1" idle && grep -qs '^State:.S' "/proc/${TEAMMATE[$1]:-$(state_of "$1" .pid)}/status"
}

# task_is ID STATUS
task_is() {
  grep -qsF "\"status\": \"$2\"" ".tasks/$1.json"
}

# says NAME TEXT: true if its stderr has this line, after the time.
says() {
  grep -qF -- "$2" "$1.err"
}

# gone PID…: none of them runs; a zombie counts as gone.
gone() {
  local pid
  for pid in "$@"; do ! grep -qs '^State:.[^ZX]' "/proc/$pid/status" || return 1; done
}

# teammate_ended NAME STATUS: waits for its end and compares its exit status.
teammate_ended() {
  local result=0
  if ! wait_until gone "${TEAMMATE[$1]}"; then
    printf '%s has not ended; it said:\n%s\n' "$1" "$(cat "$1.err")" >&2
    return 1
  fi
  wait "${TEAMMATE[$1]}" || result=$?
  unset "TEAMMATE[$1]"
  same "$2" "$result"
}

# kill_teammate NAME: kills it, as a crash would; returns when its name is free.
kill_teammate() {
  kill -KILL "${TEAMMATE[$1]}"
  wait "${TEAMMATE[$1]}" 2>/dev/null || true
  unset "TEAMMATE[$1]"
  wait_until is_free ".teams/${TEAM:-alpha}/$1.alive"
}

is_free() {
  [ ! -e "$1" ] || flock --shared --nonblock "$1" true
}

# strays: the pids of all running processes of this test, without the teammates of start_teammate. A process belongs to
# the test if its environment or its folder does. In few steps: bats makes each of them slow.
strays() {
  local pid found
  found=$({
    grep -lszxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ
    find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' \( -lname "$BATS_TEST_TMPDIR" -o -lname "$BATS_TEST_TMPDIR/*" \) 2>/dev/null
  } | cut -d / -f 3 | sort -u)
  # The shells of bats are in the folder too; an ended process has no command line.
  found=$(sed -n 's|..*|/proc/&/cmdline|p' <<<"$found" | xargs -r grep -LsaF bats-exec-test | cut -d / -f 3)
  # Processes that are ending, and zombies, do not count.
  for pid in $found; do
    [[ " ${TEAMMATE[*]} " == *" $pid "* ]] || ! grep -qs '^State:.[^ZX]' "/proc/$pid/status" || ! grep -qs . "/proc/$pid/cmdline" || echo "$pid"
  done
}

# nothing_left: no process of a teammate is left. Shows the ones that are.
nothing_left() {
  local pids
  pids=$(strays)
  [ -z "$pids" ] && return
  echo 'left running:' >&2
  ps -o pid,ppid,stat,args -p "${pids//$'\n'/,}" >&2
  return 1
}

teardown_teammates() {
  local pid left
  for pid in "${TEAMMATE[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  TEAMMATE=()
  cd / || return
  # Once more, for processes that others started while they were killed.
  for _ in {1..5}; do
    left=$(strays)
    [ -n "$left" ] || break
    for pid in $left; do kill -KILL "$pid" 2>/dev/null || true; done
  done
}

# trouble.bash cleans up after that: no process may hold a mounted disk.
eval "end_of_trouble() $(declare -f teardown | sed 1d)"
teardown() {
  teardown_teammates
  end_of_trouble
}

# sleeps_soundly PID: it hardly uses the processor for a second, which has 100 ticks.
sleeps_soundly() {
  local before after
  before=$(ticks "$1")
  read -rt 1 <> <(:) || true
  after=$(ticks "$1")
  ((after - before < 30)) && return
  echo "used $((after - before)) ticks in a second" >&2
  return 1
}

# ticks PID: the processor time that it has used so far.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
