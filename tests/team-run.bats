# A lead and its team. The model is the scripted server; it recognizes the lead by the tool FinishTeam, which nobody
# else has.
load helper
load mail
load lead

a_service() {
  printf '%s\n' 'GET /users' 'GET /posts' 'POST /posts' 'GET /comments' >routes.txt
  echo 'const users = fetch("/users");' >app.js
}

# the_service_is_moved: the files and the board are as the team of graphql.json leaves them.
the_service_is_moved() {
  same $'GET /comments\nGET /posts\nGET /users\nPOST /posts' "$(cat endpoints.txt)"
  same $'type Query {\n  comments: [String]\n  posts: [String]\n  users: [String]\n}' "$(cat schema.graphql)"
  same 3 "$(grep -c '=> get' resolvers.js)"
  same 'const users = graphql("{ users }");' "$(cat app.js)"
  same '1 completed analyst,2 completed backend,3 completed backend,4 completed frontend' \
    "$(task-list | awk '{ print $1, $2, $3 }' | paste -sd ,)"
}

# the_story_is_whole: every run, call and message of the log has its end, and so has the run of the team.
the_story_is_whole() {
  local member ended
  for member in lead analyst backend frontend; do
    same "$member RUN_STARTED RUN_FINISHED" \
      "$member $(events "select(.agent_id == \"$member\").event.type | select(startswith(\"RUN_\"))" | xargs)"
    same work "$(head -1 ".teams/alpha/${member}_transcript.jsonl" | jq -r .type)"
    # Every call of a transcript has one result, and nothing else has.
    same "$(jq -r '.turn.parts[]? | select(.type == "tool_call").id' ".teams/alpha/${member}_transcript.jsonl")" \
      "$(jq -r 'select(.type == "result").id' ".teams/alpha/${member}_transcript.jsonl")"
  done
  same TEAM_RUN_ENDED "$(events .event.type | tail -1)"
  same 1 "$(events .event.type | grep -c '^TEAM_FINISHED$')"
  for ended in TOOL_CALL_END TOOL_CALL_RESULT; do
    same "$(events 'select(.event.type == "TOOL_CALL_START").event.tool_call_id')" \
      "$(events "select(.event.type == \"$ended\").event.tool_call_id" | in_order_of_starts)"
  done
  same "$(events 'select(.event.type == "TEXT_MESSAGE_START").event.message_id' | sort)" \
    "$(events 'select(.event.type == "TEXT_MESSAGE_END").event.message_id' | sort)"
  same "$(seq "$(events .seq | wc -l)")" "$(events .seq)"
}

# in_order_of_starts: the ids of calls in the order of their starts in the log, where several members are mixed.
in_order_of_starts() {
  sort >ids
  events 'select(.event.type == "TOOL_CALL_START").event.tool_call_id' | while read -r id; do
    grep -x "$id" ids || true
  done
}

# moves_the_service FORMAT MODEL
moves_the_service() {
  a_service
  start_model graphql

  run --separate-stderr timeout 60 team-run 'Move the service from REST to GraphQL' --model "$2" --base-url "$URL" \
    -t alpha </dev/null

  same 0 "$status"
  same 'The service answers GraphQL: endpoints.txt, schema.graphql, resolvers.js; app.js asks it.' "$output"
  the_service_is_moved
  the_story_is_whole
  same "$1" "$(asked .format | sort -u)"
  same 200 "$(asked .status | sort -u)"
  same "$output" "$(jq -r .summary .teams/alpha/config.json)"
  nobody_runs
  nothing_left
}

@test "moves a service to GraphQL with three teammates, by Anthropic's format" {
  moves_the_service anthropic claude-x
}

@test "moves a service to GraphQL with three teammates, by OpenAI's format" {
  moves_the_service openai gpt-x
}

@test "a lead that only talks is reminded once to call FinishTeam; then its last words are the summary" {
  lead_says '"Nothing to do."' '"There is nothing to be done."'

  run --separate-stderr lead 'Look around'

  same 0 "$status"
  same 'There is nothing to be done.' "$output"
  same 'There is nothing to be done.' "$(jq -r .summary .teams/alpha/config.json)"
  same 'TEAM_FINISHED TEAM_RUN_ENDED' "$(events .event.type | grep ^TEAM_ | tail -n +2 | xargs)"
  like 'Look around*[[]System] No task is open and nobody is at work. If the goal is reached, call FinishTeam*' \
    "$(heard_by_lead | xargs)"
  same 2 "$(calls)"
}

@test "the reminder ends with FinishTeam" {
  lead_says '"I have finished."' "$DONE"

  run --separate-stderr lead 'Look around'

  same 0 "$status"
  same 'All is well.' "$output"
  same 2 "$(calls)"
}

@test "the goal can come from stdin" {
  lead_says "$(call FinishTeam '{"summary": "Heard."}')"

  run --separate-stderr timeout 60 team-run - --model claude-x --base-url "$URL" <<<$'Make it so,\nplease'

  same 0 "$status"
  same Heard. "$output"
  same 'Make it so, please' "$(heard_by_lead | xargs)"
  same team "$(ls .teams)"
}

@test "the model can come from the environment" {
  lead_says "$DONE" "$DONE" "$DONE"

  run --separate-stderr env TEAM_MODEL=claude-y TEAM_BASE_URL="$URL" timeout 60 team-run go </dev/null
  same 0 "$status"
  run --separate-stderr env TEAM_MODEL=any TEAM_PROVIDER=anthropic ANTHROPIC_BASE_URL="$URL" \
    timeout 60 team-run go </dev/null
  same 0 "$status"
  run --separate-stderr env TEAM_MODEL=any OPENAI_BASE_URL="$URL" timeout 60 team-run go </dev/null
  same 0 "$status"

  same 'anthropic claude-y,anthropic any,openai any' "$(asked '.format + " " + .body.model' | paste -sd ,)"
}

@test "shows the words and actions of the lead on stderr" {
  lead_says "$(jq -c '[{text: "I look."}] + .' <<<"$(call TaskList)")" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  like $'*active: the prompt\nI look.\n*TaskList*\n*FinishTeam*\n*shutdown: all is done*' "$stderr"
}

@test "Task with a name starts a teammate, which works on its prompt and then on the board" {
  lead_says "$BOB_BUILDS_IT" \
    "$(call Task '{"name": "bob", "team_name": "alpha", "prompt": "Be quick, Bob."}')" '"I wait."' -- "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same 'All is well.' "$output"
  same "bob has joined team 'alpha' and is at work. It takes tasks from the board by itself. \
What it answers to the prompt comes as a message." "$(gave Task)"
  same 'completed bob Done.' "$(field 1 status) $(field 1 owner) $(field 1 result)"
  same 'Be quick, Bob.' "$(jq -r 'select(.title == "the prompt").text' .teams/alpha/bob_transcript.jsonl | xargs)"
  same 'shutdown asked to by lead' "$(state_of bob .state) $(state_of bob .reason)"
}

