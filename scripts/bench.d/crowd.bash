# A team of 500 with many idle teammates on one board. One task becomes ready, one teammate gets it, and the others must
# not wake.

# The pids of the idle teammates, one a line.
idlers() { cat "$place"/crowd/.teams/crowd/idler*.json | jq -r 'select(.state == "idle").pid'; }

# spent [WHO]: for each of "pids" or "untold", its pid, the nanoseconds that it has run so far, and how often it went to
# sleep.
spent() {
  local pid
  while read -r pid; do
    echo "$pid $(cut -d ' ' -f 1 "/proc/$pid/schedstat") $(awk '/^voluntary/ { print $2 }' "/proc/$pid/status")"
  done <"$place/crowd/${1:-pids}" | sort
}

# Waits until none of them has run for a while.
all_asleep() {
  local before='' now deadline=$((SECONDS + 20))
  while ((SECONDS < deadline)); do
    now=$(spent)
    [ "$now" != "$before" ] || return 0
    before=$now
    sleep 1
  done
}

# Every idle teammate looks at the board every 30 s, in case the lookout hangs. So a measurement begins when all have
# just gone to sleep.
fall_asleep() {
  "$bin/team-config" -C "$place/crowd" idle.poll 2 || fail "cannot change the team"
  all_asleep
}

# one_task: creates a task and waits until it is done and all teammates sleep again.
one_task() {
  local id
  id=$("$bin/task-create" -C "$place/crowd" "for one of many") &&
    timeout 60 "$bin/task-wait" -C "$place/crowd" "$id" >/dev/null || fail "nobody does the task"
  all_asleep
}

# of_others COLUMN: the median of all but the busiest one, between two files of `spent`.
of_others() {
  join "$place/crowd/before" "$place/crowd/after" | awk -v column="$1" '{ print $(3 + column) - $(1 + column) }' |
    sort -n | awk '{ all[NR] = $1 } END { print all[int(NR / 2)] }'
}

start_crowd() {
  local i config=$place/crowd/.teams/crowd/config.json
  make_team "$place/crowd" crowd process --max-teammates 500
  "$bin/team-join" -C "$place/crowd" idler1 >/dev/null && "$bin/task-create" -C "$place/crowd" first --owner user >/dev/null
  jq '(.members[] | select(.name == "idler1")) as $one
    | .members += [range(2; 500) | . as $n | $one + {name: "idler\($n)"}]' "$config" >"$place/crowd/config" &&
    mv "$place/crowd/config" "$config" && chmod 600 "$config" || fail "cannot make a team of 500"
  for ((i = 1; i <= crowd; i++)); do
    (cd "$place/crowd" && exec "$bin/teammate-run" "idler$i" --quiet --exec true </dev/null >/dev/null 2>&1) &
    crowd_pids+=($!)
  done
  i=0
  until (($(idlers | wc -l) == crowd)) || ((++i > 200)); do sleep 0.3; done
  (($(idlers | wc -l) == crowd)) || fail "only $(idlers | wc -l) of $crowd idle"
  told >"$place/crowd/pids"
  idlers | grep -vxFf "$place/crowd/pids" >"$place/crowd/untold"
}

# The idle teammates that get notifications. A user has 128 instances of inotify (fs.inotify.max_user_instances); a
# teammate without one polls every two seconds.
told() {
  local pid
  idlers | while read -r pid; do
    ! readlink "/proc/$pid"/fd/* 2>/dev/null | grep -q inotify || echo "$pid"
  done
}

# calls_of_some: the median number of system calls of ten of them, for one task.
calls_of_some() {
  local some pid options=() tracer
  mapfile -t some < <(head -n 10 "$place/crowd/pids")
  for pid in "${some[@]}"; do options+=(-p "$pid"); done
  fall_asleep
  strace -f -o "$place/crowd/calls" "${options[@]}" 2>/dev/null &
  tracer=$!
  sleep 1
  one_task
  kill -INT $tracer
  wait $tracer
  for pid in "${some[@]}"; do grep "^$pid .*(" "$place/crowd/calls" | grep -cvE 'restart_syscall|<detached'; done |
    sort -n | sed -n 5p
}

# The cost of polling every two seconds, for teammates without notifications: when nothing happens, and when another
# teammate does a task.
note_untold() {
  local seconds=10 idle
  spent untold >"$place/crowd/before"
  sleep $seconds
  spent untold >"$place/crowd/after"
  idle=$(of_others 1)
  note "  how often each of the other $(wc -l <"$place/crowd/untold") looks" "$(calculate "$(of_others 2) / $seconds")" /s
  note "  what it uses for that" "$(calculate "$idle / 1e6 / $seconds")" 'ms of cpu/s'
  spent untold >"$place/crowd/before"
  SECONDS=0
  one_task
  ((SECONDS >= seconds)) || sleep $((seconds - SECONDS))
  spent untold >"$place/crowd/after"
  note "  what one task of another costs it" "$(calculate "($(of_others 1) - $idle) / 1e6")" 'ms of cpu'
}

part_crowd() {
  local crowd_pids=()
  others=0
  start_crowd
  fall_asleep
  note "$crowd idle teammates in a team of 500, of them told" "$(wc -l <"$place/crowd/pids")" 'by inotify'
  spent >"$place/crowd/before"
  sleep 3
  spent >"$place/crowd/after"
  row "  how often they wake in 3 s when nothing happens" \
    "$(join "$place/crowd/before" "$place/crowd/after" | awk '{ all += $5 - $3 } END { print all }')" times most 0
  [ ! -s "$place/crowd/untold" ] || note_untold
  one_task
  fall_asleep
  spent >"$place/crowd/before"
  one_task
  spent >"$place/crowd/after"
  row "  one task: how many of them wake" \
    "$(join "$place/crowd/before" "$place/crowd/after" | awk '$5 > $3' | wc -l)" 'of them' most 5
  row "  one task: how often each other one wakes" "$(of_others 2)" times most 0
  row "  one task: what each other one uses" "$(calculate "$(of_others 1) / 1e6")" 'ms of cpu' most 0
  row "  one task: system calls of each other one" "$(calls_of_some)" calls most 0
  kill "${crowd_pids[@]}"
  wait "${crowd_pids[@]}"
}
