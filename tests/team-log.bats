load helper
load trouble
load mail

types() { jq -r .event.type; }

@test "prints one line for each event: number, time, member, type, details" {
  team-create alpha
  team-join backend
  task-create 'first' --as lead

  run --separate-stderr team-log

  same 0 "$status"
  same '' "$stderr"
  same $'1\tuser\tTEAM_CREATED\tlead=lead board=.tasks\n2\tuser\tMEMBER_JOINED\tmember=backend\n3\tlead\tTASK_CREATED\t#1 first' \
    "$(cut -f1,3- <<<"$output")"
  [[ $(cut -f2 <<<"${lines[0]}") =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}$ ]]
}

@test "prints the envelopes with --json" {
  make_team
  TEAM_RUN_ID=run-7 task-create 'first' --as lead

  team-log --json >seen

  cmp seen .teams/alpha/events.jsonl
  same '[5,"alpha","lead","leader","run-7","TASK_CREATED",true]' \
    "$(tail -1 seen | jq -c '[.seq, .team_id, .agent_id, .role_name, .run_id, .event.type, (now - .timestamp) < 60]')"
}

@test "knows every change to the board" {
  make_team
  task-create 'first'
  task-create 'second' --blocked-by 1 --owner frontend
  task-claim 1 --as backend
  task-update 1 --priority 1 --as backend
  task-release 1 --as backend
  task-claim 1 --as backend
  task-fail 1 --as backend
  task-update 1 --status pending --as lead
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-delete 2

  team-log --after 4 --json | types | grep ^TASK >seen

  same 'TASK_CREATED TASK_CREATED TASK_CLAIMED TASK_UPDATED TASK_RELEASED TASK_CLAIMED TASK_FAILED TASK_REOPENED TASK_CLAIMED TASK_COMPLETED TASK_UNBLOCKED TASK_DELETED' \
    "$(xargs <seen)"
}

@test "knows every change to the team and its mail" {
  make_team
  team-config exchange.limit 3
  team-leave tester
  team-send backend 'hello' --as lead
  team-recv --as backend
  plan=$(plan-submit 'mine' --as backend)
  plan-approve "$plan"
  team-send backend --type shutdown_request --as lead

  team-log --after 4 --json | types >seen

  for type in MEMBER_LEFT MESSAGE_SENT MESSAGE_DELIVERED MESSAGE_PROCESSED PLAN_SUBMITTED PLAN_APPROVED SHUTDOWN_REQUESTED; do
    grep -qx "$type" seen
  done
  grep -q CONFIG seen || grep -q SETTING seen
  gapless
}

@test "prints each changed field with its old and new value, and the reason" {
  make_team
  task-create 'first'
  task-claim 1 --as backend
  task-fail 1 --reason 'no disk' --as backend

  team-log --type TASK_FAILED --json >seen

  same '[["in_progress","failed"],"no disk"]' "$(jq -c '[.event.changes.status, .event.reason]' seen)"
  like '*no disk*' "$(team-log --type TASK_FAILED)"
}

@test "prints only events after --after" {
  make_team
  task-create 'first'

  same '4 5' "$(team-log --after 3 | cut -f1 | xargs)"
  same '' "$(team-log --after 5)"
  same '' "$(team-log --after 999)"
}

@test "prints only events of --agent, of --type, and not older than --since" {
  make_team
  task-create 'first' --as lead
  team-send lead 'hello' --as backend

  same 'TASK_CREATED' "$(team-log --agent lead --json | types)"
  same 'lead' "$(team-log --type TASK_CREATED | cut -f3)"
  same '' "$(team-log --type TASK_CREATED --agent backend)"
  same 6 "$(team-log --since 1h | wc -l)"
  sed -i 's/"timestamp":[0-9.]*/"timestamp":1000.5/' .teams/alpha/events.jsonl
  task-create 'second'
  same 7 "$(team-log --since 5m | cut -f1)"
}

@test "follows with -f and prints each event as it comes" {
  team-create alpha
  start_asleep team-log -f --json
  wait_until has_lines out 1

  team-join backend
  wait_until has_lines out 2
  task-create 'first'
  wait_until has_lines out 3
  stop

  same 'TEAM_CREATED MEMBER_JOINED TASK_CREATED' "$(types <out | xargs)"
}

@test "follows only matching events, and only events after --after" {
  team-create alpha
  start_asleep team-log -f --after 1 --type MEMBER_JOINED --json

  task-create 'first'
  team-join backend
  wait_until has_lines out 1
  stop

  same MEMBER_JOINED "$(types <out)"
}

@test "follows where the file system cannot notify" {
  team-create alpha
  export TEAM_NOTIFY=poll
  start team-log -f
  wait_until has_lines out 1

  team-join backend

  wait_until has_lines out 2
  stop
}

has_ended_after_one_more() {
  task-create 'one more' >/dev/null
  ! kill -0 "$STARTED" 2>/dev/null
}

@test "ends when its reader has gone" {
  team-create alpha
  start bash -c 'team-log -f | head -2'

  wait_until has_ended_after_one_more

  same '1 2' "$(cut -f1 out | xargs)"
}

