load helper
load trouble
load mail

# three_plans: the first is approved and the second rejected.
three_plans() {
  make_team
  {
    plan-submit 'one' --as backend
    plan-submit 'two' --as frontend
    plan-submit $'three\nand more' --as tester
  } >ids
  plan-approve "$(sed -n 1p ids)"
  plan-reject "$(sed -n 2p ids)" --feedback 'too large'
}

@test "prints the plans that wait for an answer" {
  three_plans

  run --separate-stderr plan-list

  as_expected 0 "$(sed -n 3p ids)"$'\tpending\ttester\t-\tthree' ''
}

@test "prints answered ones too with --all, oldest first" {
  three_plans

  run --separate-stderr plan-list --all

  as_expected 0 "$(paste ids <(printf '%s\n' $'approved\tbackend\t-\tone' $'rejected\tfrontend\t-\ttwo' $'pending\ttester\t-\tthree'))" ''
}

@test "prints the records with --json" {
  three_plans

  plan-list --all --json >listed

  same "$(for id in $(cat ids); do jq -cS . ".teams/alpha/requests/$id.json"; done)" "$(jq -cS . listed)"
  same $'approved\t\nrejected\ttoo large\npending\t' "$(jq -r '[.status, .feedback] | @tsv' listed)"
}

@test "prints the task of a plan" {
  make_team
  task-create 'the task'
  plan-submit 'mine' --task 1 --as backend

  same 1 "$(plan-list | cut -f4)"
}

@test "prints a table to a person at a terminal" {
  three_plans

  NO_COLOR=1 on_terminal 'plan-list --all' >seen

  same 4 "$(wc -l <seen)"
  like 'PLAN * STATUS * FROM * TASK * TEXT' "$(head -1 seen)"
  like "* rejected * frontend * - * two" "$(sed -n 3p seen)"
}

@test "prints nothing where there is no plan, and passes over requests of another kind" {
  make_team

  run --separate-stderr plan-list
  as_expected 0 '' ''

  team-send backend --type shutdown_request --as lead
  run --separate-stderr plan-list --all
  as_expected 0 '' ''
}

@test "lists the others when one is broken, and names it" {
  three_plans
  echo '{' >".teams/alpha/requests/$(sed -n 1p ids).json"

  run --separate-stderr plan-list --all

  same "$(sed -n 2,3p ids)" "$(cut -f1 <<<"$output")"
  like "*$(sed -n 1p ids).json*" "$stderr"
  same 0 "$status"
  same '{' "$(cat ".teams/alpha/requests/$(sed -n 1p ids).json")"
}

@test "exits 2 for an operand" {
  make_team

  run --separate-stderr plan-list all

  as_expected 2 '' "plan-list: usage: unexpected operand 'all' (try plan-list --help)"
}

@test "exits 3 without a team, and for one that is not there" {
  task-create 'only a board'

  run --separate-stderr plan-list
  refused 3 'plan-list: not_found: no team *'

  run --separate-stderr plan-list -t alpha
  refused 3 "plan-list: not_found: no team 'alpha'*"
}

@test "exits 9 for a broken configuration" {
  make_team
  echo '{' >.teams/alpha/config.json

  run --separate-stderr plan-list

  refused 9 'plan-list: corrupt: .teams/alpha/config.json:*'
}

@test "works on a read-only store" {
  three_plans
  read_only .teams

  run --separate-stderr plan-list

  as_expected 0 "$(sed -n 3p ids)"$'\tpending\ttester\t-\tthree' ''
}

@test "exits 74 if the list cannot be written" {
  three_plans

  run --separate-stderr bash -c 'plan-list >/dev/full'

  as_expected 74 '' 'plan-list: io: cannot write to stdout: No space left on device'
}
