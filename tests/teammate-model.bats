# A teammate whose work is done by a model.
load helper
load mail
load models

# bob OPTION…: that teammate in the foreground, for 20 s at the most.
bob() { timeout 20 teammate-run bob "${MODEL[@]}" "$@"; }

# start_bob OPTION…: the same in the background.
start_bob() { start_teammate bob "${MODEL[@]}" "$@"; }

# a_team [TASK…]: alpha, with these tasks on its board.
a_team() {
  local subject
  team-create alpha
  for subject in "$@"; do task-create "$subject"; done
} >/dev/null

# events TYPE FILTER: of each event of that type.
events() { team-log --type "$1" --json | jq -r ".event | $2"; }

# status_of ID: the status and the owner of a task.
status_of() { jq -r '"\(.status) \(.owner)"' ".tasks/$1.json"; }

# send OPTION…: sends as another caller than the agent whose bash may run it.
SEND='env -u TEAM_MEMBER -u TEAM_RUN_ID team-send'

@test "does a task with its tools; its last words are the result" {
  does_task() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Your task is #1: Build"}, "steps": [
  [{"text": "I begin."}, {"tool": "write_file", "input": {"path": "src/a.txt", "content": "one\ntwo\n"}}],
  [{"tool": "edit_file", "input": {"path": "src/a.txt", "old_text": "two", "new_text": "three"}},
   {"tool": "read_file", "input": {"path": "src/a.txt"}}],
  [{"tool": "bash", "input": {"command": "wc -l <src/a.txt; echo odd >&2; exit 3"}}],
  "It has two lines."]}]
END

    run --separate-stderr bob --once

    same 0 "$status"
    same $'I begin.\nIt has two lines.' "$output"
    same $'one\nthree' "$(cat src/a.txt)"
    same 'completed bob It has two lines.' "$(jq -r '"\(.status) \(.owner) \(.result)"' .tasks/1.json)"
    same $'2\nodd\n[exit status 3]' "$(asked results | tail -3)"
    same "$(printf '%s\n' 'ok write_file' 'ok edit_file' 'ok read_file' 'error bash')" \
      "$(results bob | grep -oE '^(ok|error) [a-z_]+')"
    like "You are teammate 'bob' in team 'alpha'.*" "$(asked system | head -1)"
    same 'I begin.It has two lines.' "$(events TEXT_MESSAGE_CONTENT .delta | tr -d '\n')"
    same 'write_file edit_file read_file bash' "$(events TOOL_CALL_START .tool_call_name | paste -sd ' ')"
    nothing_left
  }
  in_each_format does_task
}

@test "answers the user and agents with its last words, as an automatic answer" {
  answers() {
    a_team
    start_model <<'END'
[{"when": {"user": "sender=\"user\""}, "answer": "Hello yourself."},
 {"when": {"user": "sender=\"lead\""}, "answer": "Noted."}]
END
    team-join bob
    id=$(team-send bob 'Hello')
    bob --once
    told=$(team-send bob 'Hello' --as lead)
    bob --once

    local answer='"\(.sender) \(.content) \(.reply_to) \(.auto)"'
    same "bob Hello yourself. $id true" "$(team-recv --as user --json | jq -r "$answer")"
    same "bob Noted. $told true" "$(team-recv --as lead --json | jq -r "$answer")"
    same 2 "$(calls)"
  }
  in_each_format answers
}

# answer_of_ann TEXT: an automatic answer of hers to bob, appended as by another program.
answer_of_ann() {
  flock .teams/alpha/bob_inbox.lock sh -c 'echo "$1" >>.teams/alpha/bob_inbox.jsonl' sh \
    "$(jq -nc --arg text "$1" '{type: "message", sender: "ann", content: $text, timestamp: 1, auto: true}')"
}

@test "an automatic answer wakes a model that idles and is not answered, and goes into work that runs" {
  a_team
  team-join ann
  start_model <<'END'
[{"when": {"user": "It is 42."}, "answer": "I see."},
 {"when": {"user": "Your task is #1"}, "answer": [
   {"tool": "bash", "input": {"command": "touch begun; until [ -e go ]; do read -rt 0.02 <> <(:); done"}}]},
 {"when": {"user": "It is 43."}, "answer": "Built."}]
END
  start_bob
  wait_until sleeps bob

  answer_of_ann 'It is 42.'
  wait_until was_asked 1
  wait_until sleeps bob
  task-create 'Build'
  wait_until test -e begun
  answer_of_ann 'It is 43.'
  touch go
  wait_until task_is 1 completed

  same Built. "$(field 1 result)"
  same '' "$(waiting_for ann)"
  asked said >said
  grep -qF 'auto="true">It is 43.' said
}

@test "a model that is killed does not answer an automatic answer after its restart" {
  a_team
  team-join ann
  start_model <<'END'
[{"when": {"user": "It is 42."}, "answer": [
   {"tool": "bash", "input": {"command": "touch begun; until [ -e go ]; do read -rt 0.02 <> <(:); done"}}]},
 {"answer": "I see."}]
END
  team-join bob
  answer_of_ann 'It is 42.'
  start_bob
  wait_until test -e begun
  kill_teammate bob
  touch go

  bob --once

  same 2 "$(calls)"
  same '' "$(waiting_for ann)"
}

@test "a user to whom it wrote by itself gets no second answer" {
  a_team
  start_model <<'END'
[{"when": {"turns": 0}, "answer": [{"tool": "SendMessage", "input": {"recipient": "user", "content": "Hi."}}]},
 {"answer": "I have answered."}]
END
  team-join bob
  team-send bob 'Hello'

  bob --once

  same 'Hi.' "$(waiting_for user)"
}

@test "hears mail that comes during its work before the next call, in an envelope that its text cannot close" {
  hears() {
    a_team 'Build'
    start_model <<END
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {
    "command": "$SEND bob --as lead 'a </teammate-message> & <b>' >id"}}]},
 {"when": {"turns": 1}, "answer": "Done."}]
END

    bob --once

    envelope='<teammate-message sender="lead" type="message">'
    envelope+='a &lt;/teammate-message&gt; &amp; &lt;b&gt;</teammate-message>'
    same "$envelope" "$(asked 'select(.turns == 1) | said' | grep 'a &lt')"
    same "$(cat id) processed" "$(team-send --status "$(cat id)" | tr '\t' ' ')"
    same 1 "$(transcript bob 'select(.type == "mail") | .messages[].id' | grep -cxF "$(cat id)")"
  }
  in_each_format hears
}

@test "team-send --interrupt cancels its call, and the model gets the message at once" {
  breaks_off() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Stop that"}, "answer": "I stop."},
 {"answer": "A long, long story that nobody will ever hear the end of.", "fault": {"hang": 5}}]
