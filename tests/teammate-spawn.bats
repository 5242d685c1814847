load helper
load teammates

# The tests must not depend on whether their caller is inside tmux.
unset TMUX TMUX_PANE CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS ENABLE_AGENT_TEAMS

SAYS_DONE='{"command": "cat >/dev/null; echo done"}'

# a_team [ROLE]: team alpha with the role coder, which is the given JSON.
a_team() {
  echo "${1:-$SAYS_DONE}" >coder.json
  team-create alpha --role coder=coder.json >/dev/null
}

members() { jq -r '[.members[].name] | join(" ")' .teams/alpha/config.json; }

# what_is_there: the members, and the files of the team; the lock appears with the first change.
what_is_there() {
  members
  ls -A -I .lock .teams/alpha
}

# answers NAME: it works on a message.
answers() {
  team-send "$1" 'are you there' >/dev/null
  wait_until has_answer "$1"
}

has_answer() {
  [ -n "$(team-recv --peek --from "$1" --json 2>/dev/null | jq 'select(.content == "done")')" ]
}

@test "starts a teammate of the role in the background and prints its name" {
  a_team

  run --separate-stderr teammate-spawn coder

  as_expected 0 coder-1 ''
  same 'lead coder-1' "$(members)"
  same coder "$(jq -r '.members[1].role' .teams/alpha/config.json)"
  same background "$(state_of coder-1 .start.mode)"
  is_held .teams/alpha/coder-1.alive
  answers coder-1
}

@test "gives each role numbers of its own" {
  a_team

  run --separate-stderr teammate-spawn coder
  as_expected 0 coder-1 ''
  run --separate-stderr teammate-spawn coder
  as_expected 0 coder-2 ''
  team-create beta
  teammate-spawn -t beta coder --exec true
  run --separate-stderr teammate-spawn -t beta tester --exec true
  as_expected 0 tester-1 ''
}

@test "runs the command of the role with the role's prompt in front of the work" {
  a_team '{"prompt": "You are careful.", "command": "cat >seen.new; mv seen.new seen"}'

  run --separate-stderr teammate-spawn coder --prompt 'Say hello'

  as_expected 0 coder-1 ''
  wait_until test -e seen
  same $'You are teammate \'coder-1\' in team \'alpha\', role \'coder\'.\n\nYou are careful.\n\nSay hello' "$(cat seen)"
}

@test "reads the prompt from stdin with --prompt -" {
  a_team '{"command": "cat >seen.new; mv seen.new seen"}'

  run --separate-stderr teammate-spawn coder --prompt - <<<$'Say "hello"\nand $HOME'

  as_expected 0 coder-1 ''
  wait_until test -e seen
  same $'Say "hello"\nand $HOME' "$(tail -2 seen)"
}

@test "runs the command of --exec instead, and any role in a team without roles" {
  a_team '{"command": "touch wrong"}'
  team-create beta

  teammate-spawn coder -t alpha --exec 'touch right' --prompt go
  teammate-spawn artist -t beta --exec 'touch picture' --prompt go

  wait_until test -e right -a -e picture
  [ ! -e wrong ]
}

@test "has it take the task of --task first" {
  a_team
  task-create 'urgent' --priority 2
  task-create 'the one'

  run --separate-stderr teammate-spawn coder --task 2

  as_expected 0 coder-1 ''
  wait_until task_is 1 completed
  same '2 1' "$(team-log --type TASK_CLAIMED --json | jq -r .event.task_id | xargs)"
}

@test "starts so many with --count" {
  a_team

  run --separate-stderr teammate-spawn coder --count 3

  as_expected 0 $'coder-1\ncoder-2\ncoder-3' ''
  wait_until sleeps coder-3
  same $'coder-1\ncoder-2\ncoder-3' "$(teammate-list --json | jq -r 'select(.pid).name')"
}

@test "hands on --once, --until-done and --plan" {
  a_team
  task-create 'first'
  task-create 'second'
  task-create 'third'

  teammate-spawn coder --once
  wait_until state_is coder-1 shutdown
  same 'one piece of work is done' "$(state_of coder-1 .reason)"

  teammate-spawn coder --until-done
  wait_until state_is coder-2 shutdown
  same 'the board has nothing left for it' "$(state_of coder-2 .reason)"

  task-create 'fourth'
  teammate-spawn coder --plan
  wait_until state_is coder-3 plan_pending
}

