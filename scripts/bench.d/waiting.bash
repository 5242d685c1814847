# Waiting processes: how soon they wake, and what they cost until then.

# woken LABEL: the result of `wake` for the plan on stdin. It includes the start of the command that wakes and of the
# command that runs then.
woken() {
  "$place/wake" "$wake_rounds" "$place/sign" >"$place/$1.results" 2>"$place/$1.errors" || cat "$place/$1.errors" >&2
}

# report_woken LABEL TEXT row|note: the median and the 95th of 100, with bars or without.
report_woken() {
  local median p95
  median=$(in_ms "$(awk '$1 == "median" { print $2 }' "$place/$1.results")")
  p95=$(in_ms "$(awk '$1 == "p95" { print $2 }' "$place/$1.results")")
  "$3" "$2" "$median" ms most 5
  "$3" "  the 95th of 100" "$p95" ms most 20
}

# rank LABEL: the same figures for the microseconds on stdin.
rank() {
  sort -g | awk '{ all[NR] = $1 } END { if (NR) print "median", all[int((NR + 1) / 2)] "\np95", all[int(NR * 0.95 + 0.5)] }' \
    >"$place/$1.results"
}

# From the creation of a message, which its id tells to the millisecond, until the reader notes that it has it. (The
# sender notes the sending only after the message is there, at times after the reader has it.)
message_wakes() {
  jq -r --arg reader "$1" 'select(.event.type == "MESSAGE_DELIVERED" and .event.recipient == $reader) |
    [.event.message_id, .timestamp] | @tsv' "$place"/waiting/.teams/waiting/events*.jsonl |
    awk '{
      made = 0
      for (i = 1; i <= 10; i++) made = made * 32 + index("0123456789ABCDEFGHJKMNPQRSTVWXYZ", substr($1, i, 1)) - 1
      printf "%.0f\n", $2 * 1e6 - made * 1e3
    }'
}

# From the end of a task to the claim of the task that waited for it, by the files of the board.
task_wakes() {
  jq -r '[.id, (.blockedBy[0] // 0), (.claimedAt // 0), (.completedAt // 0)] | @tsv' "$place"/waiting/.tasks/*.json |
    awk '{ claimed[$1] = $3; ended[$1] = $4; if ($2) first[$1] = $2 }
      END { for (id in first) if (claimed[id]) printf "%.0f\n", (claimed[id] - ended[first[id]]) * 1e6 }'
}

plan_waiting_reader() {
  line each "$place/waiting" sh -c "exec '$bin/team-recv' --as user --wait >'$place/sign'"
  line trigger "$place/waiting" "$bin/team-send" --as lead user "a message of some words"
}

# A teammate that reports that it is awake.
plan_idle_teammate() {
  line waiter "$place/waiting" "$bin/teammate-run" "$1" --quiet "${@:2}" --exec "echo >'$place/sign'"
}

plan_messages() {
  plan_idle_teammate reader --no-auto-claim
  line trigger "$place/waiting" "$bin/team-send" --as lead reader "a message of some words"
}

# The tasks before it are for another role, so that the teammate only gets the unblocked task.
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

# system_calls PID SECONDS: the calls in that time, without the one that strace interrupts. Empty if strace cannot tell.
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
  woken reader < <(plan_waiting_reader)
  report_woken reader "team-recv --wait, from the start of team-send" row
  woken messages < <(plan_messages)
  message_wakes reader | rank message-wakes
  report_woken message-wakes "an idle teammate, from a message to its receipt" row
  report_woken messages "  from the start of team-send to that of the work" note
  woken tasks < <(plan_tasks)
  task_wakes | rank task-wakes
  report_woken task-wakes "the same, from a task's end to the next one's claim" row
  report_woken tasks "  from the start of task-complete to that of the work" note
  (cd "$place/waiting" && exec "$bin/teammate-run" idler --quiet --exec true) &
  pid=$!
  asleep "$pid"
  row "system calls of an idle teammate" "$(calculate "$(system_calls "$pid" "$seconds") / $seconds")" '/s' most 0
  kill "$pid"
  wait "$pid"
}
