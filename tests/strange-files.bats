#!/usr/bin/env bats
# A fifo or a device in place of a file of the store: every command still ends.

load helper

seed_store() {
  mkdir seed
  cd seed || return
  team-create alpha >/dev/null
  team-join ann >/dev/null
  task-create 'first' >/dev/null
  task-create 'second' >/dev/null
  team-send ann 'hello' >/dev/null
  team-send lead 'hello' >/dev/null
  touch .teams/alpha/ann.alive .teams/alpha/ann.log
  cd ..
}

PLACES='.tasks/.lock .tasks/1.json .tasks/.index .tasks/.highwatermark .teams/.lock .teams/alpha/.lock
.teams/alpha/config.json .teams/alpha/lead_inbox.lock .teams/alpha/lead_inbox.jsonl .teams/alpha/lead_backlog.jsonl
.teams/alpha/events.jsonl .teams/alpha/events.lock .teams/alpha/ann.alive .teams/alpha/ann.json .teams/alpha/ann.log'

COMMANDS='task-create third
task-claim --next --as ann
task-complete 1 --as user
task-list
team-send lead again
team-recv --as lead
team-join bob
team-status
team-log
team-config tasks.lease 10m
team-fsck
team-save -'

# try_all MAKE: runs each command with each file replaced by MAKE. Prints the pairs that did not end or ended by a
# signal, and the number of pairs.
try_all() {
  local place words pairs=0 status
  for place in $PLACES; do
    while read -r words; do
      rm -rf store
      cp -a seed store
      rm -f "store/$place"
      "$@" "store/$place"
      status=0
      # shellcheck disable=SC2086 # a command and its arguments
      timeout -s KILL 10 $words -C store --lock-timeout 1 >/dev/null 2>err </dev/null || status=$?
      ((status < 124)) || echo "$words with $place: $status"
      ((status == 0 || status == 1)) || [ "$(wc -l <err)" -eq 1 ] || echo "$words with $place: $(cat err)"
      pairs=$((pairs + 1))
    done <<<"$COMMANDS"
  done
  echo "$pairs pairs"
}

@test "no command hangs on a fifo in place of a file of the store" {
  seed_store

  run try_all mkfifo -m 600

  same '180 pairs' "$output"
}

@test "no command hangs on a device in place of a file of the store" {
  mknod -m 600 device c 1 5 2>/dev/null && [ -r device ] && : <device || skip 'cannot make a device here'
  seed_store
  PLACES='.tasks/.lock .tasks/1.json .teams/alpha/config.json .teams/alpha/lead_inbox.jsonl .teams/alpha/events.jsonl'
  make_device() { mknod -m 600 "$1" c 1 5; }

  run try_all make_device

  same '60 pairs' "$output"
}

@test "exits 9 and names the file when a fifo lies in place of a lock" {
  task-create 'first'
  rm .tasks/.lock
  mkfifo -m 600 .tasks/.lock

  run --separate-stderr timeout 10 task-claim 1 --as ann

  as_expected 9 '' 'task-claim: corrupt: .tasks/.lock: is not a regular file'
}
