load helper
load trouble
load mail

inbox() { cat ".teams/alpha/$1_inbox.jsonl"; }

@test "sends a message and prints its id" {
  make_team

  run --separate-stderr team-send backend 'the schema is final' --as lead

  same 0 "$status"
  same '' "$stderr"
  [[ $output =~ ^[0-9A-Z]{26}$ ]]
  same "[\"$output\",\"message\",\"lead\",\"backend\",\"the schema is final\",\"the schema is final\",true]" \
    "$(inbox backend | jq -c '[.id, .type, .sender, .recipient, .content, .summary, (now - .timestamp) < 60]')"
}

@test "prints the whole message with --json" {
  make_team

  run --separate-stderr team-send backend 'hello' --as lead --json

  same 0 "$status"
  same "$(inbox backend)" "$output"
}

@test "gives ids that sort by time" {
  make_team

  for i in {1..20}; do team-send backend "$i"; done >ids

  sort --check=quiet --unique ids
}

@test "takes the text from stdin without an operand, and with -" {
  make_team

  echo 'by pipe' | team-send backend
  echo 'by dash' | team-send backend -

  same $'by pipe\nby dash' "$(waiting_for backend)"
}

@test "keeps quotes, newlines, tabs, backslashes and emoji as they are" {
  make_team
  text=$'say "no"\n\tto \\ and \'yes\' to 🦀\n\nlast'

  team-send backend "$text" --as lead
  printf '%s' "$text" | team-send backend --as lead

  same "$text" "$(inbox backend | head -1 | jq -r .content)"
  same "$text" "$(inbox backend | tail -1 | jq -r .content)"
  same 2 "$(inbox backend | wc -l)"
}

@test "replaces invalid UTF-8 and keeps the rest" {
  make_team

  printf 'before \xff\xc3 after' | team-send backend
  team-send backend $'in an \xfe operand' --summary $'and \xff here'

  same $'before �� after\nin an � operand' "$(waiting_for backend)"
  same 'and � here' "$(inbox backend | tail -1 | jq -r .summary)"
}

@test "makes the summary of the first line, cut to 80 characters" {
  make_team
  long=$(printf 'é%.0s' {1..100})

  team-send backend $'first line\nsecond line'
  team-send backend "$long"
  team-send backend 'text' --summary 'given'

  same 'first line' "$(inbox backend | sed -n 1p | jq -r .summary)"
  same 80 "$(inbox backend | sed -n 2p | jq '.summary | length')"
  same given "$(inbox backend | sed -n 3p | jq -r .summary)"
}

@test "carries --reply-to" {
  make_team
  question=$(team-send backend 'ready?' --as lead)

  team-send lead 'yes' --reply-to "$question" --as backend

  same "$question" "$(inbox lead | jq -r .reply_to)"
}

@test "marks a message that is to interrupt, and no other" {
  make_team

  team-send backend 'Stop' --interrupt --as lead
  team-send backend 'Go on' --as lead

  same $'true\nnull' "$(team-recv --as backend --json | jq .interrupt)"
}

@test "reaches the lead by its role too, whatever its name" {
  team-create alpha --lead boss
  team-join backend

  team-send lead 'to the lead' --as backend
  team-send boss 'to boss' --as backend

  same $'to the lead\nto boss' "$(waiting_for boss)"
}

@test "reaches the user, and comes from the user by default" {
  make_team

  team-send user 'done' --as backend
  team-send backend 'thanks'

  same backend "$(inbox user | jq -r .sender)"
  same user "$(inbox backend | jq -r .sender)"
}

@test "sends a broadcast to everyone but the sender and says to how many" {
  make_team

  run --separate-stderr team-send --broadcast 'stand-up' --as backend

  same 0 "$status"
  same 'team-send: sent to 3' "$stderr"
  same 3 "$(sort -u <<<"$output" | wc -l)"
  same "$output" "$(for name in lead frontend tester; do inbox "$name" | jq -r .id; done)"
  same 'broadcast backend stand-up' "$(inbox tester | jq -r '"\(.type) \(.sender) \(.content)"')"
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}

