# Usage limits, budgets, loops and failed attempts, with every driver.
load helper
load mail
load models

# a_team [TASK…]: alpha, with these tasks on its board.
a_team() {
  local subject
  team-create alpha
  for subject in "$@"; do task-create "$subject"; done
} >/dev/null

bob() { timeout 20 teammate-run bob "$@"; }
last_told() { told | tail -1; }
told() { team-recv --peek --json 2>/dev/null | jq -r .content; }
count_told() { told | grep -c '^\[Paused\]'; }
attempts() { jq -s -c 'map(.attempts) | unique' .tasks/*.json; }
unfinished() { grep -LF '"status": "completed"' .tasks/*.json | wc -l; }
none_is_unfinished() { [ "$(unfinished)" == 0 ]; }
is() { [ "$("${@:2}")" == "$1" ]; }

# A program that reached its limit until the time in the file `reset`, and then works.
LIMITED='[ "$(date +%s%N)" -ge "$(date -d "$(cat reset)" +%s%N)" ] || {
  echo "You'\''ve hit your usage limit. Try again at $(cat reset)" >&2; exit 1; }
date +%s.%N >>begun'

@test "50 tasks behind a usage limit lose no attempt, and go on within a second of its end" {
  team-create alpha >/dev/null
  seq 50 | jq -c '{subject: "Task \(.)"}' | task-create - >/dev/null
  date -u -d '+3 seconds' +%Y-%m-%dT%H:%M:%S.%NZ >reset
  for name in ann bob eve; do start_teammate "$name" --exec "$LIMITED" --until-done; done
  wait_until state_is bob paused

  wait_until none_is_unfinished

  same '[1]' "$(attempts)"
  same 50 "$(wc -l <begun)"
  # All three began within a second of the reset.
  same 3 "$(sort -n begun | awk -v reset="$(date -d "$(cat reset)" +%s.%N)" '$1 < reset + 1' | head -3 | wc -l)"
  same 1 "$(count_told)"
  for name in ann bob eve; do teammate_ended "$name" 0; done
  same '' "$(cat .teams/alpha/quotas.jsonl)"
}

@test "exit status 75 is no failed attempt: the task goes back and the member pauses for a minute" {
  a_team 'Build'

  start_teammate bob --exec 'echo busy >&2; exit 75'
  wait_until state_is bob paused

  same '["pending",null,0,"not now: busy"]' "$(jq -c '[.status, .owner, .attempts, .error]' .tasks/1.json)"
  like 'usage limit of echo until ??:??:??: busy' "$(state_of bob .reason)"
  same true "$(state_of bob '.until - .since | . > 50 and . <= 60')"
  like '[[]Paused[]] bob reached the usage limit of echo: busy. All members *; team-quota --clear echo ends the pause' \
    "$(told)"
  same '["echo","busy","bob",1]' "$(team-quota --json | jq -c '[.quota, .reason, .by, .times]')"
}

@test "whoever shares the quota pauses with it, also if it comes later; others work" {
  a_team 'One'
  echo '{"command": "exit 75", "quota": "account"}' >limited.json
  echo '{"command": "touch worked", "quota": "account"}' >sharing.json
  echo '{"command": "true"}' >other.json
  team-create beta --role limited=limited.json --role sharing=sharing.json --role other=other.json --board work
  export TEAM_NAME=beta TEAM=beta
  task-create One
  start_teammate bob --role limited
  wait_until state_is bob paused

  start_teammate ann --role sharing
  wait_until state_is ann paused
  like 'usage limit of account until *' "$(state_of ann .reason)"
  timeout 20 teammate-run eve --role other --until-done

  same completed "$(jq -r .status work/1.json)"
  [ ! -e worked ]
}

@test "team-quota --clear wakes paused members at once; a limit that still holds is entered again" {
  a_team 'Build'
  start_teammate bob --exec '[ -e go ] || exit 75' --until-done
  wait_until state_is bob paused

  team-quota --clear '['
  wait_until is 2 count_told
  touch go
  team-quota --clear '['

  teammate_ended bob 0
  same '["completed",1]' "$(jq -c '[.status, .attempts]' .tasks/1.json)"
}

@test "a shutdown request and a signal end a pause" {
  a_team 'Build'
  start_teammate bob --exec 'exit 75'
  start_teammate ann --exec 'exit 75'
  wait_until state_is bob paused
  wait_until state_is ann paused

  teammate-stop bob --timeout 10
  kill -TERM "${TEAMMATE[ann]}"

  teammate_ended bob 0
  teammate_ended ann 143
}

@test "messages wait for the end of a usage limit" {
  a_team
  team-join bob
  team-send bob 'Hello' >/dev/null
  start_teammate bob --exec '[ -e go ] && echo pong || exit 75'
  wait_until state_is bob paused

  touch go
  team-quota --clear '['

  wait_until is pong last_told
}

@test "a 429 with a long retry-after pauses the member and whoever has the same service" {
  a_team 'Build'
  start_model <<<'[{"answer": "Never.", "fault": {"status": 429, "retry_after": 1000}}]'
  start_teammate bob "${MODEL[@]}"
  wait_until state_is bob paused

  start_teammate ann "${MODEL[@]}"
  wait_until state_is ann paused

  same '["pending",null,0]' "$(jq -c '[.status, .owner, .attempts]' .tasks/1.json)"
  like "usage limit of anthropic@127.0.0.1:* until *: 429 *" "$(state_of ann .reason)"
  same true "$(state_of ann '.until - .since | . > 900 and . <= 1000')"
  same 1 "$(wc -l <model.log)"
}

@test "a budget of 10,000 tokens is overshot by at most one answer per member" {
  a_team One Two Three
  team-config budget.tokens 10000
  start_model <<'END'
[{"answer": [{"tool": "bash", "input": {"command": "date +%N"}}], "usage": {"input": 900, "output": 100}}]
END
  for name in ann bob eve; do start_teammate "$name" "${MODEL[@]}"; done
  for name in ann bob eve; do wait_until state_is "$name" paused; done

  used=$(team-status --json | jq '.usage | .input + .output')
  [ "$used" -ge 10000 ] && [ "$used" -le 13000 ]
  same '[0]' "$(attempts)"
  like 'the budget of 10000 tokens is used up (1????)' "$(state_of ann .reason)"
  like '[[]Paused[]] the budget of 10000 tokens is used up (1????); work stops until you raise it (budget.tokens)' "$(told)"
  like '*budget*' "$(team-status --json | jq -c .warnings)"

  team-config budget.tokens 1000000
  wait_until state_is ann active
}

@test "a command that reports its usage counts: by the line teamkit-usage, or by its own JSON" {
  a_team One Two
  team-config budget.usd 0.75

  run --separate-stderr bob --until-done --exec '
    [ $TASK_ID = 1 ] && echo "teamkit-usage: {\"input\":100,\"output\":20,\"usd\":0.5}" >&2 ||
    echo "{\"type\":\"result\",\"result\":\"Done.\",\"total_cost_usd\":0.25,\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}"'

  same 10 "$status"
  same '{"input":107,"output":23,"cache_read":0,"cache_written":0,"usd":0.75}' "$(state_of bob '.usage | tojson')"
  same 'completed completed' "$(jq -r .status .tasks/*.json | xargs)"
  same Done. "$(jq -r .result .tasks/2.json)"
  same 0.75 "$(team-status --json | jq .usage.cost)"
}

@test "the limits of a role hold for each of its members" {
  a_team One Two Three
  echo '{"command": "echo '\''teamkit-usage: {\"input\":100}'\'' >&2", "limits": {"tokens": 150}}' >coder.json
  team-create beta --role coder=coder.json --board .tasks

  run --separate-stderr timeout 20 teammate-run bob -t beta --role coder --until-done

  same 10 "$status"
  same 'completed completed pending' "$(jq -r .status .tasks/*.json | xargs)"
  like '*the budget of 150 tokens is used up (200)' "$(team-recv -t beta --peek --json | jq -r .content | cut -d\; -f1)"
}

@test "a model that repeats a call is told, then stopped; the lead is told and a message continues" {
  a_team 'Build'
  start_model <<'END'
[{"when": {"user": "Go on then"}, "answer": "I stop."},
 {"answer": [{"tool": "bash", "input": {"command": "echo same; echo >>turns"}}]}]
END
  start_teammate bob "${MODEL[@]}" --retries 0
  wait_until state_is bob paused

  same 8 "$(wc -l <turns)"
  same 'the same call of bash 8 times in a row' "$(state_of bob .reason)"
  same 'failed the same call of bash 8 times in a row' "$(jq -r '"\(.status) \(.error)"' .tasks/1.json)"
  same 1 "$(grep -c 'You seem to be in a loop: the same call of bash 5 times in a row' .teams/alpha/bob_transcript.jsonl)"
  same '[Paused] bob was stopped in a loop: the same call of bash 8 times in a row; write to it to continue' \
    "$(team-recv --as lead --peek --json | jq -r .content)"
  team-send bob 'Go on then' >/dev/null
  wait_until is 'I stop.' told
}

@test "limits.turns without a change stops a model; a change of a file counts" {
  a_team 'Build'
  start_model <<'END'
[{"answer": [{"tool": "bash", "input": {"command": "echo >>../turns; [ $(wc -l <../turns) != 3 ] || touch file; date +%N"}}]}]
END
  echo '{"limits": {"turns": 4}}' >still.json
  team-create beta --role still=still.json >/dev/null
  mkdir src

  run --separate-stderr timeout 20 env -C src teammate-run bob -C .. -t beta "${MODEL[@]}" --role still --retries 0 --once

  same 1 "$status"
  same 'failed 7 turns without a change of the board, the mail or a file' "$(jq -r '"\(.status) \(.error)"' .tasks/1.json)"
  same 11 "$(wc -l <turns)"
}

@test "the second attempt waits for tasks.backoff, and is called one in prompt, log and status" {
  a_team 'Build'
  unset TEAM_BACKOFF
  team-config tasks.backoff 200ms

  run --separate-stderr bob --until-done --exec 'cat >prompt-$(ls | wc -l); date +%s.%N >>begun; echo "Error: no" >&2; exit 1'

  same 0 "$status"
  like '*task 1, attempt 1 of 3: exit status 1: Error: no*again in 0.2 s*active: task 1: Build (attempt 2 of 3)*again in 0.4 s*' "$stderr"
  same true "$(awk 'NR > 1 { if ($1 - last < 0.2 * (NR - 1)) bad = 1 } { last = $1 } END { print bad ? "false" : "true" }' begun)"
  same 1 "$(grep -l 'This is attempt 2 of 3' prompt-* | wc -l)"
}

@test "a task that the lead takes away before the second attempt ends no life" {
  a_team One Two Three
  unset TEAM_BACKOFF
  team-config tasks.backoff 60
  start_teammate bob --exec '[ "$TASK_ID" != 1 ] && [ "$TASK_ID" != 2 ]'

  wait_until says bob 'task 1: again in 60 s'
  task-fail 1 --as lead >failed
  wait_until says bob 'task 2: again in 60 s'
  task-complete 2 --as lead >completed
  wait_until task_is 3 completed

  wait_until state_is bob idle
  same 'failed completed completed' "$(jq -r .status .tasks/*.json | xargs)"
}

@test "the reason of a failed attempt is the most useful line" {
  a_team One Two
  bob --until-done --retries 0 --exec '
    [ $TASK_ID = 1 ] && { echo "Error: no key" >&2; echo "[object Object]" >&2; exit 1; }
    echo "API Error: 400 bad"; exit 1'

  same 'exit status 1: Error: no key' "$(jq -r .error .tasks/1.json)"
  same 'exit status 1: API Error: 400 bad' "$(jq -r .error .tasks/2.json)"
}

@test "own texts of usage limits come from the setting and from the role" {
  a_team One
  team-config limits.texts '["no seats*left"]'
  start_teammate bob --exec 'echo "No seats are left" >&2; exit 1'
  wait_until state_is bob paused
  kill_teammate bob

  run --separate-stderr team-config limits.texts '[1]'
  refused 2 'team-config: usage: limits.texts takes *'
}

@test "team-up --wait ends with 10 when the budget is used up" {
  cat >team.json <<'END'
{"team": "alpha", "roles": {"coder": {"command": "echo 'teamkit-usage: {\"input\":100}' >&2"}},
 "tasks": [{"subject": "One"}, {"subject": "Two"}, {"subject": "Three"}]}
END
  run --separate-stderr timeout 60 team-up team.json --wait --budget '150 tokens' --mode background

  same 10 "$status"
  like '*team-up: paused: the budget of 150 tokens is used up (200)' "$stderr"
}

@test "team-up --wait waits for members that have a budget left" {
  cat >team.json <<'END'
{"team": "alpha",
 "roles": {"small": {"command": "echo 'teamkit-usage: {\"input\":100}' >&2", "limits": {"tokens": 50}},
           "free": {"command": "cat >/dev/null"},
           "slow": {"command": "cat >/dev/null; until [ -e go ]; do sleep 0.02; done"}},
 "tasks": [{"subject": "One", "role": "small"}, {"subject": "Two", "role": "small"}, {"subject": "Three", "role": "slow"}]}
END
  timeout 60 team-up team.json --wait --mode background >up.out 2>up.err 3>&- &
  local up=$!
  wait_until state_is small-1 paused
  wait_until state_is free-1 idle
  # It may take the fourth task, but does not get to it yet.
  kill -STOP "$(jq .pid .teams/alpha/free-1.json)"
  task-create Four --role free >made
  touch go
  wait_until state_is slow-1 idle
  read -rt 2 <> <(:) || true
  kill -CONT "$(jq .pid .teams/alpha/free-1.json)"
  local status=0
  wait "$up" || status=$?

  same 10 "$status"
  same 'completed pending completed completed' "$(jq -r .status .tasks/*.json | xargs)"
}

@test "wrong budgets are refused" {
  a_team One
  for wrong in 0 -1 '2 EUR' '' 'x tokens' '0 USD'; do
    run --separate-stderr bob --exec true --budget "$wrong"
    refused 2 'teammate-run: usage: *'
  done
}

@test "a broken ledger is named, kept, and reported by team-fsck" {
  a_team One
  echo '{' >.teams/alpha/quotas.jsonl
  chmod 600 .teams/alpha/quotas.jsonl

  run --separate-stderr team-quota
  refused 9 'team-quota: corrupt: .teams/alpha/quotas.jsonl:1:*'
  run --separate-stderr team-fsck
  like '.teams/alpha/quotas.jsonl*' "$output"
  same '{' "$(cat .teams/alpha/quotas.jsonl)"
}
