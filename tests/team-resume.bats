load helper
load mail
load teammates

# The tests must not depend on whether their caller is inside tmux.
unset TMUX TMUX_PANE

# Two idle teammates in the background.
start_two() {
  team-create alpha
  teammate-spawn coder --exec true --count 2
  wait_until sleeps coder-1
  wait_until sleeps coder-2
} >/dev/null

# crash NAME…: kills them, as a power failure would; returns when all names are free.
crash() {
  local name
  for name in "$@"; do kill -KILL "$(state_of "$name" .pid)"; done
  for name in "$@"; do wait_until is_free ".teams/alpha/$name.alive"; done
}

# interrupt NAME: sends INT, as a person or the system would.
interrupt() {
  kill -TERM "$(state_of "$1" .pid)"
  wait_until is_free ".teams/alpha/$1.alive"
}

# lives_of NAME: the number of its runs.
lives_of() {
  team-log --type RUN_STARTED --agent "$1" --json | wc -l
}

# runs NAME: true if its alive lock is held.
runs() {
  is_held ".teams/alpha/$1.alive"
}

@test "restarts killed teammates, and leaves running ones alone" {
  start_two
  crash coder-1
  other=$(state_of coder-2 '[.pid, .run] | @tsv')

  run --separate-stderr team-resume

  as_expected 0 coder-1 ''
  wait_until sleeps coder-1
  same 2 "$(lives_of coder-1)"
  same "$other" "$(state_of coder-2 '[.pid, .run] | @tsv')"
}

@test "restarts an interrupted teammate" {
  start_two
  interrupt coder-2

  run --separate-stderr team-resume

  as_expected 0 coder-2 ''
  runs coder-2
}

@test "starts all again after the machine went down, and they go on" {
  team-create alpha
  task-create 'first'
  task-create 'second'
  teammate-spawn coder --count 2 \
    --exec '[ -e "second-$TASK_ID" ] || { touch "second-$TASK_ID"; exec tail -f /dev/null; }; echo "$TASK_ID" >>order'
  wait_until state_is coder-1 active
  wait_until state_is coder-2 active
  wait_until test -e second-1
  wait_until test -e second-2
  crash coder-1 coder-2

  run --separate-stderr team-resume

  as_expected 0 $'coder-1\ncoder-2' ''
  task-wait 1 2 --timeout 20
  same $'1\n2' "$(sort order)"
  same 'completed completed' "$(task-list | cut -f2 | xargs)"
}

@test "one that is started again begins with the task that it held" {
  team-create alpha
  task-create 'first' --role coder
  teammate-spawn coder --exec '[ -e begun ] || { touch begun; exec tail -f /dev/null; }; echo "$TASK_ID" >>order'
  wait_until test -e begun
  crash coder-1
  task-create 'second' --role coder --priority 2

  team-resume

  task-wait 1 2 --timeout 20
  same $'1\n2' "$(cat order)"
  same 2 "$(field 1 attempts)"
}

@test "does not start a teammate that was stopped or killed by teammate-stop" {
  start_two
  teammate-stop coder-1
  teammate-stop coder-2 --timeout 0 --force

  run --separate-stderr team-resume

  as_expected 1 '' 'team-resume: no: nobody is missing'
  is_free .teams/alpha/coder-1.alive
  is_free .teams/alpha/coder-2.alive
}

@test "does not start a teammate that has finished" {
  team-create alpha
  task-create 'first'
  run -0 teammate-run once --once --exec true
  run -0 teammate-run board --until-done --exec true
  run -0 teammate-run idler --idle-timeout 10ms --exec true

  run --separate-stderr team-resume

  as_expected 1 '' 'team-resume: no: nobody is missing'
}

@test "does not start a member that never ran" {
  team-create alpha
  team-join backend

  run --separate-stderr team-resume

  as_expected 1 '' 'team-resume: no: nobody is missing'
}

@test "restarts a teammate whose command was missing, once it exists" {
  team-create alpha
  task-create 'first'
  run -127 teammate-run coder --exec ./work
  printf '#!/bin/sh\necho fine\n' >work
  chmod +x work

  run --separate-stderr team-resume

  as_expected 0 coder ''
  task-wait 1 --timeout 20
  same fine "$(field 1 result)"
}