@test "sends a broadcast by --type and from stdin as well" {
  make_team

  team-send --type broadcast 'one' --as lead
  echo 'two' | team-send --broadcast --as lead

  for name in backend frontend tester; do same $'one\ntwo' "$(waiting_for "$name")"; done
}

@test "sends a broadcast of the user to all members" {
  make_team

  run --separate-stderr team-send --broadcast 'hello'

  same 'team-send: sent to 4' "$stderr"
  same hello "$(waiting_for lead)"
  [ ! -e .teams/alpha/user_inbox.jsonl ]
}

@test "sends a broadcast to nobody where there is nobody else" {
  team-create alpha

  run --separate-stderr team-send --broadcast 'hello' --as lead

  as_expected 0 '' 'team-send: sent to 0'
}

@test "keeps a large text in a file of its own and delivers it whole" {
  make_team
  head -c 20000000 /dev/zero | tr '\0' x >large

  team-send backend --as lead <large
  team-send backend 'after it' --as lead

  (($(inbox backend | wc -c) < 2000))
  team-recv --as backend --json | jq -rj .content >received
  cmp <(cat large; printf 'after it') received
  same '' "$(ls .teams/alpha/bodies)"
}

@test "needs no more memory for a large text than for a small one" {
  [ -x /usr/bin/time ] || skip 'no /usr/bin/time'
  ! is_sanitized || skip 'a sanitizer needs memory of its own'
  make_team

  head -c 20000000 /dev/zero | tr '\0' x | /usr/bin/time -f %M -o sending team-send backend
  /usr/bin/time -f %M -o receiving team-recv --as backend --json >/dev/null

  (($(cat sending) < 20000))
  (($(cat receiving) < 20000))
}

@test "keeps a large text of characters of several bytes whole" {
  make_team
  { printf x; yes 'é🦀' | head -c 700000 | tr -d '\n'; } | iconv -c -f UTF-8 -t UTF-8 >large

  team-send --broadcast --as lead <large

  for name in backend tester; do team-recv --as "$name" --json | jq -rj .content | cmp large -; done
}

@test "treats the newline at the end of a large text as that of a small one" {
  make_team

  { head -c 100000 /dev/zero | tr '\0' x; echo; } | team-send backend
  echo 'small' | team-send backend

  same $'100000\n5' "$(team-recv --as backend --json | jq '.content | length')"
}

@test "refuses an unknown member, with the nearest names, and makes no file" {
  make_team
  ls -A .teams/alpha >before

  run --separate-stderr team-send bakend 'hello' --as lead
  as_expected 3 '' "team-send: not_found: no member 'bakend' in team alpha; did you mean backend?"

  run --separate-stderr team-send zzz 'hello' --as lead
  as_expected 3 '' "team-send: not_found: no member 'zzz' in team alpha; there is user, lead, backend, frontend, tester"

  run --separate-stderr team-send ../../etc/passwd 'hello' --as lead
  refused 3 "team-send: not_found: no member '../../etc/passwd' in team alpha*"

  run --separate-stderr team-send $'"quoted\n🦀"' 'hello' --as lead
  refused 3 'team-send: not_found: no member *'
  same "$(cat before)" "$(ls -A .teams/alpha)"
}

@test "refuses a message from a sender that is not a member" {
  make_team

  run --separate-stderr team-send backend 'hello' --as stranger

  refused 3 "team-send: not_found: no sender 'stranger' in team alpha*"
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}

@test "lets an agent sign as nobody else, and nobody as system" {
  make_team

  TEAM_MEMBER=backend run --separate-stderr team-send frontend 'pay him' --as lead
  as_expected 7 '' 'team-send: permission_denied: you are backend (TEAM_MEMBER) and cannot act as lead'

  TEAM_MEMBER=backend run --separate-stderr team-send frontend 'pay him' --as user
  refused 7 '*cannot act as user'

  run --separate-stderr team-send frontend 'obey' --as system
  as_expected 7 '' 'team-send: permission_denied: nobody acts as system'

  run --separate-stderr team-send frontend 'obey' --as System
  refused 7 '*nobody acts as system'
  [ ! -e .teams/alpha/frontend_inbox.jsonl ]

  TEAM_MEMBER=backend team-send frontend 'from me'
  same backend "$(inbox frontend | jq -r .sender)"
}

