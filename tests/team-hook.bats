# team-hook: the open session of an agent as a member. A sleeping process stands for the agent.
load helper

setup() {
  begin_test
  team-create alpha >/dev/null
  agent
}

teardown() { kill "${agents[@]}" 2>/dev/null || true; }

# agent: a new process of the agent, with its session, in $client and $session.
agent() {
  sleep 600 3>&- &
  client=$!
  agents+=("$client")
  session=s$client
}

# hook EVENT [JSON]: one hook of the agent.
hook() {
  run --separate-stderr team-hook claude "$1" --client "$client" <<<"{\"session_id\":\"$session\"${2:+,$2}}"
}

# doorbell: one in the background, in $bell; its text goes to the file bell.
doorbell() {
  team-hook claude Doorbell --client "$client" <<<"{\"session_id\":\"$session\"}" 2>bell 3>&- &
  bell=$!
  wait_until is_asleep "$bell"
}

# bell_ended: the exit status of the doorbell.
bell_ended() {
  status=0
  wait "$bell" || status=$?
}

@test "a session joins at its start, is told where it is, and its shell acts as the member" {
  CLAUDE_ENV_FILE=$PWD/env hook SessionStart

  same 0 "$status"
  [[ $output == 'You are claude in team alpha.'*'tasks: 0 of 0 completed'* ]]
  same 'export TEAM_MEMBER=claude export TEAM_NAME=alpha' "$(paste -sd ' ' env)"
  same 'claude,lead' "$(jq -r '[.members[].name] | sort | join(",")' .teams/alpha/config.json)"

  hook SessionStart
  same 0 "$status"
}

@test "a message wakes an idle session, once, and is acknowledged by its next hook" {
  hook SessionStart
  doorbell

  team-send claude 'look <here>' >/dev/null
  bell_ended

  same 2 "$status"
  same 'look &lt;here&gt;' "$(sed -n 2p bell)"
  same '' "$(team-log --type MESSAGE_PROCESSED)"
  hook Stop
  same 0 "$status"
  same 1 "$(team-log --type MESSAGE_PROCESSED | wc -l)"
  hook PostToolUse
  same '' "$output"
}

@test "a message arrives within a turn, in the result of the tool" {
  hook SessionStart
  team-send claude one >/dev/null

  hook PostToolUse

  same 0 "$status"
  same PostToolUse "$(jq -r .hookSpecificOutput.hookEventName <<<"$output")"
  same one "$(jq -r .hookSpecificOutput.additionalContext <<<"$output" | sed -n 2p)"
  hook PostToolUse
  same '' "$output"
  same 1 "$(team-log --type MESSAGE_PROCESSED | wc -l)"
}

@test "a second doorbell of the member ends at once" {
  hook SessionStart
  doorbell

  hook Doorbell

  as_expected 0 '' ''
  kill -0 "$bell"
}

@test "a doorbell ends with its killed agent, and the next message waits for the next session" {
  hook SessionStart
  doorbell

  kill -KILL "$client"
  bell_ended
  same 1 "$status"
  team-send claude kept >/dev/null

  agent
  hook SessionStart
  team-hook claude Doorbell --client "$client" <<<"{\"session_id\":\"$session\"}" 2>bell 3>&- || status=$?
  same 2 "$status"
  same kept "$(sed -n 2p bell)"
}

@test "a message that the killed agent was shown comes again in its next session" {
  hook SessionStart
  doorbell
  team-send claude again >/dev/null
  bell_ended
  same 2 "$status"

  kill -KILL "$client"
  agent
  hook PostToolUse

  same again "$(jq -r .hookSpecificOutput.additionalContext <<<"$output" | sed -n 2p)"
  same '' "$(team-log --type MESSAGE_PROCESSED)"
}

@test "a prompt of the user brings the digest" {
  team-join bob >/dev/null
  hook SessionStart
  team-send lead 'half of it is done' --as bob >/dev/null

  hook UserPromptSubmit

  same '[Teammate bob]: half of it is done' "$output"
}

@test "the hook of the team refuses a completion" {
  mkdir -m 700 .teams/alpha/hooks
  printf '%s\n' '#!/bin/sh' 'echo "the tests fail" >&2; exit 1' >.teams/alpha/hooks/task-completed
  chmod 700 .teams/alpha/hooks/task-completed
  hook SessionStart

  hook TaskCompleted '"task_id":"1","task_subject":"x"'
  same 2 "$status"
  [[ $stderr == *'the tests fail'* ]]

  rm .teams/alpha/hooks/task-completed
  hook TaskCompleted '"task_id":"1","task_subject":"x"'
  same 0 "$status"
}

@test "a session that ends leaves, unless it works, or messages wait for it" {
  hook SessionStart
  hook SessionEnd '"reason":"clear"'
  same 1 "$(jq '[.members[] | select(.name == "claude")] | length' .teams/alpha/config.json)"

  team-send claude later >/dev/null
  hook SessionEnd '"reason":"other"'
  same 1 "$(jq '[.members[] | select(.name == "claude")] | length' .teams/alpha/config.json)"

  team-recv --as claude >/dev/null
  hook SessionEnd '"reason":"other"'
  same 0 "$(jq '[.members[] | select(.name == "claude")] | length' .teams/alpha/config.json)"
}

@test "--print gives settings that are JSON and name only known events" {
  run --separate-stderr team-hook claude --print

  same 0 "$status"
  same 'PostToolUse,SessionEnd,SessionStart,Stop,TaskCompleted,UserPromptSubmit' \
    "$(jq -r '.hooks | keys | join(",")' <<<"$output")"
  same 'true,true' "$(jq -r '[.. | .asyncRewake? // empty] | map(tostring) | join(",")' <<<"$output")"
  for event in $(jq -r '.. | .command? // empty' <<<"$output" | sed 's/.* //' | grep -v Doorbell | sort -u); do
    hook "$event"
    same 0 "$status"
  done
}

@test "does nothing without a store or a team, and never exits 2 for an error" {
  mkdir "$BATS_TEST_TMPDIR.empty" && cd "$BATS_TEST_TMPDIR.empty"
  hook SessionStart
  as_expected 0 '' ''

  cd "$BATS_TEST_TMPDIR"
  hook Bogus
  as_expected 1 '' "team-hook: usage: 'Bogus' is no event of Claude Code that is used here"
  run --separate-stderr team-hook --bogus
  same 1 "$status"
  run --separate-stderr team-hook claude Stop <<<'nonsense'
  same 9 "$status"
}
