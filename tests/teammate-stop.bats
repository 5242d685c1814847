load helper
load mail
load teammates

SAYS_DONE='cat >/dev/null; echo done'
# A piece of work that has begun when there is a file "begun" and is done when there is a file "go".
WAITS='touch begun; until [ -e go ]; do sleep 0.02; done; echo done'
# Work that begins and never ends.
HANGS='touch begun; until [ -e never ]; do sleep 0.02; done'
# Work that ignores TERM, with children in other sessions that ignore it too.
STUBBORN='trap "" TERM HUP INT; setsid sh -c "until [ -e never ]; do sleep 0.02; done" & (setsid sleep 1000 &); '$HANGS

# at_work NAME COMMAND: a teammate that has begun to work on task 1.
at_work() {
  team-create alpha >/dev/null
  task-create 'first' >/dev/null
  start_teammate "$1" --exec "$2"
  wait_until test -e begun
}

# request: the record of the only shutdown request.
request() { jq -r "$1" .teams/alpha/requests/*.json; }

# pending: how many requests wait for an answer.
pending() { jq -s 'map(select(.status == "pending")) | length' .teams/alpha/requests/*.json; }

@test "asks, waits for the answer and the end, and prints that it has stopped" {
  team-create alpha
  start_idle backend --exec true

  run --separate-stderr teammate-stop backend

  as_expected 0 $'backend\tstopped' ''
  is_free .teams/alpha/backend.alive
  same 'shutdown asked to by user' "$(state_of backend '"\(.state) \(.reason)"')"
  teammate_ended backend 0
}

@test "request, answer and the log carry one and the same id" {
  team-create alpha
  start_idle backend --exec true

  teammate-stop backend

  id=$(request .id)
  same 'shutdown user backend approved backend' "$(request '"\(.kind) \(.from) \(.to) \(.status) \(.answeredBy)"')"
  same "$id" "$(basename .teams/alpha/requests/*.json .json)"
  same "shutdown_response backend $id true" \
    "$(team-recv --json | jq -r '"\(.type) \(.sender) \(.request_id) \(.approve)"')"
  same "SHUTDOWN_REQUESTED user $id"$'\n'"SHUTDOWN_APPROVED backend $id" \
    "$(team-log --json | jq -r 'select(.event.type | startswith("SHUTDOWN")) | "\(.event.type) \(.agent_id) \(.event.request_id)"')"
}

@test "the answer goes to the lead that asked" {
  team-create alpha
  start_idle backend --exec true

  TEAM_MEMBER=lead run --separate-stderr teammate-stop backend

  as_expected 0 $'backend\tstopped' ''
  same 'asked to by lead' "$(state_of backend .reason)"
  same backend "$(team-recv --as lead --type shutdown_response --json | jq -r .sender)"
}

@test "lets a busy one finish its piece of work first" {
  at_work backend "$WAITS"
  task-create 'second'

  start_asleep teammate-stop backend
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 1
  same pending "$(request .status)"
  touch go

  ended 0 $'backend\tstopped' ''
  same 'completed pending' "$(field 1 status) $(field 2 status)"
}

@test "comes before mail that was there earlier, which waits for the next life" {
  at_work backend "$WAITS"
  team-send backend 'an older one'
  start_asleep teammate-stop backend
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 2
  touch go
  ended 0 $'backend\tstopped' ''
  same 1 "$(team-log --type STEP_STARTED | wc -l)"

  start_idle backend --exec 'cat >seen'

  same 1 "$(grep -c 'an older one' seen)"
  same 0 "$(grep -c 'shutdown_request' seen || true)"
}

@test "messages to a stopped teammate are handled in its next run" {
  team-create alpha
  start_idle backend --exec true
  teammate-stop backend
  team-send backend 'for later'

  start_idle backend --exec 'cat >seen'

  grep -q 'for later' seen
}

# asked_twice: backend has ended, and so have two callers that asked it to end while it worked.
asked_twice() {
  at_work backend "$WAITS"
  start_asleep teammate-stop backend
  first=$STARTED
  start_asleep teammate-stop backend --as lead
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 2
  touch go
  wait "$first"
  ended 0 $'backend\tstopped' ''
  teammate_ended backend 0
}

@test "asked by two at once it stops for both, and no request is left for its next life" {
  asked_twice

  same 0 "$(pending)"
  start_idle backend --exec "$SAYS_DONE"
}

@test "messages to a teammate with two shutdown requests are handled in its next run" {
  asked_twice
  team-send backend 'for later'

  start_idle backend --exec 'cat >seen'

  grep -q 'for later' seen
}

@test "shows the reason of a teammate that refuses and keeps running" {
  make_team
  hold .teams/alpha/backend.alive
  start_asleep teammate-stop backend
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 1

  team-send user --type shutdown_response --request-id "$(request .id)" --reject --feedback $'not yet:\nhalf done' --as backend

  ended 1 '' 'teammate-stop: no: backend refuses: not yet: half done'
  is_held .teams/alpha/backend.alive
}

@test "says so when one refuses and gives no reason" {
  make_team
  hold .teams/alpha/backend.alive
  start_asleep teammate-stop backend
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 1

  team-send user --type shutdown_response --request-id "$(request .id)" --reject --as backend

  ended 1 '' 'teammate-stop: no: backend refuses: no reason given'
}

# refusing_hook TEXT: a hook that refuses the shutdown of a teammate with this text.
refusing_hook() {
  mkdir -m 700 .teams/alpha/hooks
  printf '#!/bin/sh\ncat >asked\necho "%s" >&2\nexit 1\n' "$1" >.teams/alpha/hooks/teammate-shutdown
  chmod 700 .teams/alpha/hooks/teammate-shutdown
}

@test "a hook can refuse for a teammate, which goes on working" {
  team-create alpha
  refusing_hook 'the report is missing'
  start_idle backend --exec "$SAYS_DONE"

  run --separate-stderr teammate-stop backend --timeout 10

  as_expected 1 '' 'teammate-stop: no: backend refuses: the report is missing'
  same 'rejected the report is missing' "$(request '"\(.status) \(.feedback)"')"
  task-create 'first'
  wait_until task_is 1 completed
}

@test "--force ends a teammate whose hook refuses" {
  team-create alpha
  refusing_hook 'the report is missing'
  start_idle backend --exec true

  run --separate-stderr teammate-stop backend --timeout 10 --force

  as_expected 0 $'backend\tkilled' ''
  same 'rejected' "$(request .status)"
}

@test "exits 1 after --timeout, and the request stands" {
  at_work backend "$WAITS"

  run --separate-stderr teammate-stop backend --timeout 100ms

  as_expected 1 '' 'teammate-stop: no: backend has not answered'
  same pending "$(request .status)"
  touch go
  teammate_ended backend 0
  same 'asked to by user' "$(state_of backend .reason)"
}

@test "--timeout 0 asks and does not wait" {
  at_work backend "$WAITS"

  run --separate-stderr teammate-stop backend --timeout 0

  as_expected 1 '' 'teammate-stop: no: backend has not answered'
  touch go
  teammate_ended backend 0
}

@test "tells one that agreed and does not end from one that is silent" {
  make_team
  hold .teams/alpha/backend.alive
  start_asleep teammate-stop backend --timeout 1
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 1

  team-send user --type shutdown_response --request-id "$(request .id)" --approve --as backend

  ended 1 '' 'teammate-stop: no: backend has agreed and not ended'
}

@test "--force kills one that hangs; its task is free at once and its state says by whom" {
  at_work backend "$HANGS"

  run --separate-stderr teammate-stop backend --timeout 50ms --force --as lead

  as_expected 0 $'backend\tkilled' ''
  same 'pending null' "$(field 1 status) $(field 1 owner)"
  same 'shutdown killed by lead null false' "$(state_of backend '"\(.state) \(.reason) \(.task) \(.resumable)"')"
  teammate_ended backend 137
  nothing_left
}

@test "the log names the killed teammate and the caller" {
  at_work backend "$HANGS"

  teammate-stop backend --timeout 0 --force --as lead

  same 'active shutdown killed by lead' \
    "$(team-log --type MEMBER_STATE --json | tail -1 | jq -r '.event | "\(.from) \(.to) \(.reason)"')"
}

@test "--force leaves nothing running of a command that is deaf to TERM and of its children in other sessions" {
  at_work backend "$STUBBORN"

  run --separate-stderr teammate-stop backend --timeout 0 --force

  as_expected 0 $'backend\tkilled' ''
  same pending "$(field 1 status)"
  nothing_left
}

@test "--force does the same to one in the background" {
  team-create alpha
  task-create 'first'
  teammate-spawn coder --exec "$STUBBORN" --mode background
  wait_until test -e begun

  run --separate-stderr teammate-stop coder-1 --timeout 0 --force

  as_expected 0 $'coder-1\tkilled' ''
  same pending "$(field 1 status)"
  nothing_left
}

# tree_of PID: the process and its descendants.
tree_of() {
  local child
  echo "$1"
  for child in $(pgrep -P "$1"); do tree_of "$child"; done
}

@test "--force ends one that was stopped" {
  at_work backend "$HANGS"
  kill -STOP "${TEAMMATE[backend]}"

  run --separate-stderr teammate-stop backend --timeout 50ms --force

  as_expected 0 $'backend\tkilled' ''
  same pending "$(field 1 status)"
  nothing_left
}

@test "--force ends a suspended teammate with all its foreground and background processes" {
  at_work backend "$HANGS"
  mapfile -t tree < <(tree_of "${TEAMMATE[backend]}")
  kill -STOP "${tree[@]}"
  run --separate-stderr teammate-stop backend --timeout 0 --force
  as_expected 0 $'backend\tkilled' ''
  rm begun

  teammate-spawn coder --exec "$HANGS" --prompt go --mode background
  wait_until test -e begun
  mapfile -t tree < <(tree_of "$(state_of coder-1 .pid)")
  kill -STOP "${tree[@]}"
  run --separate-stderr teammate-stop coder-1 --timeout 0 --force
  as_expected 0 $'coder-1\tkilled' ''

  nothing_left
}

@test "--force kills no teammate that ends in time" {
  team-create alpha
  start_idle backend --exec true

  run --separate-stderr teammate-stop backend --timeout 20 --force

  as_expected 0 $'backend\tstopped' ''
  same 'asked to by user' "$(state_of backend .reason)"
}

@test "--force kills the holder of the lock, whatever the state file says" {
  at_work backend "$HANGS"
  sleep 1000 3>&- &
  bystander=$!
  jq ".pid = $bystander" .teams/alpha/backend.json >edited
  cp edited .teams/alpha/backend.json

  run --separate-stderr teammate-stop backend --timeout 0 --force

  as_expected 0 $'backend\tkilled' ''
  teammate_ended backend 137
  kill -0 "$bystander"
}

@test "--force does not kill teammates that a lead has spawned" {
  team-create alpha
  start_teammate lead --exec "teammate-spawn coder --exec true --mode background >/dev/null; $HANGS" --prompt go
  wait_until test -e begun
  wait_until sleeps coder-1

  run --separate-stderr teammate-stop lead --timeout 0 --force

  as_expected 0 $'lead\tkilled' ''
  same idle "$(teammate-list --json | jq -r 'select(.name == "coder-1").state')"
}

@test "one that was killed starts again, and the old request does not end it" {
  at_work backend "$HANGS"
  teammate-stop backend --timeout 0 --force
  teammate_ended backend 137

  start_idle backend --exec "$SAYS_DONE"

  same completed "$(field 1 status)"
  same 'nothing to do' "$(state_of backend .reason)"
}

@test "stops several, in the order of the names" {
  team-create alpha
  start_idle backend --exec true
  start_idle frontend --exec true
  team-join tester

  run --separate-stderr teammate-stop tester frontend backend

  as_expected 0 $'tester\tnot running\nfrontend\tstopped\nbackend\tstopped' ''
}

@test "asks all before it waits for one, and exits 1 if one does not end" {
  at_work backend "$HANGS"
  start_idle frontend --exec true

  run --separate-stderr teammate-stop backend frontend --timeout 500ms

  as_expected 1 $'frontend\tstopped' 'teammate-stop: no: backend has not answered'
}

@test "a name given twice is asked once" {
  team-create alpha
  start_idle backend --exec true

  run --separate-stderr teammate-stop backend backend

  as_expected 0 $'backend\tstopped' ''
  same 1 "$(find .teams/alpha/requests -type f | wc -l)"
}

@test "--all stops all running teammates but not the lead" {
  team-create alpha
  start_idle lead --exec true
  start_idle backend --exec true
  start_idle frontend --exec true
  team-join tester

  run --separate-stderr teammate-stop --all
  as_expected 0 $'backend\tstopped\nfrontend\tstopped' ''
  state_is lead idle

  run --separate-stderr teammate-stop --all
  as_expected 0 '' ''
  run --separate-stderr teammate-stop lead
  as_expected 0 $'lead\tstopped' ''
}

@test "says so of one that does not run, dead or never run, and asks nobody" {
  team-create alpha
  team-join tester
  start_idle backend --exec true
  kill_teammate backend

  run --separate-stderr teammate-stop backend tester

  as_expected 0 $'backend\tnot running\ntester\tnot running' ''
  [ ! -e .teams/alpha/requests ]
  [ ! -e .teams/alpha/tester_inbox.jsonl ]
}

@test "exits 3 for a name that is not there, and asks nobody" {
  team-create alpha
  start_idle backend --exec true

  run --separate-stderr teammate-stop backend fronted
  refused 3 "teammate-stop: not_found: no member 'fronted' in team alpha; *"
  run --separate-stderr teammate-stop bakend --json
  as_expected 3 '' '{"status":"error","code":"not_found","error":"no member '"'bakend'"' in team alpha; did you mean backend?"}'

  state_is backend idle
  [ ! -e .teams/alpha/requests ]
}

@test "one that dies while it is asked counts as stopped, and its next life is not ended by that request" {
  at_work backend "$HANGS"
  start_asleep teammate-stop backend
  wait_until has_lines .teams/alpha/backend_inbox.jsonl 1

  kill_teammate backend

  ended 0 $'backend\tstopped' ''
  same 0 "$(pending)"
}

@test "is for the lead and the user, not for teammates" {
  team-create alpha
  start_idle backend --exec true
  team-join frontend

  TEAM_MEMBER=frontend run --separate-stderr teammate-stop backend --force
  as_expected 7 '' 'teammate-stop: permission_denied: only the lead or the user may stop a teammate, not frontend'
  TEAM_MEMBER=frontend run --separate-stderr teammate-stop --all --as lead
  as_expected 7 '' 'teammate-stop: permission_denied: you are frontend (TEAM_MEMBER) and cannot act as lead'

  state_is backend idle
  [ ! -e .teams/alpha/requests ]
}

@test "exits 2 without a name, with a name and --all, and for a time that is none" {
  team-create alpha
  start_idle backend --exec true

  run --separate-stderr teammate-stop
  as_expected 2 '' 'teammate-stop: usage: NAME or --all is missing (try teammate-stop --help)'
  run --separate-stderr teammate-stop backend --all
  refused 2 'teammate-stop: usage: *'
  run --separate-stderr teammate-stop backend --timeout soon
  refused 2 'teammate-stop: usage: *'

  state_is backend idle
}

@test "prints one JSON object a line with --json, errors included" {
  at_work backend "$WAITS"
  start_idle frontend --exec true
  team-join tester

  run --separate-stderr teammate-stop backend frontend tester --timeout 500ms --json

  as_expected 1 $'{"name":"frontend","end":"stopped"}\n{"name":"tester","end":"not running"}' \
    '{"status":"error","code":"no","error":"backend has not answered"}'
}

@test "says it in words on a terminal" {
  team-create alpha
  start_idle backend --exec true

  run on_terminal 'teammate-stop backend'
  same 0 "$status"
  same 'backend has shut down' "$output"

  run on_terminal 'teammate-stop backend'
  same 'backend is not running' "$output"
}

@test "exits 74 and asks nobody when nothing can be written" {
  make_team
  hold .teams/alpha/backend.alive
  read_only .teams

  run --separate-stderr teammate-stop backend --timeout 5

  refused 74 'teammate-stop: io: *'
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}

@test "exits 75 and asks nobody when a lock is not had in time" {
  team-create alpha
  start_idle backend --exec true
  hold .teams/alpha/.lock

  run --separate-stderr teammate-stop backend --lock-timeout 50ms

  refused 75 "teammate-stop: again: cannot lock '.teams/alpha/.lock': *"
  let_go
  state_is backend idle
  [ ! -s .teams/alpha/backend_inbox.jsonl ]
}

@test "exits 76 when the result cannot be printed" {
  team-create alpha
  start_idle backend --exec true

  run --separate-stderr bash -c 'teammate-stop backend >/dev/full'

  refused 76 'teammate-stop: unknown: the change is made, but *'
  state_is backend shutdown
}
