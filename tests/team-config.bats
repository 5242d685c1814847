load helper

@test "prints the default of a setting that was not set" {
  team-create alpha

  run --separate-stderr team-config tasks.perMember

  as_expected 0 1 ''
}

@test "sets a setting, prints nothing, and keeps it" {
  team-create alpha

  run --separate-stderr team-config tasks.perMember 3

  as_expected 0 '' ''
  same 3 "$(team-config tasks.perMember)"
  same 3 "$(jq '.settings["tasks.perMember"]' .teams/alpha/config.json)"
}

@test "takes each kind of value" {
  team-create alpha

  team-config tasks.lease 3m
  team-config idle.notify true
  team-config teammate.mode tmux
  team-config tasks.max 100

  same 180 "$(team-config tasks.lease)"
  same true "$(team-config idle.notify)"
  same tmux "$(team-config teammate.mode)"
  same 100 "$(team-config tasks.max)"
}

@test "goes back to the default with --unset" {
  team-create alpha
  team-config tasks.max 7

  run --separate-stderr team-config --unset tasks.max

  as_expected 0 '' ''
  same 0 "$(team-config tasks.max)"
  same '{}' "$(jq -c .settings .teams/alpha/config.json)"
}

@test "lists all settings with --list" {
  team-create alpha
  team-config exchange.limit 9

  run --separate-stderr team-config --list

  same 0 "$status"
  same '' "$stderr"
  [[ $output == *$'exchange.limit\t9\ta whole number'* ]]
  [[ $output == *$'durability\tpower\tpower|process'* ]]
}

@test "refuses a value that the setting does not take and changes nothing" {
  team-create alpha
  cp .teams/alpha/config.json before
  local pair
  for pair in tasks.max=-1 tasks.max=x tasks.max= tasks.lease=soon idle.notify=yes teammate.mode=window durability=never; do
    run --separate-stderr team-config "${pair%%=*}" "${pair#*=}"

    same 2 "$status"
    same '' "$output"
    [[ $stderr == "team-config: usage: ${pair%%=*} takes "*", not '${pair#*=}'" ]]
  done
  cmp before .teams/alpha/config.json
}

@test "takes prices of models as a JSON object, and keeps them as one" {
  team-create alpha

  same '{}' "$(team-config model.prices)"
  run --separate-stderr team-config model.prices '{ "local-": [0, 0],
    "big": [1, 2.5, 0.1, 1.25] }'

  as_expected 0 '' ''
  same '{"local-":[0,0],"big":[1,2.5,0.1,1.25]}' "$(team-config model.prices)"
  same '[0,0]' "$(jq -c '.settings["model.prices"]["local-"]' .teams/alpha/config.json)"
}

@test "refuses prices that are no such object and changes nothing" {
  team-create alpha
  team-config model.prices '{"big":[1,2]}'
  cp .teams/alpha/config.json before
  local value
  for value in '' 3 cheap '[1,2]' '{"a":1}' '{"a":[1]}' '{"a":[1,2,3,4,5]}' '{"a":[1,-2]}' '{"a":[1,"2"]}' '{"a":[1,2]'; do
    run --separate-stderr team-config model.prices "$value"

    as_expected 2 '' \
      "team-config: usage: model.prices takes JSON, {\"model\": [input, output, cache_read, cache_written]}, not '$value'"
  done
  cmp before .teams/alpha/config.json
}

@test "exits 3 for a setting that there is not, with the nearest" {
  team-create alpha

  run --separate-stderr team-config tasks.perMembr 2

  as_expected 3 '' "team-config: not_found: no setting 'tasks.perMembr'; did you mean tasks.perMember?"
}

@test "exits 2 without a key, with a key and --list, with a value and --unset" {
  team-create alpha

  run --separate-stderr team-config
  as_expected 2 '' 'team-config: usage: KEY or --list is missing (try team-config --help)'

  run --separate-stderr team-config tasks.max --list
  as_expected 2 '' 'team-config: usage: KEY and --list cannot be combined'

  run --separate-stderr team-config tasks.max 3 --unset
  as_expected 2 '' 'team-config: usage: VALUE and --unset cannot be combined'

  run --separate-stderr team-config --list --unset
  same 2 "$status"
}

