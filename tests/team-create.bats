load helper

config() { jq -r "$2" ".teams/$1/config.json"; }

mode() { stat -c %a "$1"; }

@test "makes a team in the current folder and prints its name" {
  run --separate-stderr team-create alpha

  as_expected 0 alpha ''
  same 'alpha lead .tasks' "$(config alpha '"\(.name) \(.lead) \(.board)"')"
  same '["lead"]' "$(config alpha '[.members[].name] | tostring')"
}

@test "makes a team in the store above, not a second store" {
  team-create alpha
  mkdir sub

  run --separate-stderr env -C sub team-create beta

  as_expected 0 beta ''
  same beta "$(config beta .name)"
  [ ! -e sub/.teams ]
}

@test "makes a team in the folder that -C names" {
  mkdir sub

  run --separate-stderr team-create -C sub alpha

  as_expected 0 alpha ''
  [ -e sub/.teams/alpha/config.json ]
  [ ! -e .teams ]
}

@test "exits 3 when the folder that -C names is not there" {
  run --separate-stderr team-create -C nowhere alpha

  as_expected 3 '' "team-create: not_found: no such folder '$PWD/nowhere'"
  [ ! -e nowhere ]
}

@test "calls the lead as --lead says" {
  run --separate-stderr team-create alpha --lead boss

  as_expected 0 alpha ''
  same 'boss ["boss"]' "$(config alpha '"\(.lead) \([.members[].name])"')"
}

@test "refuses names that are not names and makes nothing" {
  local name
  for name in ../escape . .. a/b -x '' 'a b' a.b _a "$(printf 'a%.0s' {1..65})" $'a\nb' ä; do
    run --separate-stderr team-create -- "$name"

    same '' "$output"
    same 2 "$status"
    [[ $stderr == "team-create: usage: '"* ]]
    [ ! -e .teams ]
  done
}

@test "takes a name of 64 letters" {
  local name
  name=$(printf 'a%.0s' {1..64})

  run --separate-stderr team-create "$name"

  as_expected 0 "$name" ''
}

@test "refuses reserved names for a lead" {
  local name
  for name in user system all Lead USER; do
    run --separate-stderr team-create alpha --lead "$name"

    as_expected 2 '' "team-create: usage: '$name' is reserved"
  done
  [ ! -e .teams ]
}

@test "exits 2 without a name, with two, and with an option it does not know" {
  run --separate-stderr team-create
  as_expected 2 '' 'team-create: usage: NAME is missing (try team-create --help)'

  run --separate-stderr team-create alpha beta
  same 2 "$status"

  run --separate-stderr team-create alpha --bogus
  same 2 "$status"
  [ ! -e .teams ]
}

@test "refuses a name that is taken, in whatever case" {
  team-create alpha
  cp .teams/alpha/config.json before

  run --separate-stderr team-create Alpha

  as_expected 4 '' 'team-create: conflict: team alpha exists already'
  cmp before .teams/alpha/config.json
}

@test "keeps a role from a JSON file as it is" {
  echo '{"prompt": "You write code.", "tools": ["bash"], "x": {"y": 1}}' >coder.json

  run --separate-stderr team-create alpha --role coder=coder.json

  as_expected 0 alpha "team-create: warning: coder.json: key 'x' has no effect"
  same '{"prompt":"You write code.","tools":["bash"],"x":{"y":1}}' "$(config alpha '.roles.coder | tostring')"
}

@test "takes text that is not JSON as the prompt of a role" {
  printf 'You review.\nBe kind.\n' >reviewer.txt

  run --separate-stderr team-create alpha --role reviewer=reviewer.txt

  as_expected 0 alpha ''
  same '{"prompt":"You review.\nBe kind.\n"}' "$(config alpha '.roles.reviewer | tostring')"
}

@test "takes several roles" {
  echo 'one' >one
  echo 'two' >two

  run --separate-stderr team-create alpha --role one=one --role two=two

  as_expected 0 alpha ''
  same '["one","two"]' "$(config alpha '.roles | keys | tostring')"
}