END
    start_bob --once
    wait_until grep -qs long bob.out

    team-send bob 'Some time'
    team-send bob 'Stop that' --interrupt
    teammate_ended bob 0

    same 'I stop.' "$(field 1 result)"
    same 2 "$(calls)"
    same $'Some time\nStop that' "$(asked 'select(.rule == 0) | said' | grep -oE 'Some time|Stop that')"
    same 1 "$(transcript bob 'select(.type == "answer") | .type' | wc -l)"
    same $'true\nnull' "$(events TEXT_MESSAGE_END .void)"
  }
  in_each_format breaks_off
}

@test "teammate-stop ends it at once during a call; its task is free again" {
  ends() {
    a_team 'Build'
    start_model <<<'[{"answer": "Never.", "fault": "hang"}]'
    start_bob
    wait_until was_asked 1

    run --separate-stderr teammate-stop bob --timeout 10
    same 0 "$status"
    teammate_ended bob 0

    same 'pending null' "$(status_of 1)"
    same shutdown "$(state_of bob .state)"
  }
  in_each_format ends
}

@test "a signal ends it at once during a call; its task is free again" {
  a_team 'Build'
  start_model <<<'[{"answer": "Never.", "fault": "hang"}]'
  start_bob
  wait_until was_asked 1

  kill -INT "${TEAMMATE[bob]}"
  teammate_ended bob 130

  same 'pending null' "$(status_of 1)"
  same 'shutdown true' "$(state_of bob '"\(.state) \(.resumable)"')"
}

@test "a signal ends it at once during a bash command, with all child processes" {
  a_team 'Build'
  start_model <<<'[{"answer": [{"tool": "bash", "input": {"command": "touch begun; sleep 1000 & sleep 1000"}}]}]'
  start_bob
  wait_until test -e begun

  kill -TERM "${TEAMMATE[bob]}"
  teammate_ended bob 143

  same 'pending null' "$(status_of 1)"
  nothing_left
}

@test "50 tasks of the board and the digest follow the last turn, and the transcript does not keep them" {
  sees() {
    a_team
    team-join ann
    seq -f '{"subject": "Step %g"}' 60 | task-create - >/dev/null
    team-send lead 'The schema is final' --as ann
    start_model <<<'[{"answer": "Done."}]'

    bob --once

    same '' "$(asked system | grep -e '# Board' -e 'Lately said')"
    same '' "$(transcript bob 'tostring' | grep '# Board')"
    asked present | sed -n '/^# Board/,$p' >end
    same 50 "$(grep -c '^#[0-9]* \[' end)"
    grep -qxF '#1 [in_progress] "Step 1" (by user; owner: bob)' end
    grep -q '10 more' end
    same $'# Lately said\n<digest>\n[Teammate ann]: The schema is final\n</digest>' "$(sed '/^$/d' end | tail -4)"
  }
  in_each_format sees
}

@test "its tools for the board and for mail do the same as the commands" {
  uses_tools() {
    a_team 'Build'
    team-join ann
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "TaskCreate", "input": {"subject": "Test", "description": "All of it", "activeForm": "Testing",
     "blockedBy": [1], "colour": "red"}},
   {"tool": "TaskCreate", "input": {"subject": "Ship", "blockedBy": ["2"], "owner": "bob"}},
   {"tool": "TaskCreate", "input": {"subject": "Shout", "owner": "ann"}}],
  [{"tool": "TaskUpdate", "input": {"taskId": 3, "owner": "", "addBlockedBy": [1]}},
   {"tool": "TaskList", "input": {}},
   {"tool": "TaskList", "input": {"status": "failed"}},
   {"tool": "SendMessage", "input": {"recipient": "ann", "content": "Ready soon", "summary": "soon"}},
   {"tool": "SendMessage", "input": {"type": "broadcast", "content": "To all"}},
   {"tool": "TaskUpdate", "input": {"taskId": "1", "status": "completed", "result": "Built."}}],
  "That is all."]}]
END

    bob --once

    same 'ok TaskCreate: Task #2 is on the board: Test
ok TaskCreate: Task #3 is on the board: Ship
error TaskCreate: permission_denied: only the lead assigns tasks to others
ok TaskUpdate: Task #3 is pending.
ok TaskList: #1 [in_progress] "Build" (by user; owner: bob)
#2 [pending] "Test" (by bob; waits for #1)
    description: All of it
#3 [pending] "Ship" (by bob; waits for #2, #1)
ok TaskList: No task is failed.
ok SendMessage: Sent to ann.
ok SendMessage: Sent to lead, ann.
ok TaskUpdate: Task #1 is completed.
Task #2 can start now: Test' "$(results bob)"
    same 'completed bob Built.' "$(status_of 1) $(field 1 result)"
    same 'Test Testing 1 bob' "$(field 2 subject) $(field 2 activeForm) $(field 2 blockedBy) $(field 2 createdBy)"
    same 'Ready soon' "$(team-recv --as ann --peek --json | jq -r 'select(.summary == "soon").content')"
    same 'To all' "$(waiting_for lead)"
  }
  in_each_format uses_tools
}

@test "a wrong call is answered by an error that names the expected value" {
  errs() {
    a_team 'Build' 'Other'
    team-join backend
    task-claim 2 --as backend
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "SendMessage", "input": {"recipient": "backnd", "content": "Hi"}},
   {"tool": "SendMessage", "input": {"content": "Hi"}},
   {"tool": "TaskUpdate", "input": {"taskId": 2, "status": "in_progress"}},
   {"tool": "TaskUpdate", "input": {"taskId": 99, "status": "in_progress"}},
   {"tool": "TaskUpdate", "input": {"taskId": "two", "status": "done"}},
   {"tool": "TaskCreate", "input": {}},
   {"tool": "TaskCreate", "input": {"subject": 7, "blockedBy": "none"}},
   {"tool": "bash", "input": {"cmd": "ls"}},
   {"tool": "read_files", "input": {"path": "x"}},
   {"tool": "FinishTeam", "input": {}},
   {"tool": "bash", "raw": "{\"command\": \"tou"}],
  "Enough."]}]
END

    bob --once 2>bob.err

    results bob >found
    same 11 "$(grep -c '^error ' found)"
    sed -n 1p found | grep -F 'not_found' | grep -F 'backend'
    sed -n 2p found | grep -F "usage: 'recipient' is missing"
    same 'error TaskUpdate: conflict: task 2 is owned by backend' "$(sed -n 3p found)"
    sed -n 4p found | grep -F 'error TaskUpdate: not_found: '
    same "error TaskUpdate: TaskUpdate: 'taskId' must be an integer, not \"two\"; \
'status' must be one of pending, in_progress, completed, failed, not \"done\"" "$(sed -n 5p found)"
    same "error TaskCreate: TaskCreate: 'subject' is missing (a string)" "$(sed -n 6p found)"
    same "error TaskCreate: TaskCreate: 'subject' must be a string, not 7; 'blockedBy' must be a list, not \"none\"" \
      "$(sed -n 7p found)"
    same "error bash: bash: 'command' is missing (a string); there is no 'cmd'; did you mean 'command'?" "$(sed -n 8p found)"
    sed -n 9p found | grep -F "no tool 'read_files'; did you mean read_file?"
    sed -n 10p found | grep -F "no tool 'FinishTeam'"
    sed -n 11p found | grep -F 'must be one JSON object'
    same 'completed bob' "$(status_of 1)"
    same 2 "$(find .tasks -name '[0-9]*.json' | wc -l)"
  }
  in_each_format errs
}

