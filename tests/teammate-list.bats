load helper
load teammates

unset TMUX TMUX_PANE

HANGS='touch begun; until [ -e never ]; do sleep 0.02; done'

# row NAME: name, role, state, task and reason of a member, without the time and the pid.
row() { teammate-list | grep "^$1"$'\t' | cut -f 1-3,5,7; }

# lives_as NAME STATE: makes a running member with this state.
lives_as() {
  team-join "$1" >/dev/null
  hold ".teams/alpha/$1.alive"
  jq -n --arg state "$2" --argjson pid "$HOLDER" \
    '{state: $state, since: 1, reason: "so it is", pid: $pid, pane: "%3"}' >".teams/alpha/$1.json"
}

@test "prints name, role, state, since when, task, process and reason of each" {
  team-create alpha
  task-create 'first'
  start_teammate backend --role coder --exec "$HANGS"
  wait_until test -e begun

  run --separate-stderr teammate-list

  same 0 "$status"
  same '' "$stderr"
  like $'backend\tcoder\tactive\t[0-9]* s\t1\t'"${TEAMMATE[backend]}"$'\ttask 1: first' "$output"
}

@test "lists in the order in which they joined, without the lead" {
  team-create alpha
  team-join frontend
  team-join backend --role coder

  run --separate-stderr teammate-list

  as_expected 0 $'frontend\t-\t-\t-\t-\t-\t-\nbackend\tcoder\t-\t-\t-\t-\t-' ''
}

@test "prints nothing for a team without teammates, on a terminal neither" {
  team-create alpha

  run --separate-stderr teammate-list
  as_expected 0 '' ''

  run on_terminal teammate-list
  same 0 "$status"
  same '' "$output"
}

@test "lists a lead that is run as a teammate is" {
  team-create alpha
  start_idle lead --exec true

  same $'lead\t-\tidle\t-\tnothing to do' "$(row lead)"
}

@test "knows one that idles, and one that ended because it was asked to" {
  team-create alpha
  start_idle backend --exec true
  start_idle frontend --exec true
  teammate-stop frontend

  same $'backend\t-\tidle\t-\tnothing to do' "$(row backend)"
  same $'frontend\t-\tshutdown\t-\tasked to by user' "$(row frontend)"
  same - "$(teammate-list | grep ^frontend | cut -f 6)"
}

@test "knows one that waits for its plan to be approved" {
  team-create alpha
  task-create 'first'
  start_teammate backend --plan --exec 'echo a plan'
  wait_until state_is backend plan_pending

  like $'backend\t-\tplan_pending\t1\tplan * waits for lead' "$(row backend)"
}

@test "knows one that ended with an error, and why" {
  team-create alpha
  task-create 'first'
  start_teammate backend --exec ./not-there
  wait_until state_is backend error

  like $'backend\t-\terror\t-\texit status 127: *not found' "$(row backend)"
}

@test "knows one that was killed, whatever it was doing, and holds no task for it" {
  team-create alpha
  task-create 'first'
  start_teammate backend --exec "$HANGS"
  wait_until test -e begun
  start_idle frontend --exec true
  kill_teammate frontend  # first: it would take the task of the other
  kill_teammate backend

  same $'backend\t-\tdead\t-\ttask 1: first' "$(row backend)"
  same $'frontend\t-\tdead\t-\tnothing to do' "$(row frontend)"
}

@test "knows every other state by the file of one that lives" {
  team-create alpha

  for state in spawn active idle plan_pending paused; do
    lives_as "is-$state" "$state"
    same "is-$state"$'\t-\t'"$state"$'\t-\tso it is' "$(row "is-$state")"
    let_go
    same "is-$state"$'\t-\tdead\t-\tso it is' "$(row "is-$state")"
  done
}

@test "one that has said that it ends and still lives keeps its process" {
  team-create alpha
  lives_as backend shutdown

  same "shutdown $HOLDER" "$(teammate-list | cut -f 3,6 | tr '\t' ' ')"
}

@test "knows that one runs that has not written or has spoilt its file" {
  team-create alpha
  team-join backend
  hold .teams/alpha/backend.alive

  same $'backend\t-\trunning\t-\t-' "$(row backend)"
  echo '{' >.teams/alpha/backend.json
  same $'backend\t-\trunning\t-\t-' "$(row backend)"
  let_go
  same $'backend\t-\tdead\t-\t-' "$(row backend)"
}

@test "keeps a record to one line, whatever the reason is" {
  team-create alpha
  lives_as backend active
  jq '.reason = "one\ntwo\tthree \u001b[31mred"' .teams/alpha/backend.json >edited
  cp edited .teams/alpha/backend.json

  run --separate-stderr teammate-list

  same 0 "$status"
  same 1 "${#lines[@]}"
  same 7 "$(awk -F '\t' '{print NF}' <<<"$output")"
  [[ $output != *$'\e'* ]]
}

