# Short forms of scripts/torture.d/sweep: a few points of every command, on a disk and in memory. A long run tests all
# points.
load helper
load trouble

# A fault at any call of a program also hits the sanitizer.
not_sanitized() { ! is_sanitized || skip 'the sanitizer makes calls of its own'; }

# sweep KIND: for 15 s; skips where processes cannot be traced.
sweep() {
  not_sanitized
  timeout 120 "$PROJECT/scripts/torture.d/sweep" "$1" "$BIN" --seconds 15 >sweep.out 2>sweep.err || status=$?
  if [ "${status:-0}" = 77 ]; then skip "$(cat sweep.err)"; fi
  cat sweep.out sweep.err
  tail -n 1 sweep.out >&3
  [ "${status:-0}" = 0 ]
}

@test "a command that is killed at any system call leaves the old or the new state" {
  sweep kill
}

@test "a command whose system calls fail says so truly, and changes nothing or all" {
  sweep errors
}

# Errors that the sweeps found, as tests.

# traceable: skips the test if strace cannot kill our processes here.
traceable() {
  strace -qq -o /dev/null true 2>/dev/null || skip 'processes cannot be traced here'
}

# killed_at CALL NUMBER COMMAND…: kills the command right before that call.
killed_at() {
  traceable
  local call=$1 number=$2
  shift 2
  run -137 --separate-stderr strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$number" "$@"
}

# refused_at CALL NUMBER ERROR COMMAND…: that call fails.
refused_at() {
  traceable
  local call=$1 number=$2 error=$3
  shift 3
  run --separate-stderr strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:error=$error:when=$number" "$@"
}

a_team() {
  team-create alpha
  team-join bob
} >/dev/null

large() {
  head -c 100000 /dev/zero | tr '\0' a
}

@test "the old version of a task is swept when its writer was killed before it could" {
  task-create one
  killed_at unlinkat 1 task-claim 1 --as bob
  same 1 "$(ls -A .tasks/.tmp | wc -l)"

  task-create two

  same '' "$(ls -A .tasks/.tmp)"
  team-fsck
}

@test "the text of a message that was never sent is swept, and the text of a pending message is kept" {
  a_team
  large | team-send bob
  killed_at linkat 2 team-send --broadcast <<<"$(large)"
  same 3 "$(ls -A .teams/alpha/bodies | wc -l)"

  team-join eve

  same 1 "$(ls -A .teams/alpha/bodies | wc -l)"
  same 100000 "$(team-recv --as bob --json | jq '.content | length')"
  team-fsck
}

@test "the content of a message is swept when its reader was killed after it had acknowledged" {
  a_team
  large | team-send bob
  killed_at unlinkat 2 team-recv --as bob
  same 1 "$(ls -A .teams/alpha/bodies | wc -l)"

  team-join eve

  same '' "$(ls -A .teams/alpha/bodies)"
}

has_bodies() {
  [ -n "$(ls -A .teams/alpha/bodies 2>/dev/null)" ]
}

@test "the content of a message that is being sent is nobody's litter" {
  a_team
  mkfifo pipe
  team-send bob <pipe >sent 3>&- &
  local sender=$!
  exec 4>pipe
  large >&4
  wait_until has_bodies
  team-join eve
  team-fsck

  exec 4>&-
  wait "$sender"

  same 100000 "$(team-recv --as bob --json | jq '.content | length')"
}

@test "messages that a killed reader did not ask for are there once" {
  traceable
  killed=0
  for point in renameat:{1,2,3} unlinkat:{1,2,3}; do
    rm -rf .teams .tasks
    a_team
    team-join ann
    team-send bob one --as ann
    team-send bob two
    strace -qq -o /dev/null -e "inject=${point%:*}:signal=KILL:when=${point#*:}" team-recv --as bob --from user ||
      killed=$((killed + 1))

    same one "$(team-recv --as bob --from ann --json | jq -r .content)"
  done
  ((killed >= 2))
}

@test "files of a killed writer among the requests are found and swept" {
  not_sanitized
  a_team
  killed_at write 1 plan-submit 'in two steps' --as bob
  same 1 "$(ls -A .teams/alpha/requests | wc -l)"
  run -9 team-fsck

  plan-submit 'in two steps' --as bob

  same 1 "$(ls -A .teams/alpha/requests | wc -l)"
  team-fsck
}

@test "an answer whose sender was killed arrives once when it is given again" {
  a_team
  plan=$(plan-submit 'in two steps' --as bob)
  killed_at renameat 2 plan-approve "$plan"
  same 1 "$(wc -l <.teams/alpha/bob_inbox.jsonl)"

  plan-approve "$plan"

  same 1 "$(wc -l <.teams/alpha/bob_inbox.jsonl)"
  same approved "$(plan-list --all --json | jq -r .status)"
}

@test "an answer that was read before it is given again does not arrive once more" {
  a_team
  plan=$(plan-submit 'in two steps' --as bob)
  killed_at renameat 2 plan-approve "$plan"
  team-recv --as bob

  plan-approve "$plan"

  run ! team-recv --as bob
}

@test "the user is told of a pause even if the first paused sender was killed" {
  a_team
  team-join ann
  team-config exchange.limit 1
  export TEAM_MEMBER=ann TEAM_RUN_ID=01JD0V8Z7Q4M3N2B1A0F9E8D7C
  team-send bob one
  TEAM_MEMBER=bob team-send ann two
  killed_at write 2 team-send bob two

  run -10 team-send bob two

  unset TEAM_MEMBER TEAM_RUN_ID
  same error "$(team-recv --json | jq -r .type | sort -u)"
}

@test "a team that is made and cannot be written into the log is no team that was not made" {
  # The locks before it are those of the teams, of the new folder and of the trust marks.
  refused_at flock 9+ EIO team-create alpha

  same 76 "$status"
  same alpha "$(team-list | cut -f 1)"
}

@test "a request is taken back with its message, or else the answer is that something was made" {
  not_sanitized
  a_team
  run --separate-stderr strace -qq -o /dev/null -e trace=unlinkat,write -e inject=unlinkat:error=EIO \
    -e inject=write:error=ENOSPC:when=2 plan-submit 'in two steps' --as bob

  same 76 "$status"
  like 'plan-submit: unknown: the change is made, but *' "$stderr"
}
