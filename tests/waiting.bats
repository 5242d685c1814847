# A wait ends as soon as it can succeed, and when it can no longer succeed.
load helper
load mail
load teammates

HOLDS='exec tail -f /dev/null'

# bob_holds_1: bob, a running teammate, works on task 1 and never ends it.
bob_holds_1() {
  make_team
  task-create 'Count'
  start_teammate bob --exec "$HOLDS"
  wait_until task_is 1 in_progress
}

# behind_a_failed_one: task 1 failed, 2 waits for it, and 3 for 2.
behind_a_failed_one() {
  make_team
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third' --blocked-by 2
  task-claim 1 --as backend
  task-fail 1 --as backend --reason boom
} >/dev/null

WHY_2="task 2: waits for #1 'first', which failed: boom"
WHY_3="task 3: waits for #2 'second', pending; $WHY_2"

@test "task-claim --next --wait takes the task of an owner that is killed" {
  bob_holds_1
  start_asleep task-claim --next --wait --as backend

  kill -KILL "${TEAMMATE[bob]}"

  ended 0 $'1\tin_progress\tbackend\t0\t-\tCount' ''
}

@test "task-claim --next --wait hears of the death of one that joined after it began" {
  make_team
  task-create 'Count' --owner bob
  start_asleep task-claim --next --wait --keep-waiting --as backend

  start_teammate bob --exec "$HOLDS"
  wait_until task_is 1 in_progress
  kill -KILL "${TEAMMATE[bob]}"

  ended 0 $'1\tin_progress\tbackend\t0\t-\tCount' ''
}

@test "task-claim --next --wait takes a task when its lease ends" {
  make_team
  team-config tasks.lease 1s
  task-create 'Count'
  task-claim 1 --as frontend
  start_asleep task-claim --next --wait --as backend

  ended 0 $'1\tin_progress\tbackend\t0\t-\tCount' ''
}

@test "task-claim --next --wait reclaims tasks where the file system cannot notify" {
  bob_holds_1
  export TEAM_NOTIFY=poll
  start task-claim --next --wait --as backend
  wait_until grep -qs '^State:.S' "/proc/$STARTED/status"

  kill -KILL "${TEAMMATE[bob]}"

  ended 0 $'1\tin_progress\tbackend\t0\t-\tCount' ''
}

@test "an idle teammate takes a task when its lease ends" {
  make_team
  team-config tasks.lease 1s
  task-create 'Count'
  task-claim 1 --as frontend

  start_idle bob --exec true

  wait_until task_is 1 completed
  same bob "$(field 1 owner)"
}

@test "task-wait and team-wait return the task of a killed owner to the board" {
  local wait
  for wait in 'task-wait 1' 'team-wait task=1' 'team-wait all-done'; do
    rm -rf .teams .tasks
    bob_holds_1
    start_asleep $wait

    kill -KILL "${TEAMMATE[bob]}"

    wait_until task_is 1 pending
    task-claim 1 --as backend
    task-complete 1 --as backend
    wait_until gone "$STARTED"
  done
}

@test "task-wait returns a task to the board when its lease ends, and one whose owner died before it began" {
  bob_holds_1
  kill_teammate bob
  start_asleep task-wait 1
  wait_until task_is 1 pending

  team-config tasks.lease 1s
  task-claim 1 --as frontend
  wait_until task_is 1 pending

  task-claim 1 --as frontend
  task-complete 1 --as frontend
  ended 0 $'1\tcompleted\tfrontend\t0\t-\tCount' ''
}

@test "a lease of a member that runs does not end, and does not keep a waiter busy" {
  bob_holds_1
  team-config tasks.lease 1ms
  start_asleep task-claim --next --wait --as backend
  task-update 1 --subject 'Count again' --as bob 2>/dev/null || task-update 1 --subject 'Count again'
  wait_until is_asleep "$STARTED"
  before=$(grep '^voluntary' "/proc/$STARTED/status")

  for _ in {1..60}; do task-get 1; done >records

  same "$before" "$(grep '^voluntary' "/proc/$STARTED/status")"
  task_is 1 in_progress
  stop
}

@test "task-claim --next claims right after its owner was killed" {
  local i
  make_team
  task-create 'Count'
  for i in {1..5}; do
    start_teammate bob --exec "sh -c '$HOLDS'"
    wait_until task_is 1 in_progress
    kill -KILL "${TEAMMATE[bob]}"
    task-claim --next --as backend
    task-release 1 --as backend
    wait "${TEAMMATE[bob]}" 2>/dev/null || true
  done
}

@test "a wait for a task behind a failed one ends with 1 and says why" {
  behind_a_failed_one

  run --separate-stderr task-wait 2
  as_expected 1 '' "task-wait: no: $WHY_2"
  run --separate-stderr task-wait 3
  as_expected 1 '' "task-wait: no: $WHY_3"
  run --separate-stderr task-wait
  as_expected 1 $'1\tfailed\tbackend\t0\t-\tfirst' "task-wait: no: $WHY_2"
  run --separate-stderr team-wait task=2
  as_expected 1 '' "team-wait: no: $WHY_2"
  run --separate-stderr team-wait all-done
  as_expected 1 '' "team-wait: no: $WHY_2"
  run --separate-stderr task-claim --next --wait --as backend
  as_expected 1 '' "task-claim: no: nothing can become ready: $WHY_2"
  same "${WHY_2#*: }" "$(task-why 2 | cut -f 3)"
}

