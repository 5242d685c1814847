load helper

@test "prints name, lead, number of members and board of each team, by name" {
  team-create beta --lead boss --board boards/beta
  team-create alpha
  team-join -t alpha backend

  run --separate-stderr team-list

  as_expected 0 $'alpha\tlead\t2\t.tasks\nbeta\tboss\t1\tboards/beta' ''
}

@test "prints nothing when there is no team yet" {
  task-create 'alone'

  run --separate-stderr team-list

  as_expected 0 '' ''
}

@test "prints one JSON object a line with --json" {
  team-create alpha
  team-create beta

  run --separate-stderr team-list --json

  same 0 "$status"
  same '' "$stderr"
  same $'alpha lead\nbeta lead' "$(jq -r '"\(.name) \(.members[0].name)"' <<<"$output")"
}

@test "shows a table with headings on a terminal" {
  team-create alpha

  NO_COLOR=1 run on_terminal team-list

  same 0 "$status"
  same $'TEAM   LEAD  MEMBERS  BOARD\nalpha  lead  1        .tasks' "$output"
}

@test "exits 3 where there is no store" {
  run --separate-stderr team-list

  as_expected 3 '' 'team-list: not_found: no .teams or .tasks here or in any folder above; team-create or task-create makes one'
}

@test "exits 2 with an operand" {
  team-create alpha

  run --separate-stderr team-list alpha

  same 2 "$status"
  same '' "$output"
}

@test "names a broken configuration with line and column and lists the other teams" {
  team-create alpha
  team-create beta
  printf '{\n  "name": "alpha",\n  "lead" "x"\n}\n' >.teams/alpha/config.json

  run --separate-stderr team-list

  same $'beta\tlead\t1\t.tasks' "$output"
  [[ $stderr == 'team-list: corrupt: .teams/alpha/config.json:3:10: '* ]]
}

@test "ignores entries that are not teams" {
  team-create alpha
  mkdir .teams/empty '.teams/no name'
  touch .teams/notes

  run --separate-stderr team-list

  as_expected 0 $'alpha\tlead\t1\t.tasks' ''
}

@test "refuses a store that anybody can write to" {
  team-create alpha
  chmod o+w .teams

  run --separate-stderr team-list

  as_expected 7 '' "team-list: permission_denied: '.teams' is not to be trusted: anybody can write to it"
}

@test "exits 0 when its reader goes away and 74 when the disk is full" {
  team-create alpha

  run --separate-stderr bash -o pipefail -c 'team-list | true'
  same 0 "$status"

  run --separate-stderr bash -c 'team-list >/dev/full'
  as_expected 74 '' 'team-list: io: cannot write to stdout: No space left on device'
}
