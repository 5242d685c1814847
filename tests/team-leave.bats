load helper

members() { jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json; }

setup_team() {
  team-create alpha
  team-join backend
  team-join frontend
}

@test "removes a member and prints nothing" {
  setup_team

  run --separate-stderr team-leave backend

  as_expected 0 '' ''
  same 'lead frontend' "$(members)"
}

@test "frees the name for another" {
  setup_team
  team-leave backend

  run --separate-stderr team-join backend --role coder

  as_expected 0 backend ''
}

@test "lets a member leave by itself but remove nobody else" {
  setup_team

  TEAM_MEMBER=backend run --separate-stderr team-leave frontend
  as_expected 7 '' 'team-leave: permission_denied: only the lead or the user may remove others, not backend'

  TEAM_MEMBER=backend run --separate-stderr team-leave backend
  as_expected 0 '' ''
  same 'lead frontend' "$(members)"
}

@test "does not let an agent act as another" {
  setup_team

  TEAM_MEMBER=backend run --separate-stderr team-leave frontend --as frontend

  as_expected 7 '' 'team-leave: permission_denied: you are backend (TEAM_MEMBER) and cannot act as frontend'
  same 'lead backend frontend' "$(members)"
}

@test "never removes the lead" {
  setup_team

  run --separate-stderr team-leave lead

  as_expected 7 '' 'team-leave: permission_denied: lead leads team alpha and cannot leave it'
  same 'lead backend frontend' "$(members)"
}

@test "exits 3 for a name that is not a member, with the nearest name" {
  setup_team

  run --separate-stderr team-leave bakend
  as_expected 3 '' "team-leave: not_found: no member 'bakend' in team alpha; did you mean backend?"

  run --separate-stderr team-leave ../../etc
  same 3 "$status"
  same 'lead backend frontend' "$(members)"
}

@test "exits 3 for a team that is not there" {
  setup_team

  run --separate-stderr team-leave backend -t beta

  as_expected 3 '' "team-leave: not_found: no team 'beta'; there is alpha"
}

@test "exits 2 without a name" {
  setup_team

  run --separate-stderr team-leave

  as_expected 2 '' 'team-leave: usage: NAME is missing (try team-leave --help)'
}

@test "exits 4 while the member lives, and removes it when it has died" {
  setup_team
  exec 9>.teams/alpha/backend.alive
  flock 9

  run --separate-stderr team-leave backend
  as_expected 4 '' 'team-leave: conflict: backend is still running'
  same 'lead backend frontend' "$(members)"

  exec 9>&-
  run --separate-stderr team-leave backend
  as_expected 0 '' ''
}

@test "keeps the keys of others" {
  setup_team
  jq '.note = "by hand" | .members[2].colour = "red"' .teams/alpha/config.json >edited
  cp edited .teams/alpha/config.json

  run --separate-stderr team-leave backend

  as_expected 0 '' ''
  same 'by hand red' "$(jq -r '"\(.note) \(.members[1].colour)"' .teams/alpha/config.json)"
}

@test "exits 9 and leaves a broken configuration as it is" {
  setup_team
  echo '{"name": "alpha"' >.teams/alpha/config.json
  cp .teams/alpha/config.json before

  run --separate-stderr team-leave backend

  same 9 "$status"
  [[ $stderr == 'team-leave: corrupt: .teams/alpha/config.json:2:1: '* ]]
  cmp before .teams/alpha/config.json
}

@test "exits 75 when the lock of the team is not had in time" {
  setup_team
  exec 9>.teams/alpha/.lock
  flock 9

  run --separate-stderr team-leave backend --lock-timeout 0.05

  same 75 "$status"
  same 'lead backend frontend' "$(members)"
}

@test "exits 74 and changes nothing when nothing can be written" {
  setup_team

  run --separate-stderr bash -o pipefail -c 'ulimit -f 0; team-leave backend 2>&1 | cat'

  same 74 "$status"
  same 'lead backend frontend' "$(members)"
}

@test "loses nobody when some join and others leave at once" {
  team-create alpha --max-teammates 0
  local i pids=() pid
  for i in {1..8}; do team-join "old-$i" >/dev/null; done

  for i in {1..8}; do
    team-leave "old-$i" &
    pids+=($!)
    team-join "new-$i" >/dev/null &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done

  same 'lead new-1 new-2 new-3 new-4 new-5 new-6 new-7 new-8' \
    "$(jq -r '[.members[0].name] + ([.members[1:][].name] | sort) | join(" ")' .teams/alpha/config.json)"
}
