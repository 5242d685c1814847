load helper
load trouble

@test "prints nothing if nothing is lost" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-reclaim

  as_expected 0 '' ''
  same in_progress "$(field 1 status)"
}

@test "leaves the task of a living owner alone" {
  team-create alpha
  team-join backend
  task-create 'first'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend

  run --separate-stderr task-reclaim

  as_expected 0 '' ''
  same backend "$(field 1 owner)"
}

@test "releases the task of a dead owner and says why" {
  team-create alpha
  team-join backend
  task-create 'first'
  hold .teams/alpha/backend.alive
  TEAM_RUN_ID=one task-claim 1 --as backend
  let_go

  run --separate-stderr task-reclaim

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same '["pending",null,null,null,"released: backend died",1,3]' \
    "$(jq -c '[.status, .owner, .run, .claimedAt, .error, .attempts, .rev]' .tasks/1.json)"
}

@test "releases every task of a dead owner, of others none" {
  team-create alpha
  team-join backend
  team-config tasks.perMember 2
  for _ in 1 2 3; do task-create 'task'; done
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  task-claim 2 --as frontend
  task-claim 3 --as backend
  let_go

  run --separate-stderr task-reclaim

  as_expected 0 $'1\tpending\t-\t0\t-\ttask\n3\tpending\t-\t0\t-\ttask' ''
  same frontend "$(field 2 owner)"
}

@test "releases a task once" {
  team-create alpha
  team-join backend
  task-create 'first'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  let_go

  seq 6 | xargs -P 6 -I{} task-reclaim >released

  same $'1\tpending\t-\t0\t-\tfirst' "$(cat released)"
  same 3 "$(field 1 rev)"
}

@test "does not change assigned, completed or failed tasks of a dead owner" {
  team-create alpha
  team-join backend
  task-create 'assigned' --owner backend
  task-create 'completed'
  task-create 'failed'
  hold .teams/alpha/backend.alive
  task-claim 2 --as backend
  task-complete 2 --as backend
  task-claim 3 --as backend
  task-fail 3 --as backend
  let_go

  run --separate-stderr task-reclaim

  as_expected 0 '' ''
  same $'backend\nbackend\nbackend' "$(task-list | cut -f 3)"
}

@test "takes no owner for dead that was never run by us or is no member" {
  team-create alpha
  team-join frontend
  task-create 'first'
  task-create 'second'
  task-claim 1 --as frontend
  task-claim 2 --as stranger

  run --separate-stderr task-reclaim

  as_expected 0 '' ''
  same 'frontend stranger' "$(task-list --status in_progress | cut -f 3 | xargs)"
}

@test "releases a task whose lease ran out and says why" {
  team-create alpha
  team-config tasks.lease 0.05
  task-create 'first'
  task-claim 1 --as backend
  wait_until lease_is_over 1

  run --separate-stderr task-reclaim

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same 'released: the lease of backend ran out null' "$(field 1 error) $(field 1 lease)"
}

@test "leaves a task alone whose lease has not run out" {
  team-create alpha
  team-config tasks.lease 60
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-reclaim

  as_expected 0 '' ''
  same backend "$(field 1 owner)"
}

@test "leaves the task of a living owner alone although its lease ran out" {
  team-create alpha
  team-join backend
  team-config tasks.lease 0.05
  task-create 'first'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  wait_until lease_is_over 1

  run --separate-stderr task-reclaim

  as_expected 0 '' ''
  same backend "$(field 1 owner)"
}

@test "releases a task whose lease is from before the machine was restarted" {
  team-create alpha
  team-config tasks.lease 3600
  task-create 'first'
  task-claim 1 --as backend
  jq '.lease.boot = "00000000-0000-0000-0000-000000000000"' .tasks/1.json >edited && mv edited .tasks/1.json

  run --separate-stderr task-reclaim

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same 'released: the machine of backend was restarted' "$(field 1 error)"
}

@test "refuses the late completion by an owner that lost the task" {
  team-create alpha
  team-config tasks.lease 0.05
  task-create 'first'
  task-claim 1 --as backend
  wait_until lease_is_over 1
  task-reclaim

  run --separate-stderr task-complete 1 --as backend
  as_expected 8 '' 'task-complete: invalid_state: task 1 is pending: it cannot become completed'

  task-claim 1 --as frontend
  run --separate-stderr task-complete 1 --as backend
  as_expected 7 '' 'task-complete: permission_denied: only its owner frontend or the lead may complete task 1'
}

@test "prints with --json the computed keys too" {
  team-create alpha
  team-join backend
  task-create 'first'
  task-create 'second' --blocked-by 1
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  let_go

  run --separate-stderr task-reclaim --json

  same 0 "$status"
  same '[1,"pending",[2],false,[]]' "$(jq -c '[.id, .status, .blocks, .blocked, .openBlockers]' <<<"$output")"
}

@test "passes over a broken file" {
  team-create alpha
  team-join backend
  team-config tasks.perMember 2
  task-create 'first'
  task-create 'second'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  task-claim 2 --as backend
  let_go
  echo '{' >.tasks/1.json

  run --separate-stderr task-reclaim

  as_expected 0 $'2\tpending\t-\t0\t-\tsecond' ''
  same '{' "$(cat .tasks/1.json)"
}

@test "exits 2 for operands and unknown options" {
  task-create 'first'

  run --separate-stderr task-reclaim 1
  refused 2 'task-reclaim: usage: *'

  run --separate-stderr task-reclaim --bogus
  as_expected 2 '' "task-reclaim: usage: unknown option '--bogus' (try task-reclaim --help)"
}

@test "exits 3 where there is no board" {
  run --separate-stderr task-reclaim -C "$BATS_TEST_TMPDIR"

  as_expected 3 '' "task-reclaim: not_found: no .teams or .tasks in '$BATS_TEST_TMPDIR'"
}

@test "exits 9 if the team's configuration is broken" {
  team-create alpha
  task-create 'first'
  echo '{"name": "alpha",' >.teams/alpha/config.json

  run --separate-stderr task-reclaim

  refused 9 'task-reclaim: corrupt: .teams/alpha/config.json:2:1: *'
}

@test "exits 74 on a read-only board" {
  task-create 'first'
  read_only .tasks

  run --separate-stderr task-reclaim

  refused 74 "task-reclaim: io: cannot * '.tasks/*': *"
}

@test "exits 74 on a full disk and changes nothing" {
  small_disk
  team-create alpha
  team-join backend
  task-create 'first'
  touch .teams/alpha/backend.alive
  task-claim 1 --as backend
  fill_disk

  run --separate-stderr task-reclaim

  refused 74 'task-reclaim: io: *: No space left on device'
  same backend "$(field 1 owner)"
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  hold .tasks/.lock

  run --separate-stderr task-reclaim --lock-timeout 0.2

  as_expected 75 '' "task-reclaim: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
}

@test "exits 76 if the records cannot be printed: the tasks are released" {
  team-create alpha
  team-join backend
  task-create 'first'
  touch .teams/alpha/backend.alive
  task-claim 1 --as backend

  run --separate-stderr bash -c 'task-reclaim >/dev/full'

  as_expected 76 '' 'task-reclaim: unknown: the change is made, but cannot write to stdout: No space left on device'
  same pending "$(field 1 status)"
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-reclaim -t alpha --json

  as_expected 3 '' "{\"status\":\"error\",\"code\":\"not_found\",\"error\":\"no team 'alpha'\"}"
}
