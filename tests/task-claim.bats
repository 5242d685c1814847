load helper
load trouble

@test "takes a task by id and prints it" {
  task-create 'first'

  run --separate-stderr task-claim 1 --as backend

  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tfirst' ''
  same backend "$(field 1 owner)"
}

@test "notes when, by which run and how often a task was claimed" {
  task-create 'first'

  TEAM_RUN_ID=run-7 run --separate-stderr task-claim 1 --as backend

  same 0 "$status"
  same '["in_progress","backend","run-7",1,2,true]' \
    "$(jq -c '[.status, .owner, .run, .attempts, .rev, (now - .claimedAt) < 60]' .tasks/1.json)"
}

@test "prints the task with --json, including the computed keys" {
  task-create 'first'
  task-create 'second' --blocked-by 1

  run --separate-stderr task-claim 1 --as backend --json

  same 0 "$status"
  same '' "$stderr"
  same '[1,"in_progress","backend",[2],false,[]]' \
    "$(jq -c '[.id, .status, .owner, .blocks, .blocked, .openBlockers]' <<<"$output")"
}

@test "acts as TEAM_MEMBER, and as user if there is none" {
  task-create 'first'
  task-create 'second'

  TEAM_MEMBER=backend task-claim 1
  task-claim 2

  same backend "$(field 1 owner)"
  same user "$(field 2 owner)"
}