@test "a teammate has the role that it is started with, and the role's prompt in its system prompt" {
  echo 'You write as few lines as you can.' >brief.md
  lead_says "$(call Task '{"name": "bob", "role": "brief", "prompt": "Begin."}')" \
    "$(call Task '{"name": "ann", "role": "careful", "prompt": "Begin."}')" "$ALL_IDLE" "$DONE"
  echo "{\"prompt\": \"You look twice.\", \"model\": \"claude-z\", \"base_url\": \"$URL\"}" >careful.json

  run --separate-stderr lead go --role brief=brief.md --role careful=careful.json

  same 0 "$status"
  same 'bob brief,ann careful' "$(jq -r '[.members[1:][] | .name + " " + .role] | join(",")' .teams/alpha/config.json)"
  like "You are teammate 'bob' in team 'alpha', role 'brief'."$'\n\nYou write as few lines as you can.\n*' \
    "$(system_of bob)"
  like "You are teammate 'ann' in team 'alpha', role 'careful'."$'\n\nYou look twice.\n*' "$(system_of ann)"
  same 'claude-x claude-z' "$(asked .body.model | sort -u | xargs)"
  like $'*\n# Roles\nbrief: You write as few lines as you can.\ncareful: You look twice.*' "$(system_of lead)"
}

@test "the role of the lead's own name is the lead's" {
  echo 'You are never in a hurry.' >lead.md
  lead_says '"Later."'

  run --separate-stderr lead go --role lead=lead.md

  same 0 "$status"
  like $'You are \'lead\', the lead of team \'alpha\'.\n\nYou are never in a hurry.\n*' "$(system_of lead)"
}

@test "Task is refused for a name that runs, a wrong team, and names that are none" {
  lead_says "$START_BOB" "$START_BOB" \
    "$(call Task '{"name": "ann", "team_name": "beta", "prompt": "Begin."}')" \
    "$(call Task '{"name": "../x", "prompt": "Begin."}')" \
    "$(call Task '{"name": "ann", "role": "a b", "prompt": "Begin."}')" "$(call Task '{"name": "ann"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  gave Task >said
  like 'error: conflict: *bob*' "$(sed -n 2p said)"
  same "error: not_found: you lead team 'alpha', not 'beta'" "$(sed -n 3p said)"
  like "error: usage: '../x' is not a name*" "$(sed -n 4p said)"
  same "error: usage: 'a b' is not a name of a role" "$(sed -n 5p said)"
  like "error: *'prompt'*" "$(sed -n 6p said)"
  same 'lead bob' "$(jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json)"
  same 1 "$(events 'select(.agent_id == "bob").event.type' | grep -c RUN_STARTED)"
}

@test "Task starts a teammate that has ended again, which remembers" {
  lead_says "$(call Task '{"name": "bob", "prompt": "Remember 42."}')" "$ALL_IDLE" \
    "$(call bash '{"command": "teammate-stop bob"}')" \
    "$(call Task '{"name": "bob", "prompt": "What was it?"}')" "$ALL_IDLE" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  like 'bob was started again and goes on with what it knows. *' "$(gave Task | tail -1)"
  same 'Remember 42. What was it?' \
    "$(asked 'select(system | startswith("You are teammate")) | [said] | @json' | tail -1 | jq -r '.[]' | xargs)"
}

@test "plan: the tasks of the teammate need plans, also when it is started again" {
  lead_says "$(call Task '{"name": "bob", "prompt": "Wait.", "plan": true}')" \
    "$(call bash '{"command": "teammate-stop bob"}')" "$(call Task '{"name": "bob", "prompt": "Go on."}')" \
    "$(call Task '{"prompt": "Help.", "plan_mode_required": true}')" "$(call FinishTeam '{"summary": "Enough.", "force": true}')"

  run --separate-stderr lead go

  same 0 "$status"
  same 2 "$(events 'select(.agent_id == "bob").event.type' | grep -c RUN_STARTED)"
  same true "$(state_of bob '.start.arguments | any(. == "--plan")')"
  like '*error: usage: plan goes with the name of a teammate*' "$(gave Task)"
}

@test "Task without a name returns the answer of a helper, which then leaves" {
  lead_says "$(call Task '{"prompt": "What is six times seven?"}')" \
    "$(call Task '{"prompt": "Who are you?", "role": "sage"}')" "$DONE" <<'END'
{"when": {"prompt": "teammate 'helper-1'", "user": "six times seven"},
  "steps": [[{"text": "I count."},
    {"tool": "bash", "input": {"command": "echo $((6 * 7)) >answer; cat answer"}}], "It is 42."]}
{"when": {"prompt": "teammate 'sage-1'"}, "answer": "A sage."}
END

  run --separate-stderr lead go

  same 0 "$status"
  same $'I count.\nIt is 42.\n\nA sage.' "$(gave Task)"
  same 42 "$(cat answer)"
  same 'shutdown shutdown' "$(state_of helper-1 .state) $(state_of sage-1 .state)"
  nothing_left
}

@test "Task says when a helper could not do it" {
  lead_says "$(call Task '{"prompt": "Try."}')" "$DONE" <<'END'
{"when": {"prompt": "teammate 'helper-1'"}, "fault": {"status": 401}}
END

  run --separate-stderr lead go

  same 0 "$status"
  like 'error: helper-1 could not do it (exit status 69): *' "$(gave Task)"
}

# A helper that runs until a file releases it.
SLOW_HELPER='{"when": {"prompt": "teammate '"'helper-1'"'"},
  "steps": [[{"tool": "bash", "input": {"command": "echo $$ >helper.pid; cat gate"}}], "The gate is open."]}'

@test "the end of a background helper is reported once, and TaskOutput shows its output" {
  mkfifo gate
  lead_says "$(call Task '{"prompt": "Watch the gate.", "run_in_background": true}')" \
    "$(call TaskOutput '{"task_id": "helper-1", "block": false}')" "$(call bash '{"command": "echo >gate"}')" \
    '"I wait."' <<END
$SLOW_HELPER
{"when": {"tool": "FinishTeam", "user": "<task-notification"},
  "steps": [$(call TaskOutput '{"task_id": "helper-1"}'), $DONE]}
END

  run --separate-stderr lead go

  same 0 "$status"
  same 'Started as helper-1. You are told when it ends; TaskOutput shows what it says.' "$(gave Task)"
  gave TaskOutput >said
  same 'helper-1: running' "$(head -1 said)"
  like '*exit*The gate is open.*' "$(tail -n +2 said)"
  same 1 "$(heard_by_lead | grep -c '<task-notification id="helper-1" ended="exit status 0">Watch the gate.')"
}