@test "starts nobody twice, however many do it at once" {
  start_two
  for round in {2..6}; do
    crash coder-1 coder-2
    for i in 1 2 3 4; do
      team-resume >"out.$i" 2>"err.$i" 3>&- &
      pids[i]=$!
    done
    results=''
    for i in 1 2 3 4; do
      result=0
      wait "${pids[i]}" || result=$?
      results+="$result "
    done

    like '*0*' "$results"
    same '' "${results//[01 ]/}"
    for name in coder-1 coder-2; do
      grep -qx "$name" out.?
      runs "$name"
      # A late starter must not wait for the end of the first one, either.
      same 1 "$(pgrep -f "^[^ ]*teammate-run $name -C $PWD " | xargs -rI{} cat /proc/{}/comm 2>/dev/null | grep -cx teammate-run)"
      wait_until sleeps "$name"
      same "$round" "$(lives_of "$name")"
    done
  done
}

@test "starts only the named teammates" {
  start_two
  crash coder-1 coder-2

  run --separate-stderr team-resume coder-2

  as_expected 0 coder-2 ''
  is_free .teams/alpha/coder-1.alive
  run --separate-stderr team-resume coder-2
  as_expected 1 '' 'team-resume: no: nobody is missing'
}

@test "a prompt that was done is not done again" {
  team-create alpha
  teammate-spawn coder --prompt 'say hello' --exec 'cat >>prompts'
  wait_until sleeps coder-1
  crash coder-1

  team-resume

  wait_until sleeps coder-1
  same 2 "$(lives_of coder-1)"
  same 1 "$(grep -c 'say hello' prompts)"
}

@test "a prompt that was not done is done" {
  team-create alpha
  local end
  for end in crash interrupt; do
    rm -f prompts begun
    name=$(teammate-spawn coder --prompt 'say hello' --exec '[ -e begun ] || { touch begun; tail -f /dev/null; }; cat >>prompts')
    wait_until test -e begun
    "$end" "$name"

    team-resume

    wait_until sleeps "$name"
    same 1 "$(grep -c 'say hello' prompts)"
  done
}

@test "messages that were not worked on come again" {
  team-create alpha
  teammate-spawn coder --exec '[ -e begun ] || { touch begun; tail -f /dev/null; }; cat >>prompts'
  wait_until sleeps coder-1
  team-send coder-1 'hello again' --as lead
  wait_until test -e begun
  crash coder-1

  team-resume

  wait_until grep -qs 'hello again' prompts
  wait_until sleeps coder-1
  same 1 "$(grep -c 'hello again' prompts)"
}

@test "the lead gets all_idle again after restarted teammates have worked" {
  team-create alpha
  teammate-spawn coder --exec true
  wait_until test -e .teams/alpha/.all_idle
  crash coder-1
  task-create 'first'

  team-resume

  wait_until task_is 1 completed
  wait_until sleeps coder-1
  same 2 "$(team-recv --as lead --type all_idle --peek --json | wc -l)"
}

@test "starts each with the options that it had" {
  team-create alpha
  start_idle worker --role coder --exec 'true # work' --retries 7 --time-limit 90 --idle-timeout 1h --no-auto-claim --plan
  before=$(state_of worker .start.arguments)
  kill_teammate worker
  task-create 'first' --role coder

  team-resume

  wait_until sleeps worker
  same "$before" "$(state_of worker .start.arguments)"
  same '--role coder --exec true # work --retries 7 --time-limit 90 --idle-timeout 3600 --plan --no-auto-claim' \
    "$(state_of worker '.start.arguments | join(" ")')"
  same pending "$(field 1 status)"
}

@test "starts each in the folder where it ran, or in the root if that is gone" {
  mkdir below
  team-create alpha
  (cd below && exec teammate-run worker --exec 'pwd >>"$TEAM_ROOT/where"' >../worker.out 2>../worker.err </dev/null 3>&-) &
  TEAMMATE[worker]=$!
  wait_until sleeps worker
  kill_teammate worker

  team-resume
  team-send worker 'where?' --as lead
  wait_until test -s where
  wait_until sleeps worker
  crash worker
  rmdir below
  team-resume
  team-send worker 'and now?' --as lead

  wait_until has_lines where 2
  same "$PWD/below"$'\n'"$PWD" "$(cat where)"
}

@test "a team that was loaded goes on where it was, with nobody twice" {
  mkdir from to
  cd from
  start_two
  task-create 'first' --owner coder-2
  wait_until task_is 1 completed
  wait_until sleeps coder-2
  teammate-stop coder-1
  team-save ../alpha.tar
  cd ../to
  team-load --trust ../alpha.tar
  task-create 'second' --owner coder-2

  run --separate-stderr team-resume

  as_expected 0 coder-2 ''
  wait_until task_is 2 completed
  same "$PWD" "$(readlink "/proc/$(state_of coder-2 .pid)/cwd")"
  run --separate-stderr team-resume
  as_expected 1 '' 'team-resume: no: nobody is missing'
  runs coder-2
  (cd ../from && runs coder-2)
}

