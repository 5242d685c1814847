# A killed model resumes its conversation, and the words of many models that talk at once are kept apart.
# scripts/torture.d has the long forms: models-killed and models-talk.
load helper
load models

# run_bob [OPTION…]: starts bob with the model claude-x, and returns when he has his name.
run_bob() {
  # shellcheck disable=SC2086 # options
  start_teammate bob ${FORMAT_OPTIONS:---model claude-x} --base-url "$URL" "$@"
}

# lines_at_least FILE N
lines_at_least() {
  [ -e "$1" ] && (($(wc -l <"$1") >= $2))
}

# kill_at FILE N: kills bob as soon as FILE has N lines, and restarts him.
kill_at() {
  wait_until lines_at_least "$1" "$2"
  kill_teammate bob
  run_bob
}

# judge SCRIPT MEMBER…: shows broken guarantees.
judge() {
  "$PROJECT/tests/models/resume-judge" "$PROJECT/tests/models/$1.json" model.log "${@:2}" >judged || {
    cat judged >&2
    return 1
  }
}

# A conversation of thirty turns, killed while the model speaks, while commands run, and in between.
survives_kills() {
  start_model resume-worker
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  run_bob

  kill_at model.log 1
  kill_at begun.bob 1
  kill_at .teams/alpha/bob_transcript.jsonl 8
  kill_at begun.bob 12
  kill_at model.log 18
  kill_at .teams/alpha/bob_transcript.jsonl 60
  task-wait 1 --timeout 60 >/dev/null
  wait_until sleeps bob

  same 'turn 30. All thirty turns are done.' "$(field 1 result)"
  judge resume-worker bob
  # A kill leaves at most the calls of one turn open.
  (($(grep -c 'interrupted: it is not known' .teams/alpha/bob_transcript.jsonl) <= 18))
  same 31 "$(grep -c '"type":"answer"' .teams/alpha/bob_transcript.jsonl)"
}

@test "a teammate that is killed again and again ends its conversation as if it had not been" {
  survives_kills
}

@test "the same with a server that speaks as OpenAI does" {
  FORMAT_OPTIONS='--model gpt-x' survives_kills
}

@test "the same with a server that speaks the Responses API" {
  FORMAT_OPTIONS='--model gpt-x --api responses' survives_kills
}

@test "messages that come around a kill are heard once, and the task goes on" {
  start_model resume-worker
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  run_bob

  for turn in 2 6 10 14; do
    wait_until lines_at_least model.log "$turn"
    for when in before after; do
      echo "note $when turn $turn" >>said.bob
      team-send bob "note $when turn $turn" >/dev/null 2>&1
      [ "$when" = after ] || kill_teammate bob
    done
    run_bob
  done
  # Any waiting member can claim the task of a dead owner: bob must run again by then.
  wait_until is_held .teams/alpha/bob.alive
  task-wait 1 --timeout 60 >/dev/null
  wait_until sleeps bob

  judge resume-worker bob
  same 8 "$(sed -n 's/ messages$//p' judged)"
  same 'turn 30. All thirty turns are done.' "$(field 1 result)"
  same 1 "$(grep -c '"type":"work"' .teams/alpha/bob_transcript.jsonl)"
}

@test "a command that is killed by itself is answered with how it ended" {
  start_model <<'END_OF_SCRIPT'
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {"command": "echo $$ >pid; exec sleep 1000"}}]},
 {"when": {"result": "exit status 137"}, "answer": "It was killed."},
 {"answer": "I do not know."}]
END_OF_SCRIPT
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  run_bob --once
  wait_until test -s pid

  kill -KILL "$(cat pid)"

  teammate_ended bob 0
  same 'It was killed.' "$(field 1 result)"
}

@test "a keeper that is killed takes its command with it, and the conversation goes on" {
  start_model <<'END_OF_SCRIPT'
[{"when": {"turns": 0}, "answer": [{"tool": "bash", "input": {"command": "echo $$ >pid; exec sleep 1000"}}]},
 {"answer": "That is over."}]
END_OF_SCRIPT
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  run_bob --once
  wait_until test -s pid

  kill -KILL "$(pgrep -P "${TEAMMATE[bob]}")"

  teammate_ended bob 0
  same 'That is over.' "$(field 1 result)"
  wait_until gone "$(cat pid)"
}

