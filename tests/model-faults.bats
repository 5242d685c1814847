# Failing services, and the reaction of a teammate with a model. A call is retried after a random pause of at most one
# second, so each fault happens once.
load helper
load models

# bob OPTION…: that teammate in the foreground, for 20 s at the most.
bob() { timeout "${TEAMKIT_PATIENCE:-20}" teammate-run bob "${MODEL[@]}" "$@"; }

a_team() {
  local subject
  team-create alpha
  for subject in "$@"; do task-create "$subject"; done
} >/dev/null

# status_of ID: the status and the owner of a task.
status_of() { jq -r '"\(.status) \(.owner)"' ".tasks/$1.json"; }

# texts FILTER: the words of the model, a line for each message whose end matches FILTER.
texts() {
  team-log --json | jq -rs "[.[].event] as \$all | \$all[]
    | select(.type == \"TEXT_MESSAGE_END\") | select($1).message_id as \$id
    | [\$all[] | select(.type == \"TEXT_MESSAGE_CONTENT\" and .message_id == \$id).delta] | join(\"\")"
}

MIDDLE='Two, and this one is said at some length, in more than a few pieces.'

# A conversation in which $FAULT spoils the second answer and its repetition.
converse() {
  a_team 'Build'
  start_model <<END
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"thinking": "First one."}, {"text": "One."}, {"tool": "bash", "input": {"command": "echo 1 >>steps"}}],
  {"answer": [{"thinking": "Second one."}, {"text": "$MIDDLE"}, {"tool": "bash", "input": {"command": "echo 2 >>steps"}}], "fault": $FAULT},
  "Three."]}]
END
  run --separate-stderr bob --once
}

# is_whole: each turn is there once, and was done once.
is_whole() {
  same 0 "$status"
  same $'1\n2' "$(cat steps)"
  same 'work answer result answer result answer end' "$(transcript bob .type | paste -sd ' ')"
  same "One. $MIDDLE Three." "$(transcript bob '.turn.parts[]?.text // empty' | sed '/^$/d' | paste -sd ' ')"
  same "One. $MIDDLE Three." "$(texts '.void != true' | paste -sd ' ')"
  same 'completed bob Three.' "$(status_of 1) $(field 1 result)"
}

# was_repeated: and nothing of the first try was used.
was_repeated() {
  converse
  is_whole
  same 4 "$(calls)"
  same '' "$(texts '.void == true')"
}

# was_paused: the same, and the wait was reported.
was_paused() {
  was_repeated
  grep -q '; again in [0-9.]* s$' <<<"$stderr"
}

# was_void: the same, and the partial answer of the first try does not count.
was_void() {
  converse
  is_whole
  same 4 "$(calls)"
  broken=$(texts '.void == true')
  [ -n "$broken" ]
  like "$broken*" "$MIDDLE"
}

# was_taken: at the first try.
was_taken() {
  converse
  is_whole
  same 3 "$(calls)"
}

@test "429: the call is made again" {
  FAULT='{"status": 429, "retry_after": 0, "times": 1}'
  in_each_format was_paused
}

@test "500: the call is made again" {
  FAULT='{"status": 500, "times": 1}'
  in_each_format was_paused
}

@test "529: the call is made again" {
  FAULT='{"status": 529, "retry_after": 0, "times": 1}'
  in_each_format was_paused
}

@test "408 and 409: the call is made again" {
  FAULT='{"status": 408, "times": 1}'
  mkdir timeout conflict
  cd timeout
  was_paused
  stop_model
  cd ../conflict
  FAULT='{"status": 409, "times": 1}'
  was_paused
}

@test "a connection that is closed at once: the call is made again" {
  FAULT='{"close": true, "times": 1}'
  in_each_format was_repeated
}

@test "a stream that is cut: the call is repeated, and the partial answer is void" {
  FAULT='{"cut": 9, "times": 1}'
  in_each_format was_void
}

