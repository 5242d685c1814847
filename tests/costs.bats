# Costs that must not grow with the age or the size of a team: bytes read, files opened, time under a lock. They are
# counted in system calls, never in seconds.
load helper
load trouble
load mail

needs_trace() { strace -qqo /dev/null true 2>/dev/null || skip 'cannot trace here'; }

# bytes_read FILE: the sum of the traced reads.
bytes_read() { awk -F ' = ' '/^(read|pread64|preadv)\(/ && $NF > 0 { sum += $NF } END { print sum + 0 }' "$1"; }

# answered_plans COUNT: makes so many old answered plans, then two pending ones: the ids are in `answered`, `plan` and
# `new`.
answered_plans() {
  plan-submit 'old' --as backend >plan
  plan-approve "$(cat plan)" >/dev/null
  local record i id
  record=.teams/alpha/requests/$(cat plan).json
  for ((i = 1; i <= $1; i++)); do
    printf -v id '0000000000000000000000%04d' "$i"
    sed "s/$(cat plan)/$id/" "$record" >".teams/alpha/requests/$id.json"
    echo "$id"
  done >answered
  rm "$record"
  plan-submit 'last' --as backend >plan
  cat plan >>answered
  plan-submit 'new' --as backend >new
}

@test "answered requests move to an archive, where they are still found" {
  needs_trace
  make_team
  answered_plans 100

  plan-approve "$(cat plan)" >/dev/null

  same 33 "$(find .teams/alpha/requests -maxdepth 1 -name '*.json' | wc -l)"
  same "$(cat answered new)" "$(plan-list --all | cut -f 1)"
  same "$(cat new)" "$(plan-list | cut -f 1)"
  run --separate-stderr plan-approve 00000000000000000000000001
  as_expected 8 '' 'plan-approve: invalid_state: request 00000000000000000000000001 is approved already'
}

@test "a status opens no file of an archived request" {
  needs_trace
  make_team
  answered_plans 300
  plan-approve "$(cat plan)" >/dev/null

  strace -qqo trace -e trace=openat,openat2 team-status >out

  grep -q "$(cat new)" out
  (($(grep -c '"0000000000000000000000[0-9]*\.json"' trace) <= 64))
}

# long_log: adds 40,000 events, about 10 MB.
long_log() {
  tail -n 1 .teams/alpha/events.jsonl | awk '{
    for (i = 1; i <= 40000; i++) {
      line = $0
      sub(/"seq":[0-9]+/, "\"seq\":" NR + 3 + i, line)
      print line
    }
  }' >lines
  cat lines >>.teams/alpha/events.jsonl
}

@test "team-log ends when its reader has enough" {
  needs_trace
  make_team
  long_log

  strace -qqo trace -e trace=pread64,read,preadv team-log | head -n 1 >out

  same 1 "$(wc -l <out)"
  (($(bytes_read trace) < 2000000))
}

@test "team-log that finds little ends as well" {
  needs_trace
  make_team
  long_log

  strace -qqo trace -e trace=pread64,read,preadv team-log --type TEAM_CREATED | head -n 1 >out

  same 1 "$(wc -l <out)"
  (($(bytes_read trace) < 2000000))
}

@test "a transcript is not searched for messages" {
  needs_trace
  make_team
  team-send backend 'hello' >/dev/null
  mkdir -m 700 .teams/alpha/bodies
  echo 'left over' >.teams/alpha/bodies/00000000000000000000000001
  truncate -s 32M .teams/alpha/backend_transcript.jsonl

  strace -qqo trace -e trace=pread64,read,preadv team-config tasks.max 5

  [ ! -e .teams/alpha/bodies/00000000000000000000000001 ]
  (($(bytes_read trace) < 1000000))
}

@test "lines that are no messages are kept up to a limit" {
  needs_trace
  make_team
  head -c 5000000 /dev/zero | tr '\0' 'x' >.teams/alpha/backend_rejected.jsonl
  echo 'no message' >>.teams/alpha/backend_inbox.jsonl

  run -1 --separate-stderr team-recv --as backend

  same 5000000 "$(stat -c %s .teams/alpha/backend_rejected.old)"
  same 'no message' "$(jq -r .line .teams/alpha/backend_rejected.jsonl)"
}

@test "a claim looks at no more files when the last one was long ago" {
  needs_trace
  unshare --time --boottime 10 true 2>/dev/null || skip 'needs a time namespace'
  seq 2000 | jq -c '{subject: "task \(.)"}' | task-create - >/dev/null
  task-claim --next --as ann >/dev/null

  unshare --time --boottime 10 \
    strace -qqo trace -e trace=newfstatat,statx,openat,openat2 task-claim --next --as bob >out

  same 2 "$(cut -f 1 out)"
  (($(wc -l <trace) < 500))
}

# start_batch: task-create of `batch` in the background, as $WRITER, stopped when its files are written.
start_batch() {
  strace -qqo trace -e trace=syncfs -e inject=syncfs:signal=SIGSTOP:when=1 task-create - <batch >ids 2>errors 3>&- &
  WRITER=$!
  wait_until grep -qs 'stopped by SIGSTOP' trace
}

# go_on: lets it finish; its exit status is in $ended.
go_on() {
  pkill -CONT -P "$WRITER"
  ended=0
  wait "$WRITER" || ended=$?
}

@test "the board is free while a batch is written, and nobody takes it for litter" {
  needs_trace
  task-create 'first' >/dev/null
  export TEAM_DURABILITY=power

  seq 20 | jq -c '{subject: "task \(.)"}' >batch
  start_batch
  rm .tasks/.index
  run --separate-stderr task-create 'other' --lock-timeout 0.5
  team-fsck >fsck
  go_on

  same '0 22 0' "$status $output $ended"
  same '' "$(cat fsck)"
  same "$(seq 2 21)" "$(cat ids)"
  same "$(seq 22)" "$(task-list | cut -f 1)"
  same '' "$(ls -A .tasks/.tmp)"
}

@test "the ids of a batch that is refused in the end are given to the next one" {
  needs_trace
  task-create 'first' >/dev/null
  export TEAM_DURABILITY=power

  seq 20 | jq -c '{subject: "task \(.)", blockedBy: [1]}' >batch
  start_batch
  task-delete 1
  go_on

  same '3 task-create: not_found: no task 1 to be blocked by' "$ended $(cat errors)"
  same '' "$(ls -A .tasks/.tmp)"
  same 2 "$(task-create 'next')"
}