@test "the file tools stay in the root and keep away from the files of the team" {
  mkdir root
  echo secret >outside
  cd root
  a_team 'Build'
  ln -s ../outside link
  ln -s .. up
  ln -s .tasks board
  echo 'mine' >beside
  start_model <<END
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "read_file", "input": {"path": "$BATS_TEST_TMPDIR/outside"}},
   {"tool": "read_file", "input": {"path": "../outside"}},
   {"tool": "read_file", "input": {"path": "link"}},
   {"tool": "read_file", "input": {"path": "up/outside"}},
   {"tool": "write_file", "input": {"path": "../new", "content": "x"}},
   {"tool": "write_file", "input": {"path": "link", "content": "x"}},
   {"tool": "write_file", "input": {"path": "up/new", "content": "x"}},
   {"tool": "edit_file", "input": {"path": "link", "old_text": "secret", "new_text": "x"}},
   {"tool": "write_file", "input": {"path": ".tasks/7.json", "content": "{}"}},
   {"tool": "write_file", "input": {"path": "board/7.json", "content": "{}"}},
   {"tool": "edit_file", "input": {"path": ".teams/alpha/config.json", "old_text": "alpha", "new_text": "beta"}}],
  [{"tool": "read_file", "input": {"path": "$PWD/beside"}}],
  "Enough."]}]
END

  bob --once

  same 11 "$(results bob | grep -c '^error [a-z_]*: permission_denied: ')"
  like 'ok read_file: *mine*' "$(results bob | grep '^ok')"
  same secret "$(cat ../outside)"
  [ ! -e ../new ]
  [ ! -e .tasks/7.json ]
}

@test "the file tools write to no board of another team and to no folder of git" {
  a_team 'Build'
  team-create beta --board boards/beta >/dev/null
  task-create 'Foreign' -t beta >/dev/null
  mkdir -p .git/hooks
  echo '[core]' >.git/config
  ln -s .git/config config
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "write_file", "input": {"path": "boards/beta/1.json", "content": "{}"}},
   {"tool": "edit_file", "input": {"path": "boards/beta/1.json", "old_text": "Foreign", "new_text": "Mine"}},
   {"tool": "write_file", "input": {"path": ".git/hooks/pre-commit", "content": "x"}},
   {"tool": "write_file", "input": {"path": "x/../.git/config", "content": "x"}},
   {"tool": "write_file", "input": {"path": "config", "content": "x"}},
   {"tool": "edit_file", "input": {"path": "config", "old_text": "core", "new_text": "x"}}],
  "Enough."]}]
END

  bob --once -t alpha

  same 6 "$(results bob | grep -c '^error [a-z_]*: permission_denied: ')"
  same Foreign "$(jq -r .subject boards/beta/1.json)"
  same '[core]' "$(cat .git/config)"
  [ ! -e .git/hooks/pre-commit ]
}

@test "--allow opens a folder beside the root to the file tools" {
  mkdir root beside
  cd root
  a_team 'Build'
  start_model <<END
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "write_file", "input": {"path": "$BATS_TEST_TMPDIR/beside/new", "content": "x"}}], "Done."]}]
END

  bob --once --allow ../beside

  same x "$(cat ../beside/new)"
}

@test "an argument of 10 MB is taken where it can be, and else refused" {
  takes() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Our conversation is about to become too long"}, "answer": "I have written a file."},
 {"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "write_file", "input": {"path": "large", "content": "${repeat:5000000:é}"}},
   {"tool": "bash", "input": {"command": "${repeat:200000:x}"}}],
  "Done."]}]
END

    timeout 60 teammate-run bob "${MODEL[@]}" --once

    same "$(printf 'é%.0s' {1..10})" "$(head -c 20 large)"
    same 10000000 "$(wc -c <large)"
    like 'error bash: usage: the command has 200000 bytes, *' "$(results bob | tail -1)"
    same 'completed bob' "$(status_of 1)"
    (($(wc -c <.teams/alpha/events.jsonl) < 200000))
  }
  in_each_format takes
}

@test "output that is no text is made one" {
  mends() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "printf '\\xff\\xfe ok\\xc3'"}}], "Done."]}]
END

    bob --once

    same "ok bash: �� ok�" "$(results bob)"
    same "�� ok�" "$(asked results)"
    iconv -f utf-8 -t utf-8 .teams/alpha/bob_transcript.jsonl .teams/alpha/events.jsonl >/dev/null
    same 'completed bob' "$(status_of 1)"
  }
  in_each_format mends
}

@test "long output of a command is cut, and a file has all of it" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "seq 100000"}}], "Done."]}]
END

  bob --once

  file=$(find .teams/alpha/outputs -name 'bob-*.txt')
  same "$(seq 100000)" "$(cat "$file")"
  transcript bob 'select(.type == "result").text' >shown
  grep -qF "all of it is in $PWD/$file" shown
  (($(wc -c <shown) < 40000))
  same 600 "$(stat -c %a "$file")"
}

# plan FILTER: of the plans that wait for their answer.
plan() { plan-list --json 2>/dev/null | jq -r "select(.status == \"pending\") | $1"; }

# is_planned TEXT: a plan of that text waits.
is_planned() { [ "$(plan .content)" == "$1" ]; }

@test "with --plan it may read but not write until its plan is approved" {
  plans() {
    a_team 'Move'
    echo text >old
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "touch changed"}},
   {"tool": "write_file", "input": {"path": "new", "content": "x"}},
   {"tool": "edit_file", "input": {"path": "old", "old_text": "text", "new_text": "x"}},
   {"tool": "read_file", "input": {"path": "old"}}],
  [{"text": "I plan."}, {"tool": "SubmitPlan", "input": {"plan": "mv old new"}}],
  "cp old new",
  [{"tool": "bash", "input": {"command": "cp old new"}}],
  "Copied."]}]
END
    start_bob --plan --once

    wait_until is_planned 'mv old new'
    same 3 "$(results bob | grep -c '^error [a-z_]*: permission_denied: your plan is not approved yet')"
    same "text" "$(ls changed new 2>/dev/null; cat old)"
    plan-reject "$(plan .id)" --feedback 'Keep <the> old one' >/dev/null
    wait_until is_planned 'cp old new'
    asked said | tail -20 | grep -F 'Keep &lt;the&gt; old one'
    plan-approve "$(plan .id)" >/dev/null
    teammate_ended bob 0

    same text "$(cat new)"
    same 'completed bob Copied.' "$(status_of 1) $(field 1 result)"
    asked said | grep -qxF 'Your plan was approved.'
  }
  in_each_format plans
}

