# Many processes use one inbox. The received ids are compared with the ids that team-send printed.
load helper
load trouble
load mail

# write_many WRITER COUNT: sends 1, 2, 3, … to the inbox of backend.
write_many() {
  local i
  for ((i = 1; i <= $2; i++)); do
    team-send backend "$1 $i" --as lead >>"sent-$1" 2>>errors || echo "writer $1 failed" >>errors
  done
}

# writers COUNT: starts 8 writers at once, with so many messages each; WRITERS are their pids.
writers() {
  local i
  WRITERS=()
  for i in {1..8}; do
    write_many "$i" "$1" 3>&- &
    WRITERS+=($!)
  done
}

# drain OUT: takes messages as long as the file `writing` exists, and the rest at the end.
drain() {
  local code
  while [ -e writing ]; do
    code=0
    team-recv --as backend --wait=50ms >>"$1" 2>"$1.error" || code=$?
    ((code <= 1)) || cat "$1.error" >>errors
  done
}

# all_writers_are_done: then the readers end soon, too.
all_writers_are_done() {
  wait "${WRITERS[@]}"
  rm writing
}

# the_rest OUT: the messages that nobody took.
the_rest() {
  team-recv --as backend >>"$1" || true
}

# in_order FILE: the messages of each writer come as it sent them.
in_order() {
  awk -F '\t' '{ split($4, part, " "); if (part[2] <= last[part[1]]) exit 1; last[part[1]] = part[2] }' "$1"
}

@test "8 writers and a reader: every message is received once, in the order of each writer" {
  make_team
  touch writing
  drain received &
  reader=$!

  writers 250
  all_writers_are_done
  wait "$reader"
  the_rest received

  [ ! -e errors ] || same '' "$(cat errors)"
  same 2000 "$(wc -l <received)"
  diff <(sort sent-*) <(cut -f1 received | sort) >difference
  in_order received
  same '' "$(waiting_for backend)"
  gapless
}

@test "8 writers and a reader that follows: the same" {
  make_team
  start team-recv --as backend --follow

  writers 100
  wait "${WRITERS[@]}"
  wait_until has_lines out 800
  stop

  [ ! -e errors ] || same '' "$(cat errors)"
  diff <(sort sent-*) <(cut -f1 out | sort) >difference
  in_order out
}

@test "8 writers and 4 readers at once: each message goes to one of them" {
  make_team
  touch writing
  readers=()
  for i in {1..4}; do
    drain "received-$i" &
    readers+=($!)
  done

  writers 100
  all_writers_are_done
  wait "${readers[@]}"
  the_rest received-1

  [ ! -e errors ] || same '' "$(cat errors)"
  diff <(sort sent-*) <(cut -f1 received-[0-9] | sort) >difference
  for i in {1..4}; do in_order "received-$i"; done
}

@test "8 writers and readers that take some messages, or one type: the same" {
  make_team
  touch writing
  take_in_turns() {
    while [ -e writing ]; do
      team-recv --as backend --max 3 >>received-1 2>>"errors-$1" || true
      team-recv --as backend --from lead --max 2 >>received-2 2>>"errors-$1" || true
      team-recv --as backend --type message --hold --max 2 >"held-$1" 2>>"errors-$1" || continue
      cut -f1 "held-$1" | xargs team-ack --as backend 2>>"errors-$1" && cat "held-$1" >>received-3
    done
  }
  readers=()
  for i in {1..3}; do
    take_in_turns "$i" &
    readers+=($!)
  done

  writers 60
  all_writers_are_done
  wait "${readers[@]}"
  the_rest received-1

  [ ! -e errors ] || same '' "$(cat errors)"
  same '' "$(cat errors-? | grep -v ': no: no message$' || true)"
  diff <(sort sent-*) <(cut -f1 received-[0-9] | sort) >difference
}

