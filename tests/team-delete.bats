load helper

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

@test "removes all that is in the folder of the team, without following links" {
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

@test "exits 3 for a team that is not there, with the nearest" {
  team-create alpha

  run --separate-stderr team-delete alpga
  as_expected 3 '' "team-delete: not_found: no team 'alpga'; did you mean alpha?"

  run --separate-stderr team-delete other
  as_expected 3 '' "team-delete: not_found: no team 'other'; there is alpha"
}

@test "refuses what is not a name and removes nothing" {
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
