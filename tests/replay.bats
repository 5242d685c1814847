# The recording and the replay of a whole team.
load helper
load models

unset TEAM_MODEL TEAM_PROVIDER TEAM_BASE_URL ANTHROPIC_BASE_URL OPENAI_BASE_URL TMUX TMUX_PANE

# a_model: a lead that starts three teammates on seven tasks, asks a helper, and finishes. The teammates take unequal
# times, write to each other and to the lead, and put more tasks on the board.
a_model() {
  start_model < <(jq -n '
    def call(name; input): [{tool: name, input: input}];
    def task(subject; blockers): call("TaskCreate"; {subject: subject, blockedBy: blockers});
    def start(name): call("Task"; {name: name, prompt: "Say that you are there."});
    def nap: "sleep 0.0$((RANDOM % 10))";
    [{name: "idle", when: {tool: "FinishTeam", user: "[All Idle]", need: "!over"}, set: ["over"], steps: [
        call("bash"; {command: "ls done-*"}),
        call("FinishTeam"; {summary: "Seven tasks are done."}), "Not yet."], again: true},
     {name: "lead", when: {tool: "FinishTeam"}, steps: [
        task("one"; []), task("two"; []), task("three"; [1]), task("four"; []), task("five"; [2]),
        start("ann"), start("bob"), start("cat"),
        call("Task"; {prompt: "How many files are there?"}),
        call("SendMessage"; {recipient: "bob", content: "Be quick."}), "I wait."]},
     {name: "late", when: {tool: "FinishTeam"}, answer: "I see."},
     {name: "work", when: {"user~": "Your task is #(\\d+): (one|two|three|four|five)"}, again: true, steps: [
        call("bash"; {command: "\(nap); touch done-${1}"}),
        [{tool: "TaskCreate", input: {subject: "more after ${2}"}},
         {tool: "SendMessage", input: {recipient: "lead", content: "Half of ${2}."}}],
        call("bash"; {command: nap}), "I did ${2}."]},
     {name: "more", when: {"user~": "Your task is #\\d+: (more after \\w+)"}, again: true, steps: [
        call("SendMessage"; {recipient: "ann", content: "I do ${1}."}), "I did ${1}."]},
     {name: "others", answer: "I am there."}]')
}

# record FOLDER [OPTION…]: runs the team in its own folder.
record() {
  mkdir "$1.run"
  (cd "$1.run" && timeout 60 team-run go -t alpha "${MODEL[@]}" --record "../$1" "${@:2}" </dev/null 2>../"$1.err")
}

# replay FOLDER PLACE [GOAL]: without a server and without a key.
replay() {
  mkdir "$2"
  (cd "$2" && env -u ANTHROPIC_API_KEY -u OPENAI_API_KEY timeout 60 team-run "${3-go}" -t alpha --replay "../$1" \
    </dev/null 2>../"$2.err")
}

# files_of FOLDER: their names on one line.
files_of() { (cd "$1" && printf '%s\n' * | paste -sd ' '); }

# story PLACE: what its log says, without times and ids: the claims and results in their order, and the mail of each
# member in its order.
story() {
  local log=$1/.teams/alpha/events.jsonl
  jq -r 'select(.event.type == "TASK_CREATED" or .event.type == "TASK_CLAIMED" or .event.type == "TASK_COMPLETED")
    | "\(.agent_id) \(.event.type) \(.event.task_id // .event.task)"' "$log"
  jq -r '"\(.id) \(.subject) \(.owner) \(.status): \(.result)"' "$1"/.tasks/*.json
  jq -rs 'map(select(.event.type == "MESSAGE_DELIVERED")) | group_by(.agent_id)[][]
    | "\(.agent_id): \(.event.sender) \(.event.message_type) \(.event.summary)"' "$log"
}

@test "a lead and its teammates are replayed without a model: the same claims, results and mail" {
  a_model
  KEY=$ANTHROPIC_API_KEY
  run --separate-stderr record kept
  same 0 "$status"
  same 'Seven tasks are done.' "$output"
  same '' "$(grep -rl "$KEY" kept)"
  same '700 600' "$(stat -c %a kept kept/order.jsonl | xargs)"
  same 'ann.jsonl bob.jsonl cat.jsonl helper-1.jsonl lead.jsonl order.jsonl order.lock' "$(files_of kept)"
  stop_model
  story kept.run >expected
  (($(grep -c TASK_CLAIMED expected) == 10))
  cp -r kept kept.before

  for ((round = 1; round <= ${REPLAYS:-20}; round++)); do
    run --separate-stderr replay kept "again-$round"
    same '0 Seven tasks are done.' "$status $output"
    diff expected <(story "again-$round")
  done
  diff -r kept.before kept
  nothing_left
}

# small_team: a lead that gives one task to bob, who runs a command for it.
small_team() {
  start_model <<END
[{"when": {"tool": "FinishTeam", "user": "[All Idle]"}, "steps": [
   [{"tool": "FinishTeam", "input": {"summary": "It is built."}}]]},
 {"when": {"tool": "FinishTeam"}, "steps": [
   [{"tool": "TaskCreate", "input": {"subject": "Build it"}}],
   [{"tool": "Task", "input": {"name": "bob", "prompt": "Begin.", "plan_mode_required": ${1:-false}}}], "I wait."]},
 {"when": {"tool": "FinishTeam", "user~": "request_id=\"(\\\\w+)\""}, "answer":
   [{"tool": "ApprovePlan", "input": {"request_id": "\${1}", "approve": true, "feedback": "Good."}}]},
 {"when": {"tool": "FinishTeam"}, "answer": "Go on."},
 {"when": {"user": "Do not do it yet"}, "answer": "I would build it."},
 {"when": {"user": "Your task is #1"}, "steps": [
   [{"tool": "bash", "input": {"command": "test ! -e broken && touch built"}}], "Built."]},
 {"answer": "I am there."}]
END
}

# diverges PLACE PATTERN: the replay in that folder ended so, with this line, and nobody is left.
diverges() {
  same 69 "$status"
  same '' "$output"
  like "$2" "$(tail -n 1 "$1.err")"
  wait_until nobody_runs "$1"
  nothing_left
}

nobody_runs() { [ -z "$(teammate-list -C "$1" -t alpha --json | jq -r 'select(.pid).name')" ]; }

@test "a plan is approved in a replay by the id of that run" {
  small_team true
  record kept >/dev/null
  stop_model

  run --separate-stderr replay kept again

  same '0 It is built.' "$status $output"
  same "$(story kept.run)" "$(story again)"
  same approved "$(jq -r 'select(.step == "answer").name' kept/order.jsonl | sort -u)"
}

@test "a run that differs from the recording ends for all members, with the file, the line and the step" {
  small_team
  record kept >/dev/null
  stop_model

  # Another goal.
  run --separate-stderr replay kept goal 'Do nothing.'
  diverges goal "team-run: unavailable: *kept/lead.jsonl:1: the conversation went another way: turn 1 was * go *, is * Do nothing*"

  # A command that fails now.
  mkdir fails
  touch fails/broken
  replay_in_place() { (cd "$1" && timeout 60 team-run go -t alpha --replay ../kept </dev/null 2>../"$1.err"); }
  run --separate-stderr replay_in_place fails
  diverges fails "team-run: unavailable: *kept/bob.jsonl:*: the conversation went another way: turn * had 'result of bash', has 'error of bash'*"

  # Another board: the recorded task is not the one that the lead creates.
  mkdir board
  (cd board && team-create alpha >/dev/null && task-create other --owner user >/dev/null)
  run --separate-stderr replay_in_place board
  diverges board "team-run: unavailable: *kept/order.jsonl:*: bob claims task 1: *"

  # A step that is missing.
  cp -r kept edited
  grep -v TaskCreate kept/order.jsonl >edited/order.jsonl
  run --separate-stderr replay edited step
  diverges step 'team-run: unavailable: *edited/order.jsonl:2: lead calls Task: in this run lead calls TaskCreate'
}

@test "a replay of a run that never ended ends where the recording ends" {
  small_team
  record kept >/dev/null
  stop_model
  grep -v FinishTeam kept/order.jsonl | grep -v '"member":"lead","step":"mail".*all_idle' |
    grep -v '"bob","step":"mail"' | sed '$d' >order
  mv order kept/order.jsonl

  run --separate-stderr replay kept again

  diverges again "team-run: unavailable: *kept/order.jsonl: the recording ends here, and lead has not ended"
}

@test "an interrupted replay ends all members at once" {
  small_team
  record kept >/dev/null
  stop_model
  # bob's turn never comes.
  awk '/"member":"bob","step":"settle"/ && !n++ { print "{\"member\":\"zoe\",\"step\":\"begin\"}" } { print }' \
    kept/order.jsonl >order && mv order kept/order.jsonl
  mkdir again
  cd again
  env --default-signal=INT team-run go -t alpha --replay ../kept </dev/null >lead.out 2>lead.err 3>&- &
  TEAMMATE[lead]=$!
  wait_until test -e .teams/alpha/bob.json

  kill -INT "${TEAMMATE[lead]}"

  teammate_ended lead 130
  nothing_left
}

@test "messages of the user are part of the recording" {
  small_team
  mkdir kept.run
  cd kept.run
  team-create alpha >/dev/null
  team-send lead 'Build it in blue.' -t alpha >/dev/null
  cd ..
  record_in_place() { (cd kept.run && timeout 60 team-run go -t alpha "${MODEL[@]}" --record ../kept </dev/null 2>err); }
  record_in_place >/dev/null
  stop_model

  run --separate-stderr replay kept again

  same '0 It is built.' "$status $output"
  same "$(story kept.run | grep user)" "$(story again | grep user)"
  like '*Build it in blue.*' "$(story again)"
}

@test "a team of a file is recorded and replayed, with commands that run again" {
  start_model <<'END'
[{"when": {"user~": "Your task is #(\\d)"}, "again": true, "steps": [
   [{"tool": "bash", "input": {"command": "sleep 0.0$((RANDOM % 5)); echo ${1} >>built"}}], "Built ${1}."]}]
END
  jq -n --arg url "$URL" '{team: "alpha", teammates: {coder: 2, tester: 1},
    roles: {coder: {model: "claude-x", base_url: $url}, tester: {command: "echo tested >>tested"}},
    tasks: [range(6) | {subject: "task \(.)", role: (if . < 4 then "coder" else "tester" end)}]}' >team.json
  mkdir kept.run again

  (cd kept.run && timeout 60 team-up ../team.json --wait --record ../kept) >/dev/null
  stop_model
  run --separate-stderr env -u ANTHROPIC_API_KEY -C again timeout 60 team-up ../team.json --wait --replay ../kept

  same 0 "$status"
  same "$(story kept.run)" "$(story again)"
  same '4 2' "$(wc -l <again/built) $(wc -l <again/tested)"
  same 'coder-1.jsonl coder-2.jsonl order.jsonl order.lock' "$(files_of kept)"
}

@test "a line that a killed member left torn does not spoil the recording" {
  team-create alpha && task-create One && mkdir kept
  printf '{"member":"ann","step":"begin","calls":0}\n{"member":"ann","st' >kept/order.jsonl

  timeout 20 teammate-run bob --exec 'cat >/dev/null' --once --record kept

  same 'ann bob bob' "$(jq -r .member kept/order.jsonl | head -3 | xargs)"
}

@test "refuses a folder that cannot be made, before anything is changed" {
  mkdir new && cd new || return
  echo '{"team": "alpha", "tasks": [{"subject": "One"}]}' >team.json

  run --separate-stderr team-run go --model claude-x --base-url http://127.0.0.1:1 --record nowhere/kept
  as_expected 3 '' "team-run: not_found: no folder '$PWD/nowhere'"
  run --separate-stderr team-up team.json --mode background --record nowhere/kept
  as_expected 3 '' "team-up: not_found: no folder '$PWD/nowhere'"

  same team.json "$(ls -A)"
}

@test "refuses a folder that has a recording, or that has none, before anything is changed" {
  mkdir kept empty
  : >kept/order.jsonl

  run --separate-stderr team-run go --model claude-x --base-url http://127.0.0.1:1 --record kept
  same 4 "$status"
  same "team-run: conflict: '$PWD/kept' has a recording already" "$stderr"
  run --separate-stderr team-run go --replay empty
  same 3 "$status"
  same "team-run: not_found: '$PWD/empty' has no recording of a team (order.jsonl)" "$stderr"
  run --separate-stderr team-run go --replay kept --record new
  same 2 "$status"
  same 'team-run: usage: --record DIR and --replay DIR cannot be combined' "$stderr"
  echo '{"member":"lead","step":"dance"}' >kept/order.jsonl
  [ ! -e .teams ]
  run --separate-stderr team-run go --replay kept
  same 9 "$status"
  like "team-run: corrupt: *kept/order.jsonl:1*'step' must be a kind of step" "$stderr"
}
