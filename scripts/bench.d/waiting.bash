# Who waits: how soon it is awake, and what it costs until then.

# woken LABEL: what `wake` measures by the plan on stdin.
woken() {
  local median p95
  "$place/wake" "$wake_rounds" "$place/sign" >"$place/$1.results" 2>"$place/$1.errors" || cat "$place/$1.errors" >&2
  median=$(awk '$1 == "median" { print $2 }' "$place/$1.results")
  p95=$(awk '$1 == "p95" { print $2 }' "$place/$1.results")
  row "$2" "$(in_ms "$median")" ms most 5
  row "  the 95th of 100" "$(in_ms "$p95")" ms most 20
}

plan_waiting_reader() {
  line each "$place/waiting" sh -c "exec '$bin/team-recv' --as user --wait >'$place/sign'"
  line trigger "$place/waiting" "$bin/team-send" --as lead user "a message of some words"
}

# A teammate whose work is to say that it is awake.
plan_idle_teammate() {
  line waiter "$place/waiting" "$bin/teammate-run" "$1" --quiet "${@:2}" --exec "echo >'$place/sign'"
}

plan_messages() {
  plan_idle_teammate reader --no-auto-claim
  line trigger "$place/waiting" "$bin/team-send" --as lead reader "a message of some words"
}

# Those that lead to a task are for somebody else, so that the teammate has nothing but what becomes free.
plan_tasks() {
  plan_idle_teammate worker
  line before "$place/waiting" "$bin/task-claim" %r --as boss
  line trigger "$place/waiting" "$bin/task-complete" %r --as boss
}

fill_waiting() {
  awk -v rounds="$wake_rounds" 'BEGIN {
    for (i = 1; i <= rounds; i++) print "{\"subject\":\"first\",\"role\":\"boss\"}"
    for (i = 1; i <= rounds; i++) printf "{\"subject\":\"then\",\"blockedBy\":[%d]}\n", i
  }' | "$bin/task-create" -C "$place/waiting" - >/dev/null || fail "cannot fill a board"
}

# system_calls PID SECONDS: that it makes meanwhile, without the one that strace interrupts. Nothing if that cannot be
# told.
system_calls() {
  timeout "$2" strace -f -p "$1" -o "$place/calls" 2>"$place/calls.errors"
  ! grep -q 'not permitted' "$place/calls.errors" || return
  grep -cvE 'restart_syscall|<detached|<unfinished|^[0-9]+ +\+\+\+' "$place/calls"
}

# asleep PID: waits until it has not run for a while.
asleep() {
  local before='' now deadline=$((SECONDS + 10))
  while ((SECONDS < deadline)); do
    now=$(awk '/ctxt_switches/ { printf "%s ", $2 }' "/proc/$1/status") || return
    [ "$now" != "$before" ] || return 0
    before=$now
    sleep 0.2
  done
}

part_waiting() {
  local wake_rounds=100 pid seconds=5
  [ -z "${QUICK:-}" ] || wake_rounds=20 seconds=2
  others=0
  make_team "$place/waiting" waiting process
  mkfifo "$place/sign" && fill_waiting || exit
  woken reader "team-recv --wait, from the start of team-send" < <(plan_waiting_reader)
  woken messages "an idle teammate's work, from that of team-send" < <(plan_messages)
  woken tasks "the same by a task, from that of task-complete" < <(plan_tasks)
  (cd "$place/waiting" && exec "$bin/teammate-run" idler --quiet --exec true) &
  pid=$!
  asleep "$pid"
  row "system calls of an idle teammate" "$(calculate "$(system_calls "$pid" "$seconds") / $seconds")" '/s' most 0
  kill "$pid"
  wait "$pid"
}