@test "holds the tasks of a role with a plan back until it is approved" {
  a_team '{"command": "echo \"$TEAM_PHASE it\"", "plan": true}'
  task-create 'first'

  teammate-spawn coder
  wait_until state_is coder-1 plan_pending
  same 'plan it' "$(plan-list --json | jq -r .content)"
  plan-approve "$(plan-list | cut -f1)"

  wait_until task_is 1 completed
  same 'work it' "$(field 1 result)"
}

@test "keeps to the limits of the role" {
  a_team '{"command": "until [ -e never ]; do sleep 0.02; done", "limits": {"retries": 0, "time": "100ms", "idle": 0.1}}'
  task-create 'first'

  teammate-spawn coder

  wait_until state_is coder-1 shutdown
  same 'failed 1 not done within 0.1 s' "$(field 1 status) $(field 1 attempts) $(field 1 error)"
  same 'idle for 0.1 s' "$(state_of coder-1 .reason)"
}

@test "lets it work in the root, from any folder of the caller" {
  a_team
  mkdir deeper
  cd deeper

  run --separate-stderr teammate-spawn coder --exec 'pwd >where.new; mv where.new where' --prompt go
  as_expected 0 coder-1 ''
  cd ..

  wait_until test -e where
  same "$PWD" "$(cat where)"
}

@test "knows a root and a command with blanks and signs" {
  mkdir "a 'b' \$c"
  cd "a 'b' \$c"
  a_team

  run --separate-stderr teammate-spawn coder --exec 'printf "%s;" "two  words" >said; mv said heard;' --prompt go

  as_expected 0 coder-1 ''
  wait_until test -e heard
  same 'two  words;' "$(cat heard)"
}

@test "makes it a separate member, not a part of the caller" {
  a_team
  export TEAM_MEMBER=lead TEAM_RUN_ID=other TASK_ID=7 TASK_FILE=/7.json

  run --separate-stderr teammate-spawn coder --exec 'env >seen.new; mv seen.new seen' --prompt go

  as_expected 0 coder-1 ''
  wait_until test -e seen
  same 'TEAM_MEMBER=coder-1' "$(grep ^TEAM_MEMBER= seen)"
  same "TEAM_RUN_ID=$(state_of coder-1 .run)" "$(grep ^TEAM_RUN_ID= seen)"
  same '' "$(grep ^TASK_ seen || true)"
}

@test "keeps its output in its log" {
  a_team

  teammate-spawn coder --exec 'echo out; echo err >&2' --prompt go
  wait_until sleeps coder-1

  same $'active: the prompt\nerr\nidle: nothing to do\nout' \
    "$(sed 's/^[0-9:]\{8\} //' .teams/alpha/coder-1.log | sort)"
  same 600 "$(stat -c %a .teams/alpha/coder-1.log)"
}

@test "inherits no descriptor of the caller" {
  a_team
  exec 9>held
  flock 9

  run --separate-stderr teammate-spawn coder
  exec 9>&-

  as_expected 0 coder-1 ''
  flock --nonblock held true
}

@test "the teammate survives the end of the shell and of the terminal" {
  a_team

  run on_terminal 'bash -c "teammate-spawn coder"'

  same 0 "$status"
  same coder-1 "$output"
  answers coder-1
}

@test "a teammate started by the command of a lead survives the end of that piece of work" {
  a_team

  run --separate-stderr teammate-run lead --exec 'cat >/dev/null; teammate-spawn coder' --prompt go --once
  same 0 "$status"
  same coder-1 "$output"

  answers coder-1
}

@test "a teammate started by the command of a lead survives the death of the lead" {
  a_team
  start_teammate lead --exec 'teammate-spawn coder; until [ -e never ]; do sleep 0.02; done' --prompt go
  wait_until sleeps coder-1

  kill_teammate lead

  answers coder-1
}

@test "does not use a name again after its member has left" {
  a_team
  teammate-spawn coder --once --prompt go
  wait_until state_is coder-1 shutdown
  wait_until is_free .teams/alpha/coder-1.alive
  team-leave coder-1

  run --separate-stderr teammate-spawn coder

  as_expected 0 coder-2 ''
}

@test "does not use a name again after a failed start" {
  a_team
  run --separate-stderr teammate-spawn coder --task 7
  [ "$status" -ne 0 ]

  run --separate-stderr teammate-spawn coder

  as_expected 0 coder-2 ''
}

@test "skips names of members that joined by hand, in any case" {
  a_team
  team-join coder-1
  team-join CODER-2

  run --separate-stderr teammate-spawn coder

  as_expected 0 coder-3 ''
}

