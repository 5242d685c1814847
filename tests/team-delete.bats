load helper
load teammates

@test "removes a team and leaves its board" {
  team-create alpha
  task-create 'stays'

  run --separate-stderr team-delete alpha

  as_expected 0 '' ''
  same .lock "$(ls -A .teams)"
  same 1 "$(task-list | wc -l)"
}

@test "removes one team of several" {
  team-create alpha
  team-create beta

  run --separate-stderr team-delete alpha

  as_expected 0 '' ''
  same beta "$(team-list | cut -f1)"
}

@test "removes everything in the folder of the team, without following links" {
  team-create alpha
  mkdir -p .teams/alpha/requests/deep outside
  touch .teams/alpha/requests/deep/file outside/kept
  ln -s "$PWD/outside" .teams/alpha/link

  run --separate-stderr team-delete alpha

  as_expected 0 '' ''
  [ -e outside/kept ]
  same .lock "$(ls -A .teams)"
}

@test "exits 4 while a member lives, and removes the team when it has died" {
  team-create alpha
  team-join backend
  exec 9>.teams/alpha/backend.alive
  flock 9

  run --separate-stderr team-delete alpha
  as_expected 4 '' 'team-delete: conflict: backend of team alpha is still running'
  same alpha "$(team-list | cut -f1)"

  exec 9>&-
  run --separate-stderr team-delete alpha
  as_expected 0 '' ''
}

@test "takes the word of the kernel, not of a file, that a member lives" {
  team-create alpha
  team-join backend
  coproc holder { flock .teams/alpha/backend.alive -c 'echo held; read -r _'; }
  read -r held <&"${holder[0]}"
  same held "$held"

  run --separate-stderr team-delete alpha
  same 4 "$status"

  echo >&"${holder[1]}"
  wait "$holder_PID" || true
  run --separate-stderr team-delete alpha
  as_expected 0 '' ''
}

@test "exits 4 while a teammate runs, and lets it run" {
  team-create alpha
  teammate-spawn coder --exec true
  wait_until sleeps coder-1

  run --separate-stderr team-delete alpha

  as_expected 4 '' 'team-delete: conflict: coder-1 of team alpha is still running'
  is_held .teams/alpha/coder-1.alive
  same 0 "$(team-log --type SHUTDOWN_REQUESTED | wc -l)"
}

@test "--force shuts down running members, then removes the team" {
  team-create alpha
  teammate-spawn coder --count 2 --exec 'echo "$TASK_ID" >>done'
  start_idle lead --exec true
  task-create 'first'
  wait_until task_is 1 completed

  run --separate-stderr team-delete alpha --force

  as_expected 0 '' ''
  same .lock "$(ls -A .teams)"
  teammate_ended lead 0
  wait_until nothing_left
  same completed "$(field 1 status)"
}

@test "--force lets a piece of work be done first" {
  mkfifo gate
  team-create alpha
  task-create 'first'
  teammate-spawn coder --exec 'touch begun; read -r _ <gate'
  wait_until test -e begun
  team-delete alpha --force >out 2>errors 3>&- &
  deletes=$!
  wait_until test -d .teams/alpha/requests

  echo >gate

  wait "$deletes"
  same '' "$(cat out errors)"
  same completed "$(field 1 status)"
  same .lock "$(ls -A .teams)"
  wait_until nothing_left
}

@test "--force kills a member that does not end within 10 s, with its child processes, and releases its task" {
  team-create alpha
  task-create 'first'
  teammate-spawn coder --exec 'setsid tail -f /dev/null & tail -f /dev/null'
  wait_until state_is coder-1 active
  teammate-spawn tester --exec true
  wait_until sleeps tester-1
  kill -STOP "$(state_of tester-1 .pid)"

  run --separate-stderr team-delete alpha --force

  same 0 "$status"
  same '' "$output"
  same $'team-delete: coder-1 was killed\nteam-delete: tester-1 was killed' "$stderr"
  same .lock "$(ls -A .teams)"
  same pending "$(field 1 status)"
  wait_until nothing_left
}

@test "--force kills a member that refuses to end at once" {
  team-create alpha
  mkdir -m 700 .teams/alpha/hooks
  printf '#!/bin/sh\nexit 1\n' >.teams/alpha/hooks/teammate-shutdown
  chmod 700 .teams/alpha/hooks/teammate-shutdown
  teammate-spawn coder --exec true
  wait_until sleeps coder-1

  run --separate-stderr team-delete alpha --force

  as_expected 0 '' 'team-delete: coder-1 was killed'
  same .lock "$(ls -A .teams)"
  wait_until nothing_left
}

