# team-batch: operations as JSON lines in one process.
load helper

setup() {
  begin_test
  team-create alpha >/dev/null
  team-join bob >/dev/null
}

# batch LINE…: the answers to these requests.
batch() {
  printf '%s\n' "$@" >requests
  run --separate-stderr team-batch <requests
}

# answer N FILTER: what jq says of the answer N, from 1 on.
answer() {
  sed -n "$1p" <<<"$output" | jq -c "$2"
}

# start_client OPTION…: a team-batch in the background. ask REQUEST: its answer, in $line.
start_client() {
  coproc CLIENT { exec team-batch "$@"; }
  client=$CLIENT_PID
}

ask() {
  printf '%s\n' "$1" >&"${CLIENT[1]}"
  IFS= read -rt 20 line <&"${CLIENT[0]}" || return
}

end_client() {
  eval "exec ${CLIENT[1]}>&-"
  wait "$client"
}

@test "carries out the requests in order and repeats their ids" {
  batch '{"id":1,"op":"task-create","subject":"first"}' '{"id":"b","op":"task-claim","task":1,"as":"bob"}' \
    '{"id":[3],"op":"task-complete","task":"#1","as":"bob","result":"all of it"}' '{"op":"task-get","task":1}'

  same 0 "$status"
  same '' "$stderr"
  same '[1,"ok",{"task":1}]' "$(answer 1 '[.id, .status, .result]')"
  same '["b","in_progress","bob"]' "$(answer 2 '[.id, .result.task.status, .result.task.owner]')"
  same '[[3],"completed",[]]' "$(answer 3 '[.id, .result.task.status, .result.freed]')"
  same '[null,"all of it"]' "$(answer 4 '[.id, .result.result]')"
  same 'completed all of it' "$(field 1 status) $(field 1 result)"
}

@test "an answer is written before the next request is read" {
  start_client
  for i in 1 2 3; do
    ask "{\"id\":$i,\"op\":\"task-create\",\"subject\":\"x\"}"
    same "{\"id\":$i,\"status\":\"ok\",\"result\":{\"task\":$i}}" "$line"
  done

  end_client
}

@test "an error is the JSON object of the commands, and the requests behind it are carried out" {
  batch '{"id":1,"op":"task-claim","task":9}' '{"id":2,"op":"task-create","subject":""}' \
    '{"id":3,"op":"task-claim","next":true}' '{"id":4,"op":"task-create","subject":"x","owner":"ann"}' \
    '{"id":5,"op":"task-claim","task":1,"as":"bob"}'

  same 0 "$status"
  same '{"id":1,"status":"error","code":"not_found","error":"no task 9"}' "$(answer 1 .)"
  same '"usage"' "$(answer 2 .code)"
  same '["no","nothing is ready"]' "$(answer 3 '[.code, .error]')"
  same '"ok"' "$(answer 4 .status)"
  same '["conflict","task 1 is owned by ann"]' "$(answer 5 '[.code, .error]')"
}

@test "a line that is no request gets an answer with the id null" {
  { printf 'nonsense\n\n[1]\n{"id":7}\n{"id":8,"op":"task-lst"}\n{"id":9,"op":"task-list","stats":["pending"]}\n'
    printf '{"a":"%s"}\n' "$(head -c 4194400 /dev/zero | tr '\0' x)"
    printf '{"id":10,"op":"team-list"}'; } >requests
  run --separate-stderr team-batch <requests

  same 0 "$status"
  same 7 "$(wc -l <<<"$output")"
  same '[null,"usage"]' "$(answer 1 '[.id, .code]')"
  same '[null,"usage","request: not a JSON object"]' "$(answer 2 '[.id, .code, .error]')"
  same "[7,\"request: the key 'op' is missing\"]" "$(answer 3 '[.id, .error]')"
  same "[8,\"request: no operation 'task-lst'; did you mean task-list or task-get or task-wait?\"]" "$(answer 4 '[.id, .error]')"
  same "[9,\"request: unknown key 'stats'; did you mean status?\"]" "$(answer 5 '[.id, .error]')"
  same '[null,"request: longer than 4194304 bytes"]' "$(answer 6 '[.id, .error]')"
  same '{"id":10,"status":"ok","result":["alpha"]}' "$(answer 7 .)"
}