@test "exits 8 when the team is full" {
  a_team
  team-config teammates.max 2
  team-join backend
  teammate-spawn coder

  run --separate-stderr teammate-spawn coder

  as_expected 8 '' 'teammate-spawn: invalid_state: team alpha has no room for 1 more teammate: 2 of at most 2 live (teammates.max)'
  same 'lead backend coder-1' "$(members)"
}

@test "has room again when one has ended" {
  a_team
  team-config teammates.max 1
  teammate-spawn coder
  teammate-stop coder-1

  run --separate-stderr teammate-spawn coder

  as_expected 0 coder-2 ''
}

@test "starts nobody when the team has no room for all of --count" {
  a_team
  team-config teammates.max 2

  run --separate-stderr teammate-spawn coder --count 3

  refused 8 'teammate-spawn: invalid_state: team alpha has no room for 3 more teammates: 0 of at most 2 live (teammates.max)'
  same lead "$(members)"
}

@test "8 at once get 8 names, and all run" {
  a_team

  for i in {1..8}; do teammate-spawn coder >>names & done
  wait

  same "$(printf 'coder-%s\n' {1..8})" "$(sort names)"
  same 8 "$(teammate-list --json | jq -r 'select(.pid).pid' | sort -u | wc -l)"
}

spawn_once() {
  local code=0
  teammate-spawn coder >/dev/null 2>&1 || code=$?
  echo "$code" >>codes
}

@test "never goes over the limit when many start at once" {
  for round in {1..4}; do
    rm -rf .teams codes
    a_team
    team-config teammates.max 3

    for i in {1..8}; do spawn_once & done
    wait

    same '0 0 0 8 8 8 8 8' "$(sort -n codes | xargs)"
    same 4 "$(jq '.members | length' .teams/alpha/config.json)"
    teammate-stop --all
  done
}

@test "exits 3 for a role that is not there, with the nearest, and makes nothing" {
  a_team
  before=$(what_is_there)

  run --separate-stderr teammate-spawn codr
  as_expected 3 '' "teammate-spawn: not_found: no role 'codr' in team alpha; did you mean coder?"

  run --separate-stderr teammate-spawn artist
  as_expected 3 '' "teammate-spawn: not_found: no role 'artist' in team alpha; there is coder"

  run --separate-stderr teammate-spawn codr --exec true
  as_expected 3 '' "teammate-spawn: not_found: no role 'codr' in team alpha; did you mean coder?"
  same "$before" "$(what_is_there)"

  team-create beta
  run --separate-stderr teammate-spawn coder -t beta
  as_expected 3 '' "teammate-spawn: not_found: no role 'coder' in team beta; team-create --role makes one, or give --exec, --acp or --model"
}

@test "exits 2 for a role that says nothing of a command, and makes nothing" {
  a_team '{"prompt": "You think."}'
  before=$(what_is_there)

  run --separate-stderr teammate-spawn coder

  as_expected 2 '' 'teammate-spawn: usage: role coder has no command, no agent and no model; give --exec, --acp or --model'
  same "$before" "$(what_is_there)"
}

@test "exits 9 for an invalid role, and makes nothing" {
  a_team '{"command": "true", "limits": {"time": 1}}'
  jq '.roles.coder.limits.time = "soon"' .teams/alpha/config.json >edited
  cp edited .teams/alpha/config.json
  before=$(what_is_there)

  run --separate-stderr teammate-spawn coder
  refused 9 "teammate-spawn: corrupt: .teams/alpha/config.json: role coder:*: 'time' must be seconds*"
  run --separate-stderr teammate-spawn coder --exec true
  refused 9 "teammate-spawn: corrupt: .teams/alpha/config.json: role coder:*: 'time' must be seconds*"

  same "$before" "$(what_is_there)"
}

@test "makes nothing when the task of --task cannot be had, and says why" {
  a_team
  task-create 'first'
  task-claim 1 --as backend
  task-create 'second' --blocked-by 1
  before=$(what_is_there)

  run --separate-stderr teammate-spawn coder --task 1
  refused 4 'teammate-spawn: conflict: coder-1 did not start: *task 1 is owned by backend'
  run --separate-stderr teammate-spawn coder --task 2
  refused 5 'teammate-spawn: blocked: coder-2 did not start: *task 2 waits for 1'
  run --separate-stderr teammate-spawn coder --task 9
  refused 3 'teammate-spawn: not_found: coder-3 did not start: *no task 9'

  same "$before" "$(what_is_there)"
  same 'in_progress backend' "$(field 1 status) $(field 1 owner)"
  nothing_left
}

