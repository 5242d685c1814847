#!/usr/bin/env bats
# Two pid namespaces share one store, as a container and its host do: locks show which process runs, never pids.

load helper
load trouble

# Pids of the inner namespace mean other processes out here, or none.
needs_namespace() {
  unshare --pid --fork --mount-proc true 2>/dev/null || skip 'needs a pid namespace of its own (root)'
}

# elsewhere COMMAND…: runs it in its own pid namespace; half_elsewhere: with our /proc.
elsewhere() { unshare --pid --fork --kill-child --mount-proc "$@"; }
half_elsewhere() { unshare --pid --fork --kill-child "$@"; }

@test "a large message that is being sent survives a sweep from another namespace" {
  needs_namespace
  team-create alpha
  (
    head -c 200000 /dev/zero | tr '\0' x
    wait_until [ -e rest ]
    head -c 100000 /dev/zero | tr '\0' y
  ) | team-send lead --as user >sent &
  sender=$!
  wait_until compgen -G '.teams/alpha/bodies/.tmp-*'

  elsewhere team-config tasks.lease 10m
  touch rest
  wait "$sender"

  run --separate-stderr team-recv --as lead --json
  same 0 "$status"
  same 300000 "$(jq -r .content <<<"$output" | tr -d '\n' | wc -c)"
}

@test "the temporary file of a dead writer is swept from another namespace, that of a living one is not" {
  needs_namespace
  team-create alpha
  touch .teams/alpha/.tmp-1-0123456789abcdef .teams/alpha/.tmp-2-0123456789abcdef
  mkfifo go
  exec {hold}<>go
  elsewhere flock .teams/alpha/.tmp-2-0123456789abcdef cat <go {hold}>&- &
  holder=$!
  wait_until is_held .teams/alpha/.tmp-2-0123456789abcdef

  team-config tasks.lease 10m

  same .teams/alpha/.tmp-2-0123456789abcdef "$(printf '%s\n' .teams/alpha/.tmp-*)"
  exec {hold}>&-
  wait "$holder"
  team-config tasks.lease 10m
  same '' "$(compgen -G '.teams/alpha/.tmp-*')"
}

@test "a member of another namespace is alive and has no pid here" {
  needs_namespace
  team-create alpha
  elsewhere teammate-run ann --exec 'cat >/dev/null' 2>err &
  wait_until eval '[ "$(teammate-list --json | jq -r "select(.name==\"ann\").state")" == idle ]'

  here=$(teammate-list --json | jq -c 'select(.name=="ann") | [.state, .pid]')
  there=$(elsewhere teammate-list --json | jq -c 'select(.name=="ann") | [.state, .pid]')

  same '["idle",null]' "$there"
  # The host sees the processes of its containers, but the member recorded its own pid.
  same '["idle",null]' "$here"
  teammate-stop ann
}

@test "a lock is named by no pid if its holder runs in another namespace, or /proc is of another one" {
  needs_namespace
  task-create 'first'
  hold .tasks/.lock

  for place in elsewhere half_elsewhere; do
    run --separate-stderr "$place" task-claim 1 --as ann --lock-timeout 0.1

    as_expected 75 '' "task-claim: again: cannot lock '.tasks/.lock': another process holds it; waited 0.1 s"
  done
}

@test "teammate-stop --force kills nobody for a member of another namespace" {
  needs_namespace
  team-create alpha
  teammate-run ann --exec 'trap "" TERM; cat >/dev/null; exec sleep 1000' 2>err &
  member=$!
  task-create 'first'
  wait_until eval '[ "$(field 1 status)" == in_progress ]'

  for place in elsewhere half_elsewhere; do
    run --separate-stderr "$place" teammate-stop ann --force --timeout 0.2 --as user

    same 1 "$status"
    [[ $output$stderr == *'cannot be killed: which process it is cannot be told from here'* ]]
    kill -0 "$member"
  done
  kill -KILL "$member"
}