@test "its output ends while its teammates run on" {
  start_two
  crash coder-1

  team-resume 2>&1 | cat >seen

  same coder-1 "$(cat seen)"
  runs coder-1
}

@test "prints objects with --json" {
  start_two
  crash coder-1

  run --separate-stderr team-resume --json

  as_expected 0 '{"name":"coder-1"}' ''
}

@test "exits 2 for a mode that is none and starts nobody" {
  start_two
  crash coder-1

  run --separate-stderr team-resume --mode window

  as_expected 2 '' "team-resume: usage: the mode is auto, background or tmux, not 'window'"
  is_free .teams/alpha/coder-1.alive
}

@test "exits 3 without a team, and for a name that is not in it, and starts nobody" {
  run --separate-stderr team-resume
  refused 3 'team-resume: not_found: *'

  start_two
  crash coder-1
  run --separate-stderr team-resume coder-1 coder-3
  refused 3 "team-resume: not_found: no member 'coder-3' in team alpha*"
  is_free .teams/alpha/coder-1.alive
}

@test "lets only the lead and the user do it" {
  start_two
  crash coder-1

  run --separate-stderr team-resume --as coder-2
  as_expected 7 '' 'team-resume: permission_denied: only the lead or the user may start teammates, not coder-2'
  is_free .teams/alpha/coder-1.alive

  run --separate-stderr team-resume --as lead
  as_expected 0 coder-1 ''
}

@test "exits 7 where agent teams are turned off" {
  start_two
  crash coder-1

  ENABLE_AGENT_TEAMS=0 run --separate-stderr team-resume

  as_expected 7 '' 'team-resume: permission_denied: agent teams are turned off (ENABLE_AGENT_TEAMS=0)'
}

@test "exits 9 for a state that is no longer readable, and leaves it" {
  start_two
  crash coder-1 coder-2
  echo '{' >.teams/alpha/coder-1.json

  run --separate-stderr team-resume coder-1
  refused 9 'team-resume: corrupt: .teams/alpha/coder-1.json:2:1: *'
  same '{' "$(cat .teams/alpha/coder-1.json)"

  run --separate-stderr team-resume coder-2
  as_expected 0 coder-2 ''
}

@test "exits 74 if one cannot be started" {
  start_two
  crash coder-1
  mkdir bin
  cp "$BIN/team-resume" bin

  run --separate-stderr bin/team-resume

  refused 74 "team-resume: io: coder-1 did not start: *"
}

@test "uses the tmux server that a teammate ran in, from any shell, and says how to see it" {
  command -v tmux >/dev/null || skip 'needs tmux'
  export TMUX_TMPDIR=$PWD HOME=$PWD
  team-create alpha >/dev/null
  tmux -f /dev/null -L mine new-session -d -s mine cat 3>&-
  socket=$(tmux -L mine display-message -p -t mine '#{socket_path}')
  TMUX=$socket,1,0 teammate-spawn coder --exec true 2>/dev/null >&2
  wait_until sleeps coder-1
  crash coder-1

  run --separate-stderr team-resume

  same 0 "$status"
  same coder-1 "$output"
  session=$(tmux -L mine list-sessions -F '#{session_name}' | grep ^teamkit-alpha-)
  same "team-resume: to see it: tmux -S $socket attach -t $session" "$stderr"
  same "$socket tmux" "$(state_of coder-1 '"\(.tmux) \(.start.mode)"')"
  same 1 "$(find . -type s | wc -l)"
}

@test "makes a tmux server of the team's own where the former one is gone, and says how to see it" {
  command -v tmux >/dev/null || skip 'needs tmux'
  export TMUX_TMPDIR=$PWD HOME=$PWD
  team-create alpha >/dev/null
  tmux -f /dev/null -L mine new-session -d -s mine cat 3>&-
  socket=$(tmux -L mine display-message -p -t mine '#{socket_path}')
  TMUX=$socket,1,0 teammate-spawn coder --exec true 2>/dev/null >&2
  wait_until sleeps coder-1
  tmux -L mine kill-server
  wait_until is_free .teams/alpha/coder-1.alive

  run --separate-stderr team-resume

  same 0 "$status"
  same coder-1 "$output"
  same "team-resume: to see it: tmux -L $(basename tmux-*/teamkit-alpha-*) attach" "$stderr"
}
