# The limit on messages between two agents without a message of the user.
load helper
load trouble
load mail

# says FROM TO TEXT…: an agent sends a message.
says() {
  TEAM_MEMBER=$1 TEAM_RUN_ID=run-$1 team-send "$2" "$3"
}

# says_five FROM TO: sends as many messages as the limit allows.
says_five() {
  local i
  for i in {1..5}; do says "$1" "$2" "$i"; done >/dev/null
}

paused_message() {
  echo "team-send: paused: $1 sent $3 messages to $2 without a word of the user"
}

@test "pauses an agent at the sixth message to another" {
  make_team
  says_five backend frontend

  run --separate-stderr says backend frontend 'six'

  as_expected 10 '' "$(paused_message backend frontend 5)"
  same $'1\n2\n3\n4\n5' "$(waiting_for frontend)"
}

@test "says it as JSON" {
  make_team
  says_five backend frontend

  TEAM_MEMBER=backend TEAM_RUN_ID=r run --separate-stderr team-send frontend 'six' --json

  as_expected 10 '' '{"status":"error","code":"paused","error":"backend sent 5 messages to frontend without a word of the user"}'
}

@test "counts each way by itself" {
  make_team
  says_five backend frontend

  says_five frontend backend
  run --separate-stderr says frontend backend 'six'

  as_expected 10 '' "$(paused_message frontend backend 5)"
}

@test "counts each pair by itself" {
  make_team
  says_five backend frontend

  says_five backend tester
  says_five backend lead

  same 5 "$(waiting_for tester | wc -l)"
}

@test "tells the user once" {
  make_team
  says_five backend frontend
  says_five frontend backend

  for _ in 1 2 3; do
    run -10 says backend frontend 'again'
    run -10 says frontend backend 'again'
  done

  team-recv --json >told
  same 1 "$(wc -l <told)"
  same 'system error' "$(jq -r '"\(.sender) \(.type)"' told)"
  like '*backend*frontend*' "$(jq -r .content told)"
}

@test "opens again by a word of the user to either side" {
  make_team
  for name in backend frontend; do
    says_five backend frontend || true
    run -10 says backend frontend 'six'

    team-send "$name" 'go on'

    says_five backend frontend
    run -10 says backend frontend 'six'
    team-send "$name" 'and again'
  done
}

@test "opens again by a broadcast of the user" {
  make_team
  says_five backend frontend
  run -10 says backend frontend 'six'

  team-send --broadcast 'go on'

  says_five backend frontend
}

@test "does not open by a word of the user to a third, of the lead, or of a member by hand" {
  make_team
  says_five backend frontend

  team-send tester 'hello'
  team-send backend 'hello' --as lead
  team-send backend 'hello' --as tester
  run --separate-stderr says backend frontend 'six'

  same 10 "$status"
}

@test "tells the user again the next time" {
  make_team
  says_five backend frontend
  run -10 says backend frontend 'six'
  team-send backend 'go on'
  says_five backend frontend

  run -10 says backend frontend 'six'

  same 2 "$(team-recv --type error | wc -l)"
}

@test "counts neither messages to the user nor messages without a run" {
  make_team

  for i in {1..8}; do
    says backend user "$i"
    team-send frontend "$i" --as backend
  done

  same 8 "$(waiting_for frontend | wc -l)"
  says_five backend frontend
}

@test "does not let an agent go around the limit by a broadcast" {
  make_team
  says_five backend frontend

  for i in {1..6}; do TEAM_MEMBER=backend TEAM_RUN_ID=r team-send --broadcast "$i" || true; done

  (($(waiting_for frontend | wc -l) <= 10))
}

@test "counts no requests and answers" {
  make_team
  says_five backend lead

  plan=$(TEAM_MEMBER=backend TEAM_RUN_ID=r plan-submit 'my plan')
  says_five lead backend
  TEAM_MEMBER=lead TEAM_RUN_ID=r plan-approve "$plan"

  same approved "$(jq -r .status ".teams/alpha/requests/$plan.json")"
}

@test "takes the limit from exchange.limit; 0 means none" {
  make_team
  team-config exchange.limit 1

  says backend frontend 'one'
  run --separate-stderr says backend frontend 'two'
  as_expected 10 '' "$(paused_message backend frontend 1)"

  team-config exchange.limit 0
  for i in {1..12}; do says backend frontend "$i"; done
}

@test "does not count a message that could not be sent" {
  make_team
  hold .teams/alpha/frontend_inbox.lock
  for _ in 1 2 3; do
    TEAM_MEMBER=backend TEAM_RUN_ID=r run -75 team-send frontend 'x' --lock-timeout 10ms
  done
  let_go

  says_five backend frontend
}

@test "lets no more than the limit through when 10 are sent at once" {
  make_team
  send_one() {
    local code=0
    says backend frontend "$1" >/dev/null 2>&1 || code=$?
    echo "$code" >>codes
  }

  for i in {1..10}; do send_one "$i" & done
  wait

  same '0 0 0 0 0 10 10 10 10 10' "$(sort -n codes | xargs)"
  same 5 "$(waiting_for frontend | wc -l)"
  same 1 "$(team-recv --type error | wc -l)"
}

@test "records the pause" {
  make_team
  says_five backend frontend
  run -10 says backend frontend 'six'

  same backend "$(team-log --type EXCHANGE_PAUSED --json | jq -r .agent_id)"
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
