# team-top runs in a real terminal: a private tmux server, to which the test sends keys and whose screen it reads.
load helper
load teammates

unset TMUX TMUX_PANE
ROUND=

a_team() {
  team-create alpha >/dev/null
  team-join ada >/dev/null
  team-join bob >/dev/null
}

# A server for each ROUND: a server that is just ending would disturb the next one. The server stays, so it must not
# inherit descriptors of the test, such as locks.
tmux_of_test() { TMUX_TMPDIR=$PWD HOME=$PWD tmux -L "top$ROUND" -f /dev/null "$@" 3>&- 8>&-; }

# screen COLUMNS ROWS COMMAND: runs it in a terminal; its exit status is shown after that.
screen() {
  command -v tmux >/dev/null || skip 'needs tmux'
  tmux_of_test new-session -d -x "$1" -y "$2" "sh -c '$3; echo exit=\$?; exec cat'"
}

# top [OPTION…]: runs team-top in 80 by 24; returns when all of it is drawn, from the first line to the last.
top() {
  screen "${WIDE:-80}" "${HIGH:-24}" "team-top $*"
  sees MEMBERS 'q quit'
}

seen() { tmux_of_test capture-pane -p; }
shows() { seen | grep -qF -- "$1"; }
hides() { ! shows "$1"; }
press() { tmux_of_test send-keys "$@"; }
type_in() { tmux_of_test send-keys -l "$1"; }

# sees TEXT…: waits until the screen has each of them; shows the screen if not.
sees() {
  local text
  for text in "$@"; do
    wait_until shows "$text" || { printf "'%s' is not on the screen:\n%s\n" "$text" "$(seen)" >&2; return 1; }
  done
}

pid_of_top() { pgrep -P "$(tmux_of_test display-message -p '#{pane_pid}')" -x team-top; }
in_alternate_screen() { [ "$(tmux_of_test display-message -p '#{alternate_on}')" == 1 ]; }
cpu_ticks() { awk '{print $14 + $15}' "/proc/$1/stat"; }

@test "shows members, board and events in 80 by 24" {
  a_team
  task-create 'Analyze endpoints' >/dev/null
  task-create 'Design schema' --blocked-by 1 >/dev/null
  task-create 'Build it' >/dev/null
  task-claim 1 --as ada >/dev/null
  task-claim 3 --as bob >/dev/null
  task-fail 3 --as bob --reason 'no compiler' >/dev/null
  team-send bob 'are you there?' >/dev/null

  top

  sees 'alpha' '1 running' '1 blocked' '1 failed' 'Design schema: waits for #1 (ada)' 'Build it: no compiler' \
    'TASK_FAILED' 'user -> bob: are you there?' 'q quit'
  seen | grep -Eq '^  ada +- +#1 '
  same 24 "$(seen | wc -l)"
}

@test "redraws when something happens, without a key" {
  a_team
  top

  task-create 'Something new' >/dev/null
  sees 'Something new' '1 ready'
  task-claim 1 --as ada >/dev/null
  sees '1 running'
  task-release 1 --as ada >/dev/null
  task-delete 1 >/dev/null
  wait_until hides '#1  '
  team-join carol >/dev/null
  sees 'carol' 'MEMBERS 4'
  team-leave carol >/dev/null
  sees 'MEMBERS 3'
}

@test "arrows, j and k select, Tab switches the list, and the selection is marked" {
  a_team
  task-create 'Analyze endpoints' >/dev/null
  top
  sees '> lead'

  press j
  sees '> ada'
  press Down
  sees '> bob'
  press k
  sees '> ada'
  press Up
  sees '> lead'
  press End
  sees '> bob'
  press Tab
  sees '> #1'
  press Tab
  wait_until eval 'seen | grep -q "^> .*TASK_CREATED"'
  press Tab
  sees '> bob'
  press BTab
  wait_until eval 'seen | grep -q "^> .*TASK_CREATED"'
}

