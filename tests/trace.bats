# TEAM_TRACE: what a command did, one line an event.
load helper
load hooks

# events: the lines of a trace on stdin without their time and process; fails if a line has another form.
events() {
  local line
  while IFS= read -r line; do
    [[ $line =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{6}Z\ [0-9]+\ ([a-z]+:\ .*)$ ]] || return 1
    printf '%s\n' "${BASH_REMATCH[1]}"
  done
}

# has_line PATTERN <LINES: whether a line matches.
has_line() {
  local line
  while IFS= read -r line; do
    # shellcheck disable=SC2053 # it is a pattern
    [[ $line == $1 ]] && return
  done
  echo "no line like: $1" >&2
  return 1
}

@test "writes nothing of its own by default, and for a value that means nothing" {
  local value
  task-create 'first'

  for value in '' 0 trace ./trace; do
    TEAM_TRACE=$value run --separate-stderr task-get 1 --json

    same 0 "$status"
    same '' "$stderr"
  done
  [ ! -e trace ]
}

@test "says on stderr which locks, files and commands there were" {
  TEAM_DURABILITY=power TEAM_TRACE=1 run --separate-stderr task-create 'first' --priority 1

  same 0 "$status"
  same 1 "$output"
  events <<<"$stderr" >found
  same 'start: task-create * --priority *' "$(head -n 1 found)"
  same 'exit: task-create with status 0' "$(tail -n 1 found)"
  has_line 'lock: acquired *.tasks/.lock after 0 ms' <found
  has_line 'lock: released *.tasks/.lock' <found
  has_line 'file: opened for writing *' <found
  has_line 'file: synced *' <found
  has_line 'file: renamed * to *.tasks/1.json' <found
}

@test "appends to a file, which others cannot read" {
  export TEAM_TRACE=$PWD/trace

  run --separate-stderr task-create 'first'
  as_expected 0 1 ''
  run --separate-stderr task-get 7
  as_expected 3 '' 'task-get: not_found: no task 7'

  same 600 "$(stat -c %a trace)"
  events <trace >found
  same $'start: task-create *\nstart: task-get *' "$(grep '^start' found)"
  same $'exit: task-create with status 0\nexit: task-get with status 3' "$(grep '^exit' found)"
}

@test "says how long a lock was waited for" {
  task-create 'first'
  exec 8<.tasks/.lock
  flock 8

  TEAM_TRACE=1 run --separate-stderr task-create 'second' --lock-timeout 50ms

  same 75 "$status"
  grep -v '^task-create: again' <<<"$stderr" | events >found
  has_line 'lock: waiting for *.tasks/.lock, at most 0.05 s' <found
  has_line 'lock: timed out on *.tasks/.lock after * ms' <found
}

@test "says what a wait was for and what ended it" {
  task-create 'first'

  TEAM_TRACE=$PWD/trace task-wait 1 &
  local waiter=$!
  wait_until grep -qs 'wait: for changes' trace
  task-claim 1 --as backend
  task-complete 1 --as backend
  wait "$waiter"

  events <trace >found
  has_line 'wait: for changes in *.tasks*, without limit' <found
  has_line 'wait: woken after * ms by *' <found
}

@test "says which hooks ran and how they ended" {
  team-create alpha
  hook task-created <<<'exit 0'

  TEAM_TRACE=1 run --separate-stderr task-create 'first' --as lead

  same 0 "$status"
  events <<<"$stderr" >found
  has_line 'child: started *task-created*' <found
  has_line 'child: *task-created*ended with status 0' <found
}

@test "never says a text, a value or a key" {
  export ANTHROPIC_API_KEY=sk-ant-0123456789
  mkdir "$ANTHROPIC_API_KEY"
  export TEAM_TRACE=$PWD/trace TEAM_ROOT=$PWD/$ANTHROPIC_API_KEY
  team-create alpha
  team-join backend
  team-send backend 'confidential content of a message' --summary='confidential summary'
  task-create 'confidential subject' --description 'confidential description'
  task-update 1 --metadata token='"confidential token"'
  task-claim 1 --as backend
  task-complete 1 --as backend --result 'confidential result'
  team-send -- backend '--json'

  events <trace >found
  same '' "$(grep -e confidential -e token -e "$ANTHROPIC_API_KEY" found)"
  has_line '*\[key]*' <found
  has_line 'start: team-send * * --summary=[*]' <found
  has_line 'start: task-complete * --as * --result *' <found
}
