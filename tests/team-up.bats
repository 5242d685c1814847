load helper
load mail
load teammates

# describe ROLES [TASKS [MORE]]: writes team.json, for a team alpha.
describe() {
  printf '{"team": "alpha", "roles": %s, "tasks": %s%s}\n' "$1" "${2:-[]}" "${3:+, $3}" >team.json
}

# The migration to GraphQL: four tasks, each blocked by the one before.
describe_migration() {
  cat >team.json <<'END'
{
  "team": "alpha",
  "roles": {
    "analyst": {"prompt": "You read what is there.", "command": "echo \"$TASK_ID $TEAM_MEMBER\" >>order; echo 14 endpoints"},
    "backend": {"command": "echo \"$TASK_ID $TEAM_MEMBER\" >>order; cat >>backend.prompt"},
    "frontend": {"command": "echo \"$TASK_ID $TEAM_MEMBER\" >>order"}
  },
  "tasks": [
    {"key": "analyse", "subject": "Analyze REST endpoints", "role": "analyst"},
    {"key": "schema", "subject": "Design GraphQL schema", "role": "backend", "blockedBy": ["analyse"]},
    {"key": "resolvers", "subject": "Implement resolvers", "role": "backend", "blockedBy": ["schema"]},
    {"subject": "Update frontend", "role": "frontend", "blockedBy": ["resolvers"]}
  ]
}
END
}

# events TYPE [FILTER]: of the log, by jq.
events() {
  team-log --type "$1" --json | jq -r "${2:-.}"
}

# messages_to NAME TYPE: how many of them were sent.
messages_to() {
  events MESSAGE_SENT "select(.event.recipient == \"$1\" and .event.message_type == \"$2\") | .seq" | wc -l
}

# nothing_made: not even a store.
nothing_made() {
  same '' "$(find . -name .teams -o -name .tasks)"
}

# no_team: and no task; the folders of an empty store may exist.
no_team() {
  same '' "$(find . -path './.te*/*' ! -name '.*' -o -path './.ta*/*' ! -name '.*')"
}

# contents: of every file except locks.
contents() {
  find .teams .tasks -type f ! -name '*.lock' -exec sha256sum {} + | sort
}

@test "prints the created team, tasks and teammates, which then run" {
  describe '{"coder": {"command": "tail -f /dev/null"}, "tester": {"command": "true"}}' \
    '[{"subject": "one", "role": "coder"}, {"subject": "two"}]' '"teammates": {"coder": 2, "tester": 1}'

  run --separate-stderr team-up team.json

  as_expected 0 $'team\talpha\ntask\t1\ntask\t2\nteammate\tcoder-1\nteammate\tcoder-2\nteammate\ttester-1' ''
  wait_until task_is 1 in_progress
  for name in coder-1 coder-2 tester-1; do is_held ".teams/alpha/$name.alive"; done
}

@test "makes the team as the file says" {
  cat >team.json <<'END'
{
  "team": "alpha", "lead": "boss", "board": "work",
  "settings": {"tasks.perMember": 2, "teammate.mode": "background", "tasks.lease": "5m"},
  "roles": {"coder": {"command": "true", "prompt": "You write code.", "mine": [1]}, "tester": {}},
  "teammates": {"coder": 1},
  "tasks": [
    {"key": "a", "subject": "one", "priority": 2, "description": "d", "owner": "boss"},
    {"subject": "two", "blockedBy": ["a"]}
  ]
}
END

  run --separate-stderr team-up team.json

  as_expected 0 $'team\talpha\ntask\t1\ntask\t2\nteammate\tcoder-1' \
    "team-up: warning: team.json: key 'roles.coder.mine' has no effect"
  same '["boss","coder-1"]' "$(jq -c '[.members[].name]' .teams/alpha/config.json)"
  same '{"coder":{"command":"true","prompt":"You write code.","mine":[1]},"tester":{}}' \
    "$(jq -c .roles .teams/alpha/config.json)"
  same '2 background 300' "$(jq -r '.settings | [.[]] | join(" ")' .teams/alpha/config.json)"
  same 'boss work' "$(jq -r '[.lead, .board] | join(" ")' .teams/alpha/config.json)"
  same '["one",2,"d","boss"]' "$(jq -c '[.subject, .priority, .description, .owner]' work/1.json)"
  same '[1]' "$(jq -c .blockedBy work/2.json)"
  same $'team\talpha' "$(events TEAM_CREATED '["team", .team_id] | join("\t")')"
}