@test "a role narrows the tools and adds its prompt" {
  narrows() {
    echo '{"prompt": "You read.", "tools": ["read_file", "SendMessage"]}' >role
    team-create alpha --role reader=role
    task-create 'Look'
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [[{"tool": "bash", "input": {"command": "touch changed"}}], "Seen."]}]
END

    bob --role reader --once

    same 'read_file SendMessage' "$(asked '[.body.tools[] | .name // .function.name] | join(" ")' | sort -u)"
    same "error bash: no tool 'bash'; there is read_file, SendMessage" "$(results bob)"
    same "You are teammate 'bob' in team 'alpha', role 'reader'.

You read." "$(asked system | head -3)"
    [ ! -e changed ]
  }
  in_each_format narrows
}

@test "a role brings model, provider and address" {
  start_model <<<'[{"answer": "Done."}]'
  jq -n --arg url "$URL" '{model: "local", provider: "anthropic", base_url: $url}' >role
  team-create alpha --role coder=role
  task-create 'Build'

  timeout 20 teammate-run bob --role coder --once

  same 'anthropic local' "$(asked '"\(.format) \(.body.model)"')"
  same local "$(state_of bob .model)"
  same '["--role","coder"]' "$(state_of bob '.start.arguments | tojson')"
}

@test "refuses a role with a tool that there is not, and a model without its key" {
  echo '{"model": "claude-x", "tools": ["read_file", "teleport"]}' >role
  team-create alpha --role odd=role

  run --separate-stderr timeout 20 teammate-run bob --role odd --base-url http://127.0.0.1:1 --once
  refused 2 "teammate-run: usage: no tool 'teleport'*"
  run --separate-stderr env -u ANTHROPIC_API_KEY timeout 20 teammate-run bob --model claude-x
  refused 2 'teammate-run: usage: ANTHROPIC_API_KEY is not set; *'
  run --separate-stderr timeout 20 teammate-run bob --model x --provider acme
  refused 2 "teammate-run: usage: no provider 'acme': there are anthropic and openai"
  run --separate-stderr timeout 20 teammate-run bob --model x --exec true
  refused 2 'teammate-run: usage: *cannot be combined'
  [ ! -e .teams/alpha/bob.json ]
}

@test "the environment can name model, provider and address" {
  a_team 'Build'
  start_model <<<'[{"answer": "Done."}]'
  export TEAM_MODEL=any TEAM_PROVIDER=anthropic TEAM_BASE_URL=$URL

  timeout 20 teammate-run bob --once

  same 'anthropic any' "$(asked '"\(.format) \(.body.model)"')"
}

@test "counts the usage of its model over all its runs" {
  counts() {
    a_team 'One' 'Two'
    start_model <<'END'
[{"answer": "Done.", "usage": {"input": 100, "output": 10, "cache_read": 5, "cache_written": 7}}]
END

    bob --once
    bob --once

    expected='{"input":200,"output":20,"cache_read":10,"cache_written":14}'
    # This format does not report tokens written to the cache.
    [ "$FORMAT" == anthropic ] || expected='{"input":214,"output":20,"cache_read":10,"cache_written":0}'
    same "$expected" "$(state_of bob '.usage | tojson')"
    same "$expected" "$(team-status --json | jq -c '.usage | {input, output, cache_read, cache_written}')"
  }
  in_each_format counts
}

@test "--budget pauses it when so much is used; the task is free again, and no attempt is lost" {
  a_team 'Build'
  start_model <<'END'
[{"answer": [{"tool": "bash", "input": {"command": "echo >>turns"}}], "usage": {"input": 100, "output": 10}}]
END

  start_bob --budget 150
  wait_until state_is bob paused

  same 2 "$(wc -l <turns)"
  same 'pending null 0' "$(status_of 1) $(field 1 attempts)"
  same 'the budget of 150 tokens is used up (220)' "$(state_of bob .reason)"
  run --separate-stderr bob --budget 150 --until-done
  same 4 "$status"
  kill_teammate bob
  run --separate-stderr bob --budget 150 --until-done
  same 10 "$status"
  same 2 "$(wc -l <turns)"
}

@test "--max-turns ends a piece of work that takes more; it counts as failed" {
  a_team 'Build'
  start_model <<<'[{"answer": [{"tool": "bash", "input": {"command": "echo >>turns"}}]}]'

  run --separate-stderr bob --max-turns 2 --retries 0 --once

  same 1 "$status"
  same 2 "$(wc -l <turns)"
  same 'failed not done within 2 turns' "$(field 1 status) $(field 1 error)"
}

NOTICE='<task-notification id="bash-1" ended="exit status 4">'

@test "is told once when a command in the background ends, also while it idles" {
  is_told() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "<task-notification"}, "answer": "It has ended."},
 {"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "echo hi; until [ -e go ]; do sleep 0.02; done; exit 4",
    "run_in_background": true}}],
  "Started."]}]
END
    start_bob
    wait_until sleeps bob
    same 'completed bob' "$(status_of 1)"

    touch go
    wait_until grep -qs 'It has ended' bob.out
    wait_until sleeps bob

    same 1 "$(asked said | grep -cF "$NOTICE")"
    same 3 "$(calls)"
    same hi "$(cat .teams/alpha/outputs/bob-bash-1.txt)"
    teammate-stop bob --timeout 10
    teammate_ended bob 0
  }
  in_each_format is_told
}

@test "is told before the next call when a command in the background ends during its work" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "echo $PPID >pid; until [ -e go ]; do sleep 0.02; done; exit 4",
    "run_in_background": true}}],
  [{"tool": "bash", "input": {"command": "until [ -s pid ]; do sleep 0.02; done; touch go"}},
   {"tool": "bash", "input": {"command":
     "while grep -qs '^State:.[^ZX]' /proc/$(cat pid)/status; do sleep 0.02; done"}}],
  [{"tool": "bash", "input": {"command": "true"}}],
  "Done."]}]
END

  bob --once

  same '0 0 1 1' "$(asked '[said | select(startswith("<task-notification"))] | length' | paste -sd ' ')"
}

@test "background commands end with it" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "sleep 1000 & sleep 1000", "run_in_background": true}}], "Started."]}]
END

  bob --once

  nothing_left
}

@test "--replay replays a recording of --record, without a server" {
  records() {
    mkdir first again other
    cd first
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"text": "I begin."}, {"tool": "write_file", "input": {"path": "a", "content": "b\n"}}],
  [{"tool": "bash", "input": {"command": "cat a"}}], "Done."]}]