@test "notices no rotation, with --after and with -f" {
  export TEAM_EVENTS_ROTATE=2000
  make_team
  start_asleep team-log -f --json --after 2
  for i in {1..40}; do task-create "task $i"; done >ids

  (($(ls .teams/alpha/events-*.jsonl | wc -l) > 2))
  gapless
  same "$(seq 44)" "$(team-log | cut -f1)"
  same "$(seq 21 44)" "$(team-log --after 20 | cut -f1)"
  wait_until has_lines out 42
  stop
  same "$(seq 3 44)" "$(jq .seq out)"
}

@test "goes on after a rotation that was cut short" {
  make_team
  mv .teams/alpha/events.jsonl .teams/alpha/events-1.jsonl

  task-create 'first'

  gapless
  same '1 2 3 4 5' "$(team-log | cut -f1 | xargs)"
}

@test "passes over a torn last line, and the next event takes its place" {
  make_team
  printf '{"seq":5,"timestamp":17' >>.teams/alpha/events.jsonl

  run --separate-stderr team-log
  same '' "$stderr"
  same 4 "${#lines[@]}"

  task-create 'first'
  gapless
  same TASK_CREATED "$(team-log --after 4 --json | types)"
}

@test "counts on after a line that somebody else wrote" {
  make_team
  echo garbage >>.teams/alpha/events.jsonl

  task-create 'first'

  same '1 2 3 4 5' "$(team-log | cut -f1 | xargs)"
}

@test "numbers events without a gap when writers are killed" {
  make_team
  for round in {1..15}; do
    pids=()
    for i in 1 2 3 4; do
      task-create "task" >/dev/null 2>&1 3>&- &
      pids+=($!)
    done
    kill -KILL "${pids[@]}" 2>/dev/null || true
    wait "${pids[@]}" 2>/dev/null || true
  done

  task-create 'last'

  gapless
}

@test "exits 2 for wrong options" {
  make_team

  run --separate-stderr team-log --after x
  as_expected 2 '' "team-log: usage: --after: 'x' is not a whole number"

  run --separate-stderr team-log --since yesterday
  refused 2 'team-log: usage: --since: *'

  run --separate-stderr team-log alpha
  as_expected 2 '' "team-log: usage: unexpected operand 'alpha' (try team-log --help)"
}

@test "exits 3 without a team" {
  task-create 'only a board'

  run --separate-stderr team-log

  refused 3 'team-log: not_found: no team *'
}

@test "exits 9 for a broken configuration, and for a line that has a number and is broken" {
  make_team
  echo '{"seq":5,}' >>.teams/alpha/events.jsonl

  run --separate-stderr team-log
  same 9 "$status"
  like 'team-log: corrupt: *events.jsonl*' "$stderr"

  echo '{' >.teams/alpha/config.json
  run --separate-stderr team-log
  refused 9 'team-log: corrupt: .teams/alpha/config.json:*'
}

@test "works on a read-only store" {
  make_team
  read_only .teams

  same 4 "$(team-log | wc -l)"
}

@test "exits 74 if it cannot be written" {
  make_team

  run --separate-stderr bash -c 'team-log >/dev/full'
  as_expected 74 '' 'team-log: io: cannot write to stdout: No space left on device'

  run --separate-stderr bash -c 'team-log -f >/dev/full'
  as_expected 74 '' 'team-log: io: cannot write to stdout: No space left on device'
}

@test "exits 2 for a type that no event has, with the types that are near" {
  make_team

  run --separate-stderr team-log --type nosuch
  as_expected 2 '' "team-log: usage: no event type 'nosuch'; team-log(1) lists the types"

  run --separate-stderr team-log --type TASK_COMPLETE
  as_expected 2 '' "team-log: usage: no event type 'TASK_COMPLETE'; did you mean TASK_COMPLETED?"

  run --separate-stderr team-log -f --type member_joined
  as_expected 2 '' "team-log: usage: no event type 'member_joined'; did you mean MEMBER_JOINED?"
}

@test "the page lists the types that the sources record, and --type takes them all" {
  make_team
  page=$(sed -n '/^The event types are/,/^\.Pp/p' "$PROJECT/man/team-log.1" | grep -oE '[A-Z]+(_[A-Z]+)+' | sort)
  recorded=$(grep -rhoE --include=*.cc --include=*.h '"[A-Z]+(_[A-Z]+)+"' "$PROJECT"/{libteam,cmd} | tr -d '"' | sort -u |
    grep -xE '(TASK|MEMBER|MESSAGE|RUN|STEP|TEXT_MESSAGE|TOOL_CALL|PLAN|PERMISSION|SHUTDOWN|EXCHANGE|QUOTA|SETTING|HOOK)_.*|TEAM_(CREATED|FINISHED|RUN_ENDED)' |
    grep -vxE 'TASK_(ID|FILE)')

  same "$(sort <<<"$recorded")" "$page"
  for type in $page; do team-log --type "$type" --agent lead; done
}

@test "exits 3 for an agent that is neither a member nor in the log" {
  make_team
  task-create 'first' --as stranger

  run --separate-stderr team-log --agent bakend
  as_expected 3 '' "team-log: not_found: no member 'bakend' in team alpha; did you mean backend?"

  same TASK_CREATED "$(team-log --agent stranger --json | types)"
  same '' "$(team-log --agent tester)"
  same '' "$(team-log --agent bakend --after 2)"
}