@test "--wait works off the migration to GraphQL in order and leaves nobody running" {
  describe_migration

  run --separate-stderr team-up team.json --wait

  same 0 "$status"
  same $'team\talpha\ntask\t1\ntask\t2\ntask\t3\ntask\t4\nteammate\tanalyst-1\nteammate\tbackend-1\nteammate\tfrontend-1' "$output"
  same $'1 analyst-1\n2 backend-1\n3 backend-1\n4 frontend-1' "$(cat order)"
  same $'1\n2\n3\n4' "$(events TASK_COMPLETED .event.task_id)"
  same '14 endpoints' "$(field 1 result)"
  grep -qF '14 endpoints' backend.prompt
  same $'shutdown\nshutdown\nshutdown' "$(teammate-list --json | jq -r .state)"
  wait_until nothing_left
}

@test "--wait reports changes of tasks on stderr" {
  describe '{"coder": {"command": "echo fine"}}' '[{"subject": "one"}]'

  run --separate-stderr team-up team.json --wait

  same 0 "$status"
  like '*[0-9][0-9]:[0-9][0-9]:[0-9][0-9] coder-1 TASK_CLAIMED #1 one*' "$stderr"
  like '*[0-9][0-9]:[0-9][0-9]:[0-9][0-9] coder-1 TASK_COMPLETED #1 one (fine)*' "$stderr"
}

@test "the lead is told once that all are idle, also while they go home one by one" {
  describe_migration

  for round in {1..5}; do
    team-up team.json --wait >out 2>errors

    same 1 "$(messages_to lead all_idle)"
    same "[All Idle] All agents are idle. Review task board status and decide next steps — assign new tasks, check results." \
      "$(team-recv --as lead --json | jq -r 'select(.type == "all_idle").content' | head -1)"
    team-delete alpha
  done
}

@test "a teammate that shuts down begins no new idle period" {
  describe '{"coder": {"command": "true"}}' '[]' '"teammates": {"coder": 3}'
  team-up team.json
  wait_until test -e .teams/alpha/.all_idle
  before=$(stat -c '%i %y' .teams/alpha/.all_idle)

  teammate-stop coder-2

  same "$before" "$(stat -c '%i %y' .teams/alpha/.all_idle)"
  same 1 "$(messages_to lead all_idle)"
}

@test "each teammate answers the request to shut down by the same id" {
  describe_migration

  team-up team.json --wait >out 2>errors

  same 3 "$(find .teams/alpha/requests -name '*.json' | wc -l)"
  for name in analyst-1 backend-1 frontend-1; do
    id=$(events SHUTDOWN_REQUESTED "select(.event.recipient == \"$name\") | .event.request_id")
    same "$id" "$(events SHUTDOWN_APPROVED "select(.event.sender == \"$name\") | .event.request_id")"
    same "[\"shutdown\",\"user\",\"$name\",\"approved\",\"$name\"]" \
      "$(jq -c '[.kind, .from, .to, .status, .answeredBy]' ".teams/alpha/requests/$id.json")"
    same 'asked to by user' "$(state_of "$name" .reason)"
  done
}

