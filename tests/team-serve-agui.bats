# The endpoint /agui: a team as an agent of the AG-UI protocol. make check-real tests it with the client of the protocol.
load helper
load mail
load sessions

# agui JSON: runs it and prints the events, one a line.
agui() {
  curl -sN --max-time 30 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d "$1" "$SERVER/agui" |
    sed -un 's|^data: ||p'
}

@test "runs the team for the message of the user, as one run with the teammates as subagents" {
  start_model <<'END'
[{"when": {"tool": "FinishTeam", "turns": 0}, "answer": [
    {"text": "One step."}, {"tool": "TaskCreate", "input": {"subject": "first", "owner": "worker"}},
    {"tool": "Task", "input": {"name": "worker", "team_name": "t1", "prompt": "Take your tasks."}}]},
 {"when": {"tool": "FinishTeam", "user": "[All Idle]"}, "answer": [{"tool": "FinishTeam", "input": {"summary": "All done."}}]},
 {"answer": "Done."}]
END
  mkdir -m 700 .teams
  TEAM_MODEL=claude-x TEAM_BASE_URL=$URL start_server --allow-run

  agui '{"threadId":"t1","runId":"r1","messages":[{"id":"1","role":"user","content":"Do it"}],"tools":[],"context":[]}' >events

  same '{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}' "$(head -1 events)"
  same 'RUN_FINISHED t1 r1 success All done.' "$(tail -1 events | jq -r '[.type, .threadId, .runId, .outcome.type, .result] | join(" ")')"
  same 'worker' "$(jq -r 'select(.type == "SUBAGENT_STARTED").name' events)"
  same 1 "$(jq -r 'select(.type == "SUBAGENT_FINISHED").subagentRunId' events | wc -l)"
  same 'TASK_CREATED' "$(jq -r 'select(.type == "CUSTOM" and .name == "TASK_CREATED").name' events)"
  same 0 "$(grep -c 'tool_call_id\|message_id' events)"
}

@test "a plan for the user ends the run with an interrupt, and resume answers it" {
  team-create alpha
  team-join worker
  start_teammate worker --exec 'cat >/dev/null; until [ -e go ]; do sleep 0.02; done'
  task-create first
  wait_until task_is 1 in_progress
  start_server
  agui '{"threadId":"x","runId":"r1","messages":[],"tools":[],"context":[]}' >events &
  asking=$!
  wait_until grep -q RUN_STARTED events
  echo 'Step one.' | plan-submit --as worker
  wait "$asking"
  same interrupt "$(tail -1 events | jq -r .outcome.type)"
  id=$(tail -1 events | jq -r '.outcome.interrupts[0].id')

  agui '{"threadId":"x","runId":"r2","messages":[],"tools":[],"context":[],"resume":[{"interruptId":"'"$id"'","status":"resolved","payload":{"approve":false,"feedback":"smaller"}}]}' >more &
  asking=$!
  wait_until grep -q PLAN_REJECTED more
  touch go
  teammate-stop worker --timeout 5
  wait "$asking"

  same RUN_FINISHED "$(tail -1 more | jq -r .type)"
}

@test "replays a finished run, and ends at once if there is nothing to tell" {
  team-create alpha
  start_server

  same 'RUN_STARTED CUSTOM RUN_FINISHED' \
    "$(agui '{"threadId":"x","runId":"r","messages":[],"forwardedProps":{"after":0}}' | jq -r .type | paste -sd ' ')"
  same 'RUN_STARTED RUN_FINISHED' "$(agui '{"threadId":"x","runId":"r","messages":[]}' | jq -r .type | paste -sd ' ')"
}

@test "refuses wrong input with 400, a plan that waits for nobody with 404, and a run without --allow-run with 403" {
  team-create alpha
  start_server
  for body in '{}' '[]' '{"threadId":"x"}' '{"threadId":"x","runId":"r","messages":7}' \
    '{"threadId":"x","runId":"r","resume":[{"interruptId":"i","status":"maybe"}]}' \
    '{"threadId":"x","runId":"r","resume":[{"interruptId":"i","status":"resolved"}]}' \
    '{"threadId":"x","runId":"r","forwardedProps":{"after":-1}}'; do
    same "400 $body" "$(ask POST /agui "$body" | cut -c1-3) $body"
  done
  same 404 "$(ask POST /agui '{"threadId":"x","runId":"r","resume":[{"interruptId":"i","status":"cancelled"}]}' | cut -c1-3)"
  same 403 "$(ask POST /agui '{"threadId":"x","runId":"r","messages":[{"role":"user","content":"go"}]}' | cut -c1-3)"
  same 401 "$(TOKEN=wrong ask POST /agui '{}' | cut -c1-3)"
}