@test "exits 3 when the file of a role is not there" {
  run --separate-stderr team-create alpha --role coder=none.json

  as_expected 3 '' "team-create: not_found: no file 'none.json'"
  [ ! -e .teams ]
}

@test "exits 2 and says where when the JSON of a role is broken" {
  printf '{"prompt":\n  oops}\n' >coder.json

  run --separate-stderr team-create alpha --role coder=coder.json

  same 2 "$status"
  same '' "$output"
  [[ $stderr == 'team-create: usage: --role: coder.json:2:'* ]]
  [ ! -e .teams ]
}

@test "refuses a role that is not NAME=FILE" {
  local role
  for role in coder a/b=file =file; do
    run --separate-stderr team-create alpha --role "$role"

    as_expected 2 '' "team-create: usage: --role: '$role' is not NAME=FILE"
  done
  [ ! -e .teams ]
}

@test "gives a team a board of its own by --board" {
  run --separate-stderr team-create alpha --board boards/alpha

  as_expected 0 alpha ''
  same boards/alpha "$(config alpha .board)"
  task-create 'there'
  [ -e boards/alpha/1.json ]
  [ ! -e .tasks ]
}

@test "refuses a board that is not beneath the root" {
  local board
  for board in ../out /tmp/out a/../../out '' . .teams .teams/x; do
    run --separate-stderr team-create alpha --board "$board"

    as_expected 2 '' "team-create: usage: '$board' is not a folder beneath the root that can be a board"
  done
  [ ! -e ../out ]
  [ ! -e .teams/alpha ]
}

@test "sets teammates.max by --max-teammates, and 10 without it" {
  team-create alpha --max-teammates 1
  team-create beta

  same 1 "$(team-config -t alpha teammates.max)"
  same 10 "$(team-config -t beta teammates.max)"
}

@test "refuses a --max-teammates that is no number" {
  local number
  for number in -1 many 1.5 ''; do
    run --separate-stderr team-create alpha --max-teammates "$number"

    as_expected 2 '' "team-create: usage: --max-teammates: '$number' is not a whole number"
  done
  [ ! -e .teams ]
}

@test "makes folders 0700 and files 0600 whatever the umask" {
  local mask path
  for mask in 000 022 777; do
    mkdir "mask-$mask"
    (umask "$mask" && team-create -C "mask-$mask" alpha)
    for path in .teams .teams/alpha .tasks; do same 700 "$(mode "mask-$mask/$path")"; done
    for path in .teams/.lock .teams/alpha/config.json; do same 600 "$(mode "mask-$mask/$path")"; done
  done
}

@test "refuses a store that is a link out of the root" {
  mkdir root elsewhere
  ln -s ../elsewhere root/.teams

  run --separate-stderr team-create -C root alpha

  same 7 "$status"
  same '' "$output"
  [[ $stderr == "team-create: permission_denied: "*"' is a link that leads out" ]]
  [ -z "$(ls -A elsewhere)" ]
}

@test "refuses a store that anybody can write to" {
  mkdir .teams
  chmod 0777 .teams

  run --separate-stderr team-create alpha

  as_expected 7 '' "team-create: permission_denied: '.teams' is not to be trusted: anybody can write to it"
  [ -z "$(ls -A .teams)" ]
}

@test "refuses a store of somebody else" {
  [ "$(id -u)" -eq 0 ] || skip 'needs root'
  mkdir .teams
  chown 54321 .teams

  run --separate-stderr team-create alpha

  as_expected 7 '' "team-create: permission_denied: '.teams' is not to be trusted: belongs to user 54321, not to you"
  [ -z "$(ls -A .teams)" ]
}