@test "makes nothing when teammate-run cannot be run, and says why" {
  a_team
  cp "$BIN/teammate-spawn" .
  before=$(what_is_there)

  run --separate-stderr ./teammate-spawn coder

  refused 74 "teammate-spawn: io: coder-1 did not start: cannot run '$PWD/teammate-run': No such file or directory"
  same "$before" "$(what_is_there)"
}

@test "does not wait for ever for one that does not come to life" {
  a_team
  cp "$BIN/teammate-spawn" .
  printf '#!/bin/sh\nexec sleep 100\n' >teammate-run
  chmod +x teammate-run
  before=$(what_is_there)

  run --separate-stderr timeout 30 ./teammate-spawn coder

  refused 74 'teammate-spawn: io: coder-1 did not start within 10 s'
  same "$before" "$(what_is_there)"
  nothing_left
}

@test "takes one that ended before it was looked at for one that started" {
  command -v strace || skip 'needs strace'
  a_team

  run --separate-stderr strace -qq -o /dev/null -e trace=poll -e inject=poll:delay_exit=500000 \
    teammate-spawn coder --exec 'exit 3' --prompt go --once

  as_expected 0 coder-1 ''
  same 'one piece of work is not done' "$(state_of coder-1 .reason)"
  [ -s .teams/alpha/coder-1.log ]
}

@test "is turned off by the environment" {
  a_team
  before=$(what_is_there)

  for name in CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS ENABLE_AGENT_TEAMS; do
    for value in 0 false; do
      run --separate-stderr env "$name=$value" teammate-spawn coder
      as_expected 7 '' "teammate-spawn: permission_denied: agent teams are turned off ($name=$value)"
    done
  done
  same "$before" "$(what_is_there)"

  run --separate-stderr env CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1 ENABLE_AGENT_TEAMS=true teammate-spawn coder
  as_expected 0 coder-1 ''
}

@test "is for the lead and the user, not for teammates" {
  a_team
  team-join backend

  TEAM_MEMBER=backend run --separate-stderr teammate-spawn coder
  as_expected 7 '' 'teammate-spawn: permission_denied: only the lead or the user may start a teammate, not backend'

  TEAM_MEMBER=backend run --separate-stderr teammate-spawn coder --as lead
  as_expected 7 '' 'teammate-spawn: permission_denied: you are backend (TEAM_MEMBER) and cannot act as lead'
  same 'lead backend' "$(members)"

  TEAM_MEMBER=lead run --separate-stderr teammate-spawn coder
  as_expected 0 coder-1 ''
}

@test "exits 2 for wrong options and operands, and makes nothing" {
  a_team
  before=$(what_is_there)

  run --separate-stderr teammate-spawn
  as_expected 2 '' 'teammate-spawn: usage: ROLE is missing (try teammate-spawn --help)'
  run --separate-stderr teammate-spawn coder --mode screen
  as_expected 2 '' "teammate-spawn: usage: the mode is auto, background or tmux, not 'screen'"
  run --separate-stderr teammate-spawn coder --count 0
  as_expected 2 '' 'teammate-spawn: usage: --count is 1 or more'
  run --separate-stderr teammate-spawn coder --count 2 --task 1
  as_expected 2 '' 'teammate-spawn: usage: --task and --count cannot be combined'
  run --separate-stderr teammate-spawn ../coder --exec true
  refused 2 "teammate-spawn: usage: '../coder' is not a name: *"
  same "$before" "$(what_is_there)"

  team-create beta
  before=$(what_is_there)
  run --separate-stderr teammate-spawn -t beta "$(printf 'a%.0s' {1..63})" --exec true
  refused 2 "teammate-spawn: usage: '*-1' is not a name: *"
  same "$before" "$(what_is_there)"
}

@test "exits 3 without a team" {
  task-create 'alone'

  run --separate-stderr teammate-spawn coder --exec true

  as_expected 3 '' "teammate-spawn: not_found: no team in '$PWD'; team-create makes one"
}

@test "prints one JSON object a line with --json, errors included" {
  a_team

  run --separate-stderr teammate-spawn coder --count 2 --json
  as_expected 0 $'{"name":"coder-1"}\n{"name":"coder-2"}' ''

  run --separate-stderr teammate-spawn codr --json
  as_expected 3 '' '{"status":"error","code":"not_found","error":"no role '"'codr'"' in team alpha; did you mean coder?"}'
}

@test "exits 74 and changes nothing when nothing can be written" {
  a_team
  read_only .teams

  run --separate-stderr teammate-spawn coder

  refused 74 'teammate-spawn: io: *'
  same lead "$(members)"
}