@test "leaves the types of system to system" {
  make_team

  for type in task_assigned task_unblocked idle_notification all_idle error; do
    run --separate-stderr team-send backend 'hello' --type "$type" --as lead
    as_expected 7 '' "team-send: permission_denied: only system says $type"
  done

  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}

@test "asks for a shutdown with a record of its own" {
  make_team

  run --separate-stderr team-send backend --type shutdown_request --as lead

  same 0 "$status"
  request=$(inbox backend | jq -r .request_id)
  same "[\"$request\",\"shutdown\",\"lead\",\"backend\",\"pending\",null]" \
    "$(jq -c '[.id, .kind, .from, .to, .status, .answeredAt]' ".teams/alpha/requests/$request.json")"
}

@test "lets nobody but the lead and the user ask for a shutdown" {
  make_team

  run --separate-stderr team-send backend --type shutdown_request --as frontend
  as_expected 7 '' 'team-send: permission_denied: only the lead or the user may ask for a shutdown'
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
  [ ! -e .teams/alpha/requests ]

  team-send backend --type shutdown_request
  same user "$(inbox backend | jq -r .sender)"
}

# asked_to_shut_down NAME: the lead asks; REQUEST is the id, and RECORD its file.
asked_to_shut_down() {
  team-send "$1" --type shutdown_request --as lead >/dev/null
  REQUEST=$(team-recv --as "$1" --json | jq -r .request_id)
  RECORD=.teams/alpha/requests/$REQUEST.json
  cp "$RECORD" before
}

@test "answers a shutdown request, yes or no" {
  make_team
  asked_to_shut_down backend

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve --as backend

  same 0 "$status"
  same '["approved","backend",true]' "$(jq -c '[.status, .answeredBy, .answeredAt >= .createdAt]' "$RECORD")"
  same "[\"shutdown_response\",\"$REQUEST\",true,\"approved\"]" \
    "$(inbox lead | jq -c '[.type, .request_id, .approve, .content]')"

  asked_to_shut_down frontend
  team-send lead --type shutdown_response --request-id "$REQUEST" --reject --feedback 'not done yet' --as frontend

  same '["rejected","not done yet"]' "$(jq -c '[.status, .feedback]' "$RECORD")"
  same '[false,"not done yet"]' "$(inbox lead | tail -1 | jq -c '[.approve, .feedback]')"
}

@test "refuses an answer by the wrong member, to the wrong one, of the wrong kind or to no request" {
  make_team
  asked_to_shut_down backend

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve --as frontend
  as_expected 7 '' "team-send: permission_denied: request $REQUEST was put to backend, not to frontend"

  run --separate-stderr team-send user --type shutdown_response --request-id "$REQUEST" --approve --as lead
  refused 8 '*'

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve --as lead
  refused 7 '*'

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve
  refused 7 '*'

  run --separate-stderr team-send frontend --type shutdown_response --request-id "$REQUEST" --approve --as backend
  as_expected 8 '' "team-send: invalid_state: request $REQUEST is from lead, not from frontend"

  run --separate-stderr team-send lead --type plan_approval_response --request-id "$REQUEST" --approve --as backend
  as_expected 8 '' "team-send: invalid_state: request $REQUEST is about a shutdown, not a plan"

  run --separate-stderr team-send lead --type shutdown_response --request-id 01JD0V8Z7Q4M3N2B1A0F9E8D7C --approve --as backend
  as_expected 3 '' "team-send: not_found: no request '01JD0V8Z7Q4M3N2B1A0F9E8D7C'"

  run --separate-stderr team-send lead --type shutdown_response --request-id ../config --approve --as backend
  as_expected 3 '' "team-send: not_found: no request '../config'"

  cmp before "$RECORD"
  [ ! -e .teams/alpha/lead_inbox.jsonl ]
  same 1 "$(ls .teams/alpha/requests | wc -l)"
}