@test "lets only the lead and the user change a setting" {
  team-create alpha
  team-join backend

  run --separate-stderr team-config tasks.max 3 --as backend
  as_expected 7 '' 'team-config: permission_denied: only the lead or the user may change settings, not backend'

  run --separate-stderr team-config tasks.max 3 --as lead
  as_expected 0 '' ''

  TEAM_MEMBER=backend run --separate-stderr team-config tasks.max 4 --as lead
  as_expected 7 '' 'team-config: permission_denied: you are backend (TEAM_MEMBER) and cannot act as lead'
  same 3 "$(team-config tasks.max)"
}

@test "lets everybody read a setting" {
  team-create alpha

  TEAM_MEMBER=backend run --separate-stderr team-config tasks.max

  as_expected 0 0 ''
}

@test "asks which team when there are several, and takes -t and TEAM_NAME" {
  team-create alpha
  team-create beta

  run --separate-stderr team-config tasks.max
  as_expected 2 '' 'team-config: usage: which team? there is alpha, beta (-t TEAM)'

  team-config -t beta tasks.max 5
  TEAM_NAME=beta run --separate-stderr team-config tasks.max
  as_expected 0 5 ''
  same 0 "$(team-config -t alpha tasks.max)"
}

@test "exits 3 without a team and with one that is not there" {
  task-create 'alone'

  run --separate-stderr team-config tasks.max
  as_expected 3 '' "team-config: not_found: no team in '$PWD'; team-create makes one"

  run --separate-stderr team-config -t nobody tasks.max
  as_expected 3 '' "team-config: not_found: no team 'nobody'"
}

@test "keeps the keys of others, in the team, in a member and in the settings" {
  team-create alpha
  jq '.note = {"by": "hand"} | .members[0].colour = "red" | .settings["my.own"] = [1, 2]' .teams/alpha/config.json >edited
  cp edited .teams/alpha/config.json

  run --separate-stderr team-config tasks.max 3

  as_expected 0 '' ''
  same '{"by":"hand"} red [1,2] 3' \
    "$(jq -r '"\(.note) \(.members[0].colour) \(.settings["my.own"]) \(.settings["tasks.max"])"' .teams/alpha/config.json)"
}

@test "exits 9, says where, and leaves a broken configuration as it is" {
  team-create alpha
  printf '{\n  "name": "alpha",\n  "lead" "x"\n}\n' >.teams/alpha/config.json
  cp .teams/alpha/config.json before

  run --separate-stderr team-config tasks.max 3

  same 9 "$status"
  same '' "$output"
  [[ $stderr == 'team-config: corrupt: .teams/alpha/config.json:3:10: '* ]]
  cmp before .teams/alpha/config.json
}

@test "exits 9 for a value of the wrong type, with line and column" {
  team-create alpha
  printf '{\n  "name": "alpha",\n  "lead": "lead",\n  "members": 7\n}\n' >.teams/alpha/config.json

  run --separate-stderr team-config tasks.max

  as_expected 9 '' "team-config: corrupt: .teams/alpha/config.json:4:3: 'members' must be an array"
}

@test "exits 75 when the lock of the team is not had in time" {
  team-create alpha
  exec 9>.teams/alpha/.lock
  flock 9

  run --separate-stderr team-config tasks.max 3 --lock-timeout 0.05

  same 75 "$status"
  [[ $stderr == "team-config: again: cannot lock '.teams/alpha/.lock': "* ]]
}

@test "exits 74 and changes nothing when nothing can be written" {
  team-create alpha
  team-config tasks.max 2

  run --separate-stderr bash -o pipefail -c 'ulimit -f 0; team-config tasks.max 3 2>&1 | cat'

  same 74 "$status"
  same 2 "$(team-config tasks.max)"
  same $'.lock\nconfig.json\nevents.jsonl\nevents.lock' "$(ls -A .teams/alpha)"
}

@test "loses no setting when many are set at once" {
  team-create alpha
  local keys=(tasks.perMember tasks.max exchange.limit digest.messages digest.width digest.total model.concurrency teammates.max)
  local key pids=() pid

  for key in "${keys[@]}"; do
    team-config "$key" 77 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done

  same "${#keys[@]}" "$(jq '[.settings[] | select(. == 77)] | length' .teams/alpha/config.json)"
}
