# team-serve: its endpoints, refusals and limits, by curl.
load helper
load serve

setup() {
  begin_test
  servers=()
  team-create alpha >made
  team-join ann --role coder
  team-join bob
}

teardown() { stop_servers; }

@test "prints one line with its address and token, and --url prints it again" {
  start_server

  [[ $(cat address) =~ ^http://127\.0\.0\.1:[0-9]+/#token=[0-9a-f]{64}$ ]]
  same 1 "$(wc -l <address)"
  same "$(cat address)" "$(team-serve --url)"
  same 600 "$(stat -c %a .teams/.serve.json)"
}

@test "--url exits 1 if no server runs, also after one was killed" {
  run --separate-stderr team-serve --url
  as_expected 1 '' 'team-serve: no: no server runs here'

  start_server
  kill -KILL "$server"
  wait "$server" || true

  run --separate-stderr team-serve --url
  as_expected 1 '' 'team-serve: no: no server runs here'
}

@test "--open shows the page by BROWSER, without the token in its arguments" {
  printf '#!/bin/sh\necho "$@" >shown\ncp "${1#file://}" page.html\n' >browser
  chmod +x browser
  BROWSER=$PWD/browser XDG_RUNTIME_DIR=$PWD start_server --open
  wait_until test -s page.html

  grep -qF "url=$url/#token=$token" page.html
  run ! grep -qF "$token" shown
  same 600 "$(stat -c %a "$(sed 's|file://||' shown)")"
  kill "$server"
  wait "$server"
  [ ! -e "$(sed 's|file://||' shown)" ]
}

@test "a second server of a root is a conflict" {
  start_server

  run --separate-stderr team-serve

  as_expected 4 '' "team-serve: conflict: a server runs already in '$PWD'; team-serve --url prints its address"
}

@test "a taken port is a conflict" {
  start_server
  mkdir "$BATS_TEST_TMPDIR.other"
  cd "$BATS_TEST_TMPDIR.other"
  team-create beta >made

  run --separate-stderr team-serve --listen "${url#http://}"

  same 4 "$status"
  [[ $stderr == "team-serve: conflict: cannot listen on '${url#http://}': "* ]]
}

@test "an address that other machines reach needs a token file, which others cannot read" {
  run --separate-stderr team-serve --listen 0.0.0.0:0
  as_expected 7 '' "team-serve: permission_denied: '0.0.0.0:0' can be reached from other machines; this needs --token-file"

  echo 0123456789012345678901234567890123456789 >secret
  chmod 644 secret
  run --separate-stderr team-serve --token-file secret
  as_expected 7 '' "team-serve: permission_denied: other users can read 'secret' (chmod 600)"

  (umask 077; echo short >short)
  run --separate-stderr team-serve --token-file short
  same 2 "$status"
  run --separate-stderr team-serve --token-file missing
  same 3 "$status"
}

@test "refuses addresses, hosts and origins that are none" {
  for listen in 127.0.0.1 127.0.0.1:70000 example:80 unix: :x; do
    run --separate-stderr team-serve --listen "$listen"
    same "2 $listen" "$status $listen"
  done
  for host in 'a b' Name a:80 ''; do
    run --separate-stderr team-serve --allow-host "$host"
    same "2 $host" "$status $host"
  done
  run --separate-stderr team-serve --origin team.example
  same 2 "$status"
  run --separate-stderr team-serve --max-streams 0
  same 2 "$status"
  run --separate-stderr team-serve -t gamma
  same 3 "$status"
}

@test "uses the token of a file" {
  (umask 077; echo 0123456789012345678901234567890123456789 >secret)
  start_server --token-file secret

  same 0123456789012345678901234567890123456789 "$token"
  ask GET /api/server
  answers 200 '[.root, .team, .actor, .readOnly, .allowRun]' "[\"$PWD\",null,\"user\",false,false]"
}

@test "serves over a Unix socket of its user, and replaces one that nobody serves" {
  start_server --listen unix:team.sock
  same 'unix:team.sock' "$url"
  same 'srw-------' "$(stat -c %A team.sock)"
  url=http://any-name
  ask GET /api/teams '' --unix-socket team.sock
  answers 200 '[.[].name]' '["alpha"]'
  kill -KILL "$server"
  wait "$server" || true

  start_server --listen unix:team.sock
  url=http://localhost
  ask GET /healthz '' --unix-socket team.sock
  answers 200 .status '"ok"'
  kill "$server"
  wait "$server"
  [ ! -e team.sock ]
}

@test "the page and /healthz need no token, everything else does" {
  start_server
  token=wrong
  ask GET /healthz
  answers 200 .status '"ok"'
  ask GET /
  same 200 "$code"
  [[ $answer == '<!DOCTYPE html>'* ]]

  for path in /api/tasks /api/status /api/events /api/nothing; do
    ask GET "$path"
    refuses 401 permission_denied 'a request needs the token'
  done
  ask POST /api/tasks '{"subject":"x"}'
  refuses 401 permission_denied 'a request needs the token'
  ask GET "/api/tasks?token=$(sed 's/.*token=//' address)"
  refuses 401 permission_denied 'a request needs the token'
  same '' "$(task-list)"
}

@test "refuses wrong tokens after ten in a second, and goes on to serve the right one" {
  start_server
  right=$token token=wrong
  for i in $(seq 40); do echo "url = $url/api/tasks"; echo 'output = /dev/null'; done >urls

  curl -sS -K urls -H 'Authorization: Bearer wrong' -w '%{http_code}\n' >codes

  grep -qx 401 codes
  grep -qx 429 codes
  token=$right
  ask GET /api/tasks
  same 200 "$code"
}

@test "refuses a foreign Host, Origin and site, and accepts the listed ones" {
  start_server --allow-host team.example --origin https://team.example
  port=${url##*:}
  for host in evil.example "evil.example:$port" "127.0.0.1.evil.example:$port" '127.0.0.1:x' ''; do
    ask GET /api/tasks '' -H "Host: $host"
    [ "$code" = 403 ] || [ "$code" = 400 ]
    ask GET / '' -H "Host: $host"
    [ "$code" = 403 ] || [ "$code" = 400 ]
  done
  for host in "localhost:$port" "[::1]:$port" team.example; do
    ask GET /api/tasks '' -H "Host: $host"
    same "200 $host" "$code $host"
  done
  for origin in http://evil.example null "http://localhost:$port" "https://127.0.0.1:$port" "http://127.0.0.1:1"; do
    ask POST /api/tasks '{"subject":"evil"}' -H "Origin: $origin"
    refuses 403 permission_denied 'a page of another site'
  done
  ask GET /api/tasks '' -H 'Sec-Fetch-Site: cross-site'
  refuses 403 permission_denied 'a page of another site'
  ask GET /api/tasks '' -H 'Sec-Fetch-Site: same-origin' -H "Origin: $url"
  same 200 "$code"
  ask GET /api/tasks '' -H 'Origin: https://team.example' -H 'Sec-Fetch-Site: cross-site' -D headers
  same 200 "$code"
  grep -qi '^access-control-allow-origin: https://team.example' headers
  ask OPTIONS /api/tasks '' -H 'Origin: https://team.example'
  same 204 "$code"
  ask OPTIONS /api/tasks '' -H 'Origin: http://evil.example'
  same 403 "$code"
  same '' "$(task-list)"
}

@test "sends headers that keep a browser from mistakes" {
  start_server

  ask GET / '' -D headers
  grep -qi "^content-security-policy: default-src 'none'; script-src 'self'" headers
  grep -qi '^x-content-type-options: nosniff' headers
  grep -qi "frame-ancestors 'none'" headers
  ask GET /api/tasks '' -D headers
  grep -qi '^cache-control: no-store' headers
  grep -qi '^x-content-type-options: nosniff' headers
  ! grep -qi '^set-cookie' headers
}

@test "reads teams, status, members, tasks, reasons and settings" {
  task-create 'first' >made
  task-create 'second' --blocked-by 1 --owner bob >made
  start_server

  ask GET /api/teams
  answers 200 '[.[].name]' '["alpha"]'
  ask GET /api/status
  answers 200 '[.team, .tasks.total, .readOnly, (.seq > 0)]' '["alpha",2,false,true]'
  ask GET /api/members
  answers 200 '[.[] | [.name, .role]]' '[["lead",null],["ann","coder"],["bob",null]]'
  ask GET /api/members/ann
  answers 200 '[.name, .role, .state]' '["ann","coder","-"]'
  ask GET /api/members/an
  refuses 404 not_found ann
  ask GET /api/tasks
  same "$(task-list --json | jq -sc .)" "$(jq -c . <<<"$answer")"
  ask GET '/api/tasks?ready=1&fields=id,subject'
  answers 200 . '[{"id":1,"subject":"first"}]'
  ask GET '/api/tasks?status=pending,failed&owner=bob&limit=5'
  answers 200 '[.[].id]' '[2]'
  ask GET '/api/tasks?after=1'
  answers 200 '[.[].id]' '[2]'
  ask GET '/api/tasks?ids=2,9'
  answers 200 '[.[].id]' '[2]'
  ask GET /api/tasks/2
  same "$(task-get 2 --json | jq -c .)" "$(jq -c . <<<"$answer")"
  ask GET /api/tasks/2/why
  same "$(task-why 2 --json | jq -sc .)" "$(jq -c . <<<"$answer")"
  ask GET /api/settings
  answers 200 '.[] | select(.key == "exchange.limit") | .value' '"5"'
  ask GET '/api/status?team=beta'
  refuses 404 not_found beta
}

@test "refuses what it cannot read" {
  task-create 'first' >made
  start_server

  ask GET /api/tasks/9
  refuses 404 not_found 9
  ask GET /api/tasks/x
  refuses 400 usage "'x' is not the id of a task"
  ask GET '/api/tasks?status=done'
  refuses 400 usage "'done'"
  ask GET '/api/tasks?limit=-1'
  refuses 400 usage limit
  ask GET '/api/tasks?ready=perhaps'
  refuses 400 usage ready
  ask GET /api/nothing
  refuses 404 not_found /api/nothing
  ask GET '/api/tasks/%zz'
  refuses 400 usage escape
  ask GET '/api/tasks/%2e%2e%2f%2e%2e'
  refuses 400 usage slash
  ask GET '/api/tasks/..' '' --path-as-is
  refuses 400 usage id
  ask PUT /api/tasks '{}'
  refuses 405 usage PUT
  ask GET '/api/messages?limit=5000'
  refuses 400 usage 1000
  echo '{' >.tasks/1.json
  ask GET /api/tasks/1
  refuses 500 corrupt 1.json
  ask GET /api/tasks
  answers 200 '[.[] | [.id, .code]]' '[[1,"corrupt"]]'
}

@test "makes, claims, changes, completes, fails, releases, reopens and deletes tasks" {
  start_server

  ask POST /api/tasks '{"subject":"first","priority":1,"metadata":{"k":1}}'
  answers 201 '[.id, .subject, .priority, .metadata.k, .createdBy]' '[1,"first",1,1,"user"]'
  ask POST /api/tasks '{"subject":"second","blockedBy":[1],"owner":"bob"}'
  answers 201 '[.id, .openBlockers]' '[2,[1]]'
  ask POST /api/tasks/2/claim '{"as":"bob"}'
  refuses 409 blocked 1
  ask POST /api/tasks/claim '{"as":"ann"}'
  answers 200 '[.id, .owner, .status]' '[1,"ann","in_progress"]'
  ask POST /api/tasks/1/claim '{"as":"bob"}'
  refuses 409 conflict ann
  ask POST /api/tasks/claim '{"as":"bob"}'
  refuses 409 no 'nothing is ready'
  ask POST /api/tasks/1/release '{"as":"ann","reason":"later"}'
  answers 200 '[.status, .owner]' '["pending",null]'
  ask POST /api/tasks/1/claim '{"as":"ann"}'
  ask POST /api/tasks/1/fail '{"as":"ann","reason":"no idea"}'
  answers 200 '[.status, .error]' '["failed","no idea"]'
  ask POST /api/tasks/1/reopen
  answers 200 .status '"pending"'
  ask POST /api/tasks/1/claim '{"as":"ann"}'
  ask POST /api/tasks/1/complete '{"as":"bob","result":"mine"}'
  refuses 403 permission_denied ann
  ask POST /api/tasks/1/complete '{"as":"ann","result":"done"}'
  answers 200 '[.status, .result, .freed]' '["completed","done",[2]]'
  ask POST /api/tasks/1/complete '{"as":"ann"}'
  refuses 409 invalid_state completed
  ask PATCH /api/tasks/2 '{"subject":"renamed","priority":2,"addBlockedBy":[],"metadata":{"a":"b"}}'
  answers 200 '[.subject, .priority, .metadata.a, .rev]' '["renamed",2,"b",2]'
  ask PATCH /api/tasks/2 '{"subject":"again","ifRev":1}'
  refuses 409 conflict 2
  ask PATCH /api/tasks/2 '{"result":"x"}'
  refuses 400 usage 'a result needs the status completed'
  ask DELETE '/api/tasks/2?ifRev=1'
  refuses 409 conflict 2
  ask DELETE /api/tasks/2
  same '204 ' "$code $answer"
  ask DELETE /api/tasks/2
  refuses 404 not_found 2
  team-fsck
}

@test "refuses bodies that it does not understand, and changes nothing" {
  start_server

  ask POST /api/tasks '{"subject":'
  refuses 400 usage body
  ask POST /api/tasks '[1]'
  refuses 400 usage 'not a JSON object'
  ask POST /api/tasks '{"subject":"x","subject":"y"}'
  refuses 400 usage body
  ask POST /api/tasks '{"subject":7}'
  refuses 400 usage subject
  ask POST /api/tasks '{"description":"x"}'
  refuses 400 usage subject
  ask POST /api/tasks '{"subject":"x","blocked_by":[1]}'
  refuses 400 usage blockedBy
  ask POST /api/tasks '{"subject":"x","as":"../x"}'
  refuses 400 usage name
  ask POST /api/tasks '{"subject":"x","as":"system"}'
  refuses 403 permission_denied system
  ask POST /api/tasks '' -H 'Content-Type: text/plain' -d '{"subject":"x"}'
  refuses 415 usage application/json
  python3 -c 'print("[" * 100000)' >deep
  ask POST /api/tasks @deep
  refuses 400 usage body
  head -c 1100000 /dev/zero | tr '\0' ' ' >large
  ask POST /api/tasks @large
  refuses 413 usage '1 MiB'
  same '' "$(task-list)"
}

@test "sends messages, broadcasts, interrupts and acknowledges" {
  start_server

  ask POST /api/members/ann/message '{"content":"hello"}'
  answers 201 '[.sender, .recipient, .content]' '["user","ann","hello"]'
  ask POST /api/members/ann/interrupt
  answers 201 '[.recipient, .interrupt]' '["ann",true]'
  ask POST /api/messages '{"content":"all of you"}'
  answers 201 '[.[].recipient]' '["lead","ann","bob"]'
  same 3 "$(team-recv --as ann | wc -l)"
  ask POST /api/members/amy/message '{"content":"hello"}'
  refuses 404 not_found amy
  ask POST /api/members/ann/message '{"content":""}'
  refuses 400 usage empty
  ask POST /api/members/ann/message '{}'
  refuses 400 usage content
  id=$(team-send user 'a question' --as ann)
  ask GET '/api/messages?with=user&limit=1'
  answers 200 '[.[] | [.id, .sender, .content]]' "[[\"$id\",\"ann\",\"a question\"]]"
  ask GET /api/inbox
  answers 200 '[.[] | [.kind, .id, .from, .text, [.actions[].name]]]' "[[\"message\",\"$id\",\"ann\",\"a question\",[\"reply\",\"dismiss\"]]]"
  ask POST "/api/messages/$id/ack"
  answers 200 .id "\"$id\""
  ask POST "/api/messages/$id/ack"
  refuses 404 not_found "$id"
  ask GET /api/inbox
  answers 200 . '[]'
}

@test "answers plans, and lists what needs a person" {
  task-create 'first' >made
  plan=$(plan-submit 'my plan' --as ann --task 1)
  start_server

  ask GET /api/inbox
  answers 200 '[.[] | [.kind, .id, .from, .about, .text]]' "[[\"plan\",\"$plan\",\"ann\",\"1\",\"my plan\"]]"
  same "[[\"approve\",\"POST\",\"/api/requests/$plan\",{\"approve\":true},\"feedback\"],[\"reject\",\"POST\",\"/api/requests/$plan\",{\"approve\":false},\"feedback\"]]" \
    "$(jq -c '[.[0].actions[] | [.name, .method, .path, .body, .field]]' <<<"$answer")"
  ask POST "/api/requests/$plan" '{}'
  refuses 400 usage approve
  ask POST "/api/requests/$plan" '{"approve":false,"feedback":"smaller"}'
  answers 200 '[.approve, .feedback]' '[false,"smaller"]'
  ask POST "/api/requests/$plan" '{"approve":true}'
  refuses 409 invalid_state 'rejected already'
  ask POST /api/requests/nothing '{"approve":true}'
  refuses 404 not_found nothing
  ask GET '/api/requests?all=1'
  answers 200 '[.[] | [.id, .status]]' "[[\"$plan\",\"rejected\"]]"
  ask GET /api/requests
  answers 200 . '[]'
}

@test "lists usage limits and budgets for a person, who can end a pause" {
  team-quota --pause claude --for 600 --reason 'resets at 15:00'
  start_server

  ask GET /api/quotas
  same "$(team-quota --json | jq -sc .)" "$(jq -c . <<<"$answer")"
  ask GET /api/inbox
  answers 200 '[.[] | select(.kind == "quota") | [.id, .from, (.text | sub("until [0-9:]+: "; "until T: ")), [.actions[].name]]]' \
    '[["quota-claude","user","usage limit of claude until T: resets at 15:00",["continue"]]]'
  action=$(jq -c '.[] | select(.kind == "quota") | .actions[0]' <<<"$answer")
  ask POST /api/quotas/end '{"quota":"claud"}'
  refuses 404 not_found 'did you mean claude'
  ask POST /api/quotas/end '{"quota":"claude","as":"ann"}'
  refuses 403 permission_denied 'end the pause'
  ask POST /api/quotas/end '{"quota":"budget.usd"}'
  refuses 409 invalid_state 'raise it'
  ask "$(jq -r .method <<<"$action")" "$(jq -r .path <<<"$action")" "$(jq -c .body <<<"$action")"
  answers 200 .quota '"claude"'
  ask GET /api/quotas
  answers 200 . '[]'
}

@test "shows a change of a task in the next read, and an edit in place within a second" {
  task-create 'first' >made
  task-create 'second' --blocked-by 1 >made
  start_server
  for i in $(seq 20); do
    task-update 2 --subject "number $i" >made
    ask GET /api/tasks/2
    answers 200 '[.subject, .openBlockers]' "[\"number $i\",[1]]"
  done
  task-claim 1 >made
  task-complete 1 >made
  ask GET /api/tasks/2
  answers 200 .openBlockers '[]'
  task-create 'third' --blocked-by 2 >made
  ask GET /api/tasks/2
  answers 200 .blocks '[3]'

  sed 's/number 20/by hand/' .tasks/2.json >edited
  cat edited >.tasks/2.json
  wait_until is_edited
}

# is_edited: the server shows the edit of a file.
is_edited() {
  ask GET /api/tasks/2
  [ "$(jq -r .subject <<<"$answer")" = 'by hand' ]
}

@test "lists failed tasks for a person, who can reopen them" {
  task-create 'first' >made
  task-claim 1 --as ann >made
  task-fail 1 --as ann --reason 'no disk' >made
  start_server

  ask GET /api/inbox
  answers 200 '[.[] | [.kind, .about, .text]]' '[["failed","1","first: no disk"]]'
  ask "$(jq -r '.[0].actions[0].method' <<<"$answer")" "$(jq -r '.[0].actions[0].path' <<<"$answer")" '{}'
  answers 200 .status '"pending"'
}

@test "stops a teammate and tells how it ended" {
  teammate-spawn coder --mode background --exec cat >made
  name=$(cut -f 1 made | tail -1)
  start_server

  ask POST "/api/members/$name/stop" '{"timeout":8}'
  answers 200 '[.name, .end]' "[\"$name\",\"stopped\"]"
  ask POST "/api/members/$name/stop"
  answers 200 .end '"not running"'
  ask POST /api/members/nobody/stop
  refuses 404 not_found nobody
  ask POST "/api/members/$name/stop" '{"timeout":60}'
  refuses 400 usage timeout
}

@test "changes settings" {
  start_server

  ask POST /api/settings '{"key":"digest.enabled","value":false}'
  answers 200 '[.key, .value]' '["digest.enabled","false"]'
  same false "$(team-config digest.enabled)"
  ask POST /api/settings '{"key":"digest.enabled","value":null}'
  answers 200 .value '"true"'
  ask POST /api/settings '{"key":"digest.enabled"}'
  refuses 400 usage value
  ask POST /api/settings '{"key":"digest.enabled","value":"perhaps"}'
  refuses 400 usage digest.enabled
  ask POST /api/settings '{"key":"digest.enable","value":true}'
  refuses 404 not_found digest.enabled
  same SETTING_CHANGED "$(team-log --json | tail -1 | jq -r .event.type)"
}

@test "draws the graph and the timeline" {
  task-create 'first <b>' >made
  task-create 'second' --blocked-by 1 >made
  task-claim 1 --as ann >made
  start_server

  ask GET /api/graph.svg '' -D headers
  same 200 "$code"
  grep -qi '^content-type: image/svg+xml' headers
  [[ $answer == *'first &lt;b&gt;'* && $answer == *second* ]]
  ask GET '/api/graph.svg?ids=1'
  [[ $answer == *first* && $answer != *second* ]]
  ask GET '/api/graph.svg?ids=7'
  refuses 404 not_found 7
  ask GET /api/timeline.svg
  same 200 "$code"
  [[ $answer == '<?xml'*'<svg'*'</svg>'* ]]
}

@test "shows what a task brought about, and the events of a member" {
  task-create 'first' >made
  task-claim 1 --as ann >made
  task-complete 1 --as ann --result 'all green' >made
  start_server

  ask GET /api/tasks/1/output
  answers 200 '[.status, .result, [.events[].event.type]]' '["completed","all green",["TASK_CREATED","TASK_CLAIMED","TASK_COMPLETED"]]'
  ask GET '/api/log?member=ann&limit=2'
  answers 200 '[.[].event.type]' '["TASK_CLAIMED","TASK_COMPLETED"]'
  ask GET "/api/log?before=3&limit=1"
  answers 200 '[.[].seq]' '[2]'
  ask GET '/api/log?task=1&limit=1'
  answers 200 '[.[].event.type]' '["TASK_COMPLETED"]'
}

@test "changes nothing with --read-only" {
  start_server --read-only

  for path in /api/tasks /api/messages /api/members/ann/stop /api/settings; do
    ask POST "$path" '{"subject":"x"}'
    refuses 403 permission_denied 'only reads'
  done
  ask GET /api/tasks
  same 200 "$code"
  same '' "$(task-list)"
}

@test "acts only as the member that started it" {
  TEAM_MEMBER=ann start_server

  ask POST /api/tasks '{"subject":"mine"}'
  answers 201 .createdBy '"ann"'
  ask POST /api/tasks '{"subject":"his","as":"bob"}'
  refuses 403 permission_denied 'you are ann'
  ask POST /api/settings '{"key":"digest.enabled","value":false}'
  refuses 403 permission_denied 'only the lead or the user'
}

@test "asks which team if there are several" {
  team-create beta >made
  start_server
  ask GET /api/status
  refuses 400 usage 'which team'
  ask GET '/api/status?team=beta'
  answers 200 .team '"beta"'
  kill "$server"
  wait "$server"

  start_server -t alpha
  ask GET /api/status
  answers 200 .team '"alpha"'
}

@test "refuses more than 50 changes in a second" {
  start_server
  for i in $(seq 150); do
    printf 'url = "%s/api/members/ann/message"\noutput = /dev/null\n' "$url"
  done >urls

  curl -sS -K urls -Z --parallel-max 10 -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d '{"content":"x"}' -w '%{http_code}\n' >codes

  grep -qx 201 codes
  same "$(grep -cx 201 codes)" "$(team-recv --as ann | wc -l)"
  [ "$(grep -cx 429 codes)" -gt 0 ] || [ "$SECONDS" -gt 3 ]
}

@test "keeps few files open, however many names its clients act as" {
  start_server
  for i in $(seq 120); do ask POST /api/tasks/claim "{\"as\":\"name-$i\"}"; done

  open=(/proc/"$server"/fd/*)
  [ ${#open[@]} -lt 120 ]
}

@test "answers a malformed body with 400" {
  start_server
  address=${url#http://}

  exec 5<>"/dev/tcp/${address%:*}/${address#*:}"
  printf '%s\r\n' 'POST /api/messages HTTP/1.1' "Host: $address" "Authorization: Bearer $token" \
    'Content-Type: application/json' 'Transfer-Encoding: chunked' '' 'zz' '{}' >&5
  read -r answer <&5
  exec 5<&-

  same $'HTTP/1.1 400 Bad Request\r' "$answer"
}

@test "makes no board in place of one that somebody has taken away" {
  task-create one >made
  start_server
  mv .tasks ../away

  for _ in new used; do
    ask GET /api/tasks
    refuses 404 not_found "no board '.tasks'"
    ask POST /api/tasks '{"subject":"two"}'
    refuses 404 not_found "no board '.tasks'"
    [ ! -e .tasks ]
    mv ../away .tasks
    ask GET /api/tasks
    answers 200 '[.[].subject]' '["one"]'
    mv .tasks ../away
  done
}

@test "changes tens of thousands of keys of a task in one request" {
  task-create one >made
  start_server
  seq 0 30000 | jq -nc '{metadata: ([inputs | {key: "k\(.)", value: .}] | from_entries)}' >body

  ask PATCH /api/tasks/1 @body --max-time 30
  answers 200 .metadata.k30000 30000
}