@test "a wait ends when the task that it waits for can no longer end" {
  make_team
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as backend
  start_asleep task-wait 2

  task-fail 1 --as backend --reason boom

  ended 1 '' "task-wait: no: $WHY_2"
}

@test "a wait goes on while one of its tasks can end, and names the one that cannot" {
  behind_a_failed_one
  task-create 'fourth'
  start_asleep task-wait 2 4

  task-claim 4 --as backend
  task-complete 4 --as backend

  ended 1 $'4\tcompleted\tbackend\t0\t-\tfourth' "task-wait: no: $WHY_2"
}

@test "--keep-waiting waits although the task cannot end, until the lead reopens it" {
  local wait
  for wait in 'task-wait 2' 'team-wait task=2'; do
    rm -rf .teams .tasks
    behind_a_failed_one
    start_asleep $wait --keep-waiting

    task-release 1
    task-claim 1 --as backend
    task-complete 1 --as backend
    task-claim 2 --as backend
    task-complete 2 --as backend

    wait "$STARTED"
  done
}

@test "task-claim --next --wait --keep-waiting waits until there is something" {
  behind_a_failed_one
  start_asleep task-claim --next --wait --keep-waiting --as frontend

  task-create 'fourth'

  ended 0 $'4\tin_progress\tfrontend\t0\t-\tfourth' ''
}

@test "task-claim --next --wait ends with 1 if all remaining tasks are for others" {
  make_team
  team-leave tester && team-join tester --role qa
  task-create 'Test' --role qa

  run --separate-stderr task-claim --next --wait --as backend

  as_expected 1 '' 'task-claim: no: nothing can become ready: task 1: only for role qa: tester'
}

@test "a wait for a task that stands in a cycle, or behind one that is missing, ends with 1" {
  make_team
  for name in first second third fourth; do task-create "$name"; done
  jq '.blockedBy = [2]' .tasks/1.json >edited && mv edited .tasks/1.json
  jq '.blockedBy = [1]' .tasks/2.json >edited && mv edited .tasks/2.json
  jq '.blockedBy = [9]' .tasks/3.json >edited && mv edited .tasks/3.json

  run --separate-stderr task-wait 1
  as_expected 1 '' "task-wait: no: task 1: waits for #2 'second', pending"
  run --separate-stderr task-wait 3
  as_expected 1 '' 'task-wait: no: task 3: waits for #9, which does not exist'
}

@test "a wait for a task that only a missing member may claim ends with 1" {
  make_team
  teammate-run bob --idle-timeout 0 --exec true
  task-create 'Count' --owner bob

  run --separate-stderr task-wait 1
  as_expected 1 '' 'task-wait: no: task 1: assigned to bob, who ended (idle for 0 s)'

  start_idle bob --exec true --no-auto-claim
  run --separate-stderr task-wait 1 --timeout 0.1
  as_expected 1 '' 'task-wait: no: not within 0.1 s'
}

@test "team-wait idle=NAME ends with 1 for a member that ran and is stopped, died or left" {
  make_team
  start_idle bob --exec true
  teammate-stop bob
  run --separate-stderr team-wait idle=bob
  as_expected 1 '' 'team-wait: no: bob is not running: shutdown: asked to by user'

  start_teammate bob --prompt x --exec "$HOLDS"
  wait_until state_is bob active
  start_asleep team-wait idle=bob
  kill -KILL "${TEAMMATE[bob]}"
  ended 1 '' 'team-wait: no: bob is not running: it died'

  start_asleep team-wait idle=frontend
  team-leave frontend
  ended 1 '' 'team-wait: no: frontend is no longer in team alpha'
}

@test "team-wait --keep-waiting waits for a member that is started again" {
  make_team
  teammate-run bob --idle-timeout 0 --exec true
  start_asleep team-wait idle=bob --keep-waiting

  start_idle bob --exec true

  ended 0 '' ''
}

@test "team-wait all-idle ends with 1 when nobody is left" {
  make_team
  start_teammate bob --prompt x --exec "$HOLDS"
  wait_until state_is bob active
  start_asleep team-wait all-idle

  kill -KILL "${TEAMMATE[bob]}"

  ended 1 '' 'team-wait: no: no teammate is running'
  start_asleep team-wait all-idle --keep-waiting
  start_idle bob --exec true
  ended 0 '' ''
}

# stop_at_rest NAME: suspends it, but not while it holds a lock that others need.
stop_at_rest() {
  kill -STOP "${TEAMMATE[$1]}"
  wait_until grep -q '^State:.T' "/proc/${TEAMMATE[$1]}/status"
  is_free .tasks/.lock && is_free .teams/alpha/.lock && is_free .teams/alpha/events.lock && return
  kill -CONT "${TEAMMATE[$1]}"
  return 1
}

@test "another idle teammate takes a task while the lookout is stopped" {
  local name
  make_team
  for name in bob carol eve; do start_idle "$name" --exec true; done
  wait_until stop_at_rest bob

  task-create 'Count'
  wait_until task_is 1 completed
  task-create 'Count again'
  wait_until task_is 2 completed

  kill -CONT "${TEAMMATE[bob]}"
}
