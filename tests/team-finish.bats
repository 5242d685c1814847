load helper
load mail
load teammates

# summary_of: the end of the team in its configuration.
summary_of() {
  jq -r '[.finishedAt != null, .summary] | map(tostring) | join(" ")' .teams/alpha/config.json
}

# refuses WHY: from now on no teammate agrees to shut down.
refuses() {
  mkdir -m 700 .teams/alpha/hooks
  printf '#!/bin/sh\necho "%s" >&2\nexit 1\n' "$1" >.teams/alpha/hooks/teammate-shutdown
  chmod 700 .teams/alpha/hooks/teammate-shutdown
}

@test "shuts the teammates down and keeps the summary" {
  team-create alpha
  task-create 'first'
  teammate-spawn coder --count 2 --exec true
  task-wait 1 --timeout 20

  run --separate-stderr team-finish --summary 'All moved'

  as_expected 0 '' ''
  same 'true All moved' "$(summary_of)"
  same 'user All moved' "$(team-log --type TEAM_FINISHED --json | jq -r '[.agent_id, .event.summary] | join(" ")')"
  same $'shutdown approved\nshutdown approved' "$(jq -r '[.kind, .status] | join(" ")' .teams/alpha/requests/*.json)"
  same $'shutdown\nshutdown' "$(teammate-list --json | jq -r .state)"
  wait_until nothing_left
}

@test "reads the summary from stdin" {
  team-create alpha

  run --separate-stderr team-finish --summary - <<<$'All moved,\nall tests pass'

  as_expected 0 '' ''
  same $'true All moved,\nall tests pass' "$(summary_of)"
}

@test "finishes a team without teammates, without a summary" {
  team-create alpha
  task-create 'first'
  task-claim 1
  task-fail 1 --reason 'no luck'

  run --separate-stderr team-finish

  as_expected 0 '' ''
  same 'true null' "$(summary_of)"
  same 1 "$(team-log --type TEAM_FINISHED | wc -l)"
}

@test "refuses while tasks are open, and names them" {
  team-create alpha
  for i in {1..3}; do task-create "task $i"; done
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-claim 2 --as backend
  teammate-spawn tester --exec true --prompt 'once'
  wait_until task_is 3 completed

  run --separate-stderr team-finish --summary 'too early'

  as_expected 8 '' 'team-finish: invalid_state: 1 task has not ended: 2; it can be forced'
  same 'false null' "$(summary_of)"
  is_held .teams/alpha/tester-1.alive
  same 0 "$(team-log --type SHUTDOWN_REQUESTED | wc -l)"
}

@test "names five of many open tasks" {
  team-create alpha
  for i in {1..7}; do task-create "task $i"; done

  run --separate-stderr team-finish

  as_expected 8 '' 'team-finish: invalid_state: 7 tasks have not ended: 1, 2, 3, 4, 5, ...; it can be forced'
}

@test "--force finishes with open tasks, and kills teammates that do not end in time" {
  team-create alpha
  task-create 'first'
  task-create 'second' --blocked-by 1
  teammate-spawn coder --exec 'setsid tail -f /dev/null & tail -f /dev/null'
  teammate-spawn tester --exec true
  wait_until state_is coder-1 active

  run --separate-stderr team-finish --force --timeout 200ms --summary 'half of it'

  same 0 "$status"
  same '' "$output"
  same 'true half of it' "$(summary_of)"
  same 'pending pending' "$(task-list | cut -f2 | xargs)"
  same $'killed by user\nasked to by user' "$(teammate-list --json | jq -r .reason)"
  wait_until nothing_left
}

@test "waits for the present piece of work to be done" {
  mkfifo gate
  team-create alpha
  teammate-spawn coder --prompt 'begin' --exec 'touch begun; read -r _ <gate; touch ended'
  wait_until test -e begun
  start_asleep team-finish
  wait_until test -d .teams/alpha/requests

  echo >gate

  ended 0 '' ''
  [ -e ended ]
  wait_until nothing_left
}