@test "TaskStop ends a helper and all its child processes" {
  mkfifo gate
  lead_says "$(call Task '{"prompt": "Watch the gate.", "run_in_background": true}')" \
    "$(call bash '{"command": "until [ -s helper.pid ]; do read -rt 0.02 <> <(:); done"}')" \
    "$(call TaskStop '{"task_id": "helper-1"}')" "$(call TaskStop '{"task_id": "nobody"}')" \
    "$(call bash '{"command": "kill -0 $(cat helper.pid) 2>&1 || echo is gone"}')" "$DONE" <<<"$SLOW_HELPER"

  run --separate-stderr lead go

  same 0 "$status"
  like '*stopped*' "$(gave TaskStop | head -1)"
  like "error: not_found: no program 'nobody'*helper-1" "$(gave TaskStop | tail -1)"
  same 1 "$(gave bash | grep -cx 'is gone')"
  nothing_left
}

@test "a helper that still runs when the lead finishes is ended" {
  mkfifo gate
  lead_says "$(call Task '{"prompt": "Watch the gate.", "run_in_background": true}')" \
    "$(call bash '{"command": "until [ -s helper.pid ]; do read -rt 0.02 <> <(:); done"}')" "$DONE" <<<"$SLOW_HELPER"

  run --separate-stderr lead go

  same 0 "$status"
  same 'All is well.' "$output"
  nothing_left
}

@test "TaskGet gives all of a task" {
  lead_says "$(call TaskCreate '{"subject": "Build it", "description": "of wood"}')" "$(call TaskGet '{"taskId": 1}')" \
    "$(call TaskGet '{"taskId": 7}')" "$(call FinishTeam '{"summary": "-", "force": true}')"

  run --separate-stderr lead go

  same 0 "$status"
  same 'of wood lead 1' "$(gave TaskGet | head -1 | jq -r '"\(.description) \(.createdBy) \(.rev)"')"
  like 'error: not_found: *7*' "$(gave TaskGet | tail -1)"
}

@test "the system prompt lists the skills, and Skill reads one" {
  mkdir -p .skills/deploy .skills/review .skills/empty .teams
  printf '%s\n' --- 'name: deploy' 'description: How we put it online' --- 'Run make deploy.' >.skills/deploy/SKILL.md
  printf '# Look twice\n\nThen look again.\n' >.skills/review/SKILL.md
  lead_says "$(call Skill '{"name": "deploy"}')" "$(call Skill '{"name": "dance"}')" \
    "$(call Skill '{"name": "../.teams"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  like $'*\n# Skills*\ndeploy: How we put it online\nreview: Look twice*' "$(system_of lead)"
  same "$(cat .skills/deploy/SKILL.md)" "$(gave Skill | head -5)"
  same "error: not_found: no skill 'dance'; there is deploy, review" "$(gave Skill | tail -2 | head -1)"
  like "error: not_found: no skill '../.teams'; *" "$(gave Skill | tail -1)"
}

@test "TeamCreate tells the lead the team that it has, whatever it asks for" {
  lead_says "$(call TeamCreate '{"name": "alpha"}')" "$(call TeamCreate '{}')" \
    "$(call TeamCreate '{"name": "beta"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  gave TeamCreate >said
  same "Team 'alpha' is there and you lead it. Start teammates with Task." "$(head -2 said | sort -u)"
  same "You lead team 'alpha' already, and one lead has one team: go on with it instead of 'beta'. \
Start teammates with Task." "$(tail -1 said)"
  same alpha "$(team-list | cut -f 1)"
}

@test "TeamDelete dismisses the teammates and keeps the board" {
  lead_says "$BOB_BUILDS_IT" "$START_BOB" \
    '"I wait."' -- "$(call TeamDelete '{"name": "beta"}')" "$(call TeamDelete)" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  gave TeamDelete >said
  same "error: not_found: you lead team 'alpha', not 'beta'" "$(head -1 said)"
  same 'All teammates have ended and left the team.' "$(tail -1 said)"
  same lead "$(jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json)"
  same completed "$(field 1 status)"
  nothing_left
}

@test "ApprovePlan answers the plans of a teammate: it changes nothing before one is approved" {
  echo '{"prompt": "You ask first.", "plan": true}' >careful.json
  lead_says "$(call TaskCreate '{"subject": "Build it", "role": "careful"}')" \
    "$(call Task '{"name": "bob", "role": "careful", "prompt": "Plan well."}')" '"I wait."' <<'END'
{"name": "reject",
  "when": {"tool": "FinishTeam", "user~": "type=\"plan_approval_request\" request_id=\"([^\"]+)\" task=\"1\">First"},
  "answer": [{"tool": "ApprovePlan", "input": {"request_id": "${1}", "approve": false, "feedback": "use steel"}}]}
{"name": "approve", "when": {"tool": "FinishTeam", "user~": "type=\"plan_approval_request\" request_id=\"([^\"]+)\""},
  "answer": [{"tool": "ApprovePlan", "input": {"request_id": "${1}", "approve": true}}]}
{"name": "answered", "when": {"tool": "FinishTeam", "called": "ApprovePlan"}, "answer": "I wait."}
{"name": "done", "when": {"tool": "FinishTeam", "user": "[All Idle]"},
  "answer": [{"tool": "ApprovePlan", "input": {"request_id": "nothing", "approve": true}},
    {"tool": "FinishTeam", "input": {"summary": "All is well."}}]}
{"name": "early", "when": {"user~": "Build it(.|\\n)*Do not do it yet", "need": "!tried"},
  "set": ["tried"], "answer": [{"tool": "write_file", "input": {"path": "house", "content": "wood"}}]}
{"name": "first plan", "when": {"called": "write_file", "result": "not approved"},
  "answer": [{"tool": "SubmitPlan", "input": {"plan": "First I take wood."}}]}
{"name": "second plan", "when": {"user": "use steel"},
  "answer": [{"tool": "SubmitPlan", "input": {"plan": "Then I take steel."}}]}
{"name": "work", "when": {"user~": "Build it(.|\\n)*Your plan was approved"},
  "answer": [{"tool": "write_file", "input": {"path": "house", "content": "steel"}}]}
{"name": "prompt", "when": {"user~": "Plan well.(.|\\n)*Do not do it yet"}, "answer": "I plan."}
END

  run --separate-stderr lead go --role careful=careful.json

  same 0 "$status"
  gave ApprovePlan >said
  same 'bob is told that its plan is approved.' "$(head -1 said)"
  same 'bob is told that its plan is rejected.' "$(sed -n 2p said)"
  same 'bob is told that its plan is approved.' "$(sed -n 3p said)"
  like 'error: *' "$(tail -1 said)"
  same steel "$(cat house)"
  same completed "$(field 1 status)"
  same 'approved rejected approved' "$(plan-list --all 2>/dev/null | cut -f 2 | xargs)"
}