@test "exits 75 and names the holder when the lock is not had in time" {
  team-create alpha
  exec 9>.teams/.lock
  flock 9

  run --separate-stderr team-create beta --lock-timeout 0.05

  same 75 "$status"
  same '' "$output"
  [[ $stderr == "team-create: again: cannot lock '.teams/.lock': pid "*" holds it; waited 0.05 s" ]]
  [ ! -e .teams/beta ]
}

@test "exits 74 and leaves no team when nothing can be written" {
  team-create alpha

  run --separate-stderr bash -o pipefail -c 'ulimit -f 0; team-create beta 2>&1 | cat'

  same 74 "$status"
  [[ $output == 'team-create: io: cannot write in '* ]]
  same alpha "$(team-list | cut -f1)"
  same '' "$(find .teams -name '*tmp*')"
  team-create beta
}

@test "exits 76 when the team is made and its name cannot be printed" {
  run --separate-stderr bash -c 'team-create alpha >/dev/full'

  as_expected 76 '' 'team-create: unknown: the change is made, but cannot write to stdout: No space left on device'
  same alpha "$(team-list | cut -f1)"
}

@test "has one winner when two make a team of one name at once" {
  local round first second
  for round in {1..25}; do
    team-create "Team$round" >one.out 2>one.err &
    first=$!
    team-create "team$round" >two.out 2>two.err &
    second=$!
    local results=()
    wait "$first" && results+=(0) || results+=($?)
    wait "$second" && results+=(0) || results+=($?)

    same '0 4' "$(printf '%s\n' "${results[@]}" | sort -n | paste -sd' ')"
    same "$round" "$(team-list | wc -l)"
  done
}

@test "refuses an agent, unless its team lets it" {
  team-create alpha

  TEAM_NAME=alpha TEAM_MEMBER=bob run --separate-stderr team-create beta
  as_expected 7 '' \
    'team-create: permission_denied: bob is an agent (TEAM_MEMBER), and only the user makes teams (teammates.createTeams)'
  TEAM_MEMBER=lead run --separate-stderr team-create beta
  same 7 "$status"
  same alpha "$(team-list | cut -f1)"

  team-config teammates.createTeams true
  TEAM_NAME=alpha TEAM_MEMBER=bob run --separate-stderr team-create beta
  as_expected 0 beta ''
  same 'bob null' "$(config beta .createdBy) $(config alpha .createdBy)"
}

@test "refuses an agent where there is no team yet, and makes no store" {
  TEAM_MEMBER=bob run --separate-stderr team-create beta

  same 7 "$status"
  [ ! -e .teams ]
}

@test "a team of an agent does not become the default, and does not ask the user which one" {
  team-create alpha
  team-config teammates.createTeams true
  TEAM_MEMBER=bob team-create beta
  TEAM_NAME=alpha TEAM_MEMBER=bob team-create gamma

  same alpha "$(team-status --json | jq -r .team)"
  same $'team\talpha\tthe only team that no agent made' "$(team-where | grep ^team)"

  team-create delta
  run --separate-stderr team-status
  as_expected 2 '' 'team-status: usage: which team? there is alpha, beta, delta, gamma (-t TEAM)'
  team-delete alpha
  team-delete delta
  run --separate-stderr team-status
  as_expected 2 '' 'team-status: usage: which team? there is beta, gamma (-t TEAM)'
  team-delete gamma
  same beta "$(team-status --json | jq -r .team)"
}

@test "refuses a role with a misspelt key, and names keys that have no effect" {
  printf '{"command": "true", "limits": {"timeout": "1s"}}' >bad.json
  printf '{"command": "true", "motto": "fast"}' >good.json

  run --separate-stderr team-create alpha --role coder=bad.json
  as_expected 2 '' "team-create: usage: --role: bad.json: role coder:1:29: unknown key 'timeout'; did you mean time?"
  [ ! -e .teams ]

  run --separate-stderr team-create alpha --role coder=good.json
  as_expected 0 alpha "team-create: warning: good.json: key 'motto' has no effect"
  same fast "$(config alpha .roles.coder.motto)"
}