@test "exits 75 and changes nothing when the lock of the team is not had in time" {
  a_team
  hold .teams/alpha/.lock

  run --separate-stderr teammate-spawn coder --lock-timeout 50ms

  refused 75 "teammate-spawn: again: cannot lock '.teams/alpha/.lock': *"
  same lead "$(members)"
}

@test "exits 76 when the name cannot be printed: it runs" {
  a_team

  run --separate-stderr bash -c 'teammate-spawn coder >/dev/full'

  refused 76 'teammate-spawn: unknown: the change is made, but *'
  wait_until sleeps coder-1
}

# private_tmux: the tmux servers of this test are private and read no configuration of the user.
private_tmux() {
  command -v tmux >/dev/null || skip 'needs tmux'
  export TMUX_TMPDIR=$PWD HOME=$PWD
}

# inside_tmux: as if this were a pane of a user's session "mine", which has two panes.
inside_tmux() {
  private_tmux
  tmux -L mine new-session -d -s mine -x 100 -y 30 cat 3>&-
  tmux -L mine split-window -d -t mine cat
  TMUX_PANE=$(tmux -L mine display-message -p -t mine '#{pane_id}')
  TMUX=$(tmux -L mine display-message -p -t mine '#{socket_path},#{pid},0')
  export TMUX TMUX_PANE
  tmux list-panes -s -t =mine -F "$PANE" >mine.before
}

PANE='#{session_name} #{window_id} #{pane_id} #{pane_title} #{pane_pid} #{pane_width}x#{pane_height} #{pane_dead}'

# mine_untouched: the panes of the user are unchanged.
mine_untouched() {
  tmux list-panes -s -t =mine -F "$PANE" | diff mine.before -
}

# of_the_team ARGUMENT…: runs tmux on the server of the team.
of_the_team() {
  tmux -L "$(basename "$TMUX_TMPDIR"/tmux-*/teamkit-alpha-*)" "$@"
}

# titles [TMUX…]: of the panes of the team's sessions, one a line, sorted.
titles() {
  "${@:-tmux}" list-panes -a -F '#{session_name} #{pane_title}' 2>/dev/null |
    sed -n 's/^teamkit-alpha-[0-9a-f]* //p' | sort -V
}

# shows NAME TEXT: in its pane.
shows() {
  tmux -S "$(state_of "$1" .tmux)" capture-pane -p -t "$(state_of "$1" .pane)" | grep -qF "$2"
}

no_panes() { [ -z "$(titles)" ]; }

@test "outside of tmux gives the team a server of its own and says how to see it" {
  a_team
  private_tmux

  run --separate-stderr teammate-spawn coder --mode tmux --count 2

  same 0 "$status"
  same $'coder-1\ncoder-2' "$output"
  same "teammate-spawn: to see it: tmux -L $(basename tmux-*/teamkit-alpha-*) attach" "$stderr"
  same 1 "$(find tmux-* -type s | wc -l)"
  same $'coder-1\ncoder-2' "$(titles of_the_team)"
  same 'tmux tmux' "$(state_of coder-1 .start.mode) $(state_of coder-2 .start.mode)"
  answers coder-1
}

@test "inside of tmux makes one session for the team there, with a pane for each, and leaves the user's alone" {
  a_team
  inside_tmux

  window=$(tmux new-window -d -P -F '#{window_id}' -t =mine: \
    'teammate-spawn coder --count 2 >out 2>errors; echo $? >status.new; mv status.new status; cat')
  wait_until test -e status
  tmux kill-window -t "$window"

  same 0 "$(cat status)"
  same $'coder-1\ncoder-2' "$(cat out)"
  session=$(tmux list-sessions -F '#{session_name}' | grep -v ^mine)
  same "teammate-spawn: to see it: tmux switch-client -t $session" "$(cat errors)"
  same "$session coder-1"$'\n'"$session coder-2" \
    "$(tmux list-panes -a -F '#{session_name} #{pane_title}' | grep -v ^mine)"
  mine_untouched
}

@test "uses a pane by default only inside tmux, and obeys teammate.mode" {
  a_team
  teammate-spawn coder
  inside_tmux

  teammate-spawn coder
  teammate-spawn coder --mode background
  team-config teammate.mode background
  teammate-spawn coder
  teammate-spawn coder --mode auto

  same 'background tmux background background tmux' \
    "$(for i in {1..5}; do state_of "coder-$i" .start.mode; done | xargs)"
  same $'coder-2\ncoder-5' "$(titles)"
}

@test "one in the background has no pane, also if it was started from one" {
  a_team
  inside_tmux

  teammate-spawn coder --mode background

  same 'null null' "$(state_of coder-1 .pane) $(state_of coder-1 .tmux)"
}

