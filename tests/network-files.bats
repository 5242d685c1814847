#!/usr/bin/env bats
# Stores on network file systems, as reported by statfs. FUSE stands for all of them here; a unit test (lock_test)
# covers the other kinds.

load helper
load trouble

setup() {
  begin_test
  command -v bindfs >/dev/null || skip 'there is no bindfs'
  mkdir -m 700 server client
  bindfs server client 2>/dev/null || skip 'cannot mount FUSE here'
  MOUNTED+=("$PWD/client")
  cd client || return
}

refused="cannot make '.teams' on FUSE: its locks may fail or not hold between machines, and nothing tells of changes; \
use a local disk, or --allow-netfs"

@test "a store is not made on a network file system" {
  run --separate-stderr team-create alpha
  as_expected 7 '' "team-create: permission_denied: $refused"

  run --separate-stderr task-create 'first'
  as_expected 7 '' "task-create: permission_denied: ${refused/.teams/.tasks}"

  echo '{"team": "alpha", "roles": {}, "tasks": []}' >../team.json
  run --separate-stderr team-up ../team.json
  same 7 "$status"

  same '' "$(ls -A)"
}

@test "team-load makes no store on a network file system" {
  mkdir -m 700 ../local
  (cd ../local && team-create alpha && team-save ../alpha.tar)

  run --separate-stderr team-load ../alpha.tar
  as_expected 7 '' "team-load: permission_denied: $refused"

  run --separate-stderr team-load --allow-netfs ../alpha.tar
  same '0 alpha' "$status $output"
}

@test "team-run makes no store on a network file system" {
  run --separate-stderr team-run 'a goal' --model m --replay /dev/null

  same 7 "$status"
  same '' "$(ls -A)"
}

@test "with --allow-netfs the store is made, and later commands need no option" {
  run --separate-stderr team-create alpha --allow-netfs
  as_expected 0 alpha ''

  same 1 "$(task-create 'first')"
  task-claim 1 --as lead
  task-complete 1 --as lead
  team-send lead 'hello'
  same 1 "$(team-recv --as lead --json | jq -s length)"
  team-fsck
}