@test "--force removes a team in which nobody runs" {
  team-create alpha
  team-join backend

  run --separate-stderr team-delete alpha --force

  as_expected 0 '' ''
  same .lock "$(ls -A .teams)"
}

@test "--force by a caller that may not delete shuts nobody down" {
  team-create alpha
  teammate-spawn coder --exec true
  wait_until sleeps coder-1

  run --separate-stderr team-delete alpha --force --as coder-1

  as_expected 7 '' 'team-delete: permission_denied: only the lead or the user may delete a team, not coder-1'
  is_held .teams/alpha/coder-1.alive
  same 0 "$(team-log --type SHUTDOWN_REQUESTED | wc -l)"
}

@test "exits 3 for a team that is not there, with the nearest" {
  team-create alpha

  run --separate-stderr team-delete alpga
  as_expected 3 '' "team-delete: not_found: no team 'alpga'; did you mean alpha?"

  run --separate-stderr team-delete other
  as_expected 3 '' "team-delete: not_found: no team 'other'; there is alpha"
}

@test "refuses an invalid name and removes nothing" {
  team-create alpha
  mkdir victim
  local name
  for name in ../victim .. . ''; do
    run --separate-stderr team-delete "$name"

    same 2 "$status"
    same '' "$output"
    [[ $stderr == "team-delete: usage: '"* ]]
  done
  [ -d victim ]
  same alpha "$(team-list | cut -f1)"
}

@test "exits 2 without a name" {
  team-create alpha

  run --separate-stderr team-delete

  as_expected 2 '' 'team-delete: usage: TEAM is missing (try team-delete --help)'
}

@test "lets only the lead and the user remove a team" {
  team-create alpha --lead boss
  team-join backend

  run --separate-stderr team-delete alpha --as backend
  as_expected 7 '' 'team-delete: permission_denied: only the lead or the user may delete a team, not backend'

  TEAM_MEMBER=backend run --separate-stderr team-delete alpha --as boss
  as_expected 7 '' 'team-delete: permission_denied: you are backend (TEAM_MEMBER) and cannot act as boss'
  same alpha "$(team-list | cut -f1)"

  run --separate-stderr team-delete alpha --as boss
  as_expected 0 '' ''
}

@test "does not let the lead of one team remove another" {
  team-create alpha --lead boss
  team-create beta

  TEAM_NAME=alpha TEAM_MEMBER=boss run --separate-stderr team-delete beta

  as_expected 7 '' 'team-delete: permission_denied: only the lead or the user may delete a team, not boss'
  same $'alpha\nbeta' "$(team-list | cut -f1)"
}

@test "exits 9 and leaves a team whose configuration is broken" {
  team-create alpha
  echo '{' >.teams/alpha/config.json
  cp .teams/alpha/config.json before

  run --separate-stderr team-delete alpha

  same 9 "$status"
  [[ $stderr == 'team-delete: corrupt: .teams/alpha/config.json:2:1: '* ]]
  cmp before .teams/alpha/config.json
}

@test "exits 75 when a lock is not had in time" {
  team-create alpha
  local lock
  for lock in .teams/.lock .teams/alpha/.lock; do
    exec 9>"$lock"
    flock 9

    run --separate-stderr team-delete alpha --lock-timeout 0.05

    exec 9>&-
    same 75 "$status"
    [[ $stderr == "team-delete: again: cannot lock '$lock': "* ]]
  done
  same alpha "$(team-list | cut -f1)"
}

@test "exits 7 for a store that anybody can write to" {
  team-create alpha
  chmod o+w .teams

  run --separate-stderr team-delete alpha

  as_expected 7 '' "team-delete: permission_denied: '.teams' is not to be trusted: anybody can write to it"
  [ -e .teams/alpha/config.json ]
}

@test "has one winner when two remove a team at once" {
  local round first second
  for round in {1..25}; do
    team-create alpha >/dev/null
    team-delete alpha 2>one.err &
    first=$!
    team-delete alpha 2>two.err &
    second=$!
    local results=()
    wait "$first" && results+=(0) || results+=($?)
    wait "$second" && results+=(0) || results+=($?)

    same '0 3' "$(printf '%s\n' "${results[@]}" | sort -n | paste -sd' ')"
    same .lock "$(ls -A .teams)"
  done
}
