load helper
load trouble
load mail

# write_to NAME: appends stdin to the inbox, as another program does.
write_to() {
  flock ".teams/alpha/$1_inbox.lock" sh -c "cat >>.teams/alpha/$1_inbox.jsonl"
}

# three_for_backend: two messages of the lead, and one of frontend in between.
three_for_backend() {
  make_team
  {
    team-send backend 'one' --as lead
    team-send backend 'two' --as frontend
    team-send backend 'three' --as lead
  } >ids
}

texts() { jq -r .content; }

@test "prints my messages, oldest first, and clears them" {
  three_for_backend

  run --separate-stderr team-recv --as backend

  as_expected 0 "$(paste ids <(printf '%s\n' $'lead\tmessage\tone' $'frontend\tmessage\ttwo' $'lead\tmessage\tthree'))" ''
  run --separate-stderr team-recv --as backend
  as_expected 1 '' 'team-recv: no: no message'
}

@test "prints the objects with --json" {
  three_for_backend
  cp .teams/alpha/backend_inbox.jsonl before

  team-recv --as backend --json >received

  same "$(jq -cS . before)" "$(jq -cS . received)"
}

@test "prints one line for each message whatever is in it" {
  make_team
  team-send backend $'several\nlines\tand "quotes" \e[31mred' --as lead

  run --separate-stderr team-recv --as backend

  same 0 "$status"
  same 1 "${#lines[@]}"
  same 4 "$(awk -F '\t' '{ print NF }' <<<"$output")"
  [[ $output != *$'\e'* ]]
}

@test "shows a letter to a person at a terminal" {
  make_team
  id=$(team-send backend $'first line\nsecond line' --as lead)
  clock=$(date -d "@$(jq .timestamp .teams/alpha/backend_inbox.jsonl)" +%H:%M:%S)

  NO_COLOR=1 on_terminal 'team-recv --as backend' >seen

  same "lead  $clock"$'\n  first line\n  second line\n  '"$id" "$(cat seen)"
}

@test "shows a large text to a person as it was written" {
  make_team
  seq 1 20000 >large
  team-send backend --as lead <large

  NO_COLOR=1 on_terminal 'team-recv --as backend' | grep '^  [0-9]*$' | tr -d ' ' >seen

  cmp large seen
}

@test "takes the messages of the user by default, or of TEAM_MEMBER" {
  make_team
  team-send user 'for the user' --as lead
  team-send backend 'for backend' --as lead

  same 'for the user' "$(team-recv --json | texts)"
  same 'for backend' "$(TEAM_MEMBER=backend team-recv --json | texts)"
}

@test "leaves messages where they are with --peek" {
  three_for_backend

  team-recv --as backend --peek >first
  team-recv --as backend --peek >second

  same "$(cat ids)" "$(cut -f1 first)"
  cmp first second
  same pending "$(team-send --status "$(head -1 ids)" | cut -f2)"
  team-recv --as backend >third
  cmp first third
}

@test "takes only messages of a sender with --from, and of a type with --type" {
  three_for_backend
  team-send --broadcast 'four' --as lead

  same two "$(team-recv --as backend --from frontend --json | texts)"
  same four "$(team-recv --as backend --type broadcast --json | texts)"
  same three "$(team-recv --as backend --from lead --type message --peek --json | texts | tail -1)"
  same $'one\nthree' "$(team-recv --as backend --json | texts)"
}

@test "exits 1 when none fits, and takes none" {
  three_for_backend

  run --separate-stderr team-recv --as backend --from tester
  as_expected 1 '' 'team-recv: no: no message'

  run --separate-stderr team-recv --as backend --type broadcast --peek
  as_expected 1 '' 'team-recv: no: no message'
  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}

@test "takes no more than --max, the oldest ones" {
  three_for_backend

  same $'one\ntwo' "$(team-recv --as backend --max 2 --json | texts)"
  team-send backend 'four' --as lead
  same three "$(team-recv --as backend --max 1 --json | texts)"
  same four "$(team-recv --as backend --max 9 --json | texts)"
}