@test "FinishTeam is refused while tasks are open, unless it is forced" {
  lead_says "$BUILD_IT" "$DONE" "$(call FinishTeam '{"summary": "Not all is well.", "force": true}')"

  run --separate-stderr lead go

  same 0 "$status"
  same 'Not all is well.' "$output"
  like 'error: invalid_state: 1 task has not ended: 1*' "$(gave FinishTeam | head -1)"
  same 'The team is finished: 0 tasks completed, 0 failed, 1 left open.' "$(gave FinishTeam | tail -1)"
  same pending "$(field 1 status)"
}

@test "a lead with --delegate has neither bash nor file tools" {
  lead_says "$(call bash '{"command": "touch it"}')" "$DONE"

  run --separate-stderr lead go --delegate

  same 0 "$status"
  same '' "$(asked '.body.tools[].name' | grep -x -e bash -e read_file -e write_file -e edit_file)"
  same "ApprovePlan FinishTeam SendMessage Skill StopTeammate SubmitPlan Task TaskCreate TaskGet TaskList TaskOutput TaskStop \
TaskUpdate TeamCreate TeamDelete" "$(asked '.body.tools[].name' | sort -u | xargs)"
  like '*You coordinate only*' "$(system_of lead)"
  like "error: *'bash'*" "$(gave bash)"
  [ ! -e it ]
}

@test "without --delegate the lead works itself, beneath the root" {
  lead_says "$(call bash '{"command": "echo one >it; pwd"}')" \
    "$(call edit_file '{"path": "it", "old_text": "one", "new_text": "two"}')" \
    "$(call read_file '{"path": "/etc/passwd"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same two "$(cat it)"
  like "$(pwd -P)*" "$(gave bash)"
  like 'error: *' "$(gave read_file)"
}

@test "a lead that only talks while a task is open is reminded three times; then the run ends with 1" {
  lead_says "$BUILD_IT"

  run --separate-stderr lead go

  same 1 "$status"
  same '' "$output"
  same 'team-run: no: 1 task is open, and the lead does nothing about it' "${stderr_lines[-1]}"
  same 3 "$(heard_by_lead | grep -c '^\[System\] 1 task is open and nobody is at work:$')"
  same 5 "$(calls)"
  same TEAM_RUN_ENDED "$(events .event.type | tail -1)"
  same null "$(jq .finishedAt .teams/alpha/config.json)"
}

@test "a lead that does something after a reminder is reminded three times again" {
  lead_says "$BUILD_IT" '"Hm."' '"Hm."' "$(call TaskCreate '{"subject": "Paint it"}')" '"Hm."'

  run --separate-stderr lead go

  same 1 "$status"
  same 'team-run: no: 2 tasks are open, and the lead does nothing about it' "${stderr_lines[-1]}"
  same '2 3' "$(heard_by_lead | grep -c '^\[System\] 1 task is') $(heard_by_lead | grep -c '^\[System\] 2 tasks are')"
}

@test "a reminded lead that does the task itself ends with 0" {
  lead_says "$BUILD_IT" '"Hm."' "$TAKE_IT" \
    "$(call TaskUpdate '{"taskId": 1, "status": "completed", "result": "It stands."}')" '"It is."' '"It is built."'

  run --separate-stderr lead go

  same 0 "$status"
  same 'It is built.' "$output"
  same 'completed It stands.' "$(field 1 status) $(field 1 result)"
}

@test "a lead that ended while others worked gets all_idle before the run ends" {
  for run in {1..8}; do
    mkdir "$run"
    cd "$run"
    lead_says "$BOB_BUILDS_IT" "$START_BOB" '"I wait."' -- "$DONE"

    run --separate-stderr lead go

    same 'All is well.' "$output"
    stop_model
    cd ..
  done
}

@test "a failed task keeps nobody from finishing" {
  lead_says "$BUILD_IT" "$TAKE_IT" \
    "$(call TaskUpdate '{"taskId": 1, "status": "failed", "result": "no wood"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same 'failed no wood' "$(field 1 status) $(field 1 error)"
}

@test "ends with 8 after --max-turns answers" {
  lead_says "$(call TaskList)" "$(call TaskList)" "$(call TaskList)" "$DONE"

  run --separate-stderr lead go --max-turns 2

  same 8 "$status"
  same '' "$output"
  same 'team-run: invalid_state: not done within 2 turns' "${stderr_lines[-1]}"
  same 2 "$(calls)"
}

@test "ends with 10 when the team has used its --budget, and nobody runs then" {
  lead_says "$START_BOB" '"I wait."' '"I wait."' "$DONE" <<'END'
{"when": {"prompt": "teammate 'bob'", "turns": 0}, "usage": {"input": 90000, "output": 10000},
  "answer": [{"tool": "SendMessage", "input": {"recipient": "lead", "content": "I am here."}}]}
END

  run --separate-stderr lead go --budget 100000

  same 10 "$status"
  like '*team-run: used 1??k tokens*team-run: paused: the budget of 100000 tokens is used up (1?????)*' "$stderr"
  nobody_runs
}

@test "ends with 1 at the --deadline, also in the middle of a call" {
  lead_says '"Never said."' <<<'{"when": {"tool": "FinishTeam"}, "fault": "hang"}'

  run --separate-stderr lead go --deadline 1

  same 1 "$status"
  same '' "$output"
  same 'team-run: no: the time is over' "${stderr_lines[-1]}"
  same TEAM_RUN_ENDED "$(events .event.type | tail -1)"
}

@test "ends with 1 at the --deadline while it waits for a teammate, and ends the teammate" {
  mkfifo gate
  lead_says "$START_BOB" '"I wait."' <<END
{"when": {"prompt": "teammate 'bob'"}, "answer": $(call bash '{"command": "cat gate"}')}
END

  run --separate-stderr lead go --deadline 1

  same 1 "$status"
  same 'team-run: no: the time is over' "${stderr_lines[-1]}"
  nobody_runs
  nothing_left
}

@test "ends with 69 when the model cannot be had" {
  lead_says '"Never said."' <<<'{"when": {"tool": "FinishTeam"}, "fault": {"status": 401, "message": "no such key"}}'

  run --separate-stderr lead go

  same 69 "$status"
  same '' "$output"
  like 'team-run: *no such key*' "${stderr_lines[-1]}"
  same 'error RUN_ERROR' "$(state_of lead .state) $(events .event.type | grep ^RUN_ | tail -1)"
}

@test "with --stream stdout is the events of the team as they come, tokens included" {
  lead_says "$START_BOB" '"I wait."' -- "$DONE"

  run --separate-stderr lead go --stream

  same 0 "$status"
  printf '%s\n' "${lines[@]}" >stream
  tail -n "$(wc -l <stream)" .teams/alpha/events.jsonl | diff - stream
  same "$(seq "$(jq -r .seq stream | head -1)" "$(jq -r .seq stream | tail -1)")" "$(jq -r .seq stream)"
  same 'Done. I wait.' "$(jq -r 'select(.event.type == "TEXT_MESSAGE_CONTENT").event.delta' stream | grep -vx Over. |
    sort -u | xargs)"
  same TEAM_RUN_ENDED "$(tail -1 stream | jq -r .event.type)"
  same RUN_STARTED "$(jq -r 'select(.agent_id == "lead").event.type' stream | grep -m1 RUN_)"
}