END
    bob --once --record ../kept >../said
    same 3 "$(wc -l <../kept)"
    same 600 "$(stat -c %a ../kept)"
    stop_model
    cd ../again
    a_team 'Build'

    run --separate-stderr env -u ANTHROPIC_API_KEY -u OPENAI_API_KEY timeout 20 teammate-run bob --replay ../kept --once
    same 0 "$status"
    same "$(cat ../said)" "$output"
    same b "$(cat a)"
    same "$(cd ../first && results bob)" "$(results bob)"
    same 'completed bob Done.' "$(status_of 1) $(field 1 result)"

    cd ../other
    a_team 'Build it'
    run --separate-stderr timeout 20 teammate-run bob --replay ../kept
    same 69 "$status"
    like '*../kept:1: the conversation went another way: turn 1 was *Build*, is *Build it*' "$(state_of bob .reason)"
    same 'error pending null' "$(state_of bob .state) $(status_of 1)"
    cd ..
  }
  in_each_format records
}

# A conversation with ten results of 9000 bytes each, and a model that can summarize it.
LONG='{"when": {"user": "Our conversation is about to become too long"}, "answer": "SUMMARY: all is well."},
 {"when": {"prompt": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "echo 1; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 2; head -c 9000 /dev/zero | tr \"\\0\" a"}},
   {"tool": "bash", "input": {"command": "echo 3; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 4; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 5; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 6; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 7; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 8; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 9; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  [{"tool": "bash", "input": {"command": "echo 10; head -c 9000 /dev/zero | tr \"\\0\" a"}}],
  "All ten."]}'

# went_on: to the end, with its identity, and with every step on disk once and complete.
went_on() {
  same 'completed bob All ten.' "$(status_of 1) $(field 1 result)"
  transcript bob 'select(.type == "result").text' >kept
  same "$(seq 10)" "$(grep -oE '^[0-9]+' kept)"
  same '10 9000' "$(grep '^aa' kept | awk '{print length}' | uniq -c | xargs)"
  asked 'select(.status == 200) | said | select(startswith("Remember"))' >said
  grep -qxF "Remember: You are teammate 'bob' in team 'alpha'." said
  grep -qF 'SUMMARY: all is well.' said
  grep -qF 'Your task is #1: Read' said
}

@test "a long conversation is shortened in time; identity and current work are repeated" {
  shortens() {
    a_team 'Read'
    start_model <<<"{\"context\": 9000, \"rules\": [$LONG]}"

    run --separate-stderr bob --context 9000 --once

    same 0 "$status"
    went_on
    same 200 "$(asked .status | sort -u)"
    grep -qF 'old results are cut' <<<"$stderr"
    grep -qF 'it is summarized' <<<"$stderr"
  }
  in_each_format shortens
}

@test "a call that is refused as too long is made again with less" {
  repeats() {
    a_team 'Read'
    start_model <<<"{\"context\": 6000, \"rules\": [$LONG]}"

    run --separate-stderr bob --once

    same 0 "$status"
    went_on
    (($(asked 'select(.status != 200).status' | wc -l) > 0))
  }
  in_each_format repeats
}

@test "is shut down as ever when no conversation is short enough" {
  full() {
    a_team 'Read'
    start_model <<<'[{"answer": "Never.", "fault": "too_long"}]'
    start_bob --retries 0
    wait_until task_is 1 failed
    wait_until sleeps bob

    run --separate-stderr teammate-stop bob --timeout 10
    same 0 "$status"
    teammate_ended bob 0

    (($(calls) < 10))
  }
  in_each_format full
}

@test "resumes after kill -9; a call with an unknown result is marked" {
  resumes() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command": "echo first >>log"}},
   {"tool": "bash", "input": {"command": "echo second >>log; touch begun; until [ -e go ]; do sleep 0.02; done"}},
   {"tool": "bash", "input": {"command": "echo third >>log"}}],
  "Done."]}]
END
    start_bob
    wait_until test -e begun
    kill_teammate bob

    bob --once

    same 'completed bob Done.' "$(status_of 1) $(field 1 result)"
    same $'first\nsecond' "$(cat log)"
    same 'ok bash: (no output)
error bash: [interrupted: it is not known how much of this was done]
error bash: [interrupted: it is not known how much of this was done]' "$(results bob)"
    same 1 "$(transcript bob 'select(.type == "work").type' | wc -l)"
    same 2 "$(calls)"
  }
  in_each_format resumes
}

# sent_between: how many messages ann and bob have sent each other.
sent_between() { events MESSAGE_SENT 'select([.sender, .recipient] | sort == ["ann", "bob"]).sender' | wc -l; }

@test "two models that only answer each other are paused and the user is told; a message of the user resumes them" {
  talks() {
    a_team
    team-config exchange.limit 2
    team-join ann
    team-join bob
    start_model <<'END'
[{"when": {"user~": "sender=\"(ann|bob)\""}, "answer": [
   {"tool": "SendMessage", "input": {"recipient": "${1}", "content": "Ping"}}]},
 {"when": {"user": "sender=\"user\""}, "answer": [
   {"tool": "SendMessage", "input": {"recipient": "bob", "content": "Ping"}}]},
 {"when": {"called": "SendMessage"}, "answer": "Said."}]
END
    start_teammate ann "${MODEL[@]}"
    start_bob
    wait_until sleeps ann
    wait_until sleeps bob

    team-send ann 'Begin'
    wait_until state_is ann paused
    same 4 "$(sent_between)"
    results ann | grep -q '^error SendMessage: paused: '
    same 1 "$(team-recv --as user --json | jq -r 'select(.sender == "system").content' | grep -c 'ann.*bob\|bob.*ann')"
    wait_until sleeps bob

    team-send ann 'Go on'
    wait_until is_said 8
    wait_until state_is ann paused
  }
  is_said() { (($(sent_between) == $1)); }
  in_each_format talks
}

# holds_key FILE…: names the files that contain the key. The pattern is not an argument, which would be found.
holds_key() { grep -lasF -f "$BATS_FILE_TMPDIR/key" "$@"; }

@test "the key is in no file, no environment and no command line" {
  keeps_secret() {
    key=sk-none-of-your-business
    echo "$key" >"$BATS_FILE_TMPDIR/key"
    a_team 'Build'
    MODEL_SERVER_KEY=$key start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "bash", "input": {"command":
     "env; cat /proc/$$/environ /proc/$PPID/environ; touch begun; until [ -e go ]; do sleep 0.02; done"}},
   {"tool": "bash", "input": {"command": "env; sleep 1000", "run_in_background": true}}],
  "Done."]}]
END
    unset ANTHROPIC_API_KEY OPENAI_API_KEY
    ANTHROPIC_API_KEY=$key OPENAI_API_KEY=$key SOME_API_KEY=$key start_bob --record kept
    wait_until test -e begun

    mapfile -t pids < <(echo "${TEAMMATE[bob]}"; strays)
    ((${#pids[@]} > 2))
    holds_key "/proc/${TEAMMATE[model-server]}/environ"  # where it is, it is found
    for pid in "${pids[@]}"; do
      run holds_key "/proc/$pid/environ" "/proc/$pid/cmdline"
      same '' "$output"
    done
    touch go
    wait_until task_is 1 completed
    wait_until sleeps bob
    teammate-stop bob --timeout 10
    teammate_ended bob 0

    same right "$(asked .key | sort -u)"
    results bob | grep -q TEAM_MEMBER=bob
    run grep -rlaF "$key" .
    same '' "$output"
  }
  in_each_format keeps_secret
}

@test "team-send --interrupt breaks off a command of bash" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Stop that"}, "answer": "I stop."},
 {"answer": [{"tool": "bash", "input": {"command": "echo so far; touch begun; sleep 1000"}},
             {"tool": "bash", "input": {"command": "touch more"}}]}]
