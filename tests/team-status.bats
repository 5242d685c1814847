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

@test "prints members, the numbers of the board, and details of open tasks" {
  team-create demo
  team-join backend --role coder
  task-create first
  task-create second --blocked-by 1
  task-create third --role tester
  task-create fourth
  task-claim 1 --as backend
  task-claim 4
  task-fail 4 --reason 'no network'

  run --separate-stderr team-status

  as_expected 0 "member${tab}lead${tab}-${tab}lead${tab}-${tab}-${tab}-${tab}-${tab}-
member${tab}backend${tab}coder${tab}-${tab}-${tab}#1${tab}-${tab}-${tab}-
tasks${tab}ready${tab}1
tasks${tab}blocked${tab}1
tasks${tab}in_progress${tab}1
tasks${tab}completed${tab}0
tasks${tab}failed${tab}1
task${tab}1${tab}in_progress${tab}backend${tab}first${tab}for 0 s
task${tab}3${tab}ready${tab}-${tab}third${tab}for role tester
task${tab}2${tab}blocked${tab}-${tab}second${tab}waits for #1 (backend)
task${tab}4${tab}failed${tab}user${tab}fourth${tab}no network
warning${tab}role${tab}task 3 is for role tester, which nobody has" ''
}

@test "shows running and dead members, and a task that a dead member holds" {
  team-create demo
  team-join ann
  team-join bob
  task-create first
  task-claim 1 --as bob
  touch .teams/demo/ann.alive .teams/demo/bob.alive
  exec 9<.teams/demo/ann.alive
  flock 9

  run --separate-stderr team-status

  same running "$(grep "^member${tab}ann" <<<"$output" | cut -f4)"
  same dead "$(grep "^member${tab}bob" <<<"$output" | cut -f4)"
  same 'task 1 is held by bob, who died; the next claim or task-reclaim gives it back' \
    "$(grep "^warning${tab}dead" <<<"$output" | cut -f3)"
}

@test "shows the duration and reason of a state, the number of messages, and the last words" {
  team-create demo
  team-join ann
  team-send ann 'Hello' --as lead
  team-send ann 'Are you there?' --as lead
  team-send lead 'I was' --as ann
  touch .teams/demo/ann.alive
  jq -n --argjson since "$(($(date +%s) - 200))" '{state: "error", $since, reason: "no such model"}' >.teams/demo/ann.json

  run --separate-stderr team-status

  same "error${tab}3 min${tab}-${tab}2${tab}-${tab}no such model" "$(grep "^member${tab}ann" <<<"$output" | cut -f4-)"
  same 'Are you there?' "$(grep "^member${tab}lead" <<<"$output" | cut -f9)"
  same '["I was",2]' "$(team-status --json | jq -c '.members[1] | [.lastWords, .unread]')"
}

@test "tells of plans that wait" {
  team-create demo
  team-join ann
  task-create first
  task-claim 1 --as ann
  plan=$(echo 'First I look' | plan-submit --task 1 --as ann)

  run --separate-stderr team-status

  same "plan${tab}$plan${tab}ann${tab}#1${tab}0 s${tab}First I look" "$(grep ^plan <<<"$output")"
  plan-approve "$plan"
  same 0 "$(team-status | grep -c ^plan)"
}

@test "shows two members that reached the exchange limit" {
  team-create demo
  team-config exchange.limit 1
  team-join ann
  team-join bob
  TEAM_MEMBER=ann TEAM_RUN_ID=1 team-send bob one
  TEAM_MEMBER=bob TEAM_RUN_ID=2 team-send ann two
  (export TEAM_MEMBER=ann TEAM_RUN_ID=1; ! team-send bob three)

  same 'ann and bob sent 1 round without progress; write to either to continue (exchange.limit)' \
    "$(team-status | grep "^warning${tab}paused" | cut -f3)"
  team-send ann 'Go on'
  same 0 "$(team-status | grep -c ^warning)"
}

@test "prints at most 16 lines with --brief, the warnings first" {
  team-create demo
  for i in {1..40}; do echo "{\"subject\": \"task $i\", \"role\": \"tester\"}"; done | task-create -

  run --separate-stderr team-status --brief

  same 0 "$status"
  ((${#lines[@]} <= 16))
  same 'team demo: nobody runs' "${lines[0]}"
  same 'tasks: 0 of 40 completed, 0 in progress, 40 ready, 0 blocked, 0 failed' "${lines[1]}"
  same 'warning: task 1 is for role tester, which nobody has' "${lines[2]}"
  same '' "$(sort <<<"$output" | uniq -d)"
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

@test "prints the usage of each member and, after the board, of all" {
  team-create demo
  used ann claude-sonnet-4-5 1000 2000 10000 4000
  used bob gpt-5-mini 900 50 0 0

  run --separate-stderr team-status

  same 0 "$status"
  same '' "$stderr"
  same - "$(grep "^member${tab}lead" <<<"$output" | cut -f8)"
  same 17.0k "$(grep "^member${tab}ann" <<<"$output" | cut -f8)"
  same 950 "$(grep "^member${tab}bob" <<<"$output" | cut -f8)"
  same "used${tab}input${tab}1900
used${tab}output${tab}2050
used${tab}cached${tab}14000
used${tab}cost${tab}\$0.0513" "$(tail -n 4 <<<"$output")"
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

@test "prints no total cost if one price is unknown, and needs no price for a member without usage" {
  team-create demo
  used ann claude-sonnet-4-5 1000000 0 0 0
  used bob nobody-knows 0 0 0 0

  same '[null,3]' "$(team-status --json | jq -c '[.members[2].cost, .usage.cost]')"
  same 'used	cost	$3.0000' "$(team-status | grep cost)"

  used bob nobody-knows 1 0 0 0
  same '[null,null]' "$(team-status --json | jq -c '[.members[2].cost, .usage.cost]')"
  same $'used\tinput\t1000001\nused\toutput\t0\nused\tcached\t0' "$(team-status | tail -n 3)"
}

@test "counts the usage of a member whose lock file is gone" {
  team-create demo
  used ann gpt-5 7 0 0 0
  rm .teams/demo/ann.alive

  same $'member\tann\t-\t-\t-\t-\t-\t7\t-' "$(team-status | grep ann)"
}

@test "treats an invalid count as none" {
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

  [[ $output == *'demo, led by lead'*'0 of 1 tasks done, 1 ready'* ]]
  [[ $output == *MEMBER*ROLE*STATE*FOR*TASK*UNREAD*USED*WORDS* ]]
  [[ $output == *TASK*STATUS*OWNER*SUBJECT*WHY*1*ready*first* ]]
  [[ $output != *tokens* ]]

  used ann gpt-5 7 0 0 0
  run on_terminal team-status
  [[ $output == *'; 7 tokens, $0.00'* ]]
}

@test "warns of a broken task and shows the rest" {
  team-create demo
  task-create first
  task-create second
  echo '{' >.tasks/1.json

  run --separate-stderr team-status

  same 0 "$status"
  same "tasks${tab}ready${tab}1" "$(grep ^tasks.ready <<<"$output")"
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