@test "--stream prints a token before the answer is whole" {
  lead_says '"First words, and then nothing more comes for a very long time."' \
    <<<'{"when": {"tool": "FinishTeam"}, "fault": {"slow": 0.2}}'
  start_lead go --stream

  wait_until grep -qs TEXT_MESSAGE_CONTENT lead.out

  same '' "$(grep TEXT_MESSAGE_END lead.out)"
  teammate_ended lead 0
  same 'First words, and then nothing more comes for a very long time.Over.' \
    "$(jq -rj 'select(.event.type == "TEXT_MESSAGE_CONTENT").event.delta' lead.out)"
}

@test "the run continues when nobody reads the stream" {
  lead_says "$(call bash '{"command": "until [ -e enough ]; do read -rt 0.02 <> <(:); done; echo done >it"}')" "$DONE"

  lead go --stream 2>lead.err | { head -1 >first; touch enough; }
  result=("${PIPESTATUS[@]}")

  same 0 "${result[0]}"
  same 1 "$(wc -l <first)"
  same 'done' "$(cat it)"
  same TEAM_RUN_ENDED "$(events .event.type | tail -1)"
}

# A teammate that works until the file `go` exists.
BUSY_BOB='{"name": "bob", "when": {"prompt": "teammate '"'bob'"'", "user": "Your task is"},
  "steps": ['$(call bash "{\"command\": \"echo >>begun; $UNTIL_GO\"}")', "It is built."]}'
WITH_BOB=("$BOB_BUILDS_IT" "$START_BOB" '"I wait."' -- "$DONE")

@test "INT, TERM and HUP end the run with all teammates, and the next run goes on" {
  for signal in INT:130 TERM:143 HUP:129; do
    mkdir "$signal"
    cd "$signal"
    lead_says "${WITH_BOB[@]}" <<<"$BUSY_BOB"
    start_lead go
    wait_until test -e begun

    kill -"${signal%:*}" "${TEAMMATE[lead]}"

    teammate_ended lead "${signal#*:}"
    like 'team-run: interrupted by *' "$(tail -1 lead.err)"
    same TEAM_RUN_ENDED "$(events .event.type | tail -1)"
    nobody_runs
    same 'pending bob' "$(field 1 status) $(field 1 owner)"

    stop_model
    cd ..
    nothing_left
  done
}

@test "a run that was interrupted goes on in the same conversation, without a goal" {
  lead_says "${WITH_BOB[@]}" <<END
$BUSY_BOB
{"name": "reminded", "when": {"tool": "FinishTeam", "user": "nobody is at work"},
  "steps": [$(call Task '{"name": "bob", "prompt": "Go on."}'), "I wait again."]}
END
  start_lead 'Have it built'
  wait_until test -e begun
  kill -INT "${TEAMMATE[lead]}"
  teammate_ended lead 130
  touch go

  run --separate-stderr lead

  same 0 "$status"
  same 'All is well.' "$output"
  same 'completed bob' "$(field 1 status) $(field 1 owner)"
  same 1 "$(heard_by_lead | grep -cx 'Have it built')"
  same 1 "$(transcript lead 'select(.type == "work" and .title == "the prompt").title' | wc -l)"
  same 'RUN_STARTED RUN_FINISHED RUN_STARTED RUN_FINISHED' \
    "$(events 'select(.agent_id == "lead").event.type | select(startswith("RUN_"))' | xargs)"
}

@test "a run that has ended goes on with another goal in the same conversation" {
  lead_says "$(finish Built.)" "$(finish Painted.)"
  lead 'Build it' 2>/dev/null

  run --separate-stderr lead 'Paint it'

  same 0 "$status"
  same Painted. "$output"
  same 'Build it Paint it' "$(heard_by_lead | xargs)"
  same Painted. "$(jq -r .summary .teams/alpha/config.json)"
}

@test "asks for a goal where nothing was begun, and takes none that is empty" {
  lead_says '"Never said."'

  run --separate-stderr lead
  as_expected 2 '' 'team-run: usage: what is the goal?'

  run --separate-stderr lead '  '
  as_expected 2 '' 'team-run: usage: the goal is empty'
  [ ! -e .teams ]
  same 0 "$(calls)"
}

@test "a run that was killed goes on where it was, and ends the same" {
  lead_says "$(call bash '{"command": "echo >>once; echo one"}')" "$BOB_BUILDS_IT" \
    "$START_BOB" '"I wait."' -- "$DONE" <<END
$BUSY_BOB
{"name": "reminded", "when": {"tool": "FinishTeam", "user": "nobody is at work"},
  "steps": [$(call Task '{"name": "bob", "prompt": "Go on."}'), "I wait again."]}
END
  start_lead 'Have it built'
  wait_until test -e begun
  kill_teammate lead
  touch go

  run --separate-stderr lead

  same 0 "$status"
  same 'All is well.' "$output"
  same 'completed bob' "$(field 1 status) $(field 1 owner)"
  same 1 "$(wc -l <once)"
  same 1 "$(task-list | wc -l)"
  same 1 "$(transcript lead 'select(.title == "the prompt").title' | wc -l)"
  nobody_runs
  nothing_left
}

@test "a run that was killed in the middle of a call repeats it" {
  lead_says "$(finish 'Said at last.')" <<<'{"when": {"tool": "FinishTeam"}, "fault": {"hang": 2, "times": 1}}'
  start_lead 'Say it'
  wait_until was_asked 1
  kill_teammate lead

  run --separate-stderr lead

  same 0 "$status"
  same 'Said at last.' "$output"
  same 2 "$(calls)"
  same 1 "$(asked '.body.messages | @json' | sort -u | wc -l)"
}

@test "is a conflict while the lead runs, and nothing is changed" {
  mkfifo gate
  lead_says "$(call bash '{"command": "echo >begun; cat gate"}')" "$DONE"
  start_lead go
  wait_until test -e begun
  cp .teams/alpha/config.json before

  run --separate-stderr lead 'something else'

  same 4 "$status"
  same '' "$output"
  like 'team-run: conflict: lead *' "$stderr"
  cmp before .teams/alpha/config.json
  echo >gate
  teammate_ended lead 0
  same 'All is well.' "$(cat lead.out)"
  same go "$(heard_by_lead | xargs)"
}