@test "refuses a second answer" {
  make_team
  asked_to_shut_down backend
  team-send lead --type shutdown_response --request-id "$REQUEST" --reject --as backend
  cp "$RECORD" before

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve --as backend
  as_expected 8 '' "team-send: invalid_state: request $REQUEST is rejected already"

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --reject --as backend
  refused 8 '*'
  cmp before "$RECORD"
  same 1 "$(inbox lead | wc -l)"
}

answer_once() {
  local code=0
  team-send lead --type shutdown_response --request-id "$REQUEST" --approve --as backend >/dev/null 2>&1 || code=$?
  echo "$code" >>codes
}

@test "of 8 answers at once one counts" {
  make_team
  asked_to_shut_down backend

  for i in {1..8}; do answer_once & done
  wait

  same '0 8 8 8 8 8 8 8' "$(sort -n codes | xargs)"
  same 1 "$(inbox lead | wc -l)"
}

@test "refuses an answer that names no request or is neither yes nor no" {
  make_team
  asked_to_shut_down backend

  run --separate-stderr team-send lead --type shutdown_response --approve --as backend
  as_expected 2 '' 'team-send: usage: an answer needs the id of its request'

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --as backend
  as_expected 2 '' 'team-send: usage: an answer approves or rejects'

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve --reject --as backend
  as_expected 2 '' 'team-send: usage: --approve and --reject cannot be combined'
  cmp before "$RECORD"
}

@test "takes the id of a request from the sender, once" {
  make_team
  id=01JD0V8Z7Q4M3N2B1A0F9E8D7C

  team-send backend --type shutdown_request --request-id "$id" --as lead
  same pending "$(jq -r .status ".teams/alpha/requests/$id.json")"
  cp ".teams/alpha/requests/$id.json" before

  run --separate-stderr team-send frontend --type shutdown_request --request-id "$id" --as lead
  as_expected 4 '' "team-send: conflict: there is a request $id already"
  cmp before ".teams/alpha/requests/$id.json"
  [ ! -e .teams/alpha/frontend_inbox.jsonl ]

  run --separate-stderr team-send frontend --type shutdown_request --request-id ../../x --as lead
  refused 2 "team-send: usage: '../../x' is not an id"
}

@test "tells whether a message is pending, delivered or processed" {
  make_team
  id=$(team-send backend 'hello' --as lead)

  run --separate-stderr team-send --status "$id"
  as_expected 0 "$id"$'\tpending' ''

  team-recv --as backend --hold
  run --separate-stderr team-send --status "$id"
  as_expected 0 "$id"$'\tdelivered' ''

  team-ack "$id" --as backend
  run --separate-stderr team-send --status "$id"
  as_expected 0 "$id"$'\tprocessed' ''
}

@test "tells the status as an object with --json" {
  make_team
  id=$(team-send backend 'hello' --as lead)

  run --separate-stderr team-send --status "$id" --json

  same 0 "$status"
  same "$id pending" "$(jq -r '"\(.id) \(.status)"' <<<"$output")"
}

@test "exits 3 when asked for the status of a message that was never sent" {
  make_team
  team-send backend 'hello' --as lead

  run --separate-stderr team-send --status 01JD0V8Z7Q4M3N2B1A0F9E8D7C
  as_expected 3 '' "team-send: not_found: no message '01JD0V8Z7Q4M3N2B1A0F9E8D7C' was sent"

  run --separate-stderr team-send --status MESSAGE_SENT
  refused 3 '*'
}

@test "waits until the message is processed" {
  make_team
  start_asleep team-send backend 'hello' --wait processed --as lead

  team-recv --as backend --hold >held
  team-ack "$(cut -f1 held)" --as backend

  ended 0 "$(cut -f1 held)" ''
}

