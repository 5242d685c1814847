load helper
load trouble
load mail

record() { cat ".teams/alpha/requests/$1.json"; }

@test "puts a plan to the lead and prints the id of the request" {
  make_team

  run --separate-stderr plan-submit 'split the schema' --as backend

  same 0 "$status"
  same '' "$stderr"
  same "[\"$output\",\"plan\",\"backend\",\"lead\",\"split the schema\",null,\"pending\",null,null,null]" \
    "$(record "$output" | jq -c '[.id, .kind, .from, .to, .content, .task, .status, .answeredAt, .answeredBy, .feedback]')"
  team-recv --as lead --json >received
  same "[\"plan_approval_request\",\"backend\",\"$output\",\"split the schema\"]" \
    "$(jq -c '[.type, .sender, .request_id, .content]' received)"
}

@test "takes the plan from stdin without an operand, and with -" {
  make_team

  first=$(printf 'step one\nstep two\n' | plan-submit --as backend)
  second=$(echo 'by dash' | plan-submit - --as backend)

  same $'step one\nstep two' "$(record "$first" | jq -r .content)"
  same 'by dash' "$(record "$second" | jq -r .content)"
}

@test "goes to the lead whatever its name" {
  team-create alpha --lead boss
  team-join backend

  plan=$(plan-submit 'mine' --as backend)

  same boss "$(record "$plan" | jq -r .to)"
  same mine "$(waiting_for boss)"
}

@test "the plan of the lead goes to the user" {
  make_team

  plan=$(plan-submit 'mine' --as lead)

  same user "$(record "$plan" | jq -r .to)"
  same mine "$(waiting_for user)"
  same '' "$(waiting_for lead)"
}

@test "notes the task and the summary" {
  make_team
  task-create 'the task'

  plan=$(plan-submit $'first\nsecond' --task 1 --summary 'in short' --as backend)

  same 1 "$(record "$plan" | jq .task)"
  same 'in short' "$(team-recv --as lead --json | jq -r .summary)"
}

@test "does the same as team-send with the type" {
  make_team

  team-send lead 'by hand' --type plan_approval_request --as backend

  plan=$(team-recv --as lead --json | jq -r .request_id)
  same 'plan backend lead pending' "$(record "$plan" | jq -r '"\(.kind) \(.from) \(.to) \(.status)"')"
}

@test "is put to nobody but the lead and the user" {
  make_team

  run --separate-stderr team-send frontend 'approve me' --type plan_approval_request --as backend
  as_expected 2 '' 'team-send: usage: a plan is put to the lead, lead'
  [ ! -e .teams/alpha/requests ]
  [ ! -e .teams/alpha/frontend_inbox.jsonl ]

  team-send user 'approve me' --type plan_approval_request --as backend
  same 'approve me' "$(waiting_for user)"
}

@test "makes a record and a message of each plan when many come at once" {
  make_team

  for i in {1..16}; do plan-submit "plan $i" --as backend >>ids 3>&- & done
  wait

  same "$(sort ids)" "$(ls .teams/alpha/requests | sed 's/.json$//' | sort)"
  same "$(sort ids)" "$(team-recv --as lead --json | jq -r .request_id | sort)"
}

@test "keeps a large plan whole" {
  make_team
  yes 'é and 🦀' | head -20000 >plan

  id=$(plan-submit --as backend <plan)

  same "$(wc -m <plan)" "$(($(team-recv --as lead --json | jq -rj .content | wc -m) + 1))"
  same "$(head -c 1000 plan)" "$(record "$id" | jq -r .content | head -c 1000)"
  plan-approve "$id"
}

@test "records it" {
  make_team

  plan=$(plan-submit 'mine' --as backend)

  same "backend $plan" "$(team-log --type PLAN_SUBMITTED --json | jq -r '"\(.agent_id) \(.event.request_id)"')"
}

@test "prints an object with --json" {
  make_team

  run --separate-stderr plan-submit 'mine' --as backend --json

  same 0 "$status"
  same 'pending' "$(jq -r .status ".teams/alpha/requests/$(jq -r .id <<<"$output").json")"
}

@test "exits 2 for an empty plan and wrong options" {
  make_team

  run --separate-stderr plan-submit '' --as backend
  as_expected 2 '' 'plan-submit: usage: the plan is empty'

  run --separate-stderr plan-submit --as backend </dev/null
  as_expected 2 '' 'plan-submit: usage: the plan is empty'

  run --separate-stderr plan-submit one two --as backend
  as_expected 2 '' "plan-submit: usage: unexpected operand 'two' (try plan-submit --help)"

  run --separate-stderr plan-submit one --task x --as backend
  refused 2 'plan-submit: usage: --task: *'
  [ ! -e .teams/alpha/requests ]
}

@test "exits 3 for a caller that is not a member, and for a missing task" {
  make_team

  run --separate-stderr plan-submit 'mine' --as stranger
  refused 3 "plan-submit: not_found: no sender 'stranger' in team alpha*"

  run --separate-stderr plan-submit 'mine' --task 7 --as backend
  as_expected 3 '' 'plan-submit: not_found: no task 7'
  [ ! -e .teams/alpha/requests ]
}

@test "does not let an agent submit in the name of another" {
  make_team

  TEAM_MEMBER=backend run --separate-stderr plan-submit 'mine' --as frontend

  as_expected 7 '' 'plan-submit: permission_denied: you are backend (TEAM_MEMBER) and cannot act as frontend'
  [ ! -e .teams/alpha/requests ]
}

@test "exits 9 for a broken configuration" {
  make_team
  echo '{' >.teams/alpha/config.json

  run --separate-stderr plan-submit 'mine' --as backend

  refused 9 'plan-submit: corrupt: .teams/alpha/config.json:*'
}

@test "exits 74 and leaves nothing behind when nothing can be written" {
  make_team
  read_only .teams

  run --separate-stderr plan-submit 'mine' --as backend

  refused 74 'plan-submit: io: *'
  [ ! -e .teams/alpha/requests ]
}

@test "exits 75 and leaves no request without its message when a lock is not had in time" {
  make_team

  for lock in .lock lead_inbox.lock; do
    hold ".teams/alpha/$lock"
    run --separate-stderr plan-submit 'mine' --as backend --lock-timeout 50ms
    refused 75 "plan-submit: again: cannot lock '.teams/alpha/$lock': *"
    let_go
    same '' "$(plan-list --all)"
    same '' "$(waiting_for lead)"
  done
}

@test "exits 76 when the id cannot be written: the plan is submitted" {
  make_team

  run --separate-stderr bash -c 'plan-submit mine --as backend >/dev/full'

  refused 76 'plan-submit: unknown: the change is made, but *'
  same mine "$(plan-list | cut -f5)"
}
