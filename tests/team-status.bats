load helper

tab=$'\t'

@test "prints members with their tasks, then the board in numbers" {
  team-create demo
  team-join backend --role coder
  task-create first
  task-create second --blocked-by 1
  task-create third
  task-claim 1 --as backend

  run --separate-stderr team-status

  as_expected 0 "lead${tab}-${tab}lead${tab}-${tab}-
backend${tab}coder${tab}-${tab}1${tab}first
ready${tab}1
blocked${tab}1
in_progress${tab}1
completed${tab}0
failed${tab}0" ''
}

@test "tells who is running and who died" {
  team-create demo
  team-join ann
  team-join bob
  touch .teams/demo/ann.alive .teams/demo/bob.alive
  exec 9<.teams/demo/ann.alive
  flock 9

  run --separate-stderr team-status

  same running "$(grep ^ann <<<"$output" | cut -f3)"
  same dead "$(grep ^bob <<<"$output" | cut -f3)"
}

@test "prints one object with --json" {
  team-create demo
  task-create first
  task-claim 1
  task-fail 1 --reason broken

  run --separate-stderr team-status --json

  same 0 "$status"
  same '{"total":1,"ready":0,"blocked":0,"in_progress":0,"completed":0,"failed":1}' "$(jq -c .tasks <<<"$output")"
  same '[1]' "$(jq -c .failedTasks <<<"$output")"
}

@test "shows a table on a terminal" {
  team-create demo
  task-create first

  run on_terminal team-status

  [[ $output == *'demo, led by lead'* ]]
  [[ $output == *MEMBER*ROLE*STATE*TASK*SUBJECT* ]]
}

@test "warns of a broken task and shows the rest" {
  team-create demo
  task-create first
  task-create second
  echo '{' >.tasks/1.json

  run --separate-stderr team-status

  same 0 "$status"
  same "ready${tab}1" "$(grep ^ready <<<"$output")"
  [[ $stderr == 'team-status: corrupt: .tasks/1.json:2:1: '* ]]
}

@test "exits 3 where there is no team" {
  task-create first

  run --separate-stderr team-status

  as_expected 3 '' "team-status: not_found: no team in '$PWD'; team-create makes one"
}

@test "exits 2 where there are several teams and none is named" {
  team-create one
  team-create two

  run --separate-stderr team-status

  as_expected 2 '' 'team-status: usage: which team? there is one, two (-t TEAM)'
}
