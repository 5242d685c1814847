load helper
load trouble

# start_waiting ARGUMENT…: starts task-wait in the background, and returns when it sleeps.
start_waiting() {
  task-wait "$@" >ended 2>errors 3>&- &
  WAITER=$!
  wait_until is_asleep "$WAITER"
}

# waited STATUS STDOUT STDERR: how it ended.
waited() {
  status=0
  wait "$WAITER" || status=$?
  output=$(cat ended) stderr=$(cat errors)
  as_expected "$@"
}

@test "prints a task that has ended already and returns at once" {
  task-create 'first'
  task-claim 1 --as backend
  task-complete 1 --as backend

  run --separate-stderr task-wait 1

  as_expected 0 $'1\tcompleted\tbackend\t0\t-\tfirst' ''
}

@test "returns at once on an empty board" {
  team-create alpha

  run --separate-stderr task-wait

  as_expected 0 '' ''
}

@test "wakes when the task is completed" {
  task-create 'first'
  task-claim 1 --as backend
  start_waiting 1

  task-complete 1 --as backend

  waited 0 $'1\tcompleted\tbackend\t0\t-\tfirst' ''
}

@test "sleeps while nothing changes" {
  task-create 'first'
  start_waiting 1
  before=$(grep '^voluntary' "/proc/$WAITER/status")

  for _ in {1..60}; do task-get 1; done >records

  same "$before" "$(grep '^voluntary' "/proc/$WAITER/status")"
  kill "$WAITER"
}

@test "goes on waiting for a task that is released" {
  task-create 'first'
  task-claim 1
  start_waiting 1

  task-release 1
  task-claim 1
  task-complete 1

  waited 0 $'1\tcompleted\tuser\t0\t-\tfirst' ''
}

@test "waits for all of several tasks and prints each as it ends" {
  task-create 'first'
  task-create 'second'
  task-create 'third'
  task-claim 2
  start_waiting 1 2

  task-complete 2
  wait_until grep -q second ended
  kill -0 "$WAITER"
  task-claim 1
  task-complete 1

  waited 0 $'2\tcompleted\tuser\t0\t-\tsecond\n1\tcompleted\tuser\t0\t-\tfirst' ''
}

@test "waits without an id for all tasks that are on the board now" {
  task-create 'first'
  task-create 'second'
  task-claim 1
  task-complete 1
  start_waiting

  task-create 'too late'
  task-claim 2
  task-complete 2

  waited 0 $'1\tcompleted\tuser\t0\t-\tfirst\n2\tcompleted\tuser\t0\t-\tsecond' ''
}

@test "wakes when somebody completes a task by hand" {
  task-create 'first'
  task-create 'second'
  start_waiting 1 2

  jq '.status = "completed"' .tasks/1.json >edited && mv edited .tasks/1.json
  wait_until grep -q first ended
  jq '.status = "completed"' .tasks/2.json >edited && cat edited >.tasks/2.json

  waited 0 $'1\tcompleted\t-\t0\t-\tfirst\n2\tcompleted\t-\t0\t-\tsecond' ''
}

@test "prints with --json the computed keys too" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1
  task-complete 1

  run --separate-stderr task-wait 1 --json

  same 0 "$status"
  same '[1,"completed",[2],false,[]]' "$(jq -c '[.id, .status, .blocks, .blocked, .openBlockers]' <<<"$output")"
}

@test "works where the file system cannot notify" {
  task-create 'first'
  task-claim 1
  export TEAM_NOTIFY=poll
  task-wait 1 >ended 2>errors 3>&- &
  WAITER=$!
  wait_until grep -qs '^State:.S' "/proc/$WAITER/status"
  run ! grep -qs '^inotify wd' "/proc/$WAITER"/fdinfo/*

  task-complete 1

  waited 0 $'1\tcompleted\tuser\t0\t-\tfirst' ''
}

@test "gives up after --timeout where the file system cannot notify" {
  task-create 'first'

  TEAM_NOTIFY=poll run --separate-stderr task-wait 1 --timeout 100ms

  as_expected 1 '' 'task-wait: no: not within 0.1 s'
}

@test "exits 1 if a task failed, after all have ended" {
  task-create 'first'
  task-create 'second'
  task-claim 1
  task-fail 1
  start_waiting 1 2

  task-claim 2
  task-complete 2

  waited 1 $'1\tfailed\tuser\t0\t-\tfirst\n2\tcompleted\tuser\t0\t-\tsecond' 'task-wait: no: failed: 1'
}

@test "exits 1 after --timeout, and prints the tasks that have ended" {
  task-create 'first'
  task-create 'second'
  task-claim 1
  task-complete 1

  run --separate-stderr task-wait 1 2 --timeout 0.1

  as_expected 1 $'1\tcompleted\tuser\t0\t-\tfirst' 'task-wait: no: not within 0.1 s'
}

@test "asks without waiting with --timeout 0" {
  task-create 'first'

  run --separate-stderr task-wait 1 --timeout 0

  as_expected 1 '' 'task-wait: no: not within 0 s'
}

@test "exits 2 for a bad id, a bad time or an unknown option" {
  task-create 'first'

  run --separate-stderr task-wait 1 x
  as_expected 2 '' "task-wait: usage: ID: 'x' is not a task id"

  run --separate-stderr task-wait 1 --timeout soon
  refused 2 "task-wait: usage: --timeout: 'soon' is not a time *"

  run --separate-stderr task-wait 1 --timeout -1
  refused 2 'task-wait: usage: *'

  run --separate-stderr task-wait --bogus
  as_expected 2 '' "task-wait: usage: unknown option '--bogus' (try task-wait --help)"
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-wait 1 2

  as_expected 3 '' 'task-wait: not_found: no task 2'
}

@test "exits 3 if the task is deleted meanwhile" {
  task-create 'first'
  start_waiting 1

  task-delete 1

  waited 3 '' 'task-wait: not_found: no task 1'
}

@test "exits 3 if the whole board is removed meanwhile" {
  task-create 'first'
  start_waiting 1

  rm -r .tasks

  waited 3 '' 'task-wait: not_found: no task 1'
}

@test "exits 9 if the file is broken" {
  task-create 'first'
  start_waiting 1

  echo '{"id": 1' >.tasks/1.json

  waited 9 '' "task-wait: corrupt: .tasks/1.json:2:1: unexpected end of input; expected '}'"
}

@test "does not care about other files that are broken" {
  task-create 'first'
  task-create 'second'
  start_waiting 1

  echo '{' >.tasks/2.json
  task-claim 1
  task-complete 1

  waited 0 $'1\tcompleted\tuser\t0\t-\tfirst' ''
}

@test "works on a read-only board" {
  task-create 'first'
  task-claim 1
  task-complete 1
  read_only .tasks

  run --separate-stderr task-wait

  as_expected 0 $'1\tcompleted\tuser\t0\t-\tfirst' ''
}

@test "exits 74 if the record cannot be written" {
  task-create 'first'
  task-claim 1
  task-complete 1

  run --separate-stderr bash -c 'task-wait 1 >/dev/full'

  as_expected 74 '' 'task-wait: io: cannot write to stdout: No space left on device'
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-wait 1 --timeout 0 --json
  as_expected 1 '' '{"status":"error","code":"no","error":"not within 0 s"}'

  run --separate-stderr task-wait 7 --json
  as_expected 3 '' '{"status":"error","code":"not_found","error":"no task 7"}'
}