@test "Enter shows all of a task, a member or an event, and Esc goes back" {
  a_team
  task-create 'Analyze endpoints' --description $'Read them all.\nTwice.' --priority 2 >/dev/null
  top

  press Tab Enter
  sees 'task 1' 'Read them all.' 'Twice.' 'critical' 'revision' 'by user'
  press Escape
  sees 'MEMBERS 3'
  press Tab Enter
  sees '"type":"TASK_CREATED"'
  press Enter
  sees 'MEMBERS 3'
  press '?'
  sees 'ask the member to shut down'
  press Escape
  sees 'MEMBERS 3'
}

@test "Enter on a member shows its words as they arrive, and PgUp scrolls" {
  a_team
  mkfifo fifo
  start_teammate coder --exec 'seq -f "line %g." 200; cat fifo; echo and more'
  task-create 'Count' >/dev/null
  top
  wait_until eval 'seen | grep -q "coder .*active .*#1"'
  press Home
  sees '> coder'

  press Enter
  sees 'state       active' '#1 Count' 'line 200.' 'runs as     pid'
  hides 'line 150.'
  press PPage PPage PPage PPage
  sees 'line 130.'
  press End
  sees 'line 200.'
  : >fifo
  sees 'and more'
}

@test "m writes a message to the chosen member, which arrives, and Esc sends nothing" {
  a_team
  top
  press j m
  sees 'to ada:'

  type_in 'never mindq'
  press Escape
  sees 'nothing was done'
  press m
  type_in 'wie geht es? 元気?x'
  press BSpace Enter

  sees 'sent to ada'
  same 'wie geht es? 元気?' "$(team-recv --as ada --json | jq -r .content)"
  same '' "$(team-recv --as ada --json)"
}

@test "an invalid byte becomes one character, and later input arrives" {
  a_team
  top
  press j m
  sees 'to ada'

  press -H 68 ff 69 c3
  type_in 'there é語'
  press Enter

  wait_until test -s .teams/alpha/ada_inbox.jsonl
  same $'h\ufffdi\ufffdthere é語' "$(team-recv --as ada --json | jq -r .content)"
}

@test "a paste is one message, whatever its lines say" {
  a_team
  start_idle coder --exec 'cat'
  top
  wait_until eval 'seen | grep -q "coder .*idle"'
  until shows '> coder'; do press j; sees '>'; done
  printf 'please look at\nsyour file\nq' >pasted
  tmux_of_test load-buffer pasted

  tmux_of_test paste-buffer -p
  press m
  sees 'to coder:'
  tmux_of_test paste-buffer -p
  sees 'to coder: please look at syour file q'
  press Enter

  sees 'sent to coder'
  grep -q '"type":"MESSAGE_SENT".*please look at syour file q' .teams/alpha/events.jsonl
  run ! grep -q shutdown_request .teams/alpha/events.jsonl
  run ! shows 'exit='
}

@test "of a paste that is not marked as one, only the first line is taken" {
  a_team
  top
  press j m
  sees 'to ada:'
  printf 'please look\nq\n' >pasted
  tmux_of_test load-buffer pasted

  tmux_of_test paste-buffer

  sees 'sent to ada' 'MEMBERS 3'
  press k
  sees '> lead'
  same 'please look' "$(team-recv --as ada --json | jq -r .content)"
}

@test "a member may be called like the log or like a file of letters" {
  a_team
  team-join events-1 >/dev/null
  team-join x_taken >/dev/null
  top
  sees 'events-1' 'x_taken'

  team-send events-1 hello >/dev/null
  wait_until eval 'seen | grep -Eq "^  events-1 .* 1( |$)"'
  team-send x_taken hello >/dev/null
  wait_until eval 'seen | grep -Eq "^  x_taken .* 1( |$)"'
  team-recv --as x_taken >/dev/null
  wait_until eval '! seen | grep -Eq "^  x_taken .* 1( |$)"'
}

