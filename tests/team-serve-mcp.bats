# The endpoint /mcp of team-serve: the tools of team-mcp over HTTP, in both revisions.
load helper
load serve

setup() {
  begin_test
  servers=()
  team-create alpha >/dev/null
  team-join bob >/dev/null
  team-join ann >/dev/null
}

teardown() { stop_servers; }

meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# rpc METHOD [PARAMS] [CURL-OPTION…]: a request of 2026-07-28 as bob; PARAMS are members of an object.
rpc() {
  local method=$1 params=${2-} name
  shift $(($# < 2 ? $# : 2))
  name=$(jq -rn "{$params} | .name // .uri // empty")
  ask POST '/mcp?as=bob' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$method\",\"params\":{${params:+$params,}$meta}}" \
    -H 'MCP-Protocol-Version: 2026-07-28' -H "Mcp-Method: $method" ${name:+-H "Mcp-Name: $name"} "$@"
}

# tool NAME [ARGUMENTS]: calls a tool; ARGUMENTS is an object.
tool() { rpc tools/call "\"name\":\"$1\",\"arguments\":${2:-{\}}"; }

# session: initializes as bob, and sets $session.
session() {
  ask POST "/mcp?as=bob" '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' \
    -D head.out
  session=$(tr -d '\r' <head.out | sed -n 's/^mcp-session-id: //Ip')
}

# in_session BODY [CURL-OPTION…]: a request of 2025-11-25 as bob.
in_session() {
  local body=$1
  shift
  ask POST '/mcp?as=bob' "$body" -H "Mcp-Session-Id: $session" -H 'MCP-Protocol-Version: 2025-11-25' "$@"
}

call() { echo "{\"jsonrpc\":\"2.0\",\"id\":${3:-1},\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":${2:-{\}}}}"; }

# The result in a stream of events: sets $answer to its last message.
last_event() { answer=$(sed -n 's/^data: //p' <<<"$answer" | tail -n 1); }

@test "a client without a session discovers, lists and calls" {
  start_server
  rpc server/discover
  answers 200 .result.supportedVersions '["2026-07-28","2025-11-25","2025-06-18"]'
  rpc tools/list
  answers 200 '.result.tools | length' 9
  tool task_create '{"subject":"one"}'
  answers 200 '[.result.resultType, .result.content[0].text]' '["complete","Task #1 is on the board."]'
  same bob "$(field 1 createdBy)"
  tool task_claim
  answers 200 '.result.isError' null
  same bob "$(field 1 owner)"
}

@test "headers that differ from the body, unknown methods and revisions are refused" {
  start_server
  ask POST '/mcp?as=bob' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{$meta}}" \
    -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: TOOLS/LIST'
  answers 400 .error.code -32020
  ask POST '/mcp?as=bob' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{$meta}}"
  answers 400 '[.id, .error.code]' '[1,-32020]'
  rpc no/such
  answers 404 .error.code -32601
  rpc ping
  answers 404 .error.code -32601
  ask POST '/mcp?as=bob' '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}' -H 'MCP-Protocol-Version: 2026-07-28' \
    -H 'Mcp-Method: tools/list'
  answers 400 .error.code -32602
  ask POST '/mcp?as=bob' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{${meta/2026-07-28/v9}}}" \
    -H 'MCP-Protocol-Version: v9' -H 'Mcp-Method: tools/list'
  answers 400 '[.error.code, .error.data.requested]' '[-32022,"v9"]'
  ask POST '/mcp?as=bob' '{'
  answers 400 .error.code -32700
  tool no_such
  answers 200 .error.code -32602
}

@test "a session begins with initialize and ends with DELETE" {
  start_server
  session
  answers 200 .result.protocolVersion '"2025-11-25"'
  [[ $session =~ ^[0-9a-f]{64}$ ]]
  in_session '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  same "202 " "$code $answer"
  in_session "$(call task_create '{"subject":"one"}')"
  answers 200 '.result.content[0].text' '"Task #1 is on the board."'
  ask POST '/mcp?as=bob' "$(call status)"
  answers 400 .error.message '"the header Mcp-Session-Id is missing; initialize begins a session"'
  ask POST '/mcp?as=ann' "$(call status)" -H "Mcp-Session-Id: $session"
  same 404 "$code"
  ask DELETE '/mcp?as=bob' '' -H "Mcp-Session-Id: $session"
  same 204 "$code"
  in_session "$(call status)"
  same 404 "$code"
}