@test "a stream that is reset: the call is repeated, and the partial answer is void" {
  FAULT='{"cut": {"events": 9, "how": "reset"}, "times": 1}'
  in_each_format was_void
}

@test "a stream that ends too early, as if it were whole: the call is made again" {
  FAULT='{"cut": {"events": 9, "how": "end"}, "times": 1}'
  in_each_format was_void
}

@test "an event that is no JSON: the call is made again" {
  FAULT='{"malformed": true, "times": 1}'
  in_each_format was_void
}

@test "an error in the stream: the call is made again" {
  FAULT='{"stream_error": 9, "times": 1}'
  in_each_format was_void
}

@test "a stream that comes slowly, or in small pieces, is taken as it is" {
  FAULT='{"slow": 0.01, "split": 7}'
  in_each_format was_taken
}

@test "a huge answer is taken as it is" {
  takes() {
    a_team 'Build'
    start_model <<<'[{"answer": "End.", "fault": {"huge": 3000000}}]'

    run --separate-stderr bob --once --context 2000000

    same 0 "$status"
    same 3000004 "$(tr -d '\n' <<<"$output" | wc -c)"
    same 3000004 "$(transcript bob '[.turn.parts[]?.text] | add // empty' | tr -d '\n' | wc -c)"
    same 3000004 "$(texts true | tr -d '\n' | wc -c)"
    same 'completed bob' "$(status_of 1)"
  }
  in_each_format takes
}

@test "an answer that is cut twice at its end becomes the result once" {
  ends() {
    a_team 'Build'
    start_model <<<'[{"answer": "All that was to be done is done.", "fault": {"cut": 4, "times": 2}}]'

    run --separate-stderr bob --once

    same 0 "$status"
    same 'All that was to be done is done.' "$(field 1 result)"
    same 'work answer end' "$(transcript bob .type | paste -sd ' ')"
    same $'true\ntrue\nnull' "$(team-log --type TEXT_MESSAGE_END --json | jq .event.void)"
  }
  in_each_format ends
}

@test "a final error ends it at once, with the reason; the task is free again" {
  gives_up() {
    a_team 'Build'
    start_model <<'END'
[{"answer": "Never.", "fault": {"status": 404, "message": "there is no such model"}}]
END

    run --separate-stderr bob

    same 69 "$status"
    like 'error 127.0.0.1:*: *there is no such model*' "$(state_of bob '"\(.state) \(.reason)"')"
    same 'pending null' "$(status_of 1)"
    same 1 "$(calls)"
    same 1 "$(team-log --type RUN_ERROR --json | jq -r .event.message | grep -c 'no such model')"
    grep -q 'no such model' <<<"$stderr"
  }
  in_each_format gives_up
}

@test "a wrong key ends it at once, and is told to nobody" {
  gives_up() {
    a_team 'Build'
    start_model <<<'[{"answer": "Never."}]'

    ANTHROPIC_API_KEY=sk-wrong-one OPENAI_API_KEY=sk-wrong-one run --separate-stderr bob

    same 69 "$status"
    same 'error pending null' "$(state_of bob .state) $(status_of 1)"
    same 1 "$(calls)"
    run grep -rlaF sk-wrong-one .
    same '' "$output"
  }
  in_each_format gives_up
}

@test "messages that it could not work on are heard when it is started again" {
  hears() {
    a_team
    team-join bob
    team-send bob 'Hello'
    start_model <<'END'
[{"answer": "Hello yourself.", "fault": {"status": 403, "times": 1}}]
END

    run --separate-stderr bob --once
    same 69 "$status"
    run --separate-stderr bob --once
    same 0 "$status"

    same 'Hello yourself.' "$(team-recv --as user --json | jq -r .content)"
    same 'work answer end' "$(transcript bob .type | paste -sd ' ')"
  }
  in_each_format hears
}