# drain_until_killed: runs one reader after the other, each killed after a random time. Only complete lines count: the
# rest of a torn line is delivered again.
drain_until_killed() {
  local i=0 reader
  while [ -e writing ]; do
    i=$((i + 1))
    team-recv --as backend --follow >"part-$i" 2>/dev/null 3>&- &
    reader=$!
    read -rt "$(printf '0.%03d' $((RANDOM % 30 + 1)))" <> <(:) || true
    kill -KILL "$reader"
    wait "$reader" 2>/dev/null || true
  done
}

@test "8 writers and readers that are killed: no message is lost, and a repeated one has the same id" {
  make_team
  touch writing
  drain_until_killed &
  reader=$!

  writers 100
  all_writers_are_done
  wait "$reader"
  the_rest part-last
  for part in part-*; do sed -n '/\t.*\t.*\t/p' "$part"; echo; done | grep -P '^\w{26}\tlead\tmessage\t\d \d+$' >received

  [ ! -e errors ] || same '' "$(cat errors)"
  diff <(sort sent-*) <(cut -f1 received | sort -u) >difference
  same "$(cut -f4 received | sort -u | wc -l)" "$(cut -f1 received | sort -u | wc -l)"
  (($(ls part-* | wc -l) > 5))
}

@test "killed writers lose no confirmed message and damage no other message" {
  make_team
  exec 9>writing
  flock 9  # held by every writer, and by one that outlives its shell
  write_on() {
    while true; do team-send backend "$1 $((++n))" --as lead >>"sent-$1"; done
  }
  for round in {1..12}; do
    pids=()
    for i in 1 2 3; do
      write_on "$i" 2>/dev/null 3>&- &
      pids+=($!)
    done
    read -rt 0.05 <> <(:) || true
    # The shell first, then the command that it is waiting for.
    for pid in "${pids[@]}"; do
      child=$(cat "/proc/$pid/task/$pid/children")
      kill -KILL "$pid" $child 2>/dev/null || true
    done
    wait "${pids[@]}" 2>/dev/null || true
  done
  exec 9>&-
  flock writing true

  team-recv --as backend >received

  same '' "$(comm -23 <(grep -hxP '\w{26}' sent-* | sort) <(cut -f1 received | sort))"
  same "$(wc -l <received)" "$(cut -f1 received | sort -u | wc -l)"
  gapless
}

@test "asking for the status harms no reader" {
  make_team
  id=$(team-send user 'hello' --as lead)
  touch writing
  ask() {
    while [ -e writing ]; do team-send --status "$1" >/dev/null || echo 'status failed' >>errors; done
  }
  for i in 1 2; do ask "$id" & done
  askers=$(jobs -p)

  for i in {1..30}; do
    team-send user "$i" --as lead >>sent
    team-recv --hold --max 1 >>received 2>>errors || echo "reader: status $?" >>errors
    tail -1 received | cut -f1 | xargs team-ack 2>>errors
  done
  rm writing
  wait $askers

  [ ! -e errors ] || same '' "$(cat errors)"
}

@test "8 writers at once leave no gap in the events, nor does a rotation" {
  export TEAM_EVENTS_ROTATE=2000
  make_team

  writers 40
  wait "${WRITERS[@]}"

  (($(ls .teams/alpha/events-*.jsonl | wc -l) > 10))
  gapless
  same "$(seq 324)" "$(team-log --json | jq .seq)"
  same 320 "$(team-log --type MESSAGE_SENT | wc -l)"
}

@test "a reader that follows the events notices no rotation" {
  export TEAM_EVENTS_ROTATE=2000
  make_team
  start_asleep team-log -f --json

  writers 60
  wait "${WRITERS[@]}"
  wait_until has_lines out 484
  stop

  same "$(seq 484)" "$(jq .seq out)"
}

@test "a reader of the events sees no gap while they are rotated" {
  export TEAM_EVENTS_ROTATE=1000
  make_team
  touch writing
  read_all() {
    while [ -e writing ]; do
      team-log --json | jq .seq | awk '$1 != NR { print "gap at " NR; exit }' >>errors
    done
  }
  read_all &
  reader=$!

  writers 40
  all_writers_are_done
  wait "$reader"

  same '' "$(cat errors)"
}
