# Many teammates at once, some of them killed. These are short forms of scripts/torture.d/teammates-*, which explain
# each check and exit 1 if one fails. The other tests are errors that the long forms found.
load helper
load teammates

# story NAME [ARGUMENT…]: in a folder of this test.
story() {
  TMPDIR=$BATS_TEST_TMPDIR run --separate-stderr "$PROJECT/scripts/torture.d/$1" "$BIN" "${@:2}"
  printf '%s\n' "$output" "$stderr"
}

# told LINE: the story printed it.
told() {
  grep -qxF -- "$1" <<<"$output" || { printf 'not said: %s\n' "$1" >&2; return 1; }
}

@test "16 teammates run 100 tasks with random dependencies once each, in their order, and nobody idles while one is ready" {
  GATE=25 story teammates-work 16 100

  same 0 "$status"
  told '100 of 100 tasks are completed'
  told '100 of 100 were run'
  told '0 were run twice'
  told '0 were started before one that they wait for had ended'
  told '0 times longer than 1 s'
}

@test "8 teammates that idle wake for each of 40 tasks that come one by one" {
  story teammates-wake 8 40

  same 0 "$status"
  told '0 wake-ups were lost'
  told '40 of 40 tasks are completed'
}

@test "while one of 6 teammates is killed every 0.2 s all of 60 tasks are done, again only after a kill, never by two at once" {
  story teammates-killed 6 60 0.2

  same 0 "$status"
  told '60 of 60 tasks are completed'
  told '0 were run by two at the same time'
  told '0 were started again and their runner was not killed'
  told '0 processes left running'
}

@test "an idle teammate takes over the task of a killed one" {
  story teammates-heirs 6

  same 0 "$status"
  told '0 tasks were not taken over'
  told '0 processes left running'
}

@test "a team of 16 that idles for 2 s uses no processor time and none of them wakes" {
  story teammates-idle 16 2

  same 0 "$status"
  told '0 clock ticks of processor time'
  told '0 nanoseconds of processor time'
  told '0 times one of them woke'
}

@test "no message among 8 teammates is lost while one of them is killed every 0.2 s" {
  story teammates-mail 8 32

  same 0 "$status"
  told '0 lost'
  told '0 noted again and their reader was not killed'
  told '0 left in the inboxes'
}

@test "a task that was nobody's is nobody's again after its teammate was killed, started again and interrupted" {
  team-create alpha
  task-create 'Long'
  start_teammate backend --exec 'sleep 1000'
  wait_until task_is 1 in_progress
  kill_teammate backend
  start_teammate backend --exec 'touch again; sleep 1000'
  wait_until test -e again

  kill -TERM "${TEAMMATE[backend]}"
  teammate_ended backend 143

  same 'pending null' "$(field 1 status) $(field 1 owner)"
}

@test "a task that was nobody's is nobody's again after its teammate was killed, started again and stopped before it came to it" {
  team-create alpha
  task-create 'Long'
  start_teammate backend --exec 'sleep 1000'
  wait_until task_is 1 in_progress
  team-send backend 'Good night' --type shutdown_request
  kill_teammate backend

  start_teammate backend --exec 'sleep 1000'
  teammate_ended backend 0

  same 'pending null' "$(field 1 status) $(field 1 owner)"
}

@test "the next start sweeps half-written files of a killed teammate" {
  team-create alpha
  team-join backend
  true &
  dead=$!
  wait "$dead"
  printf -v litter '.teams/alpha/.tmp-%x-0123456789abcdef' "$dead"
  touch "$litter"

  start_idle backend --exec true

  [ ! -e "$litter" ]
  team-fsck
}

# watches PID: it sleeps until something changes.
watches() {
  grep -qs '^inotify wd' "/proc/$1"/fdinfo/*
}

@test "team-wait all-idle sees members that joined during the wait" {
  team-create alpha
  team-wait all-idle --timeout 10 3>&- &
  waiting=$!
  wait_until watches "$waiting"

  start_teammate backend --exec true

  wait "$waiting"
}

@test "a teammate that loses its task while a hook checks the completion continues" {
  team-create alpha
  mkdir -m 700 .teams/alpha/hooks
  printf '%s\n' '#!/bin/sh' '[ -e asked ] || { touch asked; until [ -e released ]; do sleep 0.01; done; }' \
    >.teams/alpha/hooks/task-completed
  chmod 700 .teams/alpha/hooks/task-completed
  task-create 'First'
  task-create 'Second'
  start_teammate backend --until-done --exec true
  wait_until test -e asked

  task-release 1
  touch released

  teammate_ended backend 0
  same 'completed completed' "$(field 1 status) $(field 2 status)"
}

@test "a task that the program of a teammate has claimed and left is not left lying" {
  team-create alpha
  task-create 'First'
  task-create 'Second'

  start_teammate backend --until-done --exec 'task-complete "$TASK_ID"; task-claim --next; true'

  teammate_ended backend 0
  same 'completed completed' "$(field 1 status) $(field 2 status)"
}