@test "--wait exits 1 with a line for each task that is not completed and why" {
  describe '{"good": {"command": "true"}, "bad": {"command": "echo no luck >&2; exit 3", "limits": {"retries": 1}}}' \
    '[{"subject": "one", "role": "good"}, {"key": "two", "subject": "two", "role": "bad"},
      {"subject": "three", "role": "good", "blockedBy": ["two"]}]'

  run --separate-stderr team-up team.json --wait

  same 1 "$status"
  same "team-up: no: task 2 'two': failed at bad-1: exit status 3: no luck
team-up: no: task 3 'three': waits for #2 'two', which failed: exit status 3: no luck" "$(grep '^team-up: ' <<<"$stderr")"
  same 'completed failed pending' "$(task-list | cut -f2 | xargs)"
  same 2 "$(field 2 attempts)"
  wait_until nothing_left
}

@test "--wait exits 1 when the command of a role does not exist" {
  describe '{"coder": {"command": "no-such-command"}}' '[{"subject": "one"}, {"subject": "two"}]'

  run --separate-stderr team-up team.json --wait

  same 1 "$status"
  like "*team-up: no: task 1 'one': *no-such-command: not found*" "$stderr"
  like "*team-up: no: task 2 'two': *" "$stderr"
  same error "$(state_of coder-1 .state)"
  wait_until nothing_left
}

@test "a teammate that cannot work does not stop the others" {
  describe '{"coder": {"command": "no-such-command"}, "tester": {"command": "true"}}' \
    '[{"subject": "one", "role": "coder"}, {"subject": "two", "role": "tester"}, {"subject": "three", "role": "tester"}]'

  run --separate-stderr team-up team.json --wait

  same 1 "$status"
  same 1 "$(grep -c '^team-up: no: ' <<<"$stderr")"
  same 'pending completed completed' "$(task-list | cut -f2 | xargs)"
  wait_until nothing_left
}

@test "--wait ends when all teammates have died" {
  describe '{"coder": {"command": "tail -f /dev/null"}}' '[{"subject": "one"}, {"subject": "two"}]' '"teammates": {"coder": 2}'
  start team-up team.json --wait
  wait_until state_is coder-1 active
  wait_until state_is coder-2 active

  kill -KILL "$(state_of coder-1 .pid)" "$(state_of coder-2 .pid)"

  wait_until gone "$STARTED"
  status=0
  wait "$STARTED" || status=$?
  same 1 "$status"
  same 1 "$(grep -c "^team-up: no: task 1 'one': " errors)"
  same 1 "$(grep -c "^team-up: no: task 2 'two': " errors)"
  wait_until nothing_left
}

@test "another teammate of the role does the task of a dead one" {
  describe '{"coder": {"command": "[ -e second ] || { touch second; tail -f /dev/null; }"}}' '[{"subject": "one"}]' \
    '"teammates": {"coder": 2}'
  start team-up team.json --wait
  wait_until test -e second

  kill -KILL "$(jq -r "select(.state == \"active\").pid" .teams/alpha/coder-?.json)"

  wait_until gone "$STARTED"
  wait "$STARTED"
  same completed "$(field 1 status)"
  wait_until nothing_left
}

@test "--timeout gives up and ends everybody" {
  describe '{"coder": {"command": "setsid tail -f /dev/null & tail -f /dev/null"}, "tester": {"command": "true"}}' \
    '[{"subject": "one", "role": "coder"}, {"subject": "two", "role": "tester"}]'

  run --separate-stderr team-up team.json --wait --timeout 500ms

  same 1 "$status"
  like "*team-up: no: task 1 'one': *" "$stderr"
  same 'team-up: no: not done within --timeout' "${stderr_lines[-1]}"
  same 'pending completed' "$(task-list | cut -f2 | xargs)"
  wait_until nothing_left
}