@test "several tasks are created together or not at all" {
  batch '{"op":"task-create","tasks":[{"subject":"a","key":"a"},{"subject":"b","blockedBy":["a"]}]}' \
    '{"op":"task-create","tasks":[{"subject":"c"},{"subject":""}]}' \
    '{"op":"task-complete","task":1}' '{"op":"task-claim","task":1}' '{"op":"task-complete","task":1}' \
    '{"op":"task-list","ready":true,"fields":["id","subject"]}' '{"op":"task-why","task":2}'

  same '{"tasks":[1,2]}' "$(answer 1 .result)"
  same '"usage"' "$(answer 2 .code)"
  same '"invalid_state"' "$(answer 3 .code)"
  same '[2]' "$(answer 5 .result.freed)"
  same '[{"id":2,"subject":"b"}]' "$(answer 6 .result)"
  same '"ready"' "$(answer 7 '.result[0].kind')"
}

@test "changes, releases, fails, reopens and deletes tasks" {
  batch '{"op":"task-create","subject":"x","metadata":{"a":1}}' \
    '{"op":"task-update","task":1,"priority":2,"metadata":{"a":null,"b":"c"},"ifRev":1}' \
    '{"op":"task-update","task":1,"priority":1,"ifRev":1}' '{"op":"task-claim","task":1}' \
    '{"op":"task-release","task":1,"reason":"later"}' '{"op":"task-claim","next":true}' \
    '{"op":"task-fail","task":1,"reason":"too hard"}' '{"op":"task-update","task":1,"status":"pending"}' \
    '{"op":"task-delete","task":1}' '{"op":"task-reclaim"}' '{"op":"task-list"}'

  same '[2,{"b":"c"}]' "$(answer 2 '[.result.task.priority, .result.task.metadata]')"
  same '"conflict"' "$(answer 3 .code)"
  same '"later"' "$(answer 5 .result.task.error)"
  same '["failed","too hard"]' "$(answer 7 '[.result.task.status, .result.task.error]')"
  same '"pending"' "$(answer 8 .result.task.status)"
  same '{}' "$(answer 9 .result)"
  same '{"tasks":[]}' "$(answer 10 .result)"
  same '[]' "$(answer 11 .result)"
}

@test "sends, receives, holds and acknowledges messages" {
  batch '{"op":"team-send","to":"bob","content":"one"}' '{"op":"team-send","content":"to all"}' \
    '{"op":"team-recv","as":"bob","max":1}' '{"op":"team-recv","as":"bob","hold":true}' \
    '{"op":"team-recv","as":"bob"}' '{"op":"team-recv","as":"bob","wait":0.05}' '{"op":"team-digest","as":"lead"}' \
    '{"op":"team-send","to":"bod","content":"x"}' '{"op":"team-send","to":"bob"}'

  same 1 "$(answer 1 '.result.messages | length')"
  same 2 "$(answer 2 '.result.messages | length')"
  same '["one"]' "$(answer 3 '[.result[].content]')"
  same '["to all"]' "$(answer 4 '[.result[].content]')"
  same '[]' "$(answer 5 .result)"
  same '[]' "$(answer 6 .result)"
  same '"not_found"' "$(answer 8 .code)"
  same '"usage"' "$(answer 9 .code)"

  held=$(answer 4 '.result[0].id')
  batch "{\"op\":\"team-ack\",\"as\":\"bob\",\"messages\":[$held]}" "{\"op\":\"team-ack\",\"as\":\"bob\",\"messages\":$held}"
  same '{}' "$(answer 1 .result)"
  same '"not_found"' "$(answer 2 .code)"
}

@test "a large message arrives whole" {
  yes 'a line' | head -c 200000 >large
  team-send bob <large >/dev/null

  batch '{"op":"team-recv","as":"bob"}'

  answer 1 '.result[0].content' | jq -rj . | cmp - large
}