@test "shows in the pane only the output of its teammate" {
  a_team
  inside_tmux
  teammate-spawn coder --count 2 2>/dev/null
  wait_until shows coder-2 'idle: nothing to do'

  team-send coder-1 'a word in your pane'

  wait_until shows coder-1 'message from user: a word in your pane'
  wait_until shows coder-1 'done'
  ! shows coder-2 'a word'
}

@test "closes the pane of one that is stopped, and the session with the last" {
  a_team
  inside_tmux
  teammate-spawn coder --count 3 2>/dev/null

  teammate-stop coder-2
  same $'coder-1\ncoder-3' "$(titles)"
  teammate-stop coder-1 --timeout 0 --force
  same coder-3 "$(titles)"
  kill -KILL "$(state_of coder-3 .pid)"

  wait_until no_panes
  same mine "$(tmux list-sessions -F '#{session_name}')"
  mine_untouched
}

@test "closes no pane of the user's that is called the same" {
  a_team
  inside_tmux
  teammate-spawn coder 2>/dev/null
  tmux select-pane -t "$TMUX_PANE" -T coder-1
  tmux list-panes -s -t =mine -F "$PANE" >mine.before

  teammate-stop coder-1 --timeout 0 --force

  no_panes
  mine_untouched
}

@test "tiles the panes of a window, in the order in which they were made" {
  a_team
  private_tmux

  teammate-spawn coder --count 4 --mode tmux

  same 'coder-1 coder-2 coder-3 coder-4' "$(of_the_team list-panes -F '#{pane_title}' | xargs)"
  same '2 2' "$(of_the_team list-panes -a -F '#{pane_left}' | sort | uniq -c | awk '{print $1}' | xargs)"
  same '2 2' "$(of_the_team list-panes -a -F '#{pane_top}' | sort | uniq -c | awk '{print $1}' | xargs)"
}

@test "has 12 in panes" {
  a_team
  team-config teammates.max 12
  inside_tmux

  run --separate-stderr teammate-spawn coder --count 12

  same 0 "$status"
  same "$(printf 'coder-%s\n' {1..12})" "$output"
  same "$output" "$(titles)"
  same 1 "$(tmux list-sessions -F '#{session_name}' | grep -c teamkit)"
  mine_untouched
  teammate-stop --all
  no_panes
}

@test "goes on in a new window when there is no room in the last" {
  a_team
  private_tmux
  teammate-spawn coder --mode tmux
  of_the_team resize-window -x 10 -y 3

  run --separate-stderr teammate-spawn coder --mode tmux

  same 0 "$status"
  same coder-2 "$output"
  same 2 "$(of_the_team list-panes -a -F '#{window_id}' | sort -u | wc -l)"
  same $'coder-1\ncoder-2' "$(titles of_the_team)"
  answers coder-2
}

@test "leaves a window alone that the user opened in the session of the team" {
  a_team
  private_tmux
  teammate-spawn coder --mode tmux
  of_the_team new-window -d -n own cat
  of_the_team list-windows -f '#{==:#{window_name},own}' -F '#{window_panes} #{window_layout}' >before

  teammate-spawn coder --mode tmux

  of_the_team list-windows -f '#{==:#{window_name},own}' -F '#{window_panes} #{window_layout}' | diff before -
  same $'coder-1\ncoder-2' "$(titles of_the_team | grep coder)"
}

@test "works with a user's tmux that counts from 1 and keeps dead panes" {
  a_team
  printf 'set -g base-index 1\nset -g pane-base-index 1\nset -g remain-on-exit on\nset -g renumber-windows on\n' >.tmux.conf
  inside_tmux

  teammate-spawn coder --count 3
  same $'coder-1\ncoder-2\ncoder-3' "$(titles)"
  teammate-stop coder-1
  teammate-stop coder-2 --timeout 0 --force
  teammate-spawn coder

  same $'coder-3\ncoder-4' "$(titles)"
  teammate-stop --all
  no_panes
  mine_untouched
}

@test "a start that fails in a pane leaves no pane, no member and no file" {
  a_team
  inside_tmux
  before=$(what_is_there)

  run --separate-stderr teammate-spawn coder --task 9

  same '' "$output"
  [ "$status" -ne 0 ]
  like 'teammate-spawn: *: coder-1 did not start*' "$stderr"
  same "$before" "$(what_is_there)"
  no_panes
  mine_untouched
}

