# What a lead sees of its team, and when its run ends: not while somebody has to answer.
load helper
load mail
load lead

# lead_waits TEXT: true if the run goes on and says so.
lead_waits() {
  grep -qF -- "$1" lead.err && kill -0 "${TEAMMATE[lead]}"
}

# present_of_lead: the last state of the team that the lead got.
present_of_lead() {
  asked 'select(.body.tools | any(.name == "FinishTeam")) | [present] | @json' | tail -1 | jq -r '.[]'
}

# user_said TEXT: a rule: what the lead does when the user writes this.
user_said() {
  jq -nc --arg text "$1" --argjson answer "$2" \
    '{name: "user", when: {tool: "FinishTeam", user: $text}, answer: $answer}'
}

@test "the seeds' flow with questions to the user: before the first task, and when all are done" {
  printf '%s\n' 'GET /users' 'GET /posts' 'POST /posts' 'GET /comments' >routes.txt
  echo 'const users = fetch("/users");' >app.js
  start_model < <(jq '
    def ask($text): [{tool: "SendMessage", input: {recipient: "user", content: $text}}];
    [{name: "ask", when: {tool: "FinishTeam", turns: 0}, answer: ask("Which API shall replace REST?")},
     {name: "last", when: {tool: "FinishTeam", user: "[All Idle]", need: "!asked"}, set: ["asked"],
      answer: ask("All is built. Shall I remove routes.txt?")},
     {name: "wait", when: {tool: "FinishTeam", called: "SendMessage"}, answer: "I wait for the user."},
     {name: "end", when: {tool: "FinishTeam", user: "Keep it"}, answer: [{tool: "TaskList", input: {}}]}]
    + .rules' "$PROJECT/tests/models/graphql.json")
  start_lead 'Move the service away from REST'
  wait_until lead_waits 'lead asks you: "Which API shall replace REST?"; answer with team-send lead TEXT'
  same '' "$(task-list -t alpha)"

  team-send -t alpha lead 'GraphQL'
  wait_until lead_waits 'lead asks you: "All is built. Shall I remove routes.txt?"'
  same 4 "$(task-list -t alpha --status completed | wc -l)"
  team-send -t alpha lead 'Keep it'

  teammate_ended lead 0
  same 'The service answers GraphQL: endpoints.txt, schema.graphql, resolvers.js; app.js asks it.' "$(cat lead.out)"
  same 3 "$(grep -c '=> get' resolvers.js)"
  same '' "$(heard_by_lead | grep 'call FinishTeam')"
  same 'TEAM_FINISHED TEAM_RUN_ENDED' "$(events .event.type | grep ^TEAM_ | tail -2 | xargs)"
  nobody_runs
}

@test "the run does not end while a question of a teammate waits for the user" {
  lead_says "$START_BOB" '"I wait."' <<'END'
{"when": {"prompt": "teammate 'bob'", "turns": 0},
  "answer": [{"tool": "SendMessage", "input": {"recipient": "user", "content": "Which colour?\nRed or blue."}}]}
{"when": {"prompt": "teammate 'bob'", "user": "blue"}, "answer": "Blue it is."}
END
  start_lead go
  wait_until lead_waits 'bob asks you: "Which colour? Red or blue."; answer with team-send bob TEXT'

  team-send -t alpha bob 'blue'
  teammate_ended lead 0

  same 'Blue it is.' "$(waiting_for user | tail -1)"
}

@test "a question that nobody answers ends the run at the --deadline, with 1" {
  lead_says "$(call SendMessage '{"recipient": "user", "content": "Which colour?"}')" '"I wait."'

  run --separate-stderr lead go --deadline 3

  same 1 "$status"
  same 'team-run: no: the time is over' "$(grep '^team-run: no' <<<"$stderr")"
  same 2 "$(calls)"
}

@test "a message of the lead without a question is no question" {
  lead_says "$(call SendMessage '{"recipient": "user", "content": "See http://x/?a=1 for the plan."}')" '"Said."' "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same 'All is well.' "$output"
}

@test "the run does not end while a plan of the lead waits for the user" {
  lead_says "$(call SubmitPlan '{"plan": "First I rest."}')" '"I wait."' <<END
$(user_said 'type="plan_approval_response"' "$DONE")
END
  start_lead go
  wait_until lead_waits 'of lead waits for you: plan-approve or plan-reject'

  plan-approve -t alpha "$(plan-list -t alpha | cut -f 1)"

  teammate_ended lead 0
  same 'All is well.' "$(cat lead.out)"
}

@test "the run does not end while a teammate has not answered a shutdown request of the lead" {
  mkfifo gate
  lead_says "$BOB_BUILDS_IT" "$START_BOB" '"I wait."' <<END
{"name": "idle", "when": {"tool": "FinishTeam", "user": "[All Idle]"}, "steps": [
  $(call bash '{"command": "mkdir -p .teams/alpha/hooks; printf \"#!/bin/sh\\ntouch asked; cat gate\\n\" >.teams/alpha/hooks/teammate-shutdown; chmod +x .teams/alpha/hooks/*"}'),
  $(call SendMessage '{"recipient": "bob", "type": "shutdown_request", "content": "End, please."}'), "I wait."]}
$(user_said 'shutdown_response' "$DONE")
END
  start_lead go
  wait_until test -e asked
  wait_until sleeps lead

  echo >gate

  teammate_ended lead 0
  same 'All is well.' "$(cat lead.out)"
  same 'shutdown asked to by lead' "$(state_of bob .state) $(state_of bob .reason)"
}

@test "the lead sees the state, the last words, the plan and the question of each member" {
  lead_says "$BUILD_IT" "$START_BOB" "$(call Task '{"name": "ann", "prompt": "Ask."}')" "$ALL_IDLE" \
    "$(call TaskList)" "$(call FinishTeam '{"summary": "Enough.", "force": true}')" <<'END'
{"when": {"prompt": "teammate 'bob'", "user": "Begin."},
  "answer": [{"tool": "SubmitPlan", "input": {"plan": "Then I take \"wood\".\nAnd nails.", "taskId": 1}}]}
{"when": {"prompt": "teammate 'bob'"}, "answer": "First words.\nLast words."}
{"when": {"prompt": "teammate 'ann'", "user": "Ask."},
  "answer": [{"tool": "SendMessage", "input": {"recipient": "user", "content": "How high?"}}]}
{"when": {"prompt": "teammate 'ann'"}, "answer": "I wait."}
END

  run --separate-stderr lead go

  same 0 "$status"
  present_of_lead >seen
  like 'bob: idle: nothing to do, for * s' "$(grep '^bob' seen)"
  like '    its plan * for task #1 waits for lead: "Then I take '"'wood'"'. And nails."' "$(grep 'its plan' seen)"
  like '    last said: "*"' "$(grep -A1 '^bob' seen | tail -1)"
  like 'ann: idle: nothing to do, for * s' "$(grep '^ann' seen)"
  same '    last said: "I wait."' "$(grep -A1 '^ann' seen | tail -1)"
  same '    asked the user: "How high?"' "$(grep 'asked the user' seen)"
}

@test "a teammate sees the states of the others and not their words" {
  lead_says "$BOB_BUILDS_IT" "$START_BOB" '"I wait."' -- "$DONE"

  lead go 2>/dev/null

  asked 'select(system | contains("teammate '"'bob'"'")) | [present] | @json' | tail -1 | jq -r '.[]' >seen
  like 'bob: active: task 1: Build it' "$(grep '^bob' seen)"
  same '' "$(grep 'last said' seen)"
}

@test "all_idle names the state, the task and the last words of each member; its first line stays" {
  lead_says "$BOB_BUILDS_IT" "$START_BOB" '"I wait."' -- "$DONE"

  lead go 2>/dev/null

  heard_by_lead | grep -A9 '\[All Idle\]' >heard
  like '*[[]All Idle] All agents are idle. Review task board status and decide next steps — assign new tasks, check results.' \
    "$(head -1 heard)"
  like 'bob: idle: nothing to do, for * s' "$(grep '^bob' heard)"
  same '    last said: "Done."' "$(grep -A1 '^bob' heard | tail -1)"
}

@test "what a teammate answers to its first prompt reaches the lead; of a helper it comes once, as the result" {
  lead_says "$(call Task '{"prompt": "Look."}')" "$START_BOB" '"I wait."' -- "$DONE" <<'END'
{"when": {"prompt": "teammate 'bob'"}, "answer": "I have begun."}
END

  lead go 2>/dev/null

  same '<teammate-message sender="bob" type="message" auto="true">I have begun.</teammate-message>' \
    "$(heard_by_lead | grep 'sender="bob"')"
  same 'Done.' "$(gave Task | head -1)"
  same '' "$(heard_by_lead | grep 'sender="helper')"
}

@test "a teammate that wrote to the lead about its prompt does not report it a second time" {
  lead_says "$START_BOB" '"I wait."' -- "$DONE" <<'END'
{"when": {"prompt": "teammate 'bob'", "turns": 0},
  "answer": [{"tool": "SendMessage", "input": {"recipient": "lead", "content": "I have begun."}}]}
END

  lead go 2>/dev/null

  same '<teammate-message sender="bob" type="message">I have begun.</teammate-message>' \
    "$(heard_by_lead | grep 'sender="bob"')"
}

@test "a lead that wrote during the first prompt gets its result once" {
  mkfifo gate
  lead_says "$START_BOB" "$(call SendMessage '{"recipient": "bob", "content": "Be quick."}')" \
    "$(call bash '{"command": "echo >gate"}')" '"I wait."' -- "$DONE" <<END
{"when": {"prompt": "teammate 'bob'"}, "steps": [$(call bash '{"command": "cat gate"}'), "I have begun."]}
END

  lead go 2>/dev/null

  same 1 "$(heard_by_lead | grep -c 'I have begun.</teammate-message>')"
}

@test "the system prompt states ids, the folder, who gives orders, and what a lead may do" {
  team-create alpha
  team-config teammates.max 3
  lead_says "$START_BOB" '"I wait."' -- "$DONE"

  lead go 2>/dev/null

  system_of lead >told
  for text in '- You take orders from the user, who writes' "- Your working directory is \"$PWD\"." 'ApprovePlan' 'StopTeammate' \
    '- Your limits: 3 teammates at once; 5 rounds of messages' 'Tasks are named by their ids (#3 or 3)'; do
    grep -qF -- "$text" told || same "$text" 'not told'
  done
  system_of bob >told
  grep -qF "You take orders from the lead, 'lead', and from the user, who writes as 'user'." told
  grep -qF "Your working directory is \"$PWD\"." told
  same '' "$(grep -F 'relative to the root' told)"
}

@test "Task starts a teammate with another model of the same service" {
  lead_says "$(call Task '{"name": "bob", "prompt": "Begin.", "model": "claude-small"}')" '"I wait."' -- "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  same 'claude-small claude-x' "$(asked '.body.model' | sort -u | xargs)"
  same claude-small "$(state_of bob .model)"
}

@test "Task refuses a model for a role with a command" {
  echo '{"command": "true"}' >robot.json
  lead_says "$(call Task '{"name": "bob", "role": "robot", "prompt": "Begin.", "model": "claude-small"}')" "$DONE"

  run --separate-stderr lead go --role robot=robot.json

  same 0 "$status"
  same 'error: usage: role robot runs a command, so it has no model' "$(gave Task)"
}

@test "StopTeammate ends one teammate, and removes it if asked" {
  lead_says "$START_BOB" "$(call Task '{"name": "ann", "prompt": "Begin."}')" "$ALL_IDLE" \
    "$(call StopTeammate '{"name": "bob"}')" "$(call StopTeammate '{"name": "ann", "remove": true}')" \
    "$(call StopTeammate '{"name": "bob"}')" "$(call StopTeammate '{"name": "lead"}')" \
    "$(call StopTeammate '{"name": "anna"}')" "$DONE"

  run --separate-stderr lead go

  same 0 "$status"
  gave StopTeammate >said
  same 'bob has shut down.' "$(sed -n 1p said)"
  same 'ann has shut down, and is no member any more.' "$(sed -n 2p said)"
  same 'bob is not running.' "$(sed -n 3p said)"
  same 'error: usage: lead is no teammate' "$(sed -n 4p said)"
  like "error: not_found: no member 'anna' in team alpha*" "$(sed -n 5p said)"
  same 'lead bob' "$(jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json)"
  same 'The team is finished: 0 tasks completed, 0 failed.' "$(gave FinishTeam)"
}

@test "FinishTeam says how many tasks ended how, and how many teammates" {
  lead_says "$BOB_BUILDS_IT" "$(call TaskCreate '{"subject": "Paint it", "owner": "zoe"}')" "$START_BOB" '"I wait."' -- \
    "$(call FinishTeam '{"summary": "Enough.", "force": true}')"

  lead go 2>/dev/null

  same 'The team is finished: 1 task completed, 0 failed, 1 left open; 1 teammate ended.' "$(gave FinishTeam)"
}

@test "Ctrl-C ends the run while FinishTeam waits for a teammate" {
  mkfifo gate
  lead_says "$START_BOB" "$(call bash '{"command": "until [ -e begun ]; do read -rt 0.02 <> <(:); done"}')" "$DONE" <<END
{"when": {"prompt": "teammate 'bob'"}, "steps": [$(call bash '{"command": "echo >begun; trap : TERM; cat gate; cat gate"}'), "Done."]}
END
  start_lead go
  wait_until test -e begun
  wait_until grep -q 'FinishTeam' lead.err

  kill -INT "${TEAMMATE[lead]}"

  teammate_ended lead 130
  like 'team-run: interrupted by *' "$(tail -1 lead.err)"
  like 'error: The team is not finished: bob has *' "$(gave FinishTeam)"
  nobody_runs
}

@test "the role_name of the lead is leader, in all its events and in no other" {
  lead_says "$BOB_BUILDS_IT" "$START_BOB" '"I wait."' -- "$DONE"

  lead go 2>/dev/null

  same 'bob:null lead:leader system:null user:null' "$(events '"\(.agent_id):\(.role_name)"' | sort -u | xargs)"
}

@test "--mode in-process is background, with a note" {
  lead_says "$START_BOB" '"I wait."' -- "$DONE"

  run --separate-stderr lead go --mode in-process

  same 0 "$status"
  same 'team-run: note: in-process means background: each teammate is a process of its own, with a log file' \
    "$(grep in-process <<<"$stderr")"
  same background "$(state_of bob .start.mode)"
}