@test "exits 1 and is not finished if a teammate refuses, and says why" {
  team-create alpha
  refuses 'not yet'
  teammate-spawn coder --exec true
  wait_until sleeps coder-1

  run --separate-stderr team-finish --summary 'too early'

  as_expected 1 '' 'team-finish: no: coder-1 refuses: not yet'
  same 'false null' "$(summary_of)"
  same 0 "$(team-log --type TEAM_FINISHED | wc -l)"
  is_held .teams/alpha/coder-1.alive
}

@test "--force ends a teammate that refuses" {
  team-create alpha
  refuses 'not yet'
  teammate-spawn coder --exec true
  wait_until sleeps coder-1

  run --separate-stderr team-finish --force

  same 0 "$status"
  same 'true null' "$(summary_of)"
  wait_until nothing_left
}

@test "exits 1 and is not finished if a teammate does not end within --timeout" {
  team-create alpha
  teammate-spawn coder --prompt 'begin' --exec 'tail -f /dev/null'
  wait_until state_is coder-1 active

  run --separate-stderr team-finish --timeout 50ms

  as_expected 1 '' 'team-finish: no: coder-1 has not answered'
  same 'false null' "$(summary_of)"
  is_held .teams/alpha/coder-1.alive
}

@test "nobody is missing in a team that is finished" {
  team-create alpha
  teammate-spawn coder --exec true
  team-finish

  run --separate-stderr team-resume

  as_expected 1 '' 'team-resume: no: nobody is missing'
}

@test "a second time it keeps the summary of the first unless there is another" {
  team-create alpha
  team-finish --summary 'All moved'

  team-finish
  same 'true All moved' "$(summary_of)"

  team-finish --summary 'All moved twice'
  same 'true All moved twice' "$(summary_of)"
}

@test "lets only the lead and the user finish a team" {
  team-create alpha --lead boss
  team-join backend

  run --separate-stderr team-finish --as backend --force
  as_expected 7 '' 'team-finish: permission_denied: only the lead or the user may finish the team, not backend'
  TEAM_MEMBER=backend run --separate-stderr team-finish --as boss
  as_expected 7 '' 'team-finish: permission_denied: you are backend (TEAM_MEMBER) and cannot act as boss'
  same 'false null' "$(summary_of)"

  run --separate-stderr team-finish --as boss
  as_expected 0 '' ''
  same boss "$(team-log --type TEAM_FINISHED --json | jq -r .agent_id)"
}

@test "exits 2 for wrong options, 3 without a team" {
  run --separate-stderr team-finish
  refused 3 'team-finish: not_found: *'

  team-create alpha
  run --separate-stderr team-finish alpha
  refused 2 'team-finish: usage: *'
  run --separate-stderr team-finish --timeout soon
  refused 2 'team-finish: usage: --timeout: *'
  same 'false null' "$(summary_of)"
}

@test "exits 9 for a broken configuration, and leaves it" {
  team-create alpha
  echo '{' >.teams/alpha/config.json

  run --separate-stderr team-finish

  refused 9 'team-finish: corrupt: .teams/alpha/config.json:2:1: *'
  same '{' "$(cat .teams/alpha/config.json)"
}

@test "a task that cannot be read counts as one that has not ended" {
  team-create alpha
  task-create 'first'
  echo '{' >.tasks/1.json

  run --separate-stderr team-finish

  refused 8 'team-finish: invalid_state: 1 task has not ended: 1*'
}

@test "exits 75 when a lock is not had in time" {
  team-create alpha
  hold .teams/alpha/.lock

  run --separate-stderr team-finish --lock-timeout 50ms

  refused 75 "team-finish: again: cannot lock '.teams/alpha/.lock': *"
  same 'false null' "$(summary_of)"
}

@test "exits 74 where nobody can write" {
  team-create alpha
  read_only .teams

  run --separate-stderr team-finish

  refused 74 'team-finish: io: *Read-only file system'
}

@test "prints with --json when the team was finished, and with which summary" {
  team-create alpha >/dev/null

  run --separate-stderr team-finish --json --summary 'All "moved"'

  same 0 "$status"
  same '' "$stderr"
  same "$(jq -c '{team: .name, finishedAt, summary}' .teams/alpha/config.json)" "$(jq -c . <<<"$output")"
}