@test "an interrupt ends everybody and exits 128+n" {
  local signal
  for signal in INT TERM HUP; do
    describe '{"coder": {"command": "setsid tail -f /dev/null & tail -f /dev/null"}, "tester": {"command": "true"}}' \
      '[{"subject": "one", "role": "coder"}]'
    start env --default-signal="$signal" team-up team.json --wait
    wait_until state_is coder-1 active

    kill -"$signal" "$STARTED"

    wait_until gone "$STARTED"
    status=0
    wait "$STARTED" || status=$?
    same $((128 + $(kill -l "$signal"))) "$status"
    wait_until nothing_left
    same pending "$(field 1 status)"
    team-delete alpha
    rm -r .tasks
  done
}

@test "Ctrl-C on a terminal leaves nobody running" {
  describe '{"coder": {"command": "tail -f /dev/null"}}' '[{"subject": "one"}]'
  mkfifo keys
  exec 9<>keys
  start bash -c 'exec env --default-signal=INT script -qec "team-up team.json --wait" /dev/null <keys'
  wait_until state_is coder-1 active

  printf '\003' >&9

  wait_until gone "$STARTED"
  exec 9>&-
  status=0
  wait "$STARTED" || status=$?
  same 130 "$status"
  wait_until nothing_left
}

@test "without --wait the teammates outlive the command and its terminal" {
  describe '{"coder": {"command": "true"}}'

  on_terminal 'team-up team.json' >seen

  wait_until sleeps coder-1
  same coder-1 "$(teammate-list --json | jq -r 'select(.state == "idle").name')"
  same 'teammate coder-1' "$(tail -1 seen | xargs)"
}

@test "exits 4 and changes nothing if the team exists" {
  describe '{"coder": {"command": "true"}}' '[{"subject": "one"}]'
  team-create Alpha
  task-create 'mine'
  contents >before

  run --separate-stderr team-up team.json --wait

  as_expected 4 '' 'team-up: conflict: team Alpha exists already'
  same "$(cat before)" "$(contents)"
  same $'config.json\nevents.jsonl\nevents.lock' "$(ls .teams/Alpha)"
}

@test "of two that make the same team at once one does, whole" {
  describe '{"coder": {"command": "true"}}' '[{"subject": "one"}]'
  for round in {1..5}; do
    team-up team.json --wait >out.1 2>err.1 3>&- &
    first=$!
    team-up team.json --wait >out.2 2>err.2 3>&- &
    second=$!
    results=()
    wait "$first" && results+=(0) || results+=($?)
    wait "$second" && results+=(0) || results+=($?)

    same '0 4' "$(printf '%s\n' "${results[@]}" | sort -n | xargs)"
    same 1 "$(task-list | wc -l)"
    same completed "$(task-list | cut -f2)"
    team-delete alpha
    rm -r .tasks
  done
}

