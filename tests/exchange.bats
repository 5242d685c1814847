# The limit on rounds between two agents: a message and an answer to it.
load helper
load trouble
load mail

# says FROM TO TEXT…: an agent sends a message.
says() {
  TEAM_MEMBER=$1 TEAM_RUN_ID=run-$1 team-send "$2" "$3"
}

# rounds N ONE OTHER: so many messages of each, with answers.
rounds() {
  local i
  for ((i = 0; i < $1; i++)); do
    says "$2" "$3" 'ping'
    says "$3" "$2" 'pong'
  done >/dev/null
}

# reason N ONE OTHER: what is said of the pause.
reason() {
  echo "exchange limit: $2 and $3 sent $1 without progress"
}

refusal() {
  echo "team-send: paused: $(reason "$@"); the user must write to either, or a task of theirs change (exchange.limit)"
}

@test "pauses two agents after five rounds, whoever sends the next message" {
  make_team
  rounds 5 backend frontend

  for pair in 'backend frontend' 'frontend backend'; do
    # shellcheck disable=SC2086  # two names
    run --separate-stderr says $pair 'again'
    as_expected 10 '' "$(refusal '5 rounds' backend frontend)"
  done
  same 5 "$(waiting_for frontend | wc -l)"
  same 5 "$(waiting_for backend | wc -l)"
}

@test "says it as JSON" {
  make_team
  rounds 5 backend frontend

  TEAM_MEMBER=backend TEAM_RUN_ID=r run --separate-stderr team-send frontend 'again' --json

  as_expected 10 '' '{"status":"error","code":"paused","error":"'"$(refusal '5 rounds' backend frontend | cut -d' ' -f3-)"'"}'
}

@test "counts no reports in one direction" {
  make_team

  for i in {1..20}; do says backend lead "report $i"; done

  same 20 "$(waiting_for lead | wc -l)"
  says lead backend 'I see.'
  for i in {1..20}; do says backend lead "report $i"; done
}

@test "counts each pair by itself" {
  make_team
  rounds 5 backend frontend

  rounds 5 backend tester
  rounds 5 backend lead

  run -10 says backend frontend 'again'
}

@test "tells the user once" {
  make_team
  rounds 5 backend frontend

  for _ in 1 2 3; do
    run -10 says backend frontend 'again'
    run -10 says frontend backend 'again'
  done

  team-recv --json >told
  same "system error [Paused] $(reason '5 rounds' backend frontend); write to either to continue (exchange.limit)" \
    "$(jq -r '"\(.sender) \(.type) \(.content)"' told)"
}

@test "opens again by a word of the user to either side" {
  make_team
  for name in backend frontend; do
    rounds 5 backend frontend
    run -10 says backend frontend 'again'

    team-send "$name" 'go on'

    rounds 5 backend frontend
    run -10 says backend frontend 'again'
    team-send "$name" 'and again'
  done
}

@test "opens again by a broadcast of the user" {
  make_team
  rounds 5 backend frontend
  run -10 says backend frontend 'again'

  team-send --broadcast 'go on'

  rounds 5 backend frontend
}

@test "opens again when a task of either changes its status, whoever changes it" {
  make_team
  task-create 'Of backend' --owner backend
  task-create 'Of tester' --owner tester
  rounds 5 backend frontend
  run -10 says backend frontend 'again'

  task-claim 1 --as backend
  rounds 5 backend frontend
  run -10 says backend frontend 'again'
  task-fail 1 --reason 'Too hard.' --as lead
  rounds 5 backend frontend
  run -10 says backend frontend 'again'

  task-claim 2 --as tester
  task-update 1 --priority 1
  task-create 'New' --owner backend
  run -10 says backend frontend 'again'
  same 3 "$(team-recv --type error | wc -l)"
}

@test "does not open by a word of the user to a third, of the lead, or of a member by hand" {
  make_team
  rounds 5 backend frontend

  team-send tester 'hello'
  team-send backend 'hello' --as lead
  team-send backend 'hello' --as tester
  run --separate-stderr says backend frontend 'again'

  same 10 "$status"
}