@test "waits for the reply and prints it" {
  make_team
  start_asleep team-send backend 'ready?' --wait reply --as lead
  question=$(team-recv --as backend | cut -f1)

  team-send lead 'something else' --as backend
  answer=$(team-send lead 'yes' --reply-to "$question" --as backend)

  ended 0 "$question"$'\n'"$answer"$'\tbackend\tmessage\tyes' ''
  same 'something else' "$(waiting_for lead)"
}

@test "waits where the file system cannot notify" {
  make_team
  export TEAM_NOTIFY=poll
  start team-send backend 'ready?' --wait reply --as lead
  question=$(team-recv --as backend --wait=20 | cut -f1)

  answer=$(team-send lead 'yes' --reply-to "$question" --as backend)

  ended 0 "$question"$'\n'"$answer"$'\tbackend\tmessage\tyes' ''
}

@test "exits 1 when it is not processed or answered within --timeout" {
  make_team

  run --separate-stderr team-send backend 'hello' --wait processed --timeout 50ms --as lead
  same 1 "$status"
  same 'team-send: no: not processed within 0.05 s' "$stderr"
  same "$(inbox backend | jq -r .id)" "$output"

  run --separate-stderr team-send backend 'hello' --wait reply --timeout 0 --as lead --json
  same 1 "$status"
  same '{"status":"error","code":"no","error":"not answered within 0 s"}' "$stderr"
  same 2 "$(inbox backend | wc -l)"
}

@test "says when the recipient has run and is not running" {
  make_team
  hold .teams/alpha/backend.alive

  run --separate-stderr team-send backend 'hello' --as lead
  same '' "$stderr"

  let_go
  run --separate-stderr team-send backend 'hello' --as lead
  same 0 "$status"
  same 'team-send: note: backend is not running; the message waits' "$stderr"
}

@test "begins a new line after one that a dying writer left torn" {
  make_team
  printf '{"id":"01JD0V8Z7Q4M3N2B1A0F9E8D7C","type":"mess' >.teams/alpha/backend_inbox.jsonl

  team-send backend 'hello' --as lead

  same hello "$(waiting_for backend)"
}

@test "makes its files readable for the owner alone, whatever the umask" {
  make_team
  umask 0

  head -c 100000 /dev/zero | team-send backend
  team-send backend --type shutdown_request

  same '' "$(find .teams -type f ! -perm 600 -o -type d ! -perm 700)"
}

@test "exits 2 for wrong options and operands, and sends nothing" {
  make_team

  run --separate-stderr team-send </dev/null
  as_expected 2 '' 'team-send: usage: TO is missing (try team-send --help)'

  run --separate-stderr team-send backend one two
  as_expected 2 '' "team-send: usage: unexpected operand 'two' (try team-send --help)"

  run --separate-stderr team-send --broadcast backend one
  as_expected 2 '' 'team-send: usage: a broadcast goes to all, not to backend'

  run --separate-stderr team-send backend hello --type banana
  as_expected 2 '' "team-send: usage: 'banana' is not a type of message"

  run --separate-stderr team-send backend hello --wait soon
  as_expected 2 '' "team-send: usage: --wait takes processed or reply, not 'soon'"

  run --separate-stderr team-send backend hello --wait reply --timeout soon
  refused 2 'team-send: usage: --timeout: *'

  run --separate-stderr team-send backend --status 01JD0V8Z7Q4M3N2B1A0F9E8D7C
  refused 2 'team-send: usage: *cannot be combined'

  run --separate-stderr team-send backend hello --bogus
  as_expected 2 '' "team-send: usage: unknown option '--bogus' (try team-send --help)"

  run --separate-stderr team-send backend hello --as 'no name'
  refused 2 "team-send: usage: 'no name' is not a name"
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}

