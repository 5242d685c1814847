load helper

tab=$'\t'

# used NAME MODEL INPUT OUTPUT CACHE_READ CACHE_WRITTEN: a member that ended after that.
used() {
  [ -e ".teams/demo/$1.json" ] || team-join "$1" >/dev/null
  touch ".teams/demo/$1.alive"
  jq -n '{state: "shutdown", since: 1, reason: "done", model: $ARGS.positional[0], usage: ($ARGS.positional[1:] |
    map(tonumber) | {input: .[0], output: .[1], cache_read: .[2], cache_written: .[3]})}' \
    --args "${@:2}" >".teams/demo/$1.json"
}

@test "prints members with their tasks, then the board in numbers" {
  team-create demo
  team-join backend --role coder
  task-create first
  task-create second --blocked-by 1
  task-create third
  task-claim 1 --as backend

  run --separate-stderr team-status

  as_expected 0 "lead${tab}-${tab}lead${tab}-${tab}-${tab}-
backend${tab}coder${tab}-${tab}1${tab}-${tab}first
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

@test "prints what each has used and, after the board, what all have" {
  team-create demo
  used ann claude-sonnet-4-5 1000 2000 10000 4000
  used bob gpt-5-mini 900 50 0 0

  run --separate-stderr team-status

  same 0 "$status"
  same '' "$stderr"
  same - "$(grep ^lead <<<"$output" | cut -f5)"
  same 17.0k "$(grep ^ann <<<"$output" | cut -f5)"
  same 950 "$(grep ^bob <<<"$output" | cut -f5)"
  same "failed${tab}0
input${tab}1900
output${tab}2050
cached${tab}14000
cost${tab}\$0.0513" "$(tail -n 5 <<<"$output")"
}

@test "prints model, usage and cost of each and of all with --json" {
  team-create demo
  used ann claude-sonnet-4-5 1000000 200000 0 0
  used bob gpt-5-mini 1000000 0 0 3
  team-config model.prices '{"gpt": [1.5, 2, 3, 0]}'

  run --separate-stderr team-status --json

  same 0 "$status"
  same '["lead",null,0,null]' "$(jq -c '.members[0] | [.name, .model, .usage.input, .cost]' <<<"$output")"
  same '["ann","claude-sonnet-4-5",{"input":1000000,"output":200000,"cache_read":0,"cache_written":0},6]' \
    "$(jq -c '.members[1] | [.name, .model, .usage, .cost]' <<<"$output")"
  same 1.5 "$(jq -c '.members[2].cost' <<<"$output")"
  same '{"input":2000000,"output":200000,"cache_read":0,"cache_written":3,"cost":7.5}' "$(jq -c .usage <<<"$output")"
}

@test "does not know what all cost if the price of one is not known, and of one who used nothing it does not ask" {
  team-create demo
  used ann claude-sonnet-4-5 1000000 0 0 0
  used bob nobody-knows 0 0 0 0

  same '[null,3]' "$(team-status --json | jq -c '[.members[2].cost, .usage.cost]')"
  same 'cost	$3.0000' "$(team-status | grep ^cost)"

  used bob nobody-knows 1 0 0 0
  same '[null,null]' "$(team-status --json | jq -c '[.members[2].cost, .usage.cost]')"
  same $'input\t1000001\noutput\t0\ncached\t0' "$(team-status | tail -n 3)"
}

@test "counts what one has used whose lock is gone" {
  team-create demo
  used ann gpt-5 7 0 0 0
  rm .teams/demo/ann.alive

  same $'ann\t-\t-\t-\t7\t-' "$(team-status | grep ^ann)"
}

@test "takes what is no count for none" {
  team-create demo
  used ann gpt-5 7 0 0 0
  jq '.usage = {input: "many", output: -3, cache_read: 2}' .teams/demo/ann.json >edited
  cp edited .teams/demo/ann.json

  same '{"input":0,"output":0,"cache_read":2,"cache_written":0}' "$(team-status --json | jq -c '.members[1].usage')"
}

@test "exits 9 for prices that somebody has spoilt" {
  team-create demo
  used ann gpt-5 7 0 0 0
  jq '.settings["model.prices"] = {"gpt": 3}' .teams/demo/config.json >edited
  cp edited .teams/demo/config.json

  run --separate-stderr team-status

  as_expected 9 '' \
    "team-status: corrupt: setting model.prices: 'gpt' must be 2 to 4 prices in dollars per million tokens"
}

@test "shows a table on a terminal" {
  team-create demo
  task-create first

  run on_terminal team-status

  [[ $output == *'demo, led by lead'* ]]
  [[ $output == *MEMBER*ROLE*STATE*TASK*USED*SUBJECT* ]]
  [[ $output != *cached* ]]

  used ann gpt-5 7 0 0 0
  run on_terminal team-status
  [[ $output == *USED*COUNT*input*7*output*0*cached*0*cost*'$0.0000'* ]]
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