@test "does nothing while agent teams are turned off" {
  start_model <<<'[{"answer": "Never said."}]'

  for variable in ENABLE_AGENT_TEAMS=0 ENABLE_AGENT_TEAMS=false CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=0; do
    run --separate-stderr env "$variable" team-run go --model claude-x --base-url "$URL"
    refused 7 "team-run: permission_denied: *${variable%=*}*"
  done

  [ ! -e .teams ]
}

@test "refuses wrong use, and asks no model" {
  start_model <<<'[{"answer": "Never said."}]'

  run --separate-stderr team-run go --base-url "$URL"
  refused 2 'team-run: usage: which model is the lead? --model MODEL, or TEAM_MODEL'
  run --separate-stderr env -u ANTHROPIC_API_KEY team-run go --model claude-x
  refused 2 'team-run: usage: ANTHROPIC_API_KEY is not set; it is the key for --provider anthropic'
  run --separate-stderr env -u OPENAI_API_KEY team-run go --model gpt-x
  refused 2 'team-run: usage: OPENAI_API_KEY is not set; it is the key for --provider openai'
  run --separate-stderr lead go --provider nobody
  refused 2 "team-run: usage: no provider 'nobody': there are anthropic and openai"
  run --separate-stderr lead go --mode screen
  refused 2 "team-run: usage: the mode is auto, background or tmux, not 'screen'"
  run --separate-stderr lead go -t 'a b'
  same 2 "$status"
  run --separate-stderr lead go there
  same 2 "$status"
  run --separate-stderr lead go --deadline soon
  same 2 "$status"
  run --separate-stderr lead go --role careful=missing.json
  refused 3 'team-run: not_found: *missing.json*'
  run --separate-stderr lead go -C nowhere
  refused 3 'team-run: not_found: *nowhere*'

  same 0 "$(calls)"
}

@test "makes no team for a run that cannot begin" {
  start_model <<<'[{"answer": "Never said."}]'

  run --separate-stderr team-run go --base-url "$URL"
  same 2 "$status"
  run --separate-stderr env -u ANTHROPIC_API_KEY team-run go --model claude-x
  same 2 "$status"
  run --separate-stderr lead go --mode screen
  same 2 "$status"

  [ ! -e .teams ]
}

@test "only the lead and the user run the lead" {
  start_model <<<'[{"answer": "Said."}]'
  team-create alpha >/dev/null
  team-join bob

  run --separate-stderr env TEAM_MEMBER=bob team-run go --model claude-x --base-url "$URL" </dev/null

  refused 7 'team-run: permission_denied: only the lead or the user may run the lead, not bob'
  same 0 "$(calls)"
}

# own_key: uses a key that no other test has.
own_key() {
  KEY=key-$BASHPID-$RANDOM
  MODEL_SERVER_KEY=$KEY "$@"
  export ANTHROPIC_API_KEY=$KEY
}

@test "the key is in no file and not in the environment of a command, but teammates have it" {
  show_keys='env | grep -c -e API_KEY -e key-; grep -ac key- /proc/$PPID/environ; true'
  own_key lead_says "$(call bash "{\"command\": \"$show_keys\"}")" \
    "$START_BOB" '"I wait."' -- "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same $'0\n0' "$(gave bash)"
  same '' "$(grep -rl -e "$KEY" .)"
  same right "$(asked .key | sort -u)"
  same 1 "$(transcript bob 'select(.type == "answer").model' | wc -l)"
}

@test "answers can be recorded, and played back without a model" {
  lead_says "$(call TaskList)" "$(finish 'That is all.')"
  lead go --record answers >recorded 2>/dev/null
  stop_model
  rm -rf .teams .tasks

  run --separate-stderr env -u ANTHROPIC_API_KEY timeout 60 team-run go --replay answers -t alpha </dev/null

  same 0 "$status"
  same 'That is all.' "$output"
  same "$output" "$(cat recorded)"
  same '' "$(grep -rl test-key answers)"
}

@test "a message wakes the lead, and the user gets an answer" {
  lead_says "$START_BOB" '"I wait."' -- '"Nothing to do yet."' <<END
{"name": "busy", "when": {"prompt": "teammate 'bob'"}, "answer": $(call bash "{\"command\": \"$UNTIL_GO\"}")}
{"name": "asked", "when": {"tool": "FinishTeam", "user": "How far are you?"}, "answer": "Half way."}
END
  start_lead go
  wait_until sleeps lead

  run --separate-stderr timeout 20 team-send lead 'How far are you?' -t alpha --wait reply

  same 0 "$status"
  like '*Half way.*' "$output"
  kill -TERM "${TEAMMATE[lead]}"
  teammate_ended lead 143
}

# on_screen COMMAND: runs it on a terminal whose keys come from the fifo `keys`; its screen is in `screen`.
on_screen() {
  mkfifo keys
  script -qefc "stty cols 200; $1" screen <keys >/dev/null 2>&1 3>&- &
  TEAMMATE[script]=$!
  exec 4>keys
}

# typed LINE
typed() { printf '%s\n' "$1" >&4; }

@test "on a terminal a typed line goes to the lead, @name to a teammate, and Ctrl-D ends the input" {
  lead_says "$START_BOB" '"I wait."' <<END
{"name": "typed", "when": {"tool": "FinishTeam", "user": "sender=\"user\" type=\"message\">paint it red<"},
  "answer": "Red it is."}
{"name": "to bob", "when": {"prompt": "teammate 'bob'", "user": "sender=\"user\" type=\"message\">and hurry<"},
  "answer": "I hurry."}
{"name": "idle", "when": {"tool": "FinishTeam", "user": "[All Idle]"}, "answer": "I have heard."}
END
  on_screen "team-run go --model claude-x --base-url $URL -t alpha; echo \$? >status.new; mv status.new status"
  wait_until grep -qs 'the lead waits for you' screen

  typed 'paint it red'
  wait_until grep -q 'Red it is.' screen
  typed '@bob and hurry'
  wait_until grep -q 'I hurry.' .teams/alpha/bob_transcript.jsonl
  typed '@nobody hello'
  wait_until grep -q "team-run: .*nobody" screen
  typed '@bob'
  wait_until grep -q 'what is to be said' screen
  [ ! -e status ]
  printf '\004' >&4

  wait_until test -e status
  same 0 "$(cat status)"
  exec 4>&-
  nobody_runs
}

@test "a lead that waits on a terminal is told once that everybody idles" {
  lead_says "$START_BOB" '"I wait."' \
    <<<'{"name": "typed", "when": {"tool": "FinishTeam", "user": "and now"}, "answer": "Now."}'
  on_screen "team-run go --model claude-x --base-url $URL -t alpha; echo \$? >status.new; mv status.new status"
  wait_until grep -qs 'the lead waits for you' screen
  typed 'and now'
  wait_until grep -q 'Now.' screen
  printf '\004' >&4
  wait_until test -e status

  exec 4>&-
  same 1 "$(events 'select(.event.message_type == "all_idle" and .event.type == "MESSAGE_SENT").seq' | wc -l)"
}