@test "a service that is not to be had for long is not called again: the teammate pauses" {
  a_team 'Build'
  start_model <<<'[{"answer": "Never.", "fault": {"status": 429, "retry_after": 1000}}]'

  start_teammate bob "${MODEL[@]}"
  wait_until state_is bob paused

  same 'pending null' "$(status_of 1)"
  same 1 "$(calls)"
}

@test "an address that is none is refused before anything is changed" {
  a_team 'Build'

  run --separate-stderr timeout 20 teammate-run bob --model claude-x --base-url nonsense

  refused 2 'teammate-run: usage: *nonsense*'
  same 'pending null' "$(status_of 1)"
  [ ! -e .teams/alpha/bob.json ]
}

@test "teammate-stop does not wait for the pause before the next try" {
  a_team 'Build'
  start_model <<<'[{"answer": "Never.", "fault": {"status": 429, "retry_after": 100}}]'
  start_teammate bob "${MODEL[@]}"
  wait_until says bob '; again in '

  run --separate-stderr teammate-stop bob --timeout 10
  same 0 "$status"
  teammate_ended bob 0

  same 'pending null' "$(status_of 1)"
}

@test "an overload reported to one teammate slows the others down" {
  a_team 'One' 'Two'
  start_model <<'END'
[{"when": {"system": "teammate 'bob'"}, "answer": "Never.", "fault": {"status": 429, "retry_after": 100}},
 {"answer": "Done."}]
END
  start_teammate bob "${MODEL[@]}"
  wait_until says bob '; again in '

  start_teammate ann "${MODEL[@]}"
  wait_until says ann 'the service is overloaded: no call for '

  same 1 "$(calls)"
  kill -TERM "${TEAMMATE[bob]}" "${TEAMMATE[ann]}"
  teammate_ended bob 143
  teammate_ended ann 143
}

@test "no more calls run at once than model.concurrency says; that of a dead one is free" {
  a_team 'One' 'Two'
  team-config model.concurrency 1
  start_model <<'END'
[{"when": {"system": "teammate 'bob'"}, "answer": "Never.", "fault": "hang"}, {"answer": "Done."}]
END
  start_teammate bob "${MODEL[@]}"
  wait_until was_asked 1
  start_teammate ann "${MODEL[@]}" --once
  wait_until says ann 'waiting: as many calls as may run at once (1) are running'
  same 1 "$(calls)"

  kill_teammate bob
  teammate_ended ann 0

  same Done. "$(field 2 result)"
}

@test "an empty answer is a failed attempt, never a completed task" {
  fails() {
    a_team 'Build'
    start_model <<<'[{"when": {"user": "Your task is #1"}, "answer": []}]'

    bob --once --retries 0 2>said || true

    same 'failed bob' "$(status_of 1)"
    same 'the model gave an empty answer' "$(field 1 error)"
  }
  in_each_format fails
}

@test "an answer that is cut before it has any text is a failed attempt, and names the limit" {
  fails() {
    a_team 'Build'
    start_model <<<'[{"answer": [{"thinking": "Hm."}], "stop_reason": "max_tokens"}]'

    bob --once --retries 0 --max-tokens 700 2>said || true

    same 'failed bob' "$(status_of 1)"
    same 'the answer was cut at 700 tokens before it had any text (--max-tokens)' "$(field 1 error)"
  }
  in_each_format fails
}

@test "a tool call that is cut is not run, is answered, and fails the attempt after the third" {
  fails() {
    a_team 'Build'
    start_model <<<'[{"answer": [{"tool": "bash", "raw": "{\"command\": \"touch ran"}], "stop_reason": "max_tokens"}]'

    bob --once --retries 0 --max-tokens 700 2>said || true

    same 'failed bob' "$(status_of 1)"
    same '4 tool calls in a row were cut at 700 tokens' "$(field 1 error)"
    same 4 "$(calls)"
    [ ! -e ran ]
    same 'error bash: [not done: the call was cut at 700 tokens; write in several smaller pieces]' \
      "$(results bob | sort -u)"
  }
  in_each_format fails
}