@test "loses none and repeats none however they are taken" {
  make_team
  senders=(lead frontend tester)
  RANDOM=7

  for i in {1..120}; do
    for name in "${senders[@]}"; do team-send backend "$i" --as "$name" >>sent; done
    case $((RANDOM % 5)) in
      0) team-recv --as backend --max 1 ;;
      1) team-recv --as backend --max 2 --from "${senders[RANDOM % 3]}" ;;
      2) team-recv --as backend --max 3 --hold | tee held; cut -f1 held | xargs team-ack --as backend ;;
      3) team-recv --as backend --max 3 >/dev/full || true ;;
      4) team-recv --as backend --max 2 --from "${senders[RANDOM % 3]}" >/dev/full || true ;;
    esac
  done >received 2>errors
  team-recv --as backend >>received

  diff <(sort sent) <(cut -f1 received | sort) >difference
}

@test "holds messages with --hold until they are acknowledged" {
  three_for_backend

  team-recv --as backend --hold >held
  same "$(cat ids)" "$(cut -f1 held)"
  run --separate-stderr team-recv --as backend
  as_expected 1 '' 'team-recv: no: no message'

  xargs team-ack --as backend <ids
  run --separate-stderr team-recv --as backend
  as_expected 1 '' 'team-recv: no: no message'
}

@test "delivers messages held by an earlier run of the member to the next run" {
  three_for_backend

  TEAM_RUN_ID=run-1 team-recv --as backend --hold
  TEAM_RUN_ID=run-1 run --separate-stderr team-recv --as backend
  same 1 "$status"

  TEAM_RUN_ID=run-2 team-recv --as backend >again
  same "$(cat ids)" "$(cut -f1 again)"
}

@test "holds as many batches as one likes" {
  make_team
  for i in {1..20}; do team-send backend "$i" --as lead; done >ids

  for i in {1..20}; do team-recv --as backend --hold --max 1; done >held

  same "$(cat ids)" "$(cut -f1 held)"
  xargs team-ack --as backend <ids
}

@test "waits for a message with --wait" {
  make_team
  start_asleep team-recv --as backend --wait

  id=$(team-send backend 'wake up' --as lead)

  ended 0 "$id"$'\tlead\tmessage\twake up' ''
}

@test "keeps waiting when a message does not match" {
  make_team
  start_asleep team-recv --as backend --wait=20 --from frontend

  team-send backend 'not this' --as lead
  id=$(team-send backend 'this' --as frontend)

  ended 0 "$id"$'\tfrontend\tmessage\tthis' ''
  same 'not this' "$(waiting_for backend)"
}

@test "wakes by a line that another program appends" {
  make_team
  start_asleep team-recv --as backend --wait --json

  echo '{"type":"message","sender":"lead","content":"by echo","timestamp":1}' | write_to backend

  wait "$STARTED"
  same 'by echo' "$(texts <out)"
}