@test "makes nothing of a file that is wrong" {
  local cases=0 text expected
  while IFS='|' read -r text expected; do
    printf '%s\n' "$text" >team.json

    run --separate-stderr team-up team.json

    refused 2 "team-up: usage: $expected"
    nothing_made
    cases=$((cases + 1))
  done <<'END'
|team.json:2:1: unexpected end of input*
{"team": "alpha"|team.json:2:1: unexpected end of input*
[]|team.json: not a JSON object
{}|team.json: 'team' must be the name of the team
{"team": 7}|team.json:1:2: 'team' must be a string
{"team": "../x"}|*'../x' is not a name*
{"team": "user"}|*'user' is reserved
{"team": "alpha", "team": "beta"}|team.json:1:19: duplicate key "team"
{"team": "alpha", "lead": "a b"}|*'a b' is not a name*
{"team": "alpha", "lead": "system"}|*'system' is reserved
{"team": "alpha", "board": "../x"}|*'../x' is not a folder beneath the root that can be a board
{"team": "alpha", "tasks": [], "task": []}|team.json:1:32: unknown key 'task'; did you mean tasks?
{"team": "alpha", "roles": {"coder": {"command": "x", "limits": {"timeout": "1s"}}}}|team.json: role coder*: unknown key 'timeout'; did you mean time?
{"team": "alpha", "roles": {"coder": {"command": "x", "retries": 1}}}|team.json: role coder*: unknown key 'retries'; did you mean limits.retries?
{"team": "alpha", "roles": {"coder": {"cmd": "x"}}, "teammates": {}}|team.json: role coder*: unknown key 'cmd'; did you mean command?
{"team": "alpha", "tasks": [{"subject": "one", "dependsOn": [1]}]}|team.json: task 1: unknown key 'dependsOn'; did you mean blockedBy?
{"team": "alpha", "roles": {"coder": {"command": "x"}}, "teammates": {"codr": 1}}|team.json: teammates: no role 'codr'; did you mean coder?
{"team": "alpha", "settings": {"banana": 1}}|team.json: no setting 'banana'
{"team": "alpha", "settings": {"tasks.max": "many"}}|team.json: tasks.max takes a whole number, not 'many'
{"team": "alpha", "roles": {"coder": {}}}|team.json: role coder has no command, no agent (acp) and no model
{"team": "alpha", "roles": {"coder": "true"}}|team.json:1:19: 'roles' must be an object of named objects
{"team": "alpha", "roles": {"coder": {"command": "x", "limits": {"time": "soon"}}}}|team.json: role coder*'time' must be seconds*
{"team": "alpha", "roles": {}, "teammates": {"coder": 1}}|team.json: teammates: no role 'coder'
{"team": "alpha", "roles": {"coder": {"command": "x"}}, "teammates": {"coder": -1}}|team.json*'coder' must be a whole number*
{"team": "alpha", "tasks": ["one"]}|team.json: task 1: not a JSON object
{"team": "alpha", "tasks": [{"subject": "one"}, {"subject": ""}]}|team.json: task 2: the subject is empty
{"team": "alpha", "tasks": [{"subject": "one", "role": "coder"}]}|team.json: task 1: no teammate has the role 'coder'
{"team": "alpha", "tasks": [{"subject": "one", "status": "completed"}]}|team.json: task 1: 'status' cannot be given: the board sets it*
END
  same 28 "$cases"
}

@test "makes no team of tasks that the board refuses" {
  local tasks
  for tasks in '[{"subject": "one", "blockedBy": ["nobody"]}]' '[{"subject": "one", "blockedBy": [7]}]' \
    '[{"key": "a", "subject": "one", "blockedBy": ["b"]}, {"key": "b", "subject": "two", "blockedBy": ["a"]}]' \
    '[{"key": "a", "subject": "one"}, {"key": "a", "subject": "two"}]'; do
    describe '{"coder": {"command": "true"}}' "$tasks"

    run --separate-stderr team-up team.json

    refused "$status" 'team-up: [a-z]*: *'
    ((status != 0))
    no_team
  done
}

@test "makes no team of more tasks or teammates than the settings of the file allow" {
  describe '{"coder": {"command": "true"}}' '[{"subject": "one"}, {"subject": "two"}]' '"settings": {"tasks.max": 1}'
  run --separate-stderr team-up team.json
  refused 8 'team-up: invalid_state: *tasks.max*'
  no_team
  same '' "$(grep -v '^#' "$XDG_STATE_HOME/teamkit/trusted")" # no mark of trust is left either

  describe '{"coder": {"command": "true"}}' '[]' '"settings": {"teammates.max": 1}, "teammates": {"coder": 2}'
  run --separate-stderr team-up team.json
  refused 8 'team-up: invalid_state: *teammates.max*'
  no_team
}

@test "makes nothing for a role whose members could have no name" {
  describe "{\"$(printf 'x%.0s' {1..64})\": {\"command\": \"true\"}}"

  run --separate-stderr team-up team.json

  refused 2 'team-up: usage: *'
  nothing_made
}

@test "exits 2 for wrong options and makes nothing" {
  describe '{"coder": {"command": "true"}}'

  run --separate-stderr team-up
  as_expected 2 '' 'team-up: usage: FILE is missing (try team-up --help)'
  run --separate-stderr team-up team.json --timeout 5
  as_expected 2 '' 'team-up: usage: --timeout is for --wait'
  run --separate-stderr team-up team.json --wait --timeout soon
  refused 2 'team-up: usage: --timeout: *'
  run --separate-stderr team-up team.json --mode window
  refused 2 "team-up: usage: *'window'*"
  nothing_made
}

@test "exits 3 for a file that is not there, 74 for one that cannot be read" {
  run --separate-stderr team-up missing.json
  as_expected 3 '' "team-up: not_found: no file 'missing.json'"

  mkdir folder
  run --separate-stderr team-up folder
  as_expected 74 '' "team-up: io: cannot read 'folder': Is a directory"
  nothing_made
}

@test "reads the file from stdin" {
  describe_migration

  run --separate-stderr team-up - --wait <team.json
  same 0 "$status"
  same 4 "$(task-list --status completed | wc -l)"

  run --separate-stderr team-up - <<<'{'
  refused 2 'team-up: usage: *'
}

@test "its output ends while its teammates run on" {
  describe '{"coder": {"command": "true"}}'

  team-up team.json 2>&1 | cat >seen

  same $'team\talpha\nteammate\tcoder-1' "$(cat seen)"
  is_held .teams/alpha/coder-1.alive
}

@test "goes on when its reader leaves, and says so" {
  describe_migration

  run --separate-stderr bash -c 'team-up team.json --wait | head -1; echo "${PIPESTATUS[0]}"'

  same $'team\talpha\n76' "$output"
  same 'team-up: unknown: the change is made, but cannot write to stdout: Broken pipe' "${stderr_lines[-1]}"
  same 4 "$(task-list --status completed | wc -l)"
  wait_until nothing_left
}

@test "goes on when nobody reads its stderr" {
  describe_migration

  run --separate-stderr bash -c 'team-up team.json --wait 2>&1 >out | true; echo "${PIPESTATUS[0]}"'

  same 0 "$output"
  same 4 "$(task-list --status completed | wc -l)"
  wait_until nothing_left
}

@test "--wait waits for a plan to be approved" {
  describe '{"coder": {"command": "echo \"$TEAM_PHASE\" >>phases; echo text", "plan": true}}' '[{"subject": "one"}]'
  start team-up team.json --wait
  wait_until state_is coder-1 plan_pending
  kill -0 "$STARTED"

  plan-approve "$(plan-list | cut -f1)"

  wait_until gone "$STARTED"
  wait "$STARTED"
  same 'plan work' "$(xargs <phases)"
  same completed "$(field 1 status)"
  wait_until nothing_left
}

@test "--wait does not end while an idle teammate has unread mail" {
  cat >send <<'END'
state() { jq -r ".$1" .teams/alpha/reader-1.json; }
until [ "$(state state)" = idle ] && grep -q '^State:.S' "/proc/$(state pid)/status"; do :; done
kill -STOP "$(state pid)"
team-send reader-1 hello
END
  describe '{"sender": {"command": "sh send"}, "reader": {"command": "true"}}' '[{"subject": "one", "role": "sender"}]'

  run --separate-stderr team-up team.json --wait --timeout 2

  same 1 "$status"
  same 'team-up: no: not done within --timeout' "${stderr_lines[-1]}"
  same completed "$(field 1 status)"
  same hello "$(waiting_for reader-1 | head -1)"
}

@test "a second team stands beside the first, on its own board or the same" {
  describe '{"coder": {"command": "true"}}' '[{"subject": "one"}]'
  team-up team.json --wait
  sed 's/alpha/beta/' team.json >beta.json

  run --separate-stderr team-up beta.json --wait

  same 0 "$status"
  same $'team\tbeta\ntask\t2\nteammate\tcoder-1' "$output"
  same $'alpha\nbeta' "$(team-list | cut -f1)"
}

@test "uses the root that is chosen" {
  mkdir elsewhere
  describe '{"coder": {"command": "pwd >>where"}}' '[{"subject": "one"}]'

  run --separate-stderr team-up team.json --wait -C elsewhere

  same 0 "$status"
  same "$PWD/elsewhere" "$(cat elsewhere/where)"
  same alpha "$(team-list -C elsewhere | cut -f1)"
}

@test "lets only the lead and the user start a team" {
  team-create beta
  team-join backend
  describe '{"coder": {"command": "true"}}'

  TEAM_NAME=beta TEAM_MEMBER=backend run --separate-stderr team-up team.json
  as_expected 7 '' 'team-up: permission_denied: only the lead or the user may start a team, not backend'

  run --separate-stderr team-up team.json --as backend
  as_expected 7 '' 'team-up: permission_denied: only the lead or the user may start a team, not backend'
  same beta "$(team-list | cut -f1)"

  TEAM_NAME=beta TEAM_MEMBER=lead run --separate-stderr team-up team.json
  as_expected 7 '' \
    'team-up: permission_denied: lead is an agent (TEAM_MEMBER), and only the user makes teams (teammates.createTeams)'
  same beta "$(team-list | cut -f1)"

  team-config teammates.createTeams true
  TEAM_NAME=beta TEAM_MEMBER=lead run --separate-stderr team-up team.json
  same 0 "$status"
}

@test "names keys that have no effect, and records joining members" {
  printf '%s' '{"team": "alpha", "note": "by hand", "roles": {"coder": {"command": "true", "colour": 1, "limits": {"weight": 2}}},
    "teammates": {"coder": 2}}' >team.json

  run --separate-stderr team-up team.json

  same 0 "$status"
  same "team-up: warning: team.json: key 'note' has no effect
team-up: warning: team.json: key 'roles.coder.limits.weight' has no effect
team-up: warning: team.json: key 'roles.coder.colour' has no effect" "$stderr"
  same $'user\tmember=coder-1\nuser\tmember=coder-2' "$(team-log --type MEMBER_JOINED | cut -f3,5)"
}

