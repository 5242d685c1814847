load helper
load trouble

@test "marks the task as failed, keeps the reason and prints it" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-fail 1 --reason 'no query type' --as backend

  as_expected 0 $'1\tfailed\tbackend\t0\t-\tfirst' ''
  same '["failed","backend","no query type",true]' "$(jq -c '[.status, .owner, .error, (now - .completedAt) < 60]' .tasks/1.json)"
}

@test "says that no reason was given" {
  task-create 'first'
  task-claim 1

  run --separate-stderr task-fail 1

  as_expected 0 $'1\tfailed\tuser\t0\t-\tfirst' ''
  same 'no reason given' "$(field 1 error)"
}

@test "leaves the waiting tasks blocked" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1

  run --separate-stderr task-fail 1 --json

  same 0 "$status"
  same '[1,"failed",[2],false]' "$(jq -c '[.id, .status, .blocks, .blocked]' <<<"$output")"
  same $'2\tpending\t-\t0\t1\tsecond' "$(task-list --blocked)"
}

@test "frees its owner for another task" {
  task-create 'first'
  task-create 'second'
  task-claim 1 --as backend
  task-fail 1 --as backend

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "exits 2 without an id, with a bad one or an unknown option" {
  task-create 'first'

  run --separate-stderr task-fail
  as_expected 2 '' 'task-fail: usage: ID is missing (try task-fail --help)'

  run --separate-stderr task-fail 0
  as_expected 2 '' "task-fail: usage: ID: '0' is not a task id"

  run --separate-stderr task-fail 1 --bogus
  as_expected 2 '' "task-fail: usage: unknown option '--bogus' (try task-fail --help)"
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-fail 2

  as_expected 3 '' 'task-fail: not_found: no task 2'
}

@test "exits 4 if the task changed under --if-rev" {
  task-create 'first'
  task-claim 1

  run --separate-stderr task-fail 1 --if-rev 1

  as_expected 4 '' 'task-fail: conflict: task 1 is at rev 2, not 1'
  same in_progress "$(field 1 status)"
}

@test "exits 4 for the same name in another run, but lets the lead do it" {
  task-create 'first'
  TEAM_RUN_ID=old task-claim 1 --as backend

  TEAM_RUN_ID=new run --separate-stderr task-fail 1 --as backend
  as_expected 4 '' 'task-fail: conflict: task 1 was claimed by another run of backend'

  TEAM_RUN_ID=new run --separate-stderr task-fail 1 --as lead
  as_expected 0 $'1\tfailed\tbackend\t0\t-\tfirst' ''
}

@test "exits 7 for anybody but the owner and the lead" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-fail 1 --as frontend

  as_expected 7 '' 'task-fail: permission_denied: only its owner backend or the lead may fail task 1'
  same in_progress "$(field 1 status)"
}

@test "exits 8 for a task that is pending, completed or failed" {
  task-create 'pending'
  task-create 'completed'
  task-create 'failed'
  task-claim 2
  task-complete 2
  task-claim 3
  task-fail 3

  for state in 1:pending 2:completed 3:failed; do
    run --separate-stderr task-fail "${state%:*}"
    as_expected 8 '' "task-fail: invalid_state: task ${state%:*} is ${state#*:}: it cannot become failed"
  done
}

@test "exits 9 for a broken file and leaves it as it is" {
  task-create 'first'
  echo '{"id": 1' >.tasks/1.json

  run --separate-stderr task-fail 1

  refused 9 'task-fail: corrupt: .tasks/1.json:*:*: *'
  same '{"id": 1' "$(cat .tasks/1.json)"
}

@test "exits 74 on a full disk and changes nothing" {
  small_disk
  task-create 'first'
  task-claim 1
  fill_disk

  run --separate-stderr task-fail 1

  refused 74 'task-fail: io: *: No space left on device'
  same in_progress "$(field 1 status)"
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  task-claim 1
  hold .tasks/.lock

  run --separate-stderr task-fail 1 --lock-timeout 0.2

  as_expected 75 '' "task-fail: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
}

@test "exits 76 if the record cannot be printed: the task has failed" {
  task-create 'first'
  task-claim 1

  run --separate-stderr bash -c 'task-fail 1 >/dev/full'

  as_expected 76 '' 'task-fail: unknown: the change is made, but cannot write to stdout: No space left on device'
  same failed "$(field 1 status)"
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-fail 1 --json

  as_expected 8 '' '{"status":"error","code":"invalid_state","error":"task 1 is pending: it cannot become failed"}'
}