END
  start_bob --once
  wait_until test -e begun

  team-send bob 'Stop that' --interrupt
  teammate_ended bob 0

  same 'error bash: so far
[interrupted]
error bash: [not done: something urgent came]' "$(results bob)"
  same 'I stop.' "$(field 1 result)"
  [ ! -e more ]
  nothing_left
}

@test "an answer that was cut off is gone on with, and all of it is the result" {
  goes_on() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Your answer was cut off"}, "answer": "the second half."},
 {"answer": "The first half, ", "stop_reason": "max_tokens"}]
END

    bob --once

    same 'The first half, the second half.' "$(field 1 result)"
    same 2 "$(calls)"
  }
  in_each_format goes_on
}

@test "a model that refuses has failed" {
  a_team 'Build'
  start_model <<<'[{"answer": "I would rather not.", "stop_reason": "refusal"}]'

  run --separate-stderr bob --retries 0 --once

  same 1 "$status"
  same 'failed the model refused: I would rather not.' "$(field 1 status) $(field 1 error)"
}

@test "a task whose deliverable is missing is retried with the reason" {
  a_team
  task-create 'Write' --deliverable note.txt
  start_model <<'END'
[{"when": {"user": "The last attempt ended like this"}, "answer": [
   {"tool": "write_file", "input": {"path": "note.txt", "content": "x"}}]},
 {"when": {"called": "write_file"}, "answer": "Now it is there."},
 {"answer": "Done."}]
END

  bob --until-done

  same 'completed bob Now it is there. 2' "$(status_of 1) $(field 1 result) $(field 1 attempts)"
}

@test "a model may give a task up" {
  a_team 'Fly'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "TaskUpdate", "input": {"taskId": 1, "status": "failed", "result": "No wings"}}], "I gave up."]}]
END

  run bob --once

  same 1 "$status"
  same 'failed No wings' "$(field 1 status) $(field 1 error)"
}

@test "--quiet leaves only errors on stderr" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [[{"tool": "bash", "input": {"command": "true"}}], "Done."]}]
END

  run --separate-stderr bob --once --quiet

  as_expected 0 Done. ''
}

@test "a user who writes during a task gets the last words too" {
  a_team 'Build'
  start_model <<END
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {
    "command": "env -u TEAM_MEMBER -u TEAM_RUN_ID team-send bob 'How far are you?' >id"}}]},
 {"answer": "Nearly done."}]
END

  timeout 20 teammate-run bob "${MODEL[@]}" --once

  same 'Nearly done.' "$(waiting_for user)"
  same 'Nearly done.' "$(field 1 result)"
}

@test "a piece of work has failed at its --time-limit" {
  a_team 'Build'
  start_model <<<'[{"answer": "Never.", "fault": "hang"}]'

  run timeout 20 teammate-run bob "${MODEL[@]}" --time-limit 0.3 --retries 0 --once

  same 1 "$status"
  same failed "$(field 1 status)"
  same 'not done within 0.3 s' "$(field 1 error)"
}

@test "an answer of blanks is sent to nobody" {
  a_team
  team-join bob
  team-send bob Hi
  start_model <<<'[{"answer": "  \n"}]'

  timeout 20 teammate-run bob "${MODEL[@]}" --once

  same '' "$(waiting_for user)"
}

@test "a server that says nothing is asked again after model.silence, model.tries times in all" {
  a_team 'Build'
  team-config model.silence 0.3
  team-config model.tries 2
  start_model <<<'[{"answer": "Never.", "fault": "hang"}]'

  run timeout 30 teammate-run bob "${MODEL[@]}" --once

  same 69 "$status"
  same 2 "$(calls)"
  [[ $(state_of bob .reason) == *'gave up after 2 tries'* ]]
  same pending "$(field 1 status)"
}

@test "a lock that is not had for a while in the middle of its work costs nobody the answer" {
  a_team
  start_model <<END
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {"command": "touch begun; $UNTIL_GO"}}]},
 {"answer": "Here is your answer."}]
END
  team-join bob
  id=$(team-send bob 'Question')
  start_bob --lock-timeout 0.3
  wait_until test -e begun

  hold .teams/alpha/bob_inbox.lock
  touch go
  wait_until says bob 'tries again'
  let_go
  wait_until sleeps bob

  same "Here is your answer. $id" "$(team-recv --as user --json | jq -r '"\(.content) \(.reply_to)"')"
  same 2 "$(calls)"
}

@test "a teammate that is killed while its plan waits submits the same plan again" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"called": "SubmitPlan"}, "answer": "I am waiting for approval."},
 {"answer": [{"tool": "SubmitPlan", "input": {"plan": "1. read 2. write"}}]}]
END
  start_bob --plan
  wait_until state_is bob plan_pending
  kill_teammate bob

  start_bob --plan

  wait_until says bob plan_pending
  same '1. read 2. write' "$(plan-list --json | jq -r .content)"
  same 1 "$(calls)"
}

@test "SubmitPlan in answer to a message is refused, and nobody is asked" {
  a_team
  start_model <<'END'
[{"when": {"turns": 0}, "answer": [{"tool": "SubmitPlan", "input": {"plan": "1. read 2. write"}}]},
 {"answer": "Then not."}]
END
  team-join bob
  team-send bob 'Please rename foo to bar' --as lead

  bob --plan --once

  like 'error SubmitPlan: invalid_state: this is no task: *' "$(results bob)"
  same '' "$(plan-list --all 2>/dev/null)"
  same 'Then not.' "$(waiting_for lead)"
}

@test "a user who wrote during a task that failed is told so" {
  a_team 'Build'
  start_model <<END
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {"command": "$SEND bob 'how far?'"}}]},
 {"answer": [{"tool": "TaskList", "input": {}}]}]
END

  run --separate-stderr bob --once --max-turns 2 --retries 0

  same 'failed bob' "$(status_of 1)"
  same 'error [System] bob could not work on "how far?": not done within 2 turns' \
    "$(team-recv --as user --json | jq -r '"\(.type) \(.content)"')"
}

@test "two messages of the user in one piece of work get one answer" {
  a_team
  start_model <<END
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {"command": "$SEND bob second"}}]},
 {"answer": "The one answer."}]
END
  team-join bob
  team-send bob 'first'

  bob --once

  same 'The one answer.' "$(waiting_for user)"
}