@test "a start that fails leaves no pane where the user keeps dead ones" {
  a_team
  echo 'set -g remain-on-exit on' >.tmux.conf
  inside_tmux
  before=$(what_is_there)

  run --separate-stderr teammate-spawn coder --task 9

  same '' "$output"
  [ "$status" -ne 0 ]
  same "$before" "$(what_is_there)"
  same '' "$(titles)"
}

@test "one that does not come to life in its pane leaves no pane and no process" {
  a_team
  private_tmux
  cp "$BIN/teammate-spawn" .
  printf '#!/bin/sh\nexec sleep 100\n' >teammate-run
  chmod +x teammate-run
  before=$(what_is_there)

  run --separate-stderr timeout 30 ./teammate-spawn coder --mode tmux

  refused 74 'teammate-spawn: io: coder-1 did not start within 10 s*'
  same "$before" "$(what_is_there)"
  wait_until nothing_left 2>/dev/null
}

@test "several at once share one session, each in a pane" {
  a_team
  private_tmux

  for i in {1..4}; do teammate-spawn coder --mode tmux >>names 2>>errors & done
  wait

  same '' "$(grep warning errors || true)"
  same "$(printf 'coder-%s\n' {1..4})" "$(titles of_the_team)"
}

@test "hands odd arguments on through tmux as they are" {
  mkdir 'a #{pid} b'
  cd 'a #{pid} b'
  a_team
  private_tmux

  run --separate-stderr teammate-spawn coder --mode tmux \
    --exec 'cat >seen.new; pwd >where; mv seen.new seen;' --prompt '#{pane_id} "two  words" $HOME #(date);'

  same 0 "$status"
  same coder-1 "$output"
  same tmux "$(state_of coder-1 .start.mode)"
  wait_until test -e seen
  same '#{pane_id} "two  words" $HOME #(date);' "$(tail -1 seen)"
  same "$PWD" "$(cat where)"
}

@test "teams of one name in two roots have a session each" {
  inside_tmux
  mkdir one two
  (cd one && a_team && teammate-spawn coder)
  (cd two && a_team && teammate-spawn coder)

  same 2 "$(tmux list-sessions -F '#{session_name}' | grep -c '^teamkit-alpha-')"
  (cd one && teammate-stop --all)
  same coder-1 "$(titles)"
}

@test "makes it a member in its own right in a pane, too" {
  a_team
  inside_tmux
  export TEAM_MEMBER=lead TEAM_RUN_ID=other TASK_ID=7 TASK_FILE=/7.json
  tmux set-environment -g TASK_FILE /7.json

  teammate-spawn coder --exec 'env >seen.new; mv seen.new seen' --prompt go

  wait_until test -e seen
  same 'TEAM_MEMBER=coder-1' "$(grep ^TEAM_MEMBER= seen)"
  same "TEAM_RUN_ID=$(state_of coder-1 .run)" "$(grep ^TEAM_RUN_ID= seen)"
  same '' "$(grep ^TASK_ seen || true)"
}

# value_of NAME: a variable that the program of a teammate saw, from the file `seen`.
value_of() {
  local entry
  while IFS= read -rd '' entry; do [[ $entry != "$1="* ]] || printf '%s' "${entry#*=}"; done <seen
}

@test "one in a pane has the whole environment of its caller, and only the terminal from the tmux server" {
  a_team
  export ANTHROPIC_API_KEY=key-of-the-server ANTHROPIC_BASE_URL=http://server.invalid OF_SERVER=1
  inside_tmux
  unset OF_SERVER
  export ANTHROPIC_API_KEY=key-of-the-caller ANTHROPIC_BASE_URL=http://caller.invalid ODD=$'two\nlines = * #x'
  export HTTPS_PROXY=http://proxy.invalid TERM=of-the-caller

  teammate-spawn coder --exec 'env -0 >seen.new; mv seen.new seen' --prompt go

  wait_until test -e seen
  same key-of-the-caller "$(value_of ANTHROPIC_API_KEY)"
  same http://caller.invalid "$(value_of ANTHROPIC_BASE_URL)"
  same http://proxy.invalid "$(value_of HTTPS_PROXY)"
  same "$ODD" "$(value_of ODD)"
  same '' "$(value_of OF_SERVER)$(value_of TEAM_ENVIRONMENT)"
  same "$(state_of coder-1 .pane)" "$(value_of TMUX_PANE)"
  [ "$(value_of TERM)" != of-the-caller ]
}

@test "an environment that is larger than a pipe reaches a pane whole" {
  a_team
  inside_tmux
  for i in {1..40}; do export "LARGE_$i=$(printf '%08000d' "$i")"; done

  teammate-spawn coder --exec 'env -0 >seen.new; mv seen.new seen' --prompt go

  wait_until test -e seen
  same 40 "$(grep -zc '^LARGE_' seen)"
  same "$LARGE_40" "$(value_of LARGE_40)"
}