@test "exits 2 when it is not clear which team is meant" {
  make_team
  team-create beta

  run --separate-stderr team-send backend hello
  as_expected 2 '' 'team-send: usage: which team? there is alpha, beta (-t TEAM)'

  team-send backend hello -t alpha
  TEAM_NAME=alpha team-send backend hello
  same $'hello\nhello' "$(TEAM_NAME=alpha waiting_for backend)"
}

@test "exits 3 without a team" {
  task-create 'only a board'

  run --separate-stderr team-send backend hello

  refused 3 'team-send: not_found: no team *'
}

@test "exits 9 for a broken configuration and a broken request, and leaves both as they are" {
  make_team
  asked_to_shut_down backend
  echo '{"id":' >"$RECORD"

  run --separate-stderr team-send lead --type shutdown_response --request-id "$REQUEST" --approve --as backend
  refused 9 "team-send: corrupt: .teams/alpha/requests/$REQUEST.json:*"
  same '{"id":' "$(cat "$RECORD")"
  [ ! -e .teams/alpha/lead_inbox.jsonl ]

  echo '{' >.teams/alpha/config.json
  run --separate-stderr team-send backend hello
  refused 9 'team-send: corrupt: .teams/alpha/config.json:*'
  same '{' "$(cat .teams/alpha/config.json)"
}

@test "exits 74 and sends nothing when nothing can be written" {
  make_team
  read_only .teams

  run --separate-stderr team-send backend hello
  refused 74 'team-send: io: *'

  run --separate-stderr team-send backend --type shutdown_request
  refused 74 'team-send: io: *'
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
  [ ! -e .teams/alpha/requests ]
}

@test "exits 74 on a full disk and leaves the inbox as it was" {
  small_disk
  make_team
  team-send backend 'before'
  cp .teams/alpha/backend_inbox.jsonl "$BATS_TEST_TMPDIR/before"
  fill_disk

  run --separate-stderr team-send backend "$(printf '%6000d' 1)"
  refused 74 'team-send: io: *'
  cmp "$BATS_TEST_TMPDIR/before" .teams/alpha/backend_inbox.jsonl

  run --separate-stderr bash -c 'head -c 100000 /dev/zero | team-send backend'
  refused 74 'team-send: io: *'
  cmp "$BATS_TEST_TMPDIR/before" .teams/alpha/backend_inbox.jsonl
  same '' "$(ls -A .teams/alpha/bodies 2>/dev/null)"
}

@test "exits 75 and sends nothing when a lock is not had in time" {
  make_team
  hold .teams/alpha/backend_inbox.lock

  run --separate-stderr team-send backend hello --lock-timeout 50ms
  refused 75 "team-send: again: cannot lock '.teams/alpha/backend_inbox.lock': *"

  let_go
  [ ! -s .teams/alpha/backend_inbox.jsonl ]
}

@test "exits 76 when the message is sent and the lock of the event log is not had in time" {
  make_team
  hold .teams/alpha/events.lock

  run --separate-stderr team-send backend hello --lock-timeout 50ms
  refused 76 "team-send: unknown: it is done, but not in the log: cannot lock '.teams/alpha/events.lock': *"

  let_go
  same 1 "$(wc -l <.teams/alpha/backend_inbox.jsonl)"
}

@test "exits 76 when the message is sent and it cannot look for the reply" {
  make_team
  hold .teams/alpha/lead_inbox.lock

  run --separate-stderr team-send backend 'hello?' --as lead --wait reply --timeout 5 --lock-timeout 0.1

  same 76 "$status"
  [[ $stderr == "team-send: unknown: the change is made, but cannot lock '.teams/alpha/lead_inbox.lock': "* ]]
  same 'hello?' "$(waiting_for backend)"
}

@test "exits 76 when the id cannot be written: the message is sent" {
  make_team

  run --separate-stderr bash -c 'team-send backend hello >/dev/full'

  refused 76 'team-send: unknown: the change is made, but cannot write to stdout: *'
  same hello "$(waiting_for backend)"
}

@test "refuses an empty recipient and sends nothing" {
  make_team

  run --separate-stderr team-send '' hello

  as_expected 2 '' 'team-send: usage: TO is empty'
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}