@test "a teammate is started in a pane of its own with --mode tmux, with the key, which no argument shows" {
  command -v tmux >/dev/null || skip 'needs tmux'
  export TMUX_TMPDIR=$PWD HOME=$PWD
  own_key lead_says "$START_BOB" '"I wait."' -- \
    "$(call bash '{"command": "cat /proc/[0-9]*/cmdline >arguments 2>/dev/null"}')" "$DONE"

  run --separate-stderr lead go --mode tmux

  same 0 "$status"
  grep -qa teammate-run arguments
  ! grep -qa -e "$KEY" arguments || { echo 'an argument shows the key' >&2; false; }
  same tmux "$(state_of bob .start.mode)"
  same 1 "$(transcript bob 'select(.type == "answer").model' | wc -l)"
}

@test "a transcript that is none is corrupt, and stays as it is" {
  lead_says '"Never said."'
  team-create alpha >/dev/null
  echo 'no JSON' >.teams/alpha/lead_transcript.jsonl

  run --separate-stderr lead go

  refused 9 'team-run: corrupt: *lead_transcript.jsonl*'
  same 'no JSON' "$(cat .teams/alpha/lead_transcript.jsonl)"
  same 0 "$(calls)"
}

@test "says again when a lock is not had, and io where nothing can be written" {
  lead_says '"Never said."'
  team-create alpha >/dev/null
  echo 'You are careful.' >careful.md

  hold .teams/alpha/.lock
  run --separate-stderr lead go --role careful=careful.md --lock-timeout 0.1
  refused 75 'team-run: again: *'
  let_go
  read_only .teams
  run --separate-stderr lead go
  refused 74 'team-run: io: *'

  same 0 "$(calls)"
}

@test "a lock that is not had for a while in the middle of its work does not end the run" {
  lead_says "$START_BOB" "$(call bash "{\"command\": \"touch begun; $UNTIL_GO\"}")" '"I wait."' -- "$DONE"
  start_lead go --lock-timeout 1
  wait_until test -e begun

  hold .teams/alpha/lead_inbox.lock
  touch go
  wait_until says lead 'tries again'
  let_go

  teammate_ended lead 0
  same 'All is well.' "$(cat lead.out)"
  nobody_runs
}

@test "calls that stand behind FinishTeam in the same answer are not done" {
  late=$(call Task '{"name": "late", "prompt": "Go on."}')
  lead_says "$(jq -c ". + $late" <<<"$DONE")"

  run --separate-stderr lead go

  same 0 "$status"
  same 'All is well.' "$output"
  like 'error: ?not done: *' "$(gave Task)"
  same lead "$(jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json)"
  nothing_left
}

@test "ends with 1 when the model refuses" {
  start_model <<<'[{"answer": [{"text": "I will not."}], "stop_reason": "refusal"}]'

  run --separate-stderr lead 'Build a bomb'

  same 1 "$status"
  same '' "$output"
  same 'team-run: no: the model refused: I will not.' "${stderr_lines[-1]}"
  same 1 "$(calls)"
  same null "$(jq .finishedAt .teams/alpha/config.json)"
}

@test "a lead that does not answer a plan is reminded of it three times; then the run ends with 1" {
  echo '{"prompt": "You ask first.", "plan": true}' >careful.json
  lead_says "$(call TaskCreate '{"subject": "Build it", "role": "careful"}')" \
    "$(call Task '{"name": "bob", "role": "careful", "prompt": "Plan well."}')" '"I wait."'

  run --separate-stderr lead go --role careful=careful.json

  same 1 "$status"
  same 'team-run: no: 1 task is open, and the lead does nothing about it' "${stderr_lines[-1]}"
  id=$(heard_by_lead | sed -n 's/.*type="plan_approval_request" request_id="\([^"]*\)".*/\1/p')
  same 3 "$(heard_by_lead | grep -A 1 -xF "<plan request_id=\"$id\" from=\"bob\">" | grep -cx 'Done.')"
  nobody_runs
}

@test "the --stream of a second run begins after the last event of the first" {
  lead_says '"Built."' '"Painted."'
  lead 'Build it' --stream >first 2>/dev/null

  lead 'Paint it' --stream >second 2>/dev/null

  same "$(($(jq -r .seq first | tail -1) + 1))" "$(jq -r .seq second | head -1)"
  same 1 "$(jq -r .event.type second | grep -c TEAM_RUN_ENDED)"
}

@test "ends with 76 when the events cannot be written, and the run is done all the same" {
  lead_says "$(finish Built.)"

  lead go --stream >/dev/full 2>lead.err || status=$?

  same 76 "$status"
  like 'team-run: unknown: cannot write the events: *' "$(tail -1 lead.err)"
  same Built. "$(jq -r .summary .teams/alpha/config.json)"
}

@test "a second run at the same time changes no role" {
  mkfifo gate
  lead_says "$(call bash '{"command": "echo >begun; cat gate"}')" "$DONE"
  echo 'You are careful.' >careful.md
  start_lead go --role coder=careful.md
  wait_until test -e begun
  cp .teams/alpha/config.json before
  echo 'You are evil.' >evil.md

  run --separate-stderr lead 'something else' --role coder=evil.md

  refused 4 'team-run: conflict: lead *'
  cmp before .teams/alpha/config.json
  echo >gate
  teammate_ended lead 0
}

@test "helpers do not use up teammates.max, and are members no more" {
  team-create alpha --max-teammates 2 >/dev/null
  helper=$(call Task '{"prompt": "Look it up."}')
  lead_says "$helper" "$helper" "$helper" "$START_BOB" '"I wait."' -- "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same 3 "$(gave Task | grep -cx Done.)"
  like 'bob has joined *' "$(gave Task | tail -1)"
  same 'lead bob' "$(jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json)"
}

@test "control characters of a model drive no terminal" {
  lead_says "$(jq -c '[{text: "I \u001b[2Jlook.\u0007"}] + .' <<<"$(call TaskList)")" \
    "$(call FinishTeam '{"summary": "All \u001b]0;evil\u0007is\u009b1m well."}')"

  lead go >out 2>lead.err

  same $'All ]0;evilis1m well.' "$(cat out)"
  grep -q 'I \[2Jlook.' lead.err
  ! grep -qP '[\x00-\x08\x0b-\x1f\x7f-\x{9f}]' out lead.err || { cat -v out lead.err >&2; false; }
}

@test "says at the end how many messages wait for the user" {
  lead_says "$(call SendMessage '{"recipient": "user", "content": "Look here."}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same 'team-run: 1 message for you: team-recv' "${stderr_lines[-1]}"
  same 'Look here.' "$(waiting_for user)"
}