@test "tmux shows no variable of the caller, and no file or argument has it" {
  a_team
  private_tmux
  export SOME_API_KEY=none-of-your-business PLAIN=none-of-your-business
  teammate-spawn coder --mode tmux --exec 'cat /proc/[0-9]*/cmdline >arguments.new; mv arguments.new arguments' \
    --prompt go 2>/dev/null

  wait_until test -e arguments
  run of_the_team show-environment -g
  [[ $output == *PATH=* && $output != *none-of-your-business* ]]
  run of_the_team show-environment -t "=$(of_the_team list-sessions -F '#{session_name}')"
  [[ $output != *none-of-your-business* && $output != *TEAM_ENVIRONMENT* ]]
  run ! grep -aq none-of-your-business arguments
  run ! grep -rq none-of-your-business .teams .tasks
}

@test "a teammate does not run if its caller died before it handed over the environment" {
  a_team
  team-join bob

  TEAM_ENVIRONMENT=$BASHPID/3/teamkit-environment-none run --separate-stderr \
    timeout 20 "$BIN/teammate-run" bob --exec 'touch ran' --prompt go --once

  refused 74 'teammate-run: io: cannot read the environment of the process that started this one *: that process has ended'
  [ ! -e ran ]
}

@test "a dead socket in TMUX is told; auto starts in the background, tmux in a server of the team's own" {
  a_team
  private_tmux
  export TMUX=$PWD/gone,1,0

  run --separate-stderr teammate-spawn coder
  as_expected 0 coder-1 \
    "teammate-spawn: warning: no tmux server answers at '$TMUX' (TMUX); starting in the background"
  same background "$(state_of coder-1 .start.mode)"

  run --separate-stderr teammate-spawn coder --mode tmux
  same 0 "$status"
  same coder-2 "$output"
  like "teammate-spawn: warning: no tmux server answers at '$TMUX' (TMUX); starting in a tmux server of the team
teammate-spawn: to see it: tmux -L teamkit-alpha-* attach" "$stderr"
  same tmux "$(state_of coder-2 .start.mode)"
  [ ! -e gone ]
}

@test "teammates that a lead started in panes survive the end of that piece of work" {
  a_team
  private_tmux

  run --separate-stderr teammate-run lead --exec 'cat >/dev/null; teammate-spawn coder --mode tmux' --prompt go --once
  same 0 "$status"
  same coder-1 "$output"

  same coder-1 "$(titles of_the_team)"
  answers coder-1
}

@test "warns and starts in the background where there is no tmux" {
  a_team

  run --separate-stderr env PATH="$BIN" teammate-spawn coder --mode tmux

  as_expected 0 coder-1 'teammate-spawn: warning: there is no tmux here; starting in the background'
  same background "$(state_of coder-1 .start.mode)"
}

# fake_tmux LINE: a tmux that prints its version and then runs LINE.
fake_tmux() {
  mkdir fake
  printf '#!/bin/sh\n[ "$1" != -V ] || exec echo tmux\n%s\n' "$1" >fake/tmux
  chmod +x fake/tmux
  PATH=$PWD/fake:$PATH
}

@test "warns and starts in the background when tmux refuses" {
  a_team
  fake_tmux 'echo "out of paint" >&2; exit 1'

  run --separate-stderr teammate-spawn coder --mode tmux

  as_expected 0 coder-1 'teammate-spawn: warning: tmux: out of paint; starting coder-1 in the background'
  same background "$(state_of coder-1 .start.mode)"
}

@test "warns and starts in the background when tmux hangs" {
  a_team
  fake_tmux 'exec sleep 100'

  run --separate-stderr timeout 40 teammate-spawn coder --mode tmux

  as_expected 0 coder-1 'teammate-spawn: warning: tmux: no answer; starting coder-1 in the background'
  same background "$(state_of coder-1 .start.mode)"
  teammate-stop coder-1
  nothing_left
}

@test "records joining members, and members that leave because they did not start" {
  a_team
  teammate-spawn coder --count 2

  run --separate-stderr teammate-spawn coder --task 99

  same 3 "$status"
  same $'user\tMEMBER_JOINED\tmember=coder-1
user\tMEMBER_JOINED\tmember=coder-2
user\tMEMBER_JOINED\tmember=coder-3
user\tMEMBER_LEFT\tmember=coder-3' "$(team-log | cut -f3- | grep 'MEMBER_[JL]')"
}
