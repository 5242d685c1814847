# The endpoints below /team, which follow RFC-0002 AgentTeam.
load helper
load mail
load sessions

@test "a client that knows only the RFC streams a run, watches tasks, writes, reloads and stops" {
  start_model <<'END'
[{"when": {"tool": "FinishTeam", "turns": 0}, "answer": [
    {"text": "Two steps."},
    {"tool": "TaskCreate", "input": {"subject": "first", "owner": "worker"}},
    {"tool": "TaskCreate", "input": {"subject": "second", "owner": "worker", "blockedBy": [1]}},
    {"tool": "Task", "input": {"name": "worker", "team_name": "s1", "prompt": "Take your tasks."}}]},
 {"when": {"tool": "FinishTeam"}, "answer": "I wait."},
 {"when": {"user~": "Your task is #1"}, "answer": [{"tool": "bash", "input": {"command": "until [ -e go ]; do read -rt 0.05 <> <(:); done"}}]},
 {"answer": "Done."}]
END
  mkdir .teams && chmod 700 .teams
  TEAM_MODEL=claude-x TEAM_BASE_URL=$URL start_server --allow-run

  run --separate-stderr "$PYTHON" "$PROJECT/tests/serve-client" "$SERVER" "$TOKEN" s1

  same '' "$stderr"
  as_expected 0 'no team: 404
stream: two agents
tasks: observed
messages: at the recipient
reload: history, then live
claim: refused without an id, refused while blocked
stop: streams end, replay completes' ''
}

@test "a client that goes away stops nothing, and /team/query waits for the result" {
  start_model <<'END'
[{"when": {"tool": "FinishTeam", "turns": 0}, "answer": [{"tool": "bash", "input": {"command": "until [ -e go ]; do read -rt 0.05 <> <(:); done"}}]},
 {"when": {"tool": "FinishTeam", "called": "bash"}, "answer": [{"tool": "FinishTeam", "input": {"summary": "It works."}}]},
 {"answer": "Done."}]
END
  team-create alpha
  TEAM_MODEL=claude-x TEAM_BASE_URL=$URL start_server --allow-run
  curl -sN --max-time 2 -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"message":"go"}' \
    "$SERVER/team/stream" >stream || true
  grep -q RUN_STARTED stream

  ask POST /team/query '{"message":"and now?"}' >answer &
  asking=$!
  wait_until grep -q 'and now' .teams/alpha/events.jsonl
  touch go
  wait "$asking"

  same '200 {"session_id":"alpha","result":"It works."}' "$(cat answer)"
}

@test "starts no team unless --allow-run is given, and passes on why a run cannot start" {
  team-create alpha
  start_server
  same '403 {"status":"error","code":"permission_denied","error":"this server starts no team: run team-serve --allow-run"}' \
    "$(ask POST /team/stream '{"message":"go"}')"
  kill "${TEAMMATE[serve]}"
  wait_until gone "${TEAMMATE[serve]}"

  start_server --allow-run
  same '400 {"status":"error","code":"usage","error":"which model is the lead? --model MODEL, or TEAM_MODEL"}' \
    "$(ask POST /team/stream '{"message":"go"}')"
  same '400 {"status":"error","code":"usage","error":"'"'message' is empty"'"}' "$(ask POST /team/stream '{"message":" "}')"
  # A team that was made for the run goes with it.
  same 400 "$(ask POST /team/query '{"message":"go","session_id":"another"}' | cut -d' ' -f1)"
  same alpha "$(team-list | cut -f1)"
}

@test "makes, claims and completes tasks, with every form of an id" {
  team-create alpha
  team-join worker
  start_server

  same '200 {"task_id":"1","title":"first","description":"d","status":"pending","priority":2,"dependencies":[],"assignee_agent_id":null,"result_summary":null,"created_by":"lead","is_blocked":false,"deliverable_path":null}' \
    "$(ask POST /team/tasks '{"user_id":"u","title":"first","description":"d","priority":2}')"
  [[ $(ask POST /team/tasks '{"title":"second","dependencies":["T-001"]}') == *'"dependencies":["1"]'*'"is_blocked":true'* ]]
  same '200 {"task_id":"1","title":"first","status":"claimed","assignee_agent_id":"worker","deliverable_path":null}' \
    "$(ask POST /team/tasks/claim '{"task_id":"#1","assignee_agent_id":"worker"}')"
  same '409 {"status":"error","code":"conflict","error":"task 1 is owned by worker"}' \
    "$(ask POST /team/tasks/claim '{"task_id":1}')"
  same '200 {"task_id":"1","title":"first","status":"completed","result_summary":"did it"}' \
    "$(ask PATCH '/team/tasks/T-001?session_id=alpha' '{"status":"completed","result_summary":"did it"}')"
  same '200 {"task_id":"2","title":"second","status":"claimed","assignee_agent_id":"lead","deliverable_path":null}' \
    "$(ask POST /team/tasks/claim '{"task_id":"2"}')"
  same '["1"]' "$(ask GET '/team/tasks?status=completed' | sed 's/^200 //' | jq -c 'map(.task_id)')"
}