@test "wakes where the file system cannot notify" {
  make_team
  export TEAM_NOTIFY=poll
  start team-recv --as backend --wait
  wait_until grep -qs '^State:.S' "/proc/$STARTED/status"
  run ! grep -qs '^inotify wd' "/proc/$STARTED"/fdinfo/*

  id=$(team-send backend 'wake up' --as lead)

  ended 0 "$id"$'\tlead\tmessage\twake up' ''
}

@test "returns at once with --wait if there is a message" {
  three_for_backend

  same $'one\ntwo\nthree' "$(team-recv --as backend --wait --json | texts)"
}

@test "exits 1 if nothing comes within --wait=SECONDS or --wait SECONDS" {
  make_team

  run --separate-stderr team-recv --as backend --wait=50ms
  as_expected 1 '' 'team-recv: no: no message'

  run --separate-stderr team-recv --wait 50ms --as backend
  as_expected 1 '' 'team-recv: no: no message'

  run --separate-stderr team-recv --as backend --wait .05
  as_expected 1 '' 'team-recv: no: no message'

  TEAM_NOTIFY=poll run --separate-stderr team-recv --as backend --wait=50ms --json
  as_expected 1 '' '{"status":"error","code":"no","error":"no message"}'
}

@test "prints each message as it comes with --follow and acknowledges it" {
  make_team
  first=$(team-send backend 'one' --as lead)
  start_asleep team-recv --as backend --follow
  wait_until has_lines out 1

  second=$(team-send backend 'two' --as lead)
  wait_until has_lines out 2
  stop

  same "$first"$'\tlead\tmessage\tone\n'"$second"$'\tlead\tmessage\ttwo' "$(cat out)"
  wait_until test "$(team-send --status "$first" | cut -f2)" == processed
}

@test "ends --follow after --max messages" {
  make_team
  start_asleep team-recv --as backend --follow --max 2 --json

  team-send backend 'one' --as lead
  team-send backend 'two' --as lead
  team-send backend 'three' --as lead

  wait "$STARTED"
  same $'one\ntwo' "$(texts <out)"
  same three "$(waiting_for backend)"
}

@test "follows only matching messages" {
  make_team
  start_asleep team-recv --as backend --follow --max 1 --from frontend --json

  team-send backend 'one' --as lead
  team-send backend 'two' --as frontend

  wait "$STARTED"
  same two "$(texts <out)"
  same one "$(waiting_for backend)"
}

@test "delivers again the messages that a reader that left did not get" {
  three_for_backend

  run bash -c 'exec 7> >(true); wait $!; team-recv --as backend >&7'

  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}

@test "exits 74 when the messages cannot be written, and delivers them again" {
  three_for_backend

  run --separate-stderr bash -c 'team-recv --as backend >/dev/full'
  as_expected 74 '' 'team-recv: io: cannot write to stdout: No space left on device'

  run --separate-stderr bash -c 'team-recv --as backend --hold >/dev/full'
  refused 74 'team-recv: io: *'

  run --separate-stderr bash -c 'team-recv --as backend --max 1 >/dev/full'
  refused 74 'team-recv: io: *'
  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}

@test "exits 74 when nobody reads the messages, and delivers them again" {
  three_for_backend
  exec 5> >(exec true)
  wait $!

  run --separate-stderr bash -c 'team-recv --as backend >&5'
  as_expected 74 '' 'team-recv: io: cannot write to stdout: Broken pipe'

  run --separate-stderr bash -c 'team-recv --as backend --wait >&5'
  refused 74 'team-recv: io: *'
  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}

@test "exits 74 when it peeks and cannot write" {
  three_for_backend

  run --separate-stderr bash -c 'team-recv --as backend --peek >/dev/full'

  as_expected 74 '' 'team-recv: io: cannot write to stdout: No space left on device'
}

@test "delivers the messages of a killed reader again, before all others" {
  three_for_backend
  head -c 300000 /dev/zero | tr '\0' x | team-send backend --as lead >>ids
  # Nobody reads this pipe: the reader blocks in the middle of a write.
  mkfifo slow
  exec 7<>slow
  team-recv --as backend >slow 3>&- 7>&- &
  reader=$!
  wait_until test -e .teams/alpha/backend_taken.jsonl
  kill -KILL "$reader"
  wait "$reader" || true
  exec 7>&-
  team-send backend 'five' --as lead >>ids

  team-recv --as backend | cut -f1 >received

  same "$(cat ids)" "$(cat received)"
}

@test "shows with --peek the messages that a dead reader had taken" {
  three_for_backend
  team-recv --as backend >/dev/full || true

  run --separate-stderr team-recv --as backend --peek

  same 0 "$status"
  same "$(cat ids)" "$(cut -f1 <<<"$output")"
}

@test "takes the first of 100,000 messages, and the next" {
  make_team
  awk 'BEGIN {
    for (i = 1; i <= 100000; i++)
      printf "{\"id\":\"01JD0V8Z7Q4M3N2B1A%08d\",\"type\":\"message\",\"sender\":\"lead\",\"recipient\":\"backend\",\"content\":\"%d\",\"summary\":\"%d\",\"timestamp\":1}\n", i, i, i
  }' >.teams/alpha/backend_inbox.jsonl

  same 1 "$(team-recv --as backend --max 1 --json | texts)"
  same 2 "$(team-recv --as backend --max 1 --json | texts)"
  last=$(team-send backend 'the last' --as lead)
  same 3 "$(team-recv --as backend --max 1 --json | texts)"
  same pending "$(team-send --status "$last" | cut -f2)"
  team-recv --as backend | cut -f4 >rest
  same "$(seq 4 100000; echo 'the last')" "$(cat rest)"
}

@test "adds an id and a summary to a line that another program appended" {
  make_team

  flock .teams/alpha/backend_inbox.lock sh -c \
    'echo "{\"type\":\"message\",\"sender\":\"lead\",\"content\":\"by flock\",\"timestamp\":1.5}" >>.teams/alpha/backend_inbox.jsonl'

  team-recv --as backend --hold --json >received
  same '["message","lead","backend","by flock","by flock",1.5]' \
    "$(jq -c '[.type, .sender, .recipient, .content, .summary, .timestamp]' received)"
  id=$(jq -r .id received)
  [[ $id =~ ^[0-9A-Z]{26}$ ]]
  team-ack "$id" --as backend
}

@test "gives a line without an id the same id each time it is delivered" {
  make_team
  echo '{"type":"message","sender":"lead","content":"by echo","timestamp":1}' | write_to backend

  TEAM_RUN_ID=first team-recv --as backend --hold --json >first
  TEAM_RUN_ID=second team-recv --as backend --hold --json >second
  TEAM_RUN_ID=third team-recv --as backend --json >third

  cmp first second
  cmp first third
}

@test "keeps the keys of others" {
  make_team
  echo '{"type":"message","sender":"lead","content":"hello","timestamp":1,"colour":"red"}' | write_to backend

  same red "$(team-recv --as backend --json | jq -r .colour)"
}

@test "sets aside invalid lines, with the reason, and delivers the lines around them" {
  make_team
  team-send backend 'first' --as lead
  write_to backend <<'EOF'
garbage
{"type":"message","sender":"lead","content":"torn
[1,2]
{"type":"banana","sender":"lead","content":"no such type","timestamp":1}
{"type":"message","sender":"../lead","content":"no such name","timestamp":1}
{"type":"message","sender":"lead","content":7,"timestamp":1}
{"type":"message","sender":"lead","content":"fine","timestamp":1}

EOF
  printf '{"type":"message","sen\xff' | write_to backend
  team-send backend 'last' --as lead

  team-recv --as backend --json 2>errors | texts >received

  same $'first\nfine\nlast' "$(cat received)"
  same '' "$(cat errors)"
  same 7 "$(wc -l <.teams/alpha/backend_rejected.jsonl)"
  same '"garbage"' "$(head -1 .teams/alpha/backend_rejected.jsonl | jq -c .line)"
  jq -e '(.reason | length) > 0 and (now - .timestamp) < 60' .teams/alpha/backend_rejected.jsonl
  [ ! -e .teams/alpha/backend_inbox.jsonl ]
}

@test "sets a line aside once, however often it is looked at" {
  make_team
  team-send backend 'first' --as lead
  echo garbage | write_to backend

  for _ in 1 2; do
    team-recv --as backend --peek || true
    team-recv --as backend --from tester || true
    team-recv --as backend >/dev/full || true
  done
  team-recv --as backend

  same 1 "$(wc -l <.teams/alpha/backend_rejected.jsonl)"
}

@test "delivers a torn last line that is whole but for its newline" {
  make_team
  printf '{"type":"message","sender":"lead","content":"no newline","timestamp":1}' | write_to backend

  same 'no newline' "$(team-recv --as backend --json | texts)"
  [ ! -e .teams/alpha/backend_rejected.jsonl ]
}

@test "exits 1 when there are but lines that are no messages" {
  make_team
  printf 'garbage\n{"torn":' | write_to backend

  run --separate-stderr team-recv --as backend

  as_expected 1 '' 'team-recv: no: no message'
  same 2 "$(wc -l <.teams/alpha/backend_rejected.jsonl)"
}

@test "records that a message was delivered and processed" {
  make_team
  id=$(team-send backend 'hello' --as lead)

  team-recv --as backend

  same $'MESSAGE_SENT\nMESSAGE_DELIVERED\nMESSAGE_PROCESSED' \
    "$(jq -r --arg id "$id" 'select(.event.message_id == $id) | .event.type' .teams/alpha/events.jsonl)"
}

@test "exits 2 for wrong options and operands" {
  three_for_backend

  run --separate-stderr team-recv backend
  as_expected 2 '' "team-recv: usage: unexpected operand 'backend' (try team-recv --help)"

  run --separate-stderr team-recv --as backend --max many
  as_expected 2 '' "team-recv: usage: --max: 'many' is not a whole number"

  run --separate-stderr team-recv --as backend --max -1
  refused 2 'team-recv: usage: --max: *'

  run --separate-stderr team-recv --as backend --max 0
  refused 2 'team-recv: usage: --max*'

  run --separate-stderr team-recv --as backend --wait=soon
  refused 2 'team-recv: usage: --wait: *'

  run --separate-stderr team-recv --as backend --wait 5x
  refused 2 "team-recv: usage: --wait: '5x' is not a time*"

  run --separate-stderr team-recv --as backend --wait soon
  refused 2 "team-recv: usage: unexpected operand 'soon'*"

  run --separate-stderr team-recv --as backend --wait 1 --wait=2
  refused 2 'team-recv: usage: --wait is given twice'

  run --separate-stderr team-recv --as backend --wait -- 1
  refused 2 "team-recv: usage: unexpected operand '1'*"

  run --separate-stderr team-recv --as backend --type banana
  refused 2 'team-recv: usage: *'

  run --separate-stderr team-recv --as backend --peek --hold
  as_expected 2 '' 'team-recv: usage: --peek and --hold cannot be combined'

  run --separate-stderr team-recv --as backend --peek --follow
  as_expected 2 '' 'team-recv: usage: --peek and --follow cannot be combined'

  run --separate-stderr team-recv --bogus
  as_expected 2 '' "team-recv: usage: unknown option '--bogus' (try team-recv --help)"
  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}

@test "exits 3 for a caller that is not a member, and makes no file" {
  make_team
  ls -A .teams/alpha >before

  run --separate-stderr team-recv --as bakend
  as_expected 3 '' "team-recv: not_found: no member 'bakend' in team alpha; did you mean backend?"

  run --separate-stderr team-recv --as backend -t beta
  as_expected 3 '' "team-recv: not_found: no team 'beta'; there is alpha"
  same "$(cat before)" "$(ls -A .teams/alpha)"
}

@test "lets an agent read no mail but its own" {
  three_for_backend

  TEAM_MEMBER=frontend run --separate-stderr team-recv --as backend
  as_expected 7 '' 'team-recv: permission_denied: you are frontend (TEAM_MEMBER) and cannot act as backend'

  TEAM_MEMBER=frontend run --separate-stderr team-recv --as backend --peek
  refused 7 '*'
  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}

@test "exits 9 for a broken configuration" {
  three_for_backend
  echo '{' >.teams/alpha/config.json

  run --separate-stderr team-recv --as backend

  refused 9 'team-recv: corrupt: .teams/alpha/config.json:*'
}

@test "delivers the messages around one whose large text is gone" {
  make_team
  team-send backend 'before' --as lead
  large=$(head -c 100000 /dev/zero | tr '\0' x | team-send backend --as lead)
  team-send backend 'after' --as lead
  rm ".teams/alpha/bodies/$large"

  team-recv --as backend --json >received || true
  team-recv --as backend --json >>received || true

  same $'before\nafter' "$(grep -v "$large" received | texts)"
  run --separate-stderr team-recv --as backend
  as_expected 1 '' 'team-recv: no: no message'
}

@test "exits 74 and takes nothing when nothing can be written" {
  three_for_backend
  read_only .teams

  run --separate-stderr team-recv --as backend
  refused 74 'team-recv: io: *'

  same "$(cat ids)" "$(team-recv --as backend --peek | cut -f1)"
}

# write_long COUNT: sends so many messages to backend, more than fit into a file of half a megabyte.
write_long() {
  jq -nc --argjson count "$1" \
    'range($count) | {type: "message", sender: "lead", content: ("x" * 10000), timestamp: 1}' | write_to backend
}

@test "exits 76 when it fails after it has shown some, and gives the others to the next reader" {
  make_team
  jq -nc 'range(500) | {type: "message", sender: "lead", content: "short", timestamp: 1}' | write_to backend
  write_long 100

  run --separate-stderr prlimit --fsize=700000 team-recv --as backend

  same 76 "$status"
  same 500 "${#lines[@]}"
  same "team-recv: unknown: the change is made, but cannot write in '.teams/alpha': File too large" "$stderr"
  same 100 "$(team-recv --as backend | wc -l)"
}

@test "exits 74 when it cannot hold them, and gives them to the next reader" {
  make_team
  write_long 100
  team-recv --as backend --hold >/dev/null
  team-send backend 'held as well' --as lead >/dev/null
  team-recv --as backend --hold >/dev/null
  team-send backend 'not shown' --as lead >/dev/null

  run --separate-stderr prlimit --fsize=500000 team-recv --as backend --hold

  as_expected 74 '' "team-recv: io: cannot write in '.teams/alpha': File too large"
  same 'not shown' "$(team-recv --as backend --json | texts)"
}

@test "exits 75 and takes nothing when the lock of the inbox is not had in time" {
  three_for_backend
  hold .teams/alpha/backend_inbox.lock

  run --separate-stderr team-recv --as backend --lock-timeout 50ms

  refused 75 "team-recv: again: cannot lock '.teams/alpha/backend_inbox.lock': *"
  let_go
  same "$(cat ids)" "$(team-recv --as backend | cut -f1)"
}