@test "tells the user again the next time" {
  make_team
  rounds 5 backend frontend
  run -10 says backend frontend 'again'
  team-send backend 'go on'
  rounds 5 backend frontend

  run -10 says backend frontend 'again'

  same 2 "$(team-recv --type error | wc -l)"
}

@test "counts neither messages to the user nor messages without a run" {
  make_team

  for i in {1..8}; do
    says backend user "$i"
    team-send frontend "$i" --as backend
  done

  same 8 "$(waiting_for frontend | wc -l)"
  rounds 5 backend frontend
}

@test "a broadcast reaches the others, and names the member that it leaves out" {
  make_team
  rounds 5 backend frontend

  TEAM_MEMBER=backend TEAM_RUN_ID=r run --separate-stderr team-send --broadcast 'to all'

  same 0 "$status"
  same $'team-send: note: not sent to frontend: the exchange limit\nteam-send: sent to 2' "$stderr"
  same 2 "${#lines[@]}"
  same 'to all' "$(waiting_for tester)"
  same 'to all' "$(waiting_for lead)"
  same 0 "$(waiting_for frontend | grep -c 'to all')"
}

@test "a broadcast that reaches nobody is refused" {
  team-create alpha
  team-join backend
  rounds 5 backend lead

  TEAM_MEMBER=backend TEAM_RUN_ID=r run --separate-stderr team-send --broadcast 'to all'

  as_expected 10 '' "$(refusal '5 rounds' backend lead)"
}

@test "counts no requests and answers" {
  make_team
  rounds 4 backend lead

  for _ in 1 2 3; do
    plan=$(TEAM_MEMBER=backend TEAM_RUN_ID=r plan-submit 'my plan')
    TEAM_MEMBER=lead TEAM_RUN_ID=r plan-approve "$plan"
  done

  rounds 1 backend lead
  run -10 says backend lead 'again'
}

@test "takes the limit from exchange.limit; 0 means none" {
  make_team
  team-config exchange.limit 1

  rounds 1 backend frontend
  run --separate-stderr says backend frontend 'two'
  as_expected 10 '' "$(refusal '1 round' backend frontend)"

  team-config exchange.limit 0
  rounds 12 backend frontend
}

@test "does not count a message that could not be sent" {
  make_team
  rounds 4 backend frontend
  says backend frontend 'a question'
  hold .teams/alpha/backend_inbox.lock
  for _ in 1 2 3; do
    TEAM_MEMBER=frontend TEAM_RUN_ID=r run -75 team-send backend 'x' --lock-timeout 10ms
  done
  let_go

  says frontend backend 'the answer'
  run -10 says backend frontend 'again'
}

@test "lets no more than the limit through when 10 answer at once" {
  make_team
  rounds 4 backend frontend
  says backend frontend 'a question'
  send_one() {
    local code=0
    says frontend backend "$1" >/dev/null 2>&1 || code=$?
    echo "$code" >>codes
  }

  for i in {1..10}; do send_one "$i" & done
  wait

  same '0 10 10 10 10 10 10 10 10 10' "$(sort -n codes | xargs)"
  same 5 "$(waiting_for backend | wc -l)"
  same 1 "$(team-recv --type error | wc -l)"
}

@test "records the pause" {
  make_team
  rounds 5 backend frontend
  run -10 says backend frontend 'again'

  same backend "$(team-log --type EXCHANGE_PAUSED --json | jq -r .agent_id)"
}

@test "counts of an older teamkit are ignored" {
  make_team
  echo '[{"from": "backend", "to": "frontend", "count": 5, "told": true}]' >.teams/alpha/exchanges.json

  says backend frontend 'one'

  same 'backend frontend' "$(jq -r '.[].between | join(" ")' .teams/alpha/exchanges.json)"
}

@test "exits 9 for a broken count and leaves it as it is" {
  make_team
  says backend frontend 'one'
  echo '{' >.teams/alpha/exchanges.json

  run --separate-stderr says backend frontend 'two'

  refused 9 'team-send: corrupt: .teams/alpha/exchanges.json:*'
  same '{' "$(cat .teams/alpha/exchanges.json)"
  same one "$(waiting_for frontend)"
}
