load helper
load trouble

@test "gives the task back to nobody, keeps the reason and prints it" {
  task-create 'first'
  TEAM_RUN_ID=one task-claim 1 --as backend

  TEAM_RUN_ID=one run --separate-stderr task-release 1 --reason 'needs a database' --as backend

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same '["pending",null,null,null,"needs a database",1]' \
    "$(jq -c '[.status, .owner, .run, .claimedAt, .error, .attempts]' .tasks/1.json)"
}

@test "lets another take the task" {
  task-create 'first'
  task-claim 1 --as backend
  task-release 1 --as backend

  run --separate-stderr task-claim --next --as frontend

  as_expected 0 $'1\tin_progress\tfrontend\t0\t-\tfirst' ''
  same 2 "$(field 1 attempts)"
}

@test "prints the task with --json, including the computed keys" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1

  run --separate-stderr task-release 1 --json

  same 0 "$status"
  same '[1,"pending",[2],false,[]]' "$(jq -c '[.id, .status, .blocks, .blocked, .openBlockers]' <<<"$output")"
}

@test "reopens a failed task for the lead and the user only" {
  task-create 'first'
  task-claim 1 --as backend
  task-fail 1 --as backend --reason 'broken'

  run --separate-stderr task-release 1 --as backend
  as_expected 7 '' 'task-release: permission_denied: only the lead may reopen task 1'

  run --separate-stderr task-release 1
  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same '[null,null]' "$(jq -c '[.error, .completedAt]' .tasks/1.json)"
}

@test "exits 2 without an id, with a bad one or an unknown option" {
  task-create 'first'

  run --separate-stderr task-release
  as_expected 2 '' 'task-release: usage: ID is missing (try task-release --help)'

  run --separate-stderr task-release 1x
  as_expected 2 '' "task-release: usage: ID: '1x' is not a task id"

  run --separate-stderr task-release 1 --next
  as_expected 2 '' "task-release: usage: unknown option '--next' (try task-release --help)"
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-release 2

  as_expected 3 '' 'task-release: not_found: no task 2'
}

@test "exits 4 if the task changed under --if-rev" {
  task-create 'first'
  task-claim 1

  run --separate-stderr task-release 1 --if-rev 1

  as_expected 4 '' 'task-release: conflict: task 1 is at rev 2, not 1'
  same in_progress "$(field 1 status)"
}

@test "exits 4 for the same name in another run" {
  task-create 'first'
  TEAM_RUN_ID=old task-claim 1 --as backend

  TEAM_RUN_ID=new run --separate-stderr task-release 1 --as backend

  as_expected 4 '' 'task-release: conflict: task 1 was claimed by another run of backend'
}

@test "exits 7 for anybody but the owner and the lead" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-release 1 --as frontend
  as_expected 7 '' 'task-release: permission_denied: only its owner backend or the lead may release task 1'

  run --separate-stderr task-release 1 --as lead
  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
}

@test "exits 8 for a task that is pending or completed" {
  task-create 'pending'
  task-create 'completed'
  task-claim 2
  task-complete 2

  for state in 1:pending 2:completed; do
    run --separate-stderr task-release "${state%:*}"
    as_expected 8 '' "task-release: invalid_state: task ${state%:*} is ${state#*:}: it cannot become pending"
  done
}

@test "exits 9 for a broken file and leaves it as it is" {
  task-create 'first'
  echo '{"id": 1' >.tasks/1.json

  run --separate-stderr task-release 1

  refused 9 'task-release: corrupt: .tasks/1.json:*:*: *'
  same '{"id": 1' "$(cat .tasks/1.json)"
}

@test "exits 74 on a full disk and changes nothing" {
  small_disk
  task-create 'first'
  task-claim 1
  fill_disk

  run --separate-stderr task-release 1

  refused 74 'task-release: io: *: No space left on device'
  same in_progress "$(field 1 status)"
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  task-claim 1
  hold .tasks/.lock

  run --separate-stderr task-release 1 --lock-timeout 0.2

  as_expected 75 '' "task-release: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
}

@test "exits 76 if the record cannot be printed: the task is released" {
  task-create 'first'
  task-claim 1

  run --separate-stderr bash -c 'task-release 1 >/dev/full'

  as_expected 76 '' 'task-release: unknown: the change is made, but cannot write to stdout: No space left on device'
  same pending "$(field 1 status)"
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-release 1 --json

  as_expected 8 '' '{"status":"error","code":"invalid_state","error":"task 1 is pending: it cannot become pending"}'
}
