# A store that is removed and created again, as by git clean and git stash: waiting commands continue with the new one.
load helper
load mail
load teammates

# swap FOLDER: the same files in another folder of the same name, which is missing for a moment.
swap() {
  cp -a "$1" copy
  rm -r "$1"
  mv copy "$1"
}

# stash, pop: as git does it, with all untracked files.
stash() { git stash push -qu -- .teams .tasks; }
pop() { git stash pop -q; }
in_a_repository() {
  git init -q .
  git config user.email me@example.com
  git config user.name me
  git commit -q --allow-empty -m start
}

@test "an idle teammate takes tasks of a board that was removed and made again" {
  make_team
  start_idle bob --exec true

  rm -r .tasks
  task-create 'Count'

  wait_until task_is 1 completed
  same bob "$(field 1 owner)"
}

@test "an idle teammate sleeps while its board is missing" {
  make_team
  start_idle bob --exec true

  mv .tasks away
  wait_until says bob 'the board was removed'
  sleeps_soundly "${TEAMMATE[bob]}"

  mv away .tasks
  task-create 'Count'
  wait_until task_is 1 completed
}

@test "idle teammates go on in a team that was removed and made again" {
  make_team
  start_idle bob --exec true
  start_idle carol --exec true

  rm -r .teams .tasks
  make_team
  task-create 'Count'

  wait_until task_is 1 completed
  wait_until state_is bob idle
  wait_until state_is carol idle
  team-send carol 'hello' --wait processed --timeout 20
  same 'bob carol' "$(teammate-list | cut -f 1 | grep -x 'bob\|carol' | sort | xargs)"
}

@test "idle teammates live on in a copy of their team" {
  make_team
  start_idle bob --exec true

  swap .teams

  wait_until says bob 'the team has another folder'
  team-trust  # a copy needs a mark of its own
  run --separate-stderr teammate-run bob --exec true
  refused 4 'teammate-run: conflict: bob is running already*'
}

@test "a teammate completes its task on a board that was stashed meanwhile" {
  in_a_repository
  make_team
  task-create 'Count'
  mkfifo gate
  start_teammate bob --exec 'touch begun; read -r _ <gate; echo 42'
  wait_until test -e begun
  stash
  echo >gate
  wait_until says bob 'waits for it to come back'

  pop

  wait_until task_is 1 completed
  same 42 "$(field 1 result)"
}

@test "a teammate with --until-done does not take a stashed board for a finished one" {
  in_a_repository
  make_team
  task-create 'Count' --owner frontend
  task-create 'Add' --blocked-by 1
  task-claim 1 --as frontend
  start_idle bob --exec true --until-done

  stash
  wait_until says bob 'waits for it to come back'
  pop
  task-complete 1 --as frontend

  teammate_ended bob 0
  task_is 2 completed
}

@test "task-wait, team-wait and task-claim --wait go on with a board that was removed and made again" {
  local wait
  make_team
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as frontend
  for wait in 'task-wait 1' 'team-wait task=1' 'team-wait all-done' 'task-claim --next --wait --as backend'; do
    start_asleep $wait

    swap .tasks
    wait_until is_asleep "$STARTED"
    task-complete 1 --as frontend
    [ "$wait" != 'team-wait all-done' ] || { task-claim 2 --as tester && task-complete 2 --as tester; }

    wait "$STARTED"
    rm -r .tasks
    task-create 'first'
    task-create 'second' --blocked-by 1
    task-claim 1 --as frontend
  done
}

@test "task-wait goes on after git stash and git stash pop" {
  in_a_repository
  make_team
  task-create 'first'
  start_asleep task-wait 1

  stash
  pop
  task-claim 1 --as backend
  task-complete 1 --as backend

  ended 0 $'1\tcompleted\tbackend\t0\t-\tfirst' ''
}

@test "team-wait idle=NAME goes on with a team that was removed and made again" {
  make_team
  team-join bob
  start_asleep team-wait idle=bob

  swap .teams
  team-trust  # a copy needs a mark of its own
  start_idle bob --exec true

  ended 0 '' ''
}

@test "team-recv --follow prints the mail of a team that was removed and made again" {
  make_team
  start_asleep team-recv --follow --json --as backend
  team-send backend 'one' --as lead
  wait_until grep -q one out

  swap .teams
  team-send backend 'two' --as lead
  wait_until grep -q two out
  rm -r .teams
  make_team
  team-send backend 'three' --as lead
  wait_until grep -q three out

  same 'one two three' "$(jq -r .content out | xargs)"
  stop
}

@test "team-recv --wait and team-wait message wake in a team that was removed and made again" {
  local wait
  for wait in 'team-recv --wait --as backend' 'team-wait message --as backend'; do
    rm -rf .teams .tasks
    make_team
    start_asleep $wait

    swap .teams
    team-send backend 'hello' --as lead

    wait "$STARTED"
  done
}

@test "team-log -f prints each event once, of a log that came back and of a new one" {
  make_team
  start_asleep team-log -f --json
  task-create 'one'
  wait_until grep -q TASK_CREATED out

  swap .teams
  task-create 'two'
  wait_until grep -q '"two"' out
  same 2 "$(grep -c TASK_CREATED out)"
  rm -r .teams
  make_team
  task-create 'three'

  wait_until grep -q '"three"' out
  same 3 "$(grep -c TASK_CREATED out)"
  stop
}

@test "a waiter exits 3 if the team or the board does not come back" {
  make_team
  task-create 'first'
  start_asleep team-recv --wait --as backend

  mv .teams elsewhere

  ended 3 '' "team-recv: not_found: no team 'alpha'"
  mv elsewhere .teams
  start_asleep team-wait all-done
  rm -r .tasks
  ended 3 '' "team-wait: not_found: the board '.tasks' was removed"
}