@test "a call that was running when its teammate was killed is marked interrupted and not done again" {
  start_model <<'END_OF_SCRIPT'
[{"when": {"turns": 0}, "answer": [
   {"tool": "bash", "input": {"command": "echo one >>steps"}},
   {"tool": "bash", "input": {"command": "echo two >>steps; sleep 1000"}},
   {"tool": "bash", "input": {"command": "echo three >>steps"}}]},
 {"when": {"result": "interrupted"}, "answer": "I see that it was interrupted."},
 {"answer": "It was not."}]
END_OF_SCRIPT
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  run_bob --once
  wait_until lines_at_least steps 2
  kill_teammate bob

  run_bob --once

  teammate_ended bob 0
  same $'one\ntwo' "$(cat steps)"
  same 'I see that it was interrupted.' "$(field 1 result)"
  local unknown='[interrupted: it is not known how much of this was done]'
  same "(no output)"$'\n'"$unknown"$'\n'"$unknown" \
    "$(jq -r 'select(.type == "result") | .text' .teams/alpha/bob_transcript.jsonl)"
}

@test "a message that was heard during a task is answered after a kill" {
  start_model <<'END_OF_SCRIPT'
[{"when": {"turns": 0}, "answer": [
   {"tool": "bash", "input": {"command": "env -u TEAM_MEMBER -u TEAM_RUN_ID team-send bob 'how far?' >id"}}]},
 {"when": {"turns": 1}, "answer": [{"tool": "bash", "input": {"command": "touch begun; exec sleep 1000"}}]},
 {"answer": "Two thirds."}]
END_OF_SCRIPT
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  run_bob --once
  wait_until test -e begun
  kill_teammate bob

  run_bob --once

  teammate_ended bob 0
  same 'Two thirds.' "$(field 1 result)"
  same "Two thirds. $(cat id)" "$(team-recv --as user --json | jq -r '"\(.content) \(.reply_to)"')"
}

@test "a teammate killed after its last words has them as the result, and the model is not called again" {
  start_model <<<'[{"answer": "Done."}]'
  team-create alpha >/dev/null
  task-create 'talk' >/dev/null
  printf '%s\n' '{"type":"work","title":"task 1","phase":"work","task":1,"messages":[],"text":"Do it."}' \
    '{"type":"answer","turn":{"role":"model","parts":[{"type":"text","text":"It was done before."}]}}' \
    '{"type":"note","te' | head -c -1 >transcript
  # The files of a teammate that claims the task, answers and is killed.
  start_teammate bob --exec 'touch claimed; sleep 1000'
  wait_until test -e claimed
  kill_teammate bob
  cp transcript .teams/alpha/bob_transcript.jsonl

  run_bob --once

  teammate_ended bob 0
  same 'It was done before.' "$(field 1 result)"
  [ ! -s model.log ]
}

@test "a transcript that is none ends it with 9, and nothing of it is changed" {
  start_model <<<'[{"answer": "Done."}]'
  team-create alpha >/dev/null
  printf 'no JSON\n' >.teams/alpha/bob_transcript.jsonl

  run_bob --once

  teammate_ended bob 9
  says bob 'bob_transcript.jsonl:1'
  same 'no JSON' "$(cat .teams/alpha/bob_transcript.jsonl)"
}

@test "a lead that is killed goes on without being told its goal again" {
  start_model resume-lead
  team-run 'take twelve turns' -t alpha --model claude-x --base-url "$URL" >lead.out 2>lead.err </dev/null 3>&- &
  TEAMMATE[lead]=$!

  for turn in 1 4 8; do
    wait_until lines_at_least begun.lead "$turn"
    kill_teammate lead
    team-run -t alpha --model claude-x --base-url "$URL" >lead.out 2>>lead.err </dev/null 3>&- &
    TEAMMATE[lead]=$!
  done

  teammate_ended lead 0
  same 'All twelve turns are done.' "$(cat lead.out)"
  judge resume-lead lead
  same 1 "$(grep -c '"type":"work"' .teams/alpha/lead_transcript.jsonl)"
}

@test "while six talk at once, the log has the words of each model, complete and in order" {
  start_model talk
  team-create alpha --max-teammates 0 >/dev/null
  team-config model.concurrency 3
  for i in {1..6}; do
    team-join "b-$i" >/dev/null
    task-create 'talk' --owner "b-$i" >/dev/null
  done

  for i in {1..6}; do start_teammate "b-$i" --model claude-x --base-url "$URL"; done
  task-wait --timeout 60 >/dev/null

  # 429 for one slows the others too, and never more than three call at once: the server's log shows it.
  team-log --json >events
  "$PROJECT/tests/models/talk-judge" model.log 3 b-{1..6} <events >judged || { cat judged >&2; return 1; }
  grep -qx '3 calls at once, as far as the log can show' judged
  grep -q '^1 messages that do not count' judged
  [ "$(asked 'select(.status == 429) | 1')" = 1 ]
}
