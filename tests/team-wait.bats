load helper
load mail
load teammates

@test "all-done waits until all tasks have ended" {
  make_team
  task-create 'first'
  task-create 'second'
  start_asleep team-wait all-done

  task-claim 1 --as backend
  task-complete 1 --as backend
  kill -0 "$STARTED"
  task-claim 2 --as backend
  task-complete 2 --as backend

  ended 0 '' ''
}

@test "all-done is so at once on an empty board and when all have ended" {
  make_team

  run --separate-stderr team-wait all-done
  as_expected 0 '' ''

  task-create 'first'
  task-claim 1
  task-complete 1
  run --separate-stderr team-wait all-done
  as_expected 0 '' ''
}

@test "message waits until there is one, and takes none" {
  make_team
  start_asleep team-wait message --as backend

  team-send backend 'hello' --as lead

  ended 0 '' ''
  same hello "$(waiting_for backend)"
  run --separate-stderr team-wait message --as backend
  as_expected 0 '' ''
}

@test "message does not wake for the mail of another" {
  make_team
  start_asleep team-wait message --as backend

  team-send frontend 'hello' --as lead
  kill -0 "$STARTED"
  team-send backend 'hello' --as lead

  ended 0 '' ''
}

@test "message is so when a reader died with one" {
  make_team
  team-send backend 'hello' --as lead
  team-recv --as backend >/dev/full || true

  run --separate-stderr team-wait message --as backend --timeout 0

  as_expected 0 '' ''
}

@test "message is not so for a line that is no message" {
  make_team
  echo garbage >.teams/alpha/backend_inbox.jsonl

  run --separate-stderr team-wait message --as backend --timeout 0

  as_expected 1 '' 'team-wait: no: message not within 0 s'
}

@test "task=ID waits until that task has ended" {
  make_team
  task-create 'first'
  task-create 'second'
  start_asleep team-wait task=1

  task-claim 1
  task-complete 1

  ended 0 '' ''
}

@test "task=ID works with a board and no team" {
  task-create 'first'
  task-claim 1
  task-complete 1

  run --separate-stderr team-wait task=1

  as_expected 0 '' ''
}

@test "all-idle holds at once when all running teammates have nothing to do" {
  make_team
  start_idle backend --exec true
  start_idle coder --exec true
  start_idle late --exec true
  kill_teammate late

  run --separate-stderr team-wait all-idle --timeout 0

  as_expected 0 '' ''
}

@test "all-idle waits for the last working teammate" {
  mkfifo gate
  make_team
  task-create 'first'
  start_idle frontend --no-auto-claim --exec true
  start_teammate backend --exec 'touch begun; read -r _ <gate'
  wait_until test -e begun
  start_asleep team-wait all-idle

  kill -0 "$STARTED"
  echo >gate

  ended 0 '' ''
  state_is backend idle
}

@test "all-idle is not so while somebody works" {
  make_team
  start_idle frontend --exec true
  start_teammate backend --prompt 'begin' --exec 'tail -f /dev/null'
  wait_until state_is backend active

  run --separate-stderr team-wait all-idle --timeout 50ms

  as_expected 1 '' 'team-wait: no: all-idle not within 0.05 s'
}

@test "all-idle is not so while a task is ready or in progress, and wakes when none is" {
  make_team
  start_idle backend --no-auto-claim --exec true
  task-create 'first'
  run --separate-stderr team-wait all-idle --timeout 50ms
  as_expected 1 '' 'team-wait: no: all-idle not within 0.05 s'

  task-claim 1 --as frontend
  run --separate-stderr team-wait all-idle --timeout 50ms
  as_expected 1 '' 'team-wait: no: all-idle not within 0.05 s'

  start_asleep team-wait all-idle
  task-complete 1 --as frontend
  ended 0 '' ''
}

@test "all-idle is so while tasks wait for others that failed" {
  make_team
  task-create 'first'
  task-create 'second' --blocked-by 1
  start_idle backend --retries 0 --exec false

  run --separate-stderr team-wait all-idle --timeout 0

  as_expected 0 '' ''
  same 'failed pending' "$(task-list | cut -f2 | xargs)"
}

@test "all-idle does not hold while nobody runs, and wakes when the first teammate idles" {
  make_team
  run --separate-stderr team-wait all-idle --timeout 0
  as_expected 1 '' 'team-wait: no: all-idle not within 0 s'

  start_asleep team-wait all-idle
  start_idle newcomer --exec true

  wait_until gone "$STARTED"
  ended 0 '' ''
}

@test "all-idle counts teammates that joined during the wait" {
  make_team
  start_idle backend --no-auto-claim --exec true
  task-create 'first'
  task-claim 1 --as frontend
  start_asleep team-wait all-idle --timeout 2

  start_teammate newcomer --prompt 'begin' --exec 'tail -f /dev/null'
  wait_until state_is newcomer active
  task-complete 1 --as frontend

  ended 1 '' 'team-wait: no: all-idle not within 2 s'
}