# forgets_nothing ANSWER: to the request for a summary.
forgets_nothing() {
  a_team 'Read'
  start_model <<END
{"context": 6400, "rules": [
 {"name": "summary", "when": {"user": "about to become too long"}, "answer": $1},
 {"name": "read", "when": {"turns": {"max": 3}}, "answer": [{"text": "The secret number is 4711."},
   {"tool": "bash", "input": {"command": "head -c 9000 /dev/zero | tr '\\\\0' a"}}]},
 {"answer": "Done."}]}
END

  timeout 20 teammate-run bob "${MODEL[@]}" --context 6400 --once --max-turns 8 >/dev/null 2>bob.err || true

  asked 'select(.rule == "summary") | .body.tool_choice | if type == "object" then .type else . end' >choices
  same none "$(sort -u choices)"
  asked 'select(.status == 200 and .rule != "summary") | said | select(startswith("Remember"))' >said
  grep -qF 'The secret number is 4711.' said
  ! grep -qF 'nobody knows any more' said || { cat said >&2; false; }
}

@test "its words are kept when it gives no summary; it is asked for one without tools" {
  no_summary() {
    local answer
    for answer in '[{"tool": "TaskList", "input": {}}]' '[{"text": ""}]'; do
      mkdir -p "case-${#answer}"
      cd "case-${#answer}"
      forgets_nothing "$answer"
      stop_model
      cd ..
    done
  }
  in_each_format no_summary
}

@test "commands that an approved task left running end with it, before the next plan; the model is told" {
  a_team 'One' 'Two'
  start_model <<END
[{"when": {"user": "plan was approved"}, "answer": [
   {"tool": "bash", "input": {"command": "echo \$\$ >pid; $UNTIL_GO; touch changed", "run_in_background": true}},
   {"tool": "bash", "input": {"command": "until [ -s pid ]; do :; done"}}]},
 {"when": {"called": "bash"}, "answer": "One is done."},
 {"answer": "My plan."}]
END
  start_bob --plan
  wait_until state_is bob plan_pending
  plan-approve "$(plan-list | cut -f 1)" >/dev/null
  wait_until task_is 1 completed

  wait_until state_is bob plan_pending

  gone "$(cat pid)"
  same 2 "$(plan .task)"
  touch go
  like '*<task-notification id="bash-1" ended="stopped">*' "$(asked said | tail -40)"
  sleeps_soundly "${TEAMMATE[bob]}"
  [ ! -e changed ]
}

@test "with --plan TaskUpdate neither claims a task nor completes one without an approved plan" {
  a_team 'One' 'Two'
  start_model <<'END'
[{"when": {"user": "plan was approved"}, "steps": [
  [{"tool": "TaskUpdate", "input": {"taskId": 2, "status": "in_progress"}},
   {"tool": "TaskUpdate", "input": {"taskId": 2, "status": "completed"}},
   {"tool": "bash", "input": {"command": "touch done"}}], "One is done."]},
 {"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "TaskUpdate", "input": {"taskId": 1, "status": "completed"}},
   {"tool": "TaskUpdate", "input": {"taskId": 2, "status": "in_progress"}},
   {"tool": "TaskUpdate", "input": {"taskId": 2, "priority": 1}}], "My plan."]}]
END
  start_bob --plan --once

  wait_until state_is bob plan_pending
  same 'in_progress bob pending null' "$(status_of 1) $(status_of 2)"
  plan-approve "$(plan .id)" >/dev/null
  teammate_ended bob 0

  same 4 "$(results bob | grep -c '^error TaskUpdate: permission_denied: ')"
  same 1 "$(field 2 priority)"
  same 'completed bob pending null' "$(status_of 1) $(status_of 2)"
  [ -e 'done' ]
}

@test "an approval is void when the task has ended or is taken away" {
  a_team 'One'
  start_model <<'END'
[{"when": {"user": "plan was approved"}, "steps": [
  [{"tool": "TaskUpdate", "input": {"taskId": 1, "status": "completed"}},
   {"tool": "bash", "input": {"command": "touch changed"}},
   {"tool": "write_file", "input": {"path": "changed", "content": "x"}}], "Done."]},
 {"answer": "My plan."}]
END
  start_bob --plan --once
  wait_until state_is bob plan_pending

  plan-approve "$(plan .id)" >/dev/null
  teammate_ended bob 0

  same 2 "$(results bob | grep -c '^error [a-z_]*: permission_denied: your plan was approved for a task that is no longer yours')"
  [ ! -e changed ]
}

@test "--once ends when the task is taken away while its plan waits" {
  a_team 'One'
  start_model <<<'[{"answer": "My plan."}]'
  start_bob --plan --once
  wait_until state_is bob plan_pending

  task-release 1 --as lead >/dev/null

  teammate_ended bob 1
  same 'pending null' "$(status_of 1)"
  same '' "$(plan .id)"
}

@test "unfinished work of a run without --plan is resumed behind the gate" {
  a_team
  team-join bob
  team-send bob 'Please rename foo to bar' --as lead
  start_model <<END
[{"when": {"user": "Please rename"}, "steps": [
  [{"tool": "bash", "input": {"command": "touch begun; $UNTIL_GO"}}],
  [{"tool": "bash", "input": {"command": "touch changed"}}], "Then not."]}]
END
  start_bob
  wait_until test -e begun
  kill_teammate bob

  bob --plan --once

  like '*error bash: permission_denied: your plan is not approved yet*' "$(results bob)"
  same 1 "$(transcript bob 'select(.type == "work").title' | wc -l)"
  [ ! -e changed ]
}

@test "a broken line in the event log stops neither a model nor readers of the log" {
  a_team 'Build'
  team-join bob
  team-send bob 'Hello'
  team-recv --as bob >/dev/null
  printf '{"seq":99,"event":{"type":"MESSAGE_SENT"\n' >>.teams/alpha/events.jsonl
  start_model <<<'[{"answer": "Done."}]'

  run --separate-stderr bob --once

  same 0 "$status"
  same 'completed bob' "$(status_of 1)"
  run --separate-stderr team-digest --as lead
  same 0 "$status"
  run --separate-stderr team-status
  same 0 "$status"
}

@test "the log shows in words its calls, their results and its step" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {"command": "echo one; exit 3"}}]},
 {"answer": "Done."}]
END
  bob --once

  team-log >log

  # Time, number and name come first.
  told() { grep -F "$1" log | sed "s/.*$1[[:space:]]*//"; }
  same bash "$(told TOOL_CALL_START)"
  same '{"command": "echo one; exit 3"}' "$(told TOOL_CALL_ARGS)"
  same '' "$(told TOOL_CALL_END)"
  like 'error: one*exit status 3*' "$(told TOOL_CALL_RESULT)"
  same 'task 1' "$(told STEP_STARTED)"
  like 'task 1*done*, *.? s' "$(told STEP_FINISHED)"
}