@test "exits 7 where agent teams are turned off" {
  describe '{"coder": {"command": "true"}}'
  local name
  for name in ENABLE_AGENT_TEAMS CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS; do
    run --separate-stderr env "$name=0" team-up team.json
    as_expected 7 '' "team-up: permission_denied: agent teams are turned off ($name=0)"
    run --separate-stderr env "$name=false" team-up team.json
    as_expected 7 '' "team-up: permission_denied: agent teams are turned off ($name=false)"
  done
  nothing_made
}

@test "exits 75 when a lock is not had in time" {
  describe '{"coder": {"command": "true"}}' '[{"subject": "one"}]'
  team-create beta
  task-create 'mine'
  local lock
  for lock in .teams/.lock .tasks/.lock; do
    hold "$lock"

    run --separate-stderr team-up team.json --lock-timeout 50ms

    let_go
    refused 75 "team-up: again: cannot lock '$lock': *"
    same beta "$(team-list | cut -f1)"
  done
}

@test "exits 74 and makes nothing where nobody can write" {
  describe '{"coder": {"command": "true"}}'
  mkdir fixed
  read_only fixed

  run --separate-stderr team-up team.json -C fixed

  refused 74 'team-up: io: *Read-only file system'
  same '' "$(ls -A fixed)"
}

@test "exits 76 if a teammate cannot be started: the team is there" {
  mkdir bin
  cp "$BIN/team-up" bin
  describe '{"coder": {"command": "true"}}' '[{"subject": "one"}]'

  run --separate-stderr bin/team-up team.json

  same 76 "$status"
  same $'team\talpha\ntask\t1' "$output"
  like 'team-up: unknown: the change is made, but coder-1 did not start: *' "$stderr"
  wait_until nothing_left
}
