load helper

members() { jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json; }

@test "adds a member and prints its name" {
  team-create alpha

  run --separate-stderr team-join backend

  as_expected 0 backend ''
  same 'lead backend' "$(members)"
}

@test "keeps the role and gives its tasks to the member" {
  team-create alpha
  task-create 'for testers' --role tester
  task-create 'for coders' --role coder

  run --separate-stderr team-join backend --role coder

  as_expected 0 backend ''
  same coder "$(jq -r '.members[1].role' .teams/alpha/config.json)"
  same 2 "$(task-claim --next --as backend | cut -f1)"
}

@test "refuses names that are not names" {
  team-create alpha
  local name
  for name in ../escape '' a/b "$(printf 'a%.0s' {1..65})" 'a b'; do
    run --separate-stderr team-join "$name"

    same 2 "$status"
    same '' "$output"
    [[ $stderr == "team-join: usage: '"* ]]
  done
  same lead "$(members)"
}

@test "refuses reserved names, in whatever case" {
  team-create alpha --lead boss
  local name
  for name in user system all lead User LEAD; do
    run --separate-stderr team-join "$name"

    as_expected 2 '' "team-join: usage: '$name' is reserved"
  done
  same boss "$(members)"
}

@test "refuses a name that is taken, in whatever case" {
  team-create alpha
  team-join backend

  run --separate-stderr team-join Backend

  as_expected 4 '' 'team-join: conflict: backend is in team alpha already'
  same 'lead backend' "$(members)"
}

@test "refuses a role that is not a name" {
  team-create alpha

  run --separate-stderr team-join backend --role 'a b'

  same 2 "$status"
  [[ $stderr == "team-join: usage: 'a b' is not a name: "* ]]
  same lead "$(members)"
}

@test "exits 8 when the team is full" {
  team-create alpha --max-teammates 1
  team-join one

  run --separate-stderr team-join two

  as_expected 8 '' 'team-join: invalid_state: team alpha has no room for 1 more teammate: 1 of at most 1 live (teammates.max)'
  same 'lead one' "$(members)"
}

@test "knows no limit when teammates.max is 0" {
  team-create alpha --max-teammates 0
  local i
  for i in {1..12}; do team-join "member-$i"; done

  same 13 "$(team-list | cut -f3)"
}

@test "lets an agent add itself but nobody else" {
  team-create alpha

  TEAM_MEMBER=backend run --separate-stderr team-join backend
  as_expected 0 backend ''

  TEAM_MEMBER=backend run --separate-stderr team-join frontend
  as_expected 7 '' 'team-join: permission_denied: only the lead or the user may add others, not backend'
  same 'lead backend' "$(members)"
}

@test "holds --as to the same rule" {
  team-create alpha
  team-join backend

  run --separate-stderr team-join frontend --as backend
  as_expected 7 '' 'team-join: permission_denied: only the lead or the user may add others, not backend'

  run --separate-stderr team-join frontend --as system
  same 7 "$status"
  same 'lead backend' "$(members)"

  run --separate-stderr team-join frontend --as lead
  as_expected 0 frontend ''
}

@test "lets the lead that is an agent add others" {
  team-create alpha

  TEAM_MEMBER=lead run --separate-stderr team-join backend

  as_expected 0 backend ''
}

@test "exits 2 without a name" {
  team-create alpha

  run --separate-stderr team-join

  as_expected 2 '' 'team-join: usage: NAME is missing (try team-join --help)'
}

@test "exits 3 without a team and for one that is not there" {
  task-create 'alone'

  run --separate-stderr team-join backend
  as_expected 3 '' "team-join: not_found: no team in '$PWD'; team-create makes one"

  team-create alpha
  run --separate-stderr team-join backend -t alpga
  as_expected 3 '' "team-join: not_found: no team 'alpga'; did you mean alpha?"
}

@test "keeps the keys of others" {
  team-create alpha
  jq '.note = "by hand" | .members[0].colour = "red"' .teams/alpha/config.json >edited
  cp edited .teams/alpha/config.json

  run --separate-stderr team-join backend

  as_expected 0 backend ''
  same 'by hand red' "$(jq -r '"\(.note) \(.members[0].colour)"' .teams/alpha/config.json)"
}

@test "exits 9, says where, and leaves a broken configuration as it is" {
  team-create alpha
  printf '{"name": "alpha",\n"lead": "lead", "lead": "x"}\n' >.teams/alpha/config.json
  cp .teams/alpha/config.json before

  run --separate-stderr team-join backend

  same 9 "$status"
  same '' "$output"
  [[ $stderr == 'team-join: corrupt: .teams/alpha/config.json:2:'* ]]
  cmp before .teams/alpha/config.json
}

@test "exits 75 when the lock of the team is not had in time" {
  team-create alpha
  exec 9>.teams/alpha/.lock
  flock 9

  run --separate-stderr team-join backend --lock-timeout 0.05

  same 75 "$status"
  [[ $stderr == "team-join: again: cannot lock '.teams/alpha/.lock': "* ]]
  same lead "$(members)"
}

@test "exits 74 and changes nothing when nothing can be written" {
  team-create alpha

  run --separate-stderr bash -o pipefail -c 'ulimit -f 0; team-join backend 2>&1 | cat'

  same 74 "$status"
  same lead "$(members)"
  same $'.lock\nconfig.json\nevents.jsonl\nevents.lock' "$(ls -A .teams/alpha)"
}

@test "exits 76 when the member is added and its name cannot be printed" {
  team-create alpha

  run --separate-stderr bash -c 'team-join backend >/dev/full'

  as_expected 76 '' 'team-join: unknown: the change is made, but cannot write to stdout: No space left on device'
  same 'lead backend' "$(members)"
}

@test "keeps all of 20 members that join at once" {
  team-create alpha --max-teammates 20
  local i pids=() pid

  for i in {1..20}; do
    team-join "member-$i" >/dev/null &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done

  same 21 "$(jq '[.members[].name] | unique | length' .teams/alpha/config.json)"
  same 21 "$(jq '.members | length' .teams/alpha/config.json)"
}

@test "never goes over the limit when many join at once" {
  local round i pids pid joined full
  for round in {1..10}; do
    rm -rf .teams
    team-create alpha --max-teammates 5
    pids=() joined=0 full=0

    for i in {1..12}; do
      team-join "member-$i" --lock-timeout "${TEAMKIT_PATIENCE:-5}" >/dev/null 2>&1 &
      pids+=($!)
    done
    for pid in "${pids[@]}"; do
      if wait "$pid"; then joined=$((joined + 1)); else [ $? -eq 8 ] && full=$((full + 1)); fi
    done

    same '5 7' "$joined $full"
    same 6 "$(jq '.members | length' .teams/alpha/config.json)"
  done
}

@test "a member that ran and ended leaves its place to another" {
  team-create alpha --max-teammates 1
  teammate-run one --exec true --idle-timeout 0

  run --separate-stderr team-join two

  as_expected 0 two ''
  same 'lead one two' "$(members)"
}

@test "exits 3 for a role that a team with roles does not have" {
  printf '{"command": "true", "plan": true}' >reviewer.json
  team-create alpha --role reviewer=reviewer.json

  run --separate-stderr team-join backend --role reviewr
  as_expected 3 '' "team-join: not_found: no role 'reviewr' in team alpha; did you mean reviewer?"

  run --separate-stderr team-join backend --role artist
  as_expected 3 '' "team-join: not_found: no role 'artist' in team alpha; there is reviewer"
  same lead "$(members)"

  run --separate-stderr team-join backend --role reviewer
  as_expected 0 backend ''
}