@test "all-idle wakes when the working teammate dies" {
  make_team
  start_idle backend --exec true
  start_teammate frontend --prompt 'begin' --exec 'tail -f /dev/null'
  wait_until state_is frontend active
  start_asleep team-wait all-idle

  kill_teammate frontend

  wait_until gone "$STARTED"
  ended 0 '' ''
}

@test "idle=NAME is so at once when that one has nothing to do, whatever the others do" {
  make_team
  task-create 'first' --owner frontend
  start_teammate frontend --exec 'tail -f /dev/null'
  start_idle backend --exec true
  wait_until state_is frontend active

  run --separate-stderr team-wait idle=backend --timeout 0
  as_expected 0 '' ''

  run --separate-stderr team-wait idle=frontend --timeout 50ms
  as_expected 1 '' 'team-wait: no: idle=frontend not within 0.05 s'
}

@test "idle=NAME waits until it holds, also for a member that does not run yet" {
  mkfifo gate
  make_team
  start_asleep team-wait idle=backend

  start_teammate backend --prompt 'begin' --exec 'touch begun; read -r _ <gate'
  wait_until test -e begun
  kill -0 "$STARTED"
  echo >gate

  ended 0 '' ''
}

@test "idle=NAME does not hold for a member that died while idle" {
  make_team
  start_idle backend --exec true
  kill_teammate backend
  state_is backend idle

  run --separate-stderr team-wait idle=backend --keep-waiting --timeout 0

  as_expected 1 '' 'team-wait: no: idle=backend not within 0 s'
}

@test "waits for idleness where the file system cannot notify" {
  mkfifo gate
  make_team
  start_teammate backend --prompt 'begin' --exec 'touch begun; read -r _ <gate'
  wait_until test -e begun
  export TEAM_NOTIFY=poll

  start team-wait all-idle
  echo >gate
  ended 0 '' ''

  run --separate-stderr team-wait idle=backend
  as_expected 0 '' ''
}

@test "wakes where the file system cannot notify" {
  make_team
  task-create 'first'
  export TEAM_NOTIFY=poll
  start team-wait message --as backend
  team-send backend 'hello' --as lead
  ended 0 '' ''

  start team-wait task=1
  task-claim 1
  task-complete 1
  ended 0 '' ''
}

@test "exits 1 if it is not so within --timeout" {
  make_team
  task-create 'first'

  run --separate-stderr team-wait all-done --timeout 50ms
  as_expected 1 '' 'team-wait: no: all-done not within 0.05 s'

  run --separate-stderr team-wait message --as backend --timeout 0
  as_expected 1 '' 'team-wait: no: message not within 0 s'

  run --separate-stderr team-wait task=1 --timeout 0
  as_expected 1 '' 'team-wait: no: task=1 not within 0 s'
}

@test "exits 2 for a condition it does not know, and without one" {
  make_team

  run --separate-stderr team-wait banana
  refused 2 "team-wait: usage: 'banana' is not all-done*"

  run --separate-stderr team-wait task=x
  as_expected 2 '' "team-wait: usage: 'task=x' names no task"

  run --separate-stderr team-wait task=
  refused 2 'team-wait: usage: *'

  run --separate-stderr team-wait
  as_expected 2 '' 'team-wait: usage: CONDITION is missing (try team-wait --help)'

  run --separate-stderr team-wait all-done --timeout soon
  refused 2 'team-wait: usage: --timeout: *'
}

@test "exits 3 for a task or a member that is not there" {
  make_team

  task-create 'first'
  run --separate-stderr team-wait task=7
  as_expected 3 '' 'team-wait: not_found: no task 7'

  run --separate-stderr team-wait message --as stranger
  refused 3 "team-wait: not_found: no member 'stranger' in team alpha*"

  run --separate-stderr team-wait idle=backedn
  as_expected 3 '' "team-wait: not_found: no member 'backedn' in team alpha; did you mean backend?"

  run --separate-stderr team-wait idle=
  refused 3 "team-wait: not_found: no member '' in team alpha*"
}

@test "does not let an agent wait for the mail of another" {
  make_team

  TEAM_MEMBER=backend run --separate-stderr team-wait message --as lead

  as_expected 7 '' 'team-wait: permission_denied: you are backend (TEAM_MEMBER) and cannot act as lead'
}

@test "exits 9 for a broken configuration and a broken task" {
  make_team
  task-create 'first'
  echo '{' >.tasks/1.json

  run --separate-stderr team-wait task=1
  refused 9 'team-wait: corrupt: .tasks/1.json:*'

  echo '{' >.teams/alpha/config.json
  run --separate-stderr team-wait message
  refused 9 'team-wait: corrupt: .teams/alpha/config.json:*'
}

@test "works on a read-only store" {
  make_team
  team-send backend 'hello' --as lead
  read_only .teams

  run --separate-stderr team-wait message --as backend

  as_expected 0 '' ''
}