@test "an address that nobody answers fails at once, in one line" {
  a_team 'Build'
  export ANTHROPIC_API_KEY=test-key

  run --separate-stderr timeout 10 teammate-run bob --once --model claude-x --base-url http://127.0.0.1:1

  same 69 "$status"
  same 1 "$(grep -c 'Connection refused\|connect' <<<"$stderr")"
  same 'pending null' "$(status_of 1)"
}

@test "thinking is kept in the transcript, goes back to the service and is lost by nobody who is killed" {
  survives() {
    a_team 'Build'
    start_model <<END
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"thinking": "First."}, {"tool": "bash", "input": {"command": "touch begun; $UNTIL_GO"}}],
  [{"thinking": "Second."}, {"tool": "bash", "input": {"command": "echo 2"}}],
  "Done."]}]
END
    start_teammate bob "${MODEL[@]}"
    wait_until test -e begun
    kill -KILL "${TEAMMATE[bob]}"
    touch go
    wait_until gone "${TEAMMATE[bob]}"

    bob --once

    same 'completed bob Done.' "$(status_of 1) $(field 1 result)"
    same 2 "$(transcript bob '.turn.parts[]? | select(.type == "reasoning") | .model' | grep -c x)"
    same '' "$(jq -r 'select(.status != 200) | .error' model.log)"
  }
  in_each_format survives
}

@test "every answer ends with an event that has its model and its tokens" {
  tells() {
    a_team 'Build'
    start_model <<'END'
[{"when": {"user": "Your task is #1"}, "usage": {"input": 7, "output": 5}, "steps": [
  [{"tool": "bash", "input": {"command": "echo 1"}}], "Done."]}]
END
    bob --once

    same '-x 5 -x 5' "$(team-log --json | jq -r '.event | select(.type == "TEXT_MESSAGE_END")
      | "\(.model | ltrimstr("claude") | ltrimstr("gpt")) \(.usage.output)"' | paste -sd ' ')"
  }
  in_each_format tells
}

@test "the arguments of a large call stay JSON in the log" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  [{"tool": "write_file", "input": {"path": "large", "content": "${repeat:20000:ab}"}}], "Done."]}]
END
  bob --once

  same 40000 "$(wc -c <large)"
  team-log --json | jq -r '.event | select(.type == "TOOL_CALL_ARGS").delta' >arguments
  same large "$(jq -r .path arguments)"
  (($(wc -c <arguments) < 20000))
}

@test "a service that only sends signs of life is given up at the limit for a whole answer" {
  is_given_up() {
    a_team 'Build'
    start_model <<<'[{"answer": [{"thinking": "Hm."}, {"text": "Never said."}], "fault": {"pings": 2}}]'
    team-config model.answer 1
    team-config model.tries 1
    run --separate-stderr bob --once
    same 69 "$status"
    like '*the answer did not end within 1 s*' "$stderr"
    same 'pending null' "$(status_of 1)"
  }
  in_each_format is_given_up
}

@test "an answer that pauses goes on, with its reasoning" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Your task is #1"}, "steps": [
  {"answer": [{"thinking": "Long."}, {"text": "First half, "}], "stop_reason": "pause_turn"}, "second half."]}]
END

  run --separate-stderr bob --once

  same 0 "$status"
  same 'completed bob First half, second half.' "$(status_of 1) $(field 1 result)"
  same 2 "$(calls)"
}

@test "a refusal of the model is a failed attempt, with its words" {
  is_refused() {
    a_team 'Build'
    start_model <<<'[{"answer": [{"thinking": "No."}, {"text": "I cannot help with that."}], "stop_reason": "refusal"}]'
    run --separate-stderr bob --once --retries 0
    same 1 "$status"
    same 'failed bob' "$(status_of 1)"
    same 'the model refused: I cannot help with that.' "$(field 1 error)"
  }
  in_each_format is_refused
}