@test "counts messages that are no longer held as unread" {
  a_team
  team-send ada hello >/dev/null
  top
  wait_until eval 'seen | grep -Eq "^  ada .* 1( |$)"'
  team-recv --as ada --hold >/dev/null
  wait_until eval '! seen | grep -Eq "^  ada .* 1( |$)"'

  rm .teams/alpha/ada_taken.jsonl.hold

  wait_until eval 'seen | grep -Eq "^  ada .* 1( |$)"'
}

@test "q with a message under way restores the terminal, waits for it, and says why it was not sent" {
  a_team
  : >>.teams/alpha/ada_inbox.lock
  exec 8<>.teams/alpha/ada_inbox.lock
  flock 8
  top --lock-timeout 2
  press j m
  type_in hello
  press Enter
  sees 'sending'

  press q

  wait_until eval '! in_alternate_screen'
  sees 'team-top: again: ' 'exit=75'
  exec 8>&-
}

@test "a approves and r rejects a plan, with a line of feedback" {
  a_team
  first=$(echo 'rewrite it all' | plan-submit --as ada)
  top
  sees '> ada' 'plan?' '1 plan to judge'

  press r
  sees 'reject the plan of ada; feedback:'
  type_in 'too much'
  press Enter
  sees 'the plan of ada is rejected'
  wait_until hides 'plan?'
  same 'rejected too much' "$(jq -r '"\(.status) \(.feedback)"' ".teams/alpha/requests/$first.json")"

  second=$(echo 'mend two lines' | plan-submit --as ada)
  sees 'plan?'
  press Home Enter
  sees 'mend two lines'
  press a Enter
  sees 'the plan of ada is approved'
  same 'approved null user' "$(jq -r '"\(.status) \(.feedback) \(.answered_by // .answeredBy)"' ".teams/alpha/requests/$second.json")"
  wait_until hides 'a approves it'
  press a
  sees 'ada has no plan that waits for an answer'
}

@test "s asks the chosen member to shut down after a y, and does not wait for it" {
  a_team
  start_idle coder --exec 'cat'
  top
  wait_until eval 'seen | grep -q "coder .*idle"'
  until shows '> coder'; do press j; sees '>'; done

  press s
  sees 'ask coder to shut down? y/n'
  press n
  sees 'nothing was done'
  press s y
  sees 'coder was asked to shut down'

  teammate_ended coder 0
  wait_until eval 'seen | grep -q "coder .*shutdown"'
  press s
  sees 'coder is not running'
}

@test "follows the size of the terminal" {
  a_team
  task-create 'Analyze endpoints' >/dev/null
  top

  tmux_of_test resize-window -x 160 -y 45
  sees ' | '
  wait_until eval '[ "$(seen | sed -n "45p" | grep -c "q quit")" == 1 ]'
  tmux_of_test resize-window -x 20 -y 5
  wait_until eval '[ "$(seen | grep -c "EVENTS\|TASKS")" == 0 ] && seen | grep -q "^> lead"'
  tmux_of_test resize-window -x 80 -y 24
  sees EVENTS TASKS '> lead'
}

@test "copes with 200 members and 10,000 tasks" {
  a_team
  team-config teammates.max 0 >/dev/null
  jq '.members += [range(200) | {name: "coder-\(.)", role: "coder", joinedAt: 1}]' .teams/alpha/config.json >config
  cp config .teams/alpha/config.json
  seq -f '{"subject": "Task number %g"}' 10000 | task-create - >/dev/null

  HIGH=40 top
  sees 'MEMBERS 203' 'TASKS 10000' '10000 ready'
  press End
  sees '> coder-199'
  press Tab End
  sees '> #10000' 'Task number 10000'
  task-claim 10000 --as ada >/dev/null
  sees '1 running' '9999 ready' '> #10000'
  press Home
  sees '> #10000'
  press j
  sees '> #1 '
}

@test "shows that the chosen member died, and stays on it" {
  a_team
  start_idle coder --exec 'cat'
  top
  wait_until eval 'seen | grep -q "coder .*idle"'
  until shows '> coder'; do press j; sees '>'; done

  kill_teammate coder

  wait_until eval 'seen | grep -q "^> coder .*dead"'
  sees '1 dead'
  team-leave coder >/dev/null
  sees 'MEMBERS 3' '> '
}

@test "restores the terminal when it is killed by TERM" {
  a_team
  screen 80 24 'stty -a >before; team-top; ended=$?; stty -a >after; echo ended=$ended'
  wait_until shows MEMBERS
  wait_until in_alternate_screen

  kill -TERM "$(pid_of_top)"

  sees 'ended=143'
  run ! in_alternate_screen
  diff before after
  run ! shows MEMBERS
}

@test "q exits 0 and restores the terminal, and so does ^C" {
  a_team
  for key in q C-c; do
    ROUND=$key
    screen 80 24 'stty -a >before; team-top; echo ended=$?; stty -a >after'
    wait_until shows MEMBERS

    press "$key"

    sees 'ended=0' 'exit=0'
    run ! in_alternate_screen
    diff before after
  done
}

@test "^Z gives the terminal back, and fg draws it again" {
  a_team
  screen 80 24 'bash --norc -im'
  tmux_of_test send-keys 'PS1=ready:; team-top' Enter
  wait_until shows MEMBERS

  press C-z
  sees 'Stopped' 'ready:'
  run ! in_alternate_screen
  press 'fg' Enter
  wait_until in_alternate_screen
  sees '> lead' 'q quit'
}

@test "ends when its terminal goes, also if it was started not to hear of that" {
  a_team
  for ROUND in 1 2; do
    before=$([ "$ROUND" == 1 ] || echo 'trap "" HUP;')
    screen 80 24 "$before team-top"
    wait_until shows MEMBERS
    pid=$(pid_of_top)

    tmux_of_test kill-session

    wait_until gone "$pid"
  done
}

@test "is a usage error where stdin or stdout is no terminal, or one that cannot place its cursor" {
  a_team
  run --separate-stderr team-top </dev/null
  as_expected 2 '' 'team-top: usage: stdin and stdout must be a terminal; team-status and team-log need none'

  same "team-top: usage: the terminal 'dumb' (TERM) cannot move its cursor" "$(TERM=dumb on_terminal team-top 2>&1 </dev/null)"
  same "team-top: usage: unknown terminal 'unheard-of' (TERM)" "$(TERM=unheard-of on_terminal team-top 2>&1)"
  for kind in xterm-256color screen linux vt100; do
    ROUND=$kind
    screen 80 24 "TERM=$kind team-top"
    wait_until shows MEMBERS
    press q
    sees 'exit=0'
  done
}

@test "exits 3 without a team, and when the team goes, with the terminal restored" {
  mkdir .teams
  run --separate-stderr script -qec team-top /dev/null
  same 3 "$status"
  [[ $output == 'team-top: not_found: no team in '* ]]

  a_team
  top
  team-delete alpha >/dev/null
  sees 'team-top: not_found: ' 'exit=3'
  run ! in_alternate_screen
}

@test "exits 7 for somebody else's name, 9 for a broken file of the team, 74 where the system refuses" {
  a_team
  TEAM_MEMBER=ada run script -qec 'team-top --as bob' /dev/null
  same 7 "$status"
  run script -qec 'strace -qq -o /dev/null -e trace=signalfd4 -e inject=signalfd4:error=EMFILE team-top' /dev/null
  same 74 "$status"
  echo '{' >.teams/alpha/config.json
  run script -qec team-top /dev/null
  same 9 "$status"
}

@test "says that the file of the team is broken, shows the board on, and forgets it when it is mended" {
  a_team
  top
  cp .teams/alpha/config.json good
  echo '{' >.teams/alpha/config.json
  sees 'corrupt: '

  echo '{"subject": "Nevertheless"}' >.tasks/1.json
  sees 'Nevertheless'
  cp good .teams/alpha/config.json
  sees 'q quit'
}

@test "sees changes without notification" {
  a_team
  TEAM_NOTIFY=poll top

  task-create 'Something new' >/dev/null

  sees 'Something new'
  press j
  sees '> ada'
}

@test "exits 2 when there are several teams and none is named" {
  a_team
  team-create beta >/dev/null

  run --separate-stderr script -qec team-top /dev/null

  same 2 "$status"
  top -t beta
  sees beta
}

@test "says in its last line that a lock was not had, and goes on" {
  a_team
  : >>.teams/alpha/ada_inbox.lock
  exec 8<>.teams/alpha/ada_inbox.lock
  flock 8
  top --lock-timeout 0.2
  press j m
  type_in hello
  press Enter

  sees 'again: '
  press k
  sees '> lead'
  exec 8>&-
  press j m
  type_in hello
  press Enter
  sees 'sent to ada'
}

@test "a member that is no lead may look and speak, and may stop nobody" {
  a_team
  start_idle coder --exec 'cat'
  top --as ada
  wait_until eval 'seen | grep -q "coder .*idle"'
  until shows '> coder'; do press j; sees '>'; done

  press s y

  sees 'permission_denied: only the lead or the user may ask for a shutdown'
}

@test "wide characters take two columns and leave the columns beside them in line" {
  a_team
  task-create '設計する🎉 in the middle' >/dev/null
  task-create 'Plain' >/dev/null
  WIDE=160 HIGH=30 top

  sees '設計する🎉 in the middle'
  bars=$(seen | grep ' | ' | sed 's/ | .*//' | while IFS= read -r line; do wc -L <<<"$line"; done | sort -u)
  same 86 "$bars"
}

@test "no text of others drives the terminal" {
  a_team
  task-create $'red \e[41m\e]0;owned\a\e[2J and\nmore' >/dev/null
  team-send ada $'\e[2J\x9b31m' >/dev/null

  top

  sees 'red  [41m ]0;owned  [2J and more' 'q quit' MEMBERS
  run ! grep -q owned <<<"$(tmux_of_test display-message -p '#{pane_title}')"
}

@test "has colours, and none with NO_COLOR" {
  a_team
  task-create 'Build it' >/dev/null
  task-claim 1 --as ada >/dev/null
  top
  tmux_of_test capture-pane -pe | grep -q $'\e\[[0-9;]*3[1-6]m'

  ROUND=plain
  NO_COLOR=1 top
  run ! grep -q $'\e\[[0-9;]*3[1-6]m' <<<"$(tmux_of_test capture-pane -pe)"
}

@test "costs no more while 1,000 events a second arrive, however many came before" {
  a_team
  top
  pid=$(pid_of_top)
  cat >writer.py <<'END'
import fcntl, sys, time
first, count = int(sys.argv[1]), int(sys.argv[2])
start = time.monotonic()
for i in range(count):
    with open('.teams/alpha/events.lock', 'a') as lock, open('.teams/alpha/events.jsonl', 'a') as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        log.write('{"seq":%d,"timestamp":%f,"team_id":"alpha","agent_id":"ada","role_name":null,"run_id":null,'
                  '"event":{"type":"TASK_UPDATED","task_id":1,"subject":"event %d."}}\n' % (first + i, time.time(), first + i))
    time.sleep(max(0, start + (i + 1) / 1000 - time.monotonic()))
END
  last=$(wc -l <.teams/alpha/events.jsonl)
  before=$(cpu_ticks "$pid")
  python3 writer.py $((last + 1)) 2000
  sees "event $((last + 2000))."
  few=$(($(cpu_ticks "$pid") - before))

  last=$((last + 2000))
  python3 - $((last + 1)) 50000 <<<"$(sed '/time.sleep/d' writer.py)"
  last=$((last + 50000))
  sees "event $last."
  before=$(cpu_ticks "$pid")
  python3 writer.py $((last + 1)) 2000
  sees "event $((last + 2000))."
  many=$(($(cpu_ticks "$pid") - before))

  echo "ticks of 10 ms in 2 s: $few, then $many"
  limit=40
  [[ $BIN != */coverage/bin ]] || limit=120 # to count branches is most of its work
  [ "$few" -lt "$limit" ]
  [ "$many" -lt "$limit" ]
}