@test "exits 1 with nothing on stdout when no task is ready" {
  task-create 'first'
  task-claim 1 --as frontend

  run --separate-stderr task-claim --next --as backend

  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "exits 1 on an empty board" {
  team-create alpha

  run --separate-stderr task-claim --next --as backend

  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "says as JSON that nothing is ready" {
  team-create alpha

  run --separate-stderr task-claim --next --as backend --json

  as_expected 1 '' '{"status":"error","code":"no","error":"nothing is ready"}'
}

@test "takes the lowest id next, by number and not by text" {
  for _ in {1..12}; do echo '{"subject":"task"}'; done | task-create -
  for id in 1 3 4 5 6 7 8 9; do task-delete "$id"; done

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\ttask' ''
}

@test "takes the highest priority next, then the lowest id" {
  task-create 'normal'
  task-create 'high'
  task-create 'critical'
  task-create 'critical too'
  task-update 2 --priority 1
  task-update 3 --priority 2
  task-update 4 --priority 2

  for name in a b c d; do task-claim --next --as "$name"; done | cut -f 1 >order

  same '3 4 2 1' "$(xargs <order)"
}

@test "claims assigned tasks first, then tasks without an owner, never tasks of others" {
  task-create 'critical, of nobody' --priority 2
  task-create 'critical, of another' --priority 2 --owner frontend
  task-create 'mine' --owner backend
  task-create 'mine and high' --owner backend --priority 1

  for _ in 1 2 3; do
    id=$(task-claim --next --as backend | cut -f 1)
    task-complete "$id" --as backend
    echo "$id"
  done >order
  run --separate-stderr task-claim --next --as backend

  same '4 3 1' "$(xargs <order)"
  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "passes over tasks that are blocked, failed or completed" {
  task-create 'completed'
  task-claim 1
  task-complete 1
  task-create 'failed'
  task-claim 2
  task-fail 2
  task-create 'waits for the failed one' --blocked-by 2
  task-create 'ready' --blocked-by 1

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'4\tin_progress\tbackend\t0\t-\tready' ''
}

@test "gives a task of a role by --next to members of that role only" {
  team-create alpha
  team-join tester --role test
  team-join coder --role dev
  task-create 'test it' --role test

  run --separate-stderr task-claim --next --as coder
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim --next --as stranger
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim --next --as tester
  as_expected 0 $'1\tin_progress\ttester\t0\t-\ttest it' ''
}

@test "orders tasks of my role and of no role together" {
  team-create alpha
  team-join tester --role test
  team-config tasks.perMember 0
  task-create 'for all'
  task-create 'for testers' --role test
  task-create 'for all, high' --priority 1
  task-create 'for testers, high' --priority 1 --role test

  for _ in 1 2 3 4; do task-claim --next --as tester; done | cut -f 1 >order

  same '3 4 1 2' "$(xargs <order)"
}

@test "gives a task of a role by id, or to the one it is assigned to" {
  task-create 'test it' --role test
  task-create 'test that' --role test --owner frontend

  run --separate-stderr task-claim 1 --as backend
  as_expected 0 $'1\tin_progress\tbackend\t0\t-\ttest it' ''

  run --separate-stderr task-claim --next --as frontend
  as_expected 0 $'2\tin_progress\tfrontend\t0\t-\ttest that' ''
}

@test "gives each task to one of many processes that claim at once" {
  for _ in {1..30}; do echo '{"subject":"task"}'; done | task-create - >ids

  seq 40 | xargs -P 8 -I{} sh -c 'task-claim --next --as worker-{} || true' >claimed 2>refusals

  same "$(seq 30)" "$(cut -f 1 claimed | sort -n)"
  same 30 "$(cut -f 3 claimed | sort -u | wc -l)"
  same 10 "$(grep -c 'nothing is ready' refusals)"
}

@test "gives a task to one of many processes that claim it by id" {
  task-create 'first'

  seq 16 | xargs -P 8 -I{} sh -c 'task-claim 1 --as worker-{} || true' >claimed 2>refusals

  same 1 "$(wc -l <claimed)"
  same 15 "$(grep -c "conflict: task 1 is owned by $(field 1 owner)" refusals)"
}

@test "lets one of many lives of a member hold one task" {
  task-create 'first'
  task-create 'second'
  task-create 'third'

  seq 8 | xargs -P 8 -I{} sh -c 'TEAM_RUN_ID=run-{} task-claim --next --as backend || true' >claimed 2>refusals

  same 1 "$(wc -l <claimed)"
  same 7 "$(grep -c '^task-claim: busy: ' refusals)"
}

@test "exits 2 without a task, with a bad one, with both or with an unknown option" {
  task-create 'first'

  run --separate-stderr task-claim
  as_expected 2 '' 'task-claim: usage: ID or --next is missing (try task-claim --help)'

  run --separate-stderr task-claim 1 --next
  as_expected 2 '' 'task-claim: usage: ID and --next cannot be combined'

  run --separate-stderr task-claim first
  as_expected 2 '' "task-claim: usage: ID: 'first' is not a task id"

  run --separate-stderr task-claim 1 1
  refused 2 'task-claim: usage: *'

  run --separate-stderr task-claim 1 --bogus
  as_expected 2 '' "task-claim: usage: unknown option '--bogus' (try task-claim --help)"

  run --separate-stderr task-claim 1 --lock-timeout soon
  refused 2 "task-claim: usage: --lock-timeout: 'soon' is not a time *"

  run --separate-stderr task-claim 1 --as 'two words'
  as_expected 2 '' "task-claim: usage: 'two words' is not a name"

  run --separate-stderr task-claim 1 --as all
  as_expected 2 '' "task-claim: usage: 'all' is reserved"

  same pending "$(field 1 status)"
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-claim 2 --as backend

  as_expected 3 '' 'task-claim: not_found: no task 2'
}

@test "exits 3 where there is no board, and makes none" {
  mkdir -m 700 .teams

  run --separate-stderr task-claim 1 --as backend

  refused 3 "task-claim: not_found: no board '.tasks' in *; task-create makes one"
  [ ! -e .tasks ]
}

@test "exits 4 for a task that somebody has, even if it is me or the lead asks" {
  task-create 'first'
  task-claim 1 --as backend

  for name in frontend backend lead user; do
    run --separate-stderr task-claim 1 --as "$name"
    as_expected 4 '' 'task-claim: conflict: task 1 is owned by backend'
  done

  same 2 "$(field 1 rev)"
}

@test "exits 4 for a pending task that is assigned to another" {
  task-create 'first' --owner frontend

  run --separate-stderr task-claim 1 --as backend

  as_expected 4 '' 'task-claim: conflict: task 1 is owned by frontend'
}

@test "refuses a task whose blockers are open and names them" {
  task-create 'first'
  task-create 'second' --blocked-by 1

  run --separate-stderr task-claim 2 --as backend

  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'
  same pending "$(field 2 status)"
}

@test "names all open blockers: pending, running, failed, broken and gone, not the completed ones" {
  for subject in completed pending running failed broken gone; do task-create "$subject"; done
  task-claim 1
  task-complete 1
  task-claim 3 --as backend
  task-claim 4
  task-fail 4
  task-create 'last' --blocked-by 1,2,3,4,5,6
  echo '{' >.tasks/5.json
  rm .tasks/6.json

  run --separate-stderr task-claim 7

  as_expected 5 '' 'task-claim: blocked: task 7 waits for 2, 3, 4, 5, 6'
}

@test "exits 6 if the member holds another task, by id and by --next" {
  task-create 'first'
  task-create 'second'
  task-claim 1 --as backend

  run --separate-stderr task-claim 2 --as backend
  as_expected 6 '' 'task-claim: busy: backend holds task 1; finish or release it first'

  run --separate-stderr task-claim --next --as backend
  as_expected 6 '' 'task-claim: busy: backend holds task 1; finish or release it first'

  same pending "$(field 2 status)"
}

@test "lets a member hold as many tasks as tasks.perMember says" {
  team-create alpha
  team-config tasks.perMember 2
  task-create 'first'
  task-create 'second'
  task-create 'third'
  task-claim 1 --as backend
  task-claim --next --as backend

  run --separate-stderr task-claim 3 --as backend

  as_expected 6 '' 'task-claim: busy: backend holds task 1, 2; finish or release it first'
}

@test "lets a member hold any number of tasks with tasks.perMember 0" {
  team-create alpha
  team-config tasks.perMember 0
  for _ in 1 2 3 4; do task-create 'task'; done

  for id in 1 2 3 4; do task-claim "$id" --as backend; done

  same 4 "$(task-list --status in_progress --owner backend | wc -l)"
}

@test "does not count completed, failed or released tasks of a member" {
  for _ in 1 2 3 4; do task-create 'task'; done
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-claim 2 --as backend
  task-fail 2 --as backend
  task-claim 3 --as backend
  task-release 3 --as backend

  run --separate-stderr task-claim 4 --as backend

  as_expected 0 $'4\tin_progress\tbackend\t0\t-\ttask' ''
}

@test "exits 7 if an agent acts as another" {
  task-create 'first'

  TEAM_MEMBER=backend run --separate-stderr task-claim 1 --as frontend

  as_expected 7 '' 'task-claim: permission_denied: you are backend (TEAM_MEMBER) and cannot act as frontend'
  same pending "$(field 1 status)"
}

@test "exits 7 for system, however it is named" {
  task-create 'first'

  run --separate-stderr task-claim 1 --as system
  as_expected 7 '' 'task-claim: permission_denied: nobody acts as system'

  TEAM_MEMBER=SYSTEM run --separate-stderr task-claim 1
  as_expected 7 '' 'task-claim: permission_denied: nobody acts as system'
}

@test "exits 8 for a task that has ended" {
  task-create 'completed'
  task-create 'failed'
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-claim 2 --as backend
  task-fail 2 --as backend

  run --separate-stderr task-claim 1 --as backend
  as_expected 8 '' 'task-claim: invalid_state: task 1 is completed'

  run --separate-stderr task-claim 2 --as backend
  as_expected 8 '' 'task-claim: invalid_state: task 2 is failed'
}

@test "exits 9 for a broken file and leaves it as it is" {
  task-create 'first'
  printf '{\n  "id": 1,\n  "status": "done"\n}\n' >.tasks/1.json
  cp .tasks/1.json before

  run --separate-stderr task-claim 1 --as backend

  as_expected 9 '' "task-claim: corrupt: .tasks/1.json:3:3: 'status' must be pending, in_progress, completed or failed"
  cmp before .tasks/1.json
}

@test "exits 74 on a read-only board and changes nothing" {
  task-create 'first'
  read_only .tasks

  run --separate-stderr task-claim 1 --as backend

  refused 74 "task-claim: io: cannot * '.tasks/*': *"
  same pending "$(field 1 status)"
}

@test "exits 74 on a full disk and changes nothing" {
  small_disk
  task-create 'first'
  fill_disk

  run --separate-stderr task-claim --next --as backend

  refused 74 'task-claim: io: *: No space left on device'
  same pending "$(field 1 status)"
  same '' "$(ls -A .tasks/.tmp)"
  rm full
  task-claim --next --as backend
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  hold .tasks/.lock
  kill -STOP "$HOLDER"

  run --separate-stderr task-claim 1 --as backend --lock-timeout 0.2

  as_expected 75 '' "task-claim: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
  same pending "$(field 1 status)"
}

@test "names the holder of this lock, not of a lock with the same inode on another disk" {
  local disk holders=()
  small_disk
  for disk in one two; do
    mkdir "$disk"
    mount_here -t tmpfs -o size=1m,mode=700 tmpfs "$disk"
    (cd "$disk" && task-create 'wanted')
  done
  same "$(stat -c %i one/.tasks/.lock)" "$(stat -c %i two/.tasks/.lock)"
  for disk in one two; do
    cd "$BATS_TEST_TMPDIR/small/$disk"
    hold .tasks/.lock
    holders+=("$HOLDER")
  done

  run --separate-stderr task-claim 1 -C ../one --as backend --lock-timeout 0.2

  kill -KILL "${holders[0]}"
  same 75 "$status"
  [[ $stderr == *": pid ${holders[0]} (cat) holds it; waited 0.2 s" ]]
}

@test "gives up at once with --lock-timeout 0" {
  task-create 'first'
  hold .tasks/.lock

  run --separate-stderr task-claim 1 --as backend --lock-timeout 0

  refused 75 "task-claim: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) *"
}

@test "goes on as soon as the lock is free" {
  task-create 'first'
  hold .tasks/.lock
  task-claim 1 --as backend >claimed 3>&- &
  claim=$!
  wait_until grep -q "^.* -> FLOCK .* $claim " /proc/locks

  let_go
  wait "$claim"

  same $'1\tin_progress\tbackend\t0\t-\tfirst' "$(cat claimed)"
}

@test "exits 76 if the record cannot be printed: the task is claimed" {
  task-create 'first'

  run --separate-stderr bash -c 'task-claim 1 --as backend >/dev/full'

  as_expected 76 '' 'task-claim: unknown: the change is made, but cannot write to stdout: No space left on device'
  same backend "$(field 1 owner)"
}

@test "exits 76 if the reader of the record has left" {
  task-create 'first'

  run --separate-stderr bash -c 'exec 4> >(exec true); wait $!; task-claim 1 --as backend >&4'

  as_expected 76 '' 'task-claim: unknown: the change is made, but cannot write to stdout: Broken pipe'
}

@test "says errors as JSON with --json" {
  task-create 'first'
  task-create 'second' --blocked-by 1

  run --separate-stderr task-claim 2 --json
  as_expected 5 '' '{"status":"error","code":"blocked","error":"task 2 waits for 1"}'

  run --separate-stderr task-claim --json
  as_expected 2 '' '{"status":"error","code":"usage","error":"ID or --next is missing (try task-claim --help)"}'
}

@test "leaves the task of a living owner alone" {
  team-create alpha
  team-join backend
  task-create 'first'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend

  run --separate-stderr task-claim --next --as frontend
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim 1 --as frontend
  as_expected 4 '' 'task-claim: conflict: task 1 is owned by backend'
}

@test "takes over the task of a dead owner by --next" {
  team-create alpha
  team-join backend
  task-create 'first'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  let_go

  run --separate-stderr task-claim --next --as frontend

  as_expected 0 $'1\tin_progress\tfrontend\t0\t-\tfirst' ''
  same 2 "$(field 1 attempts)"
}

@test "takes over the task of a dead owner by id" {
  team-create alpha
  team-join backend
  task-create 'first'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  let_go

  run --separate-stderr task-claim 1 --as frontend

  as_expected 0 $'1\tin_progress\tfrontend\t0\t-\tfirst' ''
}

@test "releases the tasks of dead owners even if it claims another task by id" {
  team-create alpha
  team-join backend
  task-create 'first'
  task-create 'second'
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  let_go

  run --separate-stderr task-claim 2 --as frontend

  as_expected 0 $'2\tin_progress\tfrontend\t0\t-\tsecond' ''
  same pending "$(field 1 status)"
}

@test "never takes an owner for dead that was not run by us" {
  team-create alpha
  team-join backend
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-claim --next --as frontend

  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "takes over a task whose lease ran out" {
  team-create alpha
  team-config tasks.lease 0.05
  task-create 'first'
  task-claim 1 --as backend
  wait_until lease_is_over 1

  run --separate-stderr task-claim 1 --as frontend

  as_expected 0 $'1\tin_progress\tfrontend\t0\t-\tfirst' ''
}

@test "does not count a task whose lease ran out against its owner" {
  team-create alpha
  team-config tasks.lease 0.05
  task-create 'first'
  task-create 'second'
  task-claim 1 --as backend
  wait_until lease_is_over 1

  run --separate-stderr task-claim 2 --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "waits with --next --wait until something is ready" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as frontend

  task-claim --next --wait --as backend >taken &
  waiter=$!
  wait_until is_asleep "$waiter"
  task-complete 1 --as frontend
  wait "$waiter"

  same $'2\tin_progress\tbackend\t0\t-\tsecond' "$(cat taken)"
}

@test "exits 1 with --next --wait when all tasks have ended" {
  task-create 'first'
  task-claim 1 --as frontend
  task-complete 1 --as frontend

  run --separate-stderr task-claim --next --wait --as backend

  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "a number after --wait is a time, not the task" {
  task-create 'first'

  run --separate-stderr task-claim --wait 1 --as backend

  as_expected 2 '' 'task-claim: usage: ID or --next is missing (try task-claim --help)'
  same pending "$(field 1 status)"
}

@test "exits 1 with --next --wait=S when nothing is ready in time" {
  task-create 'first'
  task-claim 1 --as frontend

  run --separate-stderr task-claim --next --wait=0.05 --as backend
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim --next --wait 0.05 --as backend
  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "exits 2 for a root without a name" {
  run --separate-stderr task-claim 1 -C ''

  as_expected 2 '' 'task-claim: usage: the name of the root is empty'
}