@test "a role or an address that is wrong is refused, and nothing is made" {
  start_model <<<'[{"answer": "Never said."}]'
  echo '{"prompt": "You are careful.", "tools": "bash"}' >wrong.json

  run --separate-stderr lead go --role careful=wrong.json
  refused 2 'team-run: usage: --role: *wrong.json*tools*'
  run --separate-stderr timeout 20 team-run go --model claude-x --base-url foo -t alpha
  refused 2 "team-run: usage: *'foo'*"

  [ ! -e .teams ]
  same 0 "$(calls)"
}

# A teammate that is at work, and a lead that waits for it.
with_busy_bob() {
  lead_says "$START_BOB" '"I wait."' -- "$DONE" <<END
{"name": "busy", "when": {"prompt": "teammate 'bob'", "turns": 0},
  "answer": $(call bash "{\"command\": \"touch begun; $UNTIL_GO\"}")}
{"name": "typed", "when": {"tool": "FinishTeam", "user": "type=\"message\">and hurry<"}, "answer": "I hurry."}
END
  on_screen "team-run go --model claude-x --base-url $URL -t alpha; echo \$? >status.new; mv status.new status"
  wait_until test -e begun
  wait_until state_is lead idle
}

@test "after Ctrl-D a lead whose teammate is at work waits for it without running hot" {
  with_busy_bob

  printf '\004' >&4
  sleeps_soundly "$(state_of lead .pid)"
  touch go
  wait_until test -e status

  exec 4>&-
  same 0 "$(cat status)"
}

@test "a last line that Ctrl-D ends is heard" {
  with_busy_bob

  # Once for the text in the line, once for the end.
  printf 'and hurry\004\004' >&4
  wait_until grep -qs 'I hurry.' screen
  touch go
  wait_until test -e status

  exec 4>&-
  same 0 "$(cat status)"
}

@test "ends with 10 also when a teammate uses up the --budget while the lead idles" {
  lead_says "$START_BOB" '"I wait."' <<END
{"name": "first", "when": {"prompt": "teammate 'bob'", "turns": 0}, "answer": $(call bash \
  "{\"command\": \"${UNTIL_GO/go/spend}\"}")}
{"name": "dear", "when": {"prompt": "teammate 'bob'", "turns": 1}, "usage": {"input": 90000, "output": 10000},
  "answer": $(call bash "{\"command\": \"touch begun; $UNTIL_GO\"}")}
END
  start_lead go --budget 100000
  wait_until sleeps lead
  touch spend
  wait_until test -e begun

  # Wakes it without a call of the model.
  task-create 'Paint it' >/dev/null

  teammate_ended lead 10
  like '*team-run: paused: the budget of 100000 tokens is used up (1?????)*' "$(cat lead.err)"
  nobody_runs
}

# in_tmux COMMAND: runs it in its own session, whose server has no key.
in_tmux() {
  command -v tmux >/dev/null || skip 'needs tmux'
  export TMUX_TMPDIR=$PWD HOME=$PWD
  env -u ANTHROPIC_API_KEY -u OPENAI_API_KEY tmux -f /dev/null new-session -d -s there -x 200 -y 50 "$1" 3>&-
}

@test "a run in the background of a terminal is not stopped when somebody types" {
  lead_says "$(call bash "{\"command\": \"touch begun; $UNTIL_GO\"}")" "$DONE"
  in_tmux 'bash --norc -i'
  command="ANTHROPIC_API_KEY=test-key team-run go --model claude-x --base-url $URL -t alpha >out &"
  tmux send-keys -t there "$command" Enter
  wait_until test -e begun

  tmux send-keys -t there 'touch reads; read -r line && echo "$line" >typed' Enter
  wait_until test -e reads
  tmux send-keys -t there 'hello there' Enter
  wait_until test -s typed
  tmux send-keys -t there 'jobs -s >stopped; touch asked' Enter
  wait_until test -e asked
  touch go

  wait_until grep -qs well out
  same 'hello there' "$(cat typed)"
  same '' "$(cat stopped)"
  tmux kill-server
}

@test "in a tmux that was started without the key teammates have it, and no file and no argument shows it" {
  own_key lead_says "$START_BOB" '"I wait."' -- \
    "$(call bash '{"command": "cat /proc/[0-9]*/cmdline >arguments 2>/dev/null"}')" "$DONE"
  mkfifo key
  cat >begin <<END
read -r ANTHROPIC_API_KEY <key
export ANTHROPIC_API_KEY
team-run go --model claude-x --base-url $URL -t alpha >out 2>lead.err </dev/null
echo \$? >status.new
mv status.new status
END
  in_tmux 'bash begin'

  echo "$KEY" >key
  wait_until test -e status

  same 0 "$(cat status)"
  same 'tmux 1' "$(state_of bob .start.mode) $(transcript bob 'select(.type == "answer").model' | wc -l)"
  same right "$(asked .key | sort -u)"
  grep -qa teammate-run arguments
  ! grep -qa -e "$KEY" arguments || { echo 'an argument shows the key' >&2; false; }
  same '' "$(grep -rl -e "$KEY" . 2>/dev/null)"
  tmux kill-server 2>/dev/null || true
}

@test "sends no key to an address that only an untrusted store names, and one that the user trusts gets it" {
  start_model <<<'[{"answer": "Reached."}]'
  mkdir upstream checkout
  jq -nc --arg url "$URL" '{model: "claude-x", base_url: $url}' >upstream/lead.json
  (cd upstream && team-create alpha --role lead=lead.json)
  cp -a upstream/.teams upstream/.tasks checkout

  run --separate-stderr timeout 60 env -C checkout team-run 'reach it'
  same 7 "$status"
  [ ! -s model.log ]

  team-trust -C checkout
  run --separate-stderr timeout 60 env -C checkout team-run 'reach it'
  same 0 "$status"
  same right "$(jq -r .key model.log | sort -u)"
}

@test "a misspelt role of a Task is refused, and nobody joins ungated" {
  printf '{"prompt": "You review.", "plan": true}' >reviewer.json
  team-create alpha --role reviewer=reviewer.json >/dev/null
  lead_says "$(call Task '{"name": "bob", "prompt": "Begin.", "role": "reviewr"}')" \
    "$(call Task '{"prompt": "Look.", "role": "reviewr"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same "$(printf "error: not_found: no role 'reviewr' in team alpha; did you mean reviewer?\n%.0s" 1 2)" "$(gave Task)"
  same lead "$(jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json)"
}

@test "a running helper does not count as a teammate, and the log has its joining and leaving" {
  team-create alpha --max-teammates 1 >/dev/null
  lead_says "$(call Task '{"prompt": "Look it up.", "run_in_background": true}')" "$START_BOB" '"I wait."' -- "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  like 'bob has joined *' "$(gave Task | tail -1)"
  same $'lead\tMEMBER_JOINED\tmember=helper-1\nlead\tMEMBER_JOINED\tmember=bob' "$(team-log --type MEMBER_JOINED | cut -f3-)"
}