@test "prints one JSON object a line with --json" {
  team-create alpha
  task-create 'first'
  start_teammate backend --role coder --exec "$HANGS"
  wait_until test -e begun
  team-join frontend

  run --separate-stderr teammate-list --json

  same 0 "$status"
  same '' "$stderr"
  same "[\"backend\",\"coder\",\"active\",1,${TEAMMATE[backend]},null,\"task 1: first\"]" \
    "$(jq -c '[.name, .role, .state, .task, .pid, .pane, .reason]' <<<"${lines[0]}")"
  same "$(state_of backend .since)" "$(jq .since <<<"${lines[0]}")"
  same '["frontend",null,"-",null,null,null,null,null]' \
    "$(jq -c '[.name, .role, .state, .task, .pid, .pane, .since, .reason]' <<<"${lines[1]}")"
}

@test "shows model, usage and cost with --json" {
  team-create alpha
  lives_as backend idle
  jq '.model = "gpt-5" | .usage = {input: 1000000}' .teams/alpha/backend.json >edited
  cp edited .teams/alpha/backend.json

  same '["gpt-5",{"input":1000000,"output":0,"cache_read":0,"cache_written":0},1.25]' \
    "$(teammate-list --json | jq -c '[.model, .usage, .cost]')"
}

@test "shows the pane of one that runs in one" {
  team-create alpha
  lives_as backend idle

  same %3 "$(teammate-list --json | jq -r .pane)"
  let_go
  same null "$(teammate-list --json | jq -r .pane)"
}

@test "shows a table with headings on a terminal" {
  team-create alpha
  team-join backend --role coder
  lives_as frontend idle
  jq ".since = $(date +%s) - 300" .teams/alpha/frontend.json >edited
  cp edited .teams/alpha/frontend.json

  NO_COLOR=1 run on_terminal teammate-list

  same 0 "$status"
  same "NAME ROLE STATE SINCE TASK PID REASON
backend coder - - - - -
frontend - idle 5 min - $HOLDER so it is" "$(tr -s ' ' <<<"$output")"
}

@test "cuts a long reason at the edge of the terminal, and colours the states" {
  team-create alpha
  lives_as backend active
  jq ".since = $(date +%s) - 300 | .reason = \"$(printf 'word %.0s' {1..40})\"" .teams/alpha/backend.json >edited
  cp edited .teams/alpha/backend.json

  NO_COLOR=1 run on_terminal teammate-list
  same 80 "$(wc -L <<<"$output")"
  same 2 "${#lines[@]}"

  run on_terminal teammate-list
  [[ $output == *$'\e['*'active'* ]]
}

@test "takes no lock" {
  team-create alpha
  team-join backend
  hold .teams/alpha/.lock

  run --separate-stderr timeout 5 teammate-list

  as_expected 0 $'backend\t-\t-\t-\t-\t-\t-' ''
}

@test "exits 2 with an operand and with several teams to choose from" {
  team-create alpha

  run --separate-stderr teammate-list alpha
  refused 2 'teammate-list: usage: *'

  team-create beta
  run --separate-stderr teammate-list
  as_expected 2 '' 'teammate-list: usage: which team? there is alpha, beta (-t TEAM)'
}

@test "exits 3 without a team or a store" {
  run --separate-stderr teammate-list
  refused 3 'teammate-list: not_found: no .teams or .tasks here *'

  task-create 'alone'
  run --separate-stderr teammate-list --json
  as_expected 3 '' "{\"status\":\"error\",\"code\":\"not_found\",\"error\":\"no team in '$PWD'; team-create makes one\"}"
}

@test "exits 7 for a store that anybody can write to" {
  team-create alpha
  chmod o+w .teams

  run --separate-stderr teammate-list

  as_expected 7 '' "teammate-list: permission_denied: '.teams' is not to be trusted: anybody can write to it"
}

@test "exits 9 for a broken configuration, with line and column" {
  team-create alpha
  echo '{' >.teams/alpha/config.json

  run --separate-stderr teammate-list

  refused 9 'teammate-list: corrupt: .teams/alpha/config.json:2:1: *'
}

@test "exits 0 when its reader goes away and 74 when the disk is full" {
  team-create alpha
  team-join backend

  run --separate-stderr bash -o pipefail -c 'teammate-list | true'
  same 0 "$status"

  run --separate-stderr bash -c 'teammate-list >/dev/full'
  as_expected 74 '' 'teammate-list: io: cannot write to stdout: No space left on device'
}