@test "a plan is submitted, listed, rejected and approved" {
  task-create x >/dev/null
  batch '{"op":"plan-submit","as":"bob","task":1,"content":"in two steps"}' '{"op":"plan-list"}'
  same '[["in two steps",1]]' "$(answer 2 '[.result[] | [.content, .task]]')"
  plan=$(answer 1 .result.request)

  batch "{\"op\":\"plan-reject\",\"as\":\"bob\",\"request\":$plan}" \
    "{\"op\":\"plan-approve\",\"request\":$plan,\"feedback\":\"go\"}" '{"op":"plan-list"}' '{"op":"plan-list","all":true}'
  same '"permission_denied"' "$(answer 1 .code)"
  same '"ok"' "$(answer 2 .status)"
  same '[]' "$(answer 3 .result)"
  same '["approved"]' "$(answer 4 '[.result[].status]')"
}

@test "members join and leave, and settings change, for the next request already" {
  batch '{"op":"team-config","key":"tasks.perMember","value":2}' '{"op":"team-config","key":"tasks.perMember"}' \
    '{"op":"task-create","subject":"a"}' '{"op":"task-create","subject":"b"}' '{"op":"task-create","subject":"c"}' \
    '{"op":"task-claim","next":true,"as":"bob"}' '{"op":"task-claim","next":true,"as":"bob"}' \
    '{"op":"team-config","key":"tasks.perMember","value":null}' '{"op":"task-claim","next":true,"as":"bob"}' \
    '{"op":"team-join","member":"ann"}' '{"op":"team-send","to":"ann","content":"hi"}' \
    '{"op":"team-leave","member":"ann","as":"bob"}' '{"op":"team-leave","member":"ann"}' \
    '{"op":"team-send","to":"ann","content":"hi"}' '{"op":"team-config","as":"bob","key":"tasks.max","value":1}'

  same '{"key":"tasks.perMember","value":"2"}' "$(answer 2 .result)"
  same '"ok" "ok"' "$(answer 6 .status) $(answer 7 .status)"
  same '{"key":"tasks.perMember","value":"1"}' "$(answer 8 .result)"
  same '"busy"' "$(answer 9 .code)"
  same '"ok" "ok"' "$(answer 10 .status) $(answer 11 .status)"
  same '"permission_denied"' "$(answer 12 .code)"
  same '"ok"' "$(answer 13 .status)"
  same '"not_found"' "$(answer 14 .code)"
  same '"permission_denied"' "$(answer 15 .code)"
}

@test "waits end with a result or with the code no" {
  task-create x >/dev/null
  batch '{"op":"task-wait","tasks":[1],"timeout":0.05}' '{"op":"team-wait","condition":"all-done","timeout":0.05}' \
    '{"op":"task-claim","task":1}' '{"op":"task-complete","task":1}' '{"op":"task-wait","tasks":[1]}' \
    '{"op":"team-wait","condition":"task=1"}' '{"op":"team-wait","condition":"never"}' \
    '{"op":"task-claim","next":true,"wait":5}' '{"op":"team-status"}' '{"op":"teammate-list"}' '{"op":"team-log","limit":1}'

  same '["no","not within 0.05 s"]' "$(answer 1 '[.code, .error]')"
  same '"no"' "$(answer 2 .code)"
  same '[1]' "$(answer 5 '[.result[].id]')"
  same '{}' "$(answer 6 .result)"
  same '"usage"' "$(answer 7 .code)"
  same '"no"' "$(answer 8 .code)"
  same '"alpha"' "$(answer 9 .result.team)"
  same '["bob"]' "$(answer 10 '[.result[].name]')"
  same '"TASK_COMPLETED"' "$(answer 11 '.result[0].event.type')"
}

