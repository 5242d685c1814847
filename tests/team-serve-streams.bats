# The event streams of team-serve, and the server under load.
load helper
load serve

setup() {
  begin_test
  servers=()
  clients=()
  team-create alpha >made
  team-join ann
}

teardown() {
  stop_servers
  [ ${#clients[@]} -eq 0 ] || kill "${clients[@]}" 2>/dev/null || true
}

# client MODE ARGUMENT…: runs tests/serve_client.py in the background. Its stdin is the fifo `input`; stdout goes to MODE.out.
client() {
  [ -p input ] || mkfifo input
  python3 "$BATS_TEST_DIRNAME/serve_client.py" "$1" "$url" "$token" "${@:2}" <>input >"$1.out" 2>"$1.err" 3>&- &
  clients+=($!)
}

# stream QUERY FILE [CURL-OPTION…]: follows the events in the background.
stream() {
  curl -sSN -H "Authorization: Bearer $token" "${@:3}" "$url/api/events$1" >"$2" 2>/dev/null 3>&- &
  clients+=($!)
}

# has_line FILE TEXT
has_line() { grep -qF -- "$2" "$1"; }

last_seq() { team-log --json | tail -1 | jq .seq; }

@test "streams the log, then each new event, as frames with their numbers" {
  start_server
  stream '' all
  wait_until has_line all '"MEMBER_JOINED"'

  task-create 'first' >made
  wait_until has_line all '"TASK_CREATED"'

  same ': events' "$(head -1 all)"
  sed -n 's/^data: //p' all | cmp - .teams/alpha/events.jsonl
  same "$(seq "$(last_seq)")" "$(sed -n 's/^id: //p' all)"
}

@test "starts where the client wants: after a number, after the last event id, now" {
  for i in 1 2 3; do task-create "task $i" >made; done
  start_server

  stream '?after=3' from-three
  stream '?after=1' from-four -H 'Last-Event-ID: 4'
  stream '?after=now' from-now
  stream '?after=99' of-another-log
  wait_until has_line from-now ': events'
  task-create 'last' >made
  for file in from-three from-four from-now of-another-log; do wait_until has_line "$file" '"last"'; done

  same '4 5 6' "$(sed -n 's/^id: //p' from-three | xargs)"
  same '5 6' "$(sed -n 's/^id: //p' from-four | xargs)"
  same '6' "$(sed -n 's/^id: //p' from-now | xargs)"
  same '1 2 3 4 5 6' "$(sed -n 's/^id: //p' of-another-log | xargs)"
}

@test "streams lines to a client that accepts them" {
  start_server
  stream '' lines -H 'Accept: application/x-ndjson'
  task-create 'first' >made
  wait_until has_line lines '"TASK_CREATED"'

  cmp lines .teams/alpha/events.jsonl
}

@test "replays a log of many files from any place" {
  TEAM_EVENTS_ROTATE=3000 bash -c 'for i in $(seq 60); do task-create "task $i"; done' >made
  [ "$(ls .teams/alpha/events-*.jsonl | wc -l)" -gt 2 ]
  start_server

  client follow 0 "$(last_seq)"
  wait "${clients[0]}"

  same "$(seq "$(last_seq)")" "$(cat follow.out)"
}

@test "refuses places and streams that it cannot serve" {
  start_server --max-streams 2
  ask GET '/api/events?after=x'
  refuses 400 usage after
  ask GET /api/events '' -H 'Last-Event-ID: -1'
  refuses 400 usage Last-Event-ID
  ask GET '/api/events?team=beta'
  refuses 404 not_found beta
  ask GET /api/events '' --http1.0
  refuses 400 usage HTTP/1.1

  stream '' one
  stream '' two
  wait_until has_line one TEAM_CREATED
  wait_until has_line two TEAM_CREATED
  ask GET /api/events '' -D headers
  refuses 503 again max-streams
  grep -qi '^retry-after: 1' headers
  ask GET /api/tasks
  same 200 "$code"
}

@test "ends streams with a last comment and exits 0 when it is interrupted" {
  start_server
  stream '' all
  wait_until has_line all MEMBER_JOINED

  kill -INT "$server"
  wait "$server"

  wait "${clients[0]}"
  same ': server ends' "$(grep . all | tail -1)"
  [ ! -e .teams/.serve.json ]
}

@test "tells streams when the team is deleted" {
  start_server
  stream '' all
  wait_until has_line all MEMBER_JOINED

  team-delete alpha

  wait "${clients[0]}"
  has_line all 'event: deleted'
}

@test "a client continues without gap or double when the server is killed and started again" {
  start_server
  address=${url#http://}
  (umask 077; echo "$token" >secret)
  client follow 0 63
  wait_until has_line follow.out 2

  for round in 1 2 3; do
    for i in $(seq 10); do task-create "task" >>made; done
    kill -KILL "$server"
    wait "$server" || true
    for i in $(seq 10); do task-create "task" >>made; done
    start_server --listen "$address" --token-file secret
  done
  for i in $(seq 3); do task-create "task" >>made; done
  wait "${clients[0]}"

  same "$(seq "$(tail -1 follow.out)")" "$(cat follow.out)"
  [ "$(tail -1 follow.out)" -ge 63 ]
}

@test "a killed server loses no change that it acknowledged" {
  start_server
  address=${url#http://}
  (umask 077; echo "$token" >secret)
  for i in $(seq 200); do printf 'url = "%s/api/tasks"\noutput = answers/%s\n' "$url" "$i"; done >urls
  mkdir answers
  curl -sS -K urls -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"subject":"one of many"}' \
    -w '%{http_code} %{filename_effective}\n' >codes 2>errors 3>&- &
  asker=$!
  wait_until has_line codes 201
  kill -KILL "$server"
  wait "$asker" || true

  task-list | cut -f 1 | sort >on-board
  awk '$1 == 201 {print $2}' codes | xargs cat | jq .id | sort >acknowledged
  [ -s acknowledged ]
  same '' "$(comm -23 acknowledged on-board)"
  team-fsck
  task-create 'goes on' >made
}

@test "50 clients that never read do not slow the others, and cost no memory" {
  for i in $(seq 20); do task-create "task $i" --description "$(head -c 20000 /dev/zero | tr '\0' x)" >made; done
  for i in $(seq 20); do team-send ann "$(head -c 900 /dev/zero | tr '\0' y)" >made; done
  start_server
  client stuck 50
  wait_until has_line stuck.out ready
  stream '?after=now' live
  wait_until has_line live ': events'

  task-create 'last one' >made
  wait_until has_line live 'last one'

  [ "$(awk "/VmHWM/{print \$2}" "/proc/$server/status")" -lt "$(is_sanitized && echo 400000 || echo 12288)" ]
}

@test "1,000 clients with slow headers are cut off after 10 seconds, and others are served meanwhile" {
  start_server
  client slow 1000
  wait_until has_line slow.out ready

  ask GET /api/tasks
  same 200 "$code"
  # The server ends them by itself; the client then reads 1,000 times.
  TEAMKIT_PATIENCE=40 wait_until has_no_clients
  echo >input
  kill -0 "${clients[0]}"
  ask GET /healthz
  same 200 "$code"
}

# has_no_clients: the server has no connection left but the one of a test.
has_no_clients() { [ "$(ls "/proc/$server/fd" | wc -l)" -lt 100 ]; }

@test "a HEAD request of a stream gets only the head, and the connection goes on" {
  start_server

  run -0 curl -sSI --max-time 5 -o heads -H "Authorization: Bearer $token" "$url/api/events" -o more "$url/healthz" -w '%{num_connects}\n'

  same $'1\n0' "$output"
  grep -q '^Content-Type: text/event-stream' heads
}