@test "refuses wrong parameters with 400, and unknown things with 404" {
  team-create alpha
  start_server
  for case in 'POST /team/tasks {}' 'POST /team/tasks {"title":7}' 'POST /team/tasks {"title":"x","priority":9}' \
    'POST /team/tasks {"title":"x","dependencies":["one"]}' 'POST /team/tasks [' 'POST /team/tasks/claim {}' \
    'POST /team/tasks/claim {"task_id":"x"}' 'PATCH /team/tasks/x {"status":"completed"}' 'PATCH /team/tasks/1 {}' \
    'PATCH /team/tasks/1 {"status":"done"}' 'GET /team/tasks?status=done' 'POST /team/message {"content":"x"}' \
    'POST /team/message {"from_agent_id":"lead"}' 'GET /team/subscribe?after=x' 'GET /team/history?after=-1' \
    'GET /team/subscribe?format=xml' 'POST /team/stream {}'; do
    read -r method path body <<<"$case"
    same "400 $case" "$(ask "$method" "$path" ${body:+"$body"} | cut -c1-3) $case"
  done
  for case in 'GET /team/tasks?session_id=beta' 'PATCH /team/tasks/9 {"status":"completed"}' \
    'POST /team/tasks {"title":"x","dependencies":["9"]}' 'POST /team/message {"from_agent_id":"nobody","content":"x"}' \
    'POST /team/message {"from_agent_id":"leader","to_agent_id":"nobody","content":"x"}' \
    'POST /team/user-message {"content":"x"}' 'GET /team/nothing'; do
    read -r method path body <<<"$case"
    same "404 $case" "$(ask "$method" "$path" ${body:+"$body"} | cut -c1-3) $case"
  done
  same 401 "$(TOKEN=wrong ask GET /team/tasks | cut -c1-3)"
}

@test "sends to one and to all, and shows members and the team" {
  team-create alpha
  team-join worker --role coder
  team-join other
  start_server

  [[ $(ask POST /team/message '{"from_agent_id":"worker","to_agent_id":"leader","content":"hello"}') == \
    '200 {"message_id":"'*'","status":"sent","delivered_to":["lead"]}' ]]
  [[ $(ask POST /team/message '{"from_agent_id":"leader","content":"hello all"}') == \
    *'"status":"broadcast","delivered_to":["worker","other"]}' ]]
  same '200 [{"agent_id":"worker","role_name":"coder","status":"stopped"},{"agent_id":"other","role_name":"other","status":"stopped"}]' \
    "$(ask GET /team/teammates)"
  [[ $(ask GET /team/status) == '200 {"running":false,"session_id":"alpha","team_id":"alpha","leader_agent_id":"lead",'* ]]
  same '200 {"status":"no_active_team"}' "$(ask POST /team/stop '{}')"
}

@test "replays history, in frames and as bare envelopes" {
  team-create alpha
  team-join worker
  team-send worker hello
  start_server
  read -r last < <(team-log | wc -l)

  ask GET /team/history | sed 's/^200 //' >history
  same 'TEAM_MESSAGE USER_MESSAGE worker' "TEAM_MESSAGE $(jq -r '.[] | select(.event.type == "USER_MESSAGE") | "\(.event.type) \(.agent_id)"' history)"
  same "$last" "$(jq '.[-1].seq' history)"
  curl -s -H "Authorization: Bearer $TOKEN" "$SERVER/team/subscribe" >frames
  same complete "$(sed -n 's/^data: //p' frames | jq -r .type | tail -1)"
  same "$last" "$(grep -c '^id: ' frames)"
  curl -s -H "Authorization: Bearer $TOKEN" "$SERVER/team/subscribe?after=$last&format=envelope" >rest
  curl -s -H "Authorization: Bearer $TOKEN" "$SERVER/team/subscribe?after=$((last + 1000))" | cmp frames -
  same 'event: complete' "$(grep -o '^event: complete' rest)"
}

@test "a log that somebody has emptied keeps no stream busy" {
  team-create alpha
  start_teammate ann --exec 'cat >/dev/null; until [ -e go ]; do sleep 0.02; done'
  task-create one
  wait_until task_is 1 in_progress
  start_server
  curl -sSN -H "Authorization: Bearer $TOKEN" "$SERVER/api/events" >all 2>&1 3>&- &
  wait_until grep -q TASK_CLAIMED all
  : >.teams/alpha/events.jsonl

  curl -sSN -H "Authorization: Bearer $TOKEN" "$SERVER/team/subscribe?after=0" -D head >late 2>&1 3>&- &
  wait_until test -s head
  sleeps_soundly "${TEAMMATE[serve]}"
}

stops_asked() { [ "$(grep -c '"message_type":"shutdown_request"' .teams/alpha/events.jsonl)" -ge "$1" ]; }

@test "answers reads while it waits for five members to stop" {
  team-create alpha
  for name in a b c d e; do
    start_teammate "$name" --no-auto-claim --exec 'cat >/dev/null; until [ -e go ]; do sleep 0.02; done'
    wait_until state_is "$name" idle
    team-send "$name" 'Go.' >sent
    wait_until state_is "$name" active
  done
  start_server
  for name in a b c d e; do ask POST "/api/members/$name/stop" '{"timeout":8}' >"stop-$name" 3>&- & done
  wait_until stops_asked 4

  run -0 curl -sS --max-time 3 -H "Authorization: Bearer $TOKEN" "$SERVER/api/status"
  same alpha "$(jq -r .team <<<"$output")"
}

@test "a server that ends while a request waits leaves nothing behind" {
  team-create alpha
  start_teammate ann --exec 'cat >/dev/null; until [ -e go ]; do sleep 0.02; done'
  task-create one
  wait_until task_is 1 in_progress
  start_server --listen unix:socket
  token=$(sed 's/.*#token=//' serve.out)
  curl -s --unix-socket socket -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d '{"timeout":8}' http://localhost/api/members/ann/stop >stop 2>&1 3>&- &
  wait_until stops_asked 1

  kill -TERM "${TEAMMATE[serve]}"
  wait_until gone "${TEAMMATE[serve]}"

  [ ! -e .teams/.serve.json ]
  [ ! -e socket ]
}