@test "stops a teammate" {
  team-send bob x >/dev/null
  teammate-run bob --exec 'cat >/dev/null' --quiet >/dev/null 2>&1 3>&- &
  wait_until grep -qs idle .teams/alpha/bob.json

  batch '{"op":"teammate-stop","members":["bob"],"as":"bob"}' '{"op":"teammate-stop","members":["bob"],"timeout":10}'

  same '"permission_denied"' "$(answer 1 .code)"
  same '["bob","stopped"]' "$(answer 2 '[.result[0].name, .result[0].end]')"
}

@test "an agent acts as itself only" {
  export TEAM_MEMBER=bob
  batch '{"op":"task-create","subject":"x"}' '{"op":"task-claim","task":1,"as":"lead"}' '{"op":"task-claim","task":1}'
  same '"permission_denied"' "$(answer 2 .code)"
  same '"bob"' "$(answer 3 .result.task.owner)"

  run --separate-stderr team-batch --as lead </dev/null
  as_expected 7 '' 'team-batch: permission_denied: you are bob (TEAM_MEMBER) and cannot act as lead'
}

@test "works on a board without a team, and creates it with the first task" {
  mkdir -p other/.tasks && cd other
  batch '{"op":"task-create","subject":"x"}' '{"op":"task-claim","next":true}' '{"op":"team-status"}'

  same '"in_progress"' "$(answer 2 .result.task.status)"
  same '"not_found"' "$(answer 3 .code)"
  same in_progress "$(field 1 status)"
}

@test "goes on when the team is removed and made again" {
  start_client
  ask '{"op":"task-create","subject":"x"}'
  same 1 "$(jq .result.task <<<"$line")"
  team-delete alpha >/dev/null
  rm -r .tasks
  ask '{"op":"team-digest"}'
  same '"not_found"' "$(jq .code <<<"$line")"
  team-create beta >/dev/null
  ask '{"op":"team-status"}'
  same '"beta"' "$(jq -c '.result.team // .' <<<"$line")"
  ask '{"op":"task-create","subject":"y"}'
  same 1 "$(jq .result.task <<<"$line")"

  end_client
}

@test "does not put a removed board back but for a new task" {
  team-create other --board elsewhere >/dev/null
  start_client -t other
  ask '{"op":"task-create","subject":"x"}'
  ask '{"op":"task-list"}'
  same 1 "$(jq '.result | length' <<<"$line")"
  rm -r elsewhere
  ask '{"op":"task-claim","next":true}'
  same '"not_found"' "$(jq .code <<<"$line")"
  [ ! -e elsewhere ]
  ask '{"op":"task-create","subject":"y"}'
  same 1 "$(jq .result.task <<<"$line")"
  [ -e elsewhere/1.json ]

  end_client
}

@test "messages are not acknowledged when nobody reads the answer" {
  team-send bob m1 >/dev/null

  run bash -c 'echo "{\"op\":\"team-recv\",\"as\":\"bob\"}" | team-batch >&-'
  [ "$status" -ne 0 ]
  run bash -c 'echo "{\"op\":\"team-recv\",\"as\":\"bob\"}" | team-batch >/dev/full'
  [ "$status" -ne 0 ]

  same m1 "$(team-recv --as bob | cut -f 4)"
}

@test "two processes that claim at once never get the same task" {
  for i in $(seq 100); do echo "{\"subject\":\"$i\"}"; done | task-create - >/dev/null
  team-config tasks.perMember 0
  for i in $(seq 60); do echo '{"op":"task-claim","next":true}'; done >claims
  team-batch --as bob <claims >one 3>&- &
  team-batch --as lead <claims >two
  wait $!

  same 100 "$(jq -r 'select(.status == "ok").result.task.id' one two | sort -u | wc -l)"
  same 100 "$(jq -r 'select(.status == "ok").result.task.id' one two | wc -l)"
}

@test "exits 3 without a store and 2 for a wrong option" {
  mkdir "$BATS_TEST_TMPDIR.empty" && cd "$BATS_TEST_TMPDIR.empty"
  run --separate-stderr team-batch </dev/null
  same 3 "$status"
  run --separate-stderr team-batch --bogus </dev/null
  as_expected 2 '' "team-batch: usage: unknown option '--bogus' (try team-batch --help)"
}