@test "/mcp needs the token, an own host and no foreign page" {
  start_server
  token=wrong rpc tools/list
  same 401 "$code"
  rpc tools/list '' -H 'Host: evil.example'
  same 403 "$code"
  rpc tools/list '' -H 'Origin: http://evil.example'
  same 403 "$code"
  ask POST '/mcp?as=nobody%20here' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
  refuses 400 usage name
  ask POST '/mcp?team=beta' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
  refuses 404 not_found beta
  ask GET /mcp
  same 405 "$code"
}

@test "--read-only leaves the reading tools" {
  start_server --read-only
  rpc tools/list
  answers 200 '[.result.tools[].name]' '["task_list","task_get","status"]'
  tool task_create '{"subject":"one"}'
  answers 200 .error.code -32602
}

@test "wait streams its result, and the next call acknowledges" {
  start_server
  team-send bob hello --as ann
  tool wait
  last_event
  [[ $(jq -r '.result.content[0].text' <<<"$answer") == *hello* ]]
  run -1 team-recv --as bob
  tool status
  run -1 team-recv --as bob
  same 1 "$(team-log --type MESSAGE_PROCESSED | wc -l)"
}

@test "wait wakes when a message comes, with progress and other calls meanwhile" {
  start_server
  (tool wait '{"seconds":60}' && echo "$answer" >wait.out) &
  waiter=$!
  wait_until streams 1
  tool status
  answers 200 '.result.isError' null
  team-send bob 'now' --as ann
  wait "$waiter"
  [[ $(<wait.out) == *now* ]]
}

# streams N: true if the server has so many open streams.
streams() {
  ask GET /metrics
  [ "$(sed -n 's/^teamkit_streams //p' <<<"$answer")" = "$1" ]
}

@test "a client that goes away takes no message" {
  start_server
  session
  curl -sS -H "Authorization: Bearer $token" -H "Mcp-Session-Id: $session" -H 'Content-Type: application/json' \
    --data-binary "$(call wait '{"seconds":60}')" "$url/mcp?as=bob" 3>&- &
  client=$!
  wait_until streams 1
  kill -KILL "$client"
  wait_until streams 0
  team-send bob 'for the next' --as ann
  [[ $(team-recv --as bob) == *'for the next'* ]]
}

@test "messages without an acknowledgement come again when a client begins anew" {
  start_server
  team-send bob 'keep me' --as ann
  tool wait
  run -1 team-recv --as bob
  rpc server/discover
  tool wait
  [[ $answer == *'keep me'* ]]
  session
  in_session "$(call wait '{}' 7)"
  [[ $answer == *'keep me'* ]]
  ask DELETE '/mcp?as=bob' '' -H "Mcp-Session-Id: $session"
  [[ $(team-recv --as bob) == *'keep me'* ]]
}

@test "a killed server loses no message that was not acknowledged" {
  start_server
  team-send bob 'keep me' --as ann
  tool wait
  kill -KILL "$server"
  wait_until eval '! kill -0 "$server" 2>/dev/null'
  [[ $(team-recv --as bob) == *'keep me'* ]]
}

@test "a cancelled wait of a session ends without an answer" {
  start_server
  session
  in_session "$(call wait '{"seconds":60}' 5)" -o stream.out &
  waiter=$!
  wait_until streams 1
  in_session '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}'
  same 202 "$code"
  wait "$waiter"
  run ! grep -q data: stream.out
  team-send bob 'for the next' --as ann
  [[ $(team-recv --as bob) == *'for the next'* ]]
}

@test "a session hears of resources that it subscribed to" {
  start_server
  session
  curl -sSN -H "Authorization: Bearer $token" -H "Mcp-Session-Id: $session" -H 'Accept: text/event-stream' \
    "$url/mcp?as=bob" >events.out 3>&- &
  listener=$!
  wait_until grep -q listening events.out
  in_session '{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"teamkit://board"}}'
  answers 200 .result '{}'
  task-create one >/dev/null
  wait_until grep -q '"method":"notifications/resources/updated","params":{"uri":"teamkit://board"}' events.out
  kill "$listener"
}

@test "the server ends at once while clients wait" {
  start_server
  tool wait '{"seconds":60}' &
  wait_until streams 1
  kill -TERM "$server"
  wait "$server"
}