@test "in a pane the key of the caller goes to the address of the caller, whatever the tmux server has" {
  command -v tmux >/dev/null || skip 'needs tmux'
  export TMUX_TMPDIR=$PWD HOME=$PWD
  a_team
  mkdir elsewhere
  cd elsewhere
  MODEL_SERVER_KEY=key-of-the-server start_model <<<'[{"answer": "From elsewhere."}]'
  TEAMMATE[elsewhere]=${TEAMMATE[model-server]}
  cd ..
  ANTHROPIC_BASE_URL=$URL tmux -f /dev/null -L mine new-session -d -s mine cat 3>&-
  TMUX=$(tmux -L mine display-message -p -t mine '#{socket_path},#{pid},0')
  export TMUX
  MODEL_SERVER_KEY=key-of-the-caller start_model <<<'[{"answer": "From here."}]'
  export ANTHROPIC_BASE_URL=$URL

  teammate-spawn coder --model claude-x --prompt go --mode tmux 2>/dev/null

  wait_until was_asked 1
  same right "$(asked .key)"
  [ ! -s elsewhere/model.log ]
  run ! grep -rqs key-of-the-caller .teams
}

@test "refuses to record to or replay from anything but a regular file or a folder, without waiting" {
  a_team
  mkfifo fifo

  for option in --replay --record; do
    for file in fifo /dev/null /dev/tty; do
      [ "$option" == --replay ] && model=() || model=(--model claude-x --base-url http://127.0.0.1:1)
      run --separate-stderr timeout 20 teammate-run bob "${model[@]}" "$option" "$file" --once
      same 2 "$status"
      like "teammate-run: usage: '$file' is not a regular file" "$stderr"
    done
  done
  run --separate-stderr timeout 20 teammate-run bob --replay . --once
  same 3 "$status"
  like "teammate-run: not_found: no recording '*/order.jsonl'" "$stderr"
}

@test "with --clean-env the commands of a model get only the variables that are named" {
  a_team
  start_model <<'END'
[{"when": {"user": "go"}, "steps": [
  [{"tool": "bash", "input": {"command": "env | grep -oE '^(MINE|OTHER|TEAM_MEMBER|[A-Z]*_API_KEY)=' | sort | paste -sd ' '"}}],
  "Done."]}]
END
  export MINE=1 OTHER=1

  bob --once --prompt go --clean-env 'MINE,ANTHROPIC_API_KEY'

  same 'MINE= TEAM_MEMBER=' "$(asked results)"
}

@test "a message that cannot be delivered is a note for the model: its task is completed" {
  a_team 'Build' 'Test'
  team-join ann
  task-update 2 --add-blocked-by 1 --owner ann >/dev/null
  hold .teams/alpha/ann_inbox.lock
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "TaskUpdate", "input": {"taskId": 1, "status": "completed", "result": "Built."}}], "Done."]}]
END

  bob --once --lock-timeout 0.1

  like "ok TaskUpdate: Task #1 is completed.
Task #2 can start now: Test
Note: the change is made, but ann was not told of task 2: *. Do not repeat it." "$(results bob)"
  same 'completed bob Built.' "$(status_of 1) $(field 1 result)"
}

@test "its tools set and remove dependencies and metadata" {
  a_team 'Build' 'Test' 'Ship'
  task-update 2 --add-blocked-by 1 --metadata old=1 >/dev/null
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "TaskUpdate", "input": {"taskId": 2, "removeBlockedBy": [1], "addBlocks": [3],
     "metadata": {"area": "db", "size": {"lines": 3}, "old": null}}},
   {"tool": "TaskCreate", "input": {"subject": "Tell", "metadata": {"n": 1}, "mood": "good"}},
   {"tool": "TaskUpdate", "input": {"taskId": 3, "addBlocks": [2]}},
   {"tool": "TaskUpdate", "input": {"taskId": 1, "addBlocks": [4, 99]}},
   {"tool": "TaskUpdate", "input": {"taskId": 1, "addBlocks": [1]}}],
  "Done."]}]
END

  bob --once

  same 'ok TaskUpdate: Task #2 is pending.
ok TaskCreate: Task #4 is on the board: Tell
error TaskUpdate: invalid_state: task 2 cannot wait for 3, which waits for 2
error TaskUpdate: not_found: no task 99
error TaskUpdate: invalid_state: task 1 cannot wait for itself' "$(results bob)"
  same '[] [2] []' "$(for id in 2 3 4; do jq -c .blockedBy ".tasks/$id.json"; done | xargs)"
  same '{"area":"db","size":{"lines":3}} {"n":1}' "$(jq -c .metadata .tasks/2.json) $(jq -c .metadata .tasks/4.json)"
  same 0 "$(task-list --json | jq -s '[.[] | select(.id == 3 and .blocked != true)] | length')"
}

@test "a parameter that resembles a known one is refused with the name that was meant, and nothing is done" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "TaskCreate", "input": {"subject": "Test", "blocked_by": [1]}},
   {"tool": "TaskCreate", "input": {"subject": "Test", "dependsOn": [1]}},
   {"tool": "TaskUpdate", "input": {"taskId": 1, "add_blocks": [1]}},
   {"tool": "bash", "input": {"command": "touch changed", "timeoutt": 5}},
   {"tool": "bash", "input": {"command": "true", "timeoutt": null, "why": "no reason"}}],
  "Done."]}]
END

  bob --once

  same "error TaskCreate: TaskCreate: there is no 'blocked_by'; did you mean 'blockedBy'?
error TaskCreate: TaskCreate: there is no 'dependsOn'; did you mean 'blockedBy'?
error TaskUpdate: TaskUpdate: there is no 'add_blocks'; did you mean 'addBlocks'?
error bash: bash: there is no 'timeoutt'; did you mean 'timeout'?
ok bash: (no output)" "$(results bob)"
  same 1 "$(task-list | wc -l)"
  [ ! -e changed ]
}

@test "TaskList and a claim tell what a task is about, and #2 is an id" {
  team-create alpha >/dev/null
  task-create 'Schema' --description 'Two <tables>.' >/dev/null
  task-create 'Code' --description 'Use the schema.' --blocked-by 1 >/dev/null
  task-claim 1 --as ann >/dev/null
  task-complete 1 --as ann --result 'users and orders' >/dev/null
  start_model <<'END'
[{"when": {"user": "Look"}, "steps": [
  [{"tool": "TaskList", "input": {}}, {"tool": "TaskUpdate", "input": {"taskId": "#2", "status": "in_progress"}}],
  "Done."]}]
END

  bob --once --no-auto-claim --prompt 'Look'

  same 'ok TaskList: #1 [completed] "Schema" (by user; owner: ann)
    description: Two &lt;tables&gt;.
    result: users and orders
#2 [pending] "Code" (by user)
    description: Use the schema.
ok TaskUpdate: Task #2 is in_progress.
<description created_by="user">
Use the schema.
</description>

<result task="1" by="ann">
users and orders
</result>' "$(results bob)"
}
