# For tests of mail: a team, pending messages, and commands that wait in the background.

make_team() {
  local name
  team-create alpha
  for name in backend frontend tester; do team-join "$name"; done
} >/dev/null

# waiting_for NAME: the texts of pending messages to NAME, one a line.
waiting_for() {
  team-recv --as "$1" --peek --json 2>/dev/null | jq -r .content
}

# start COMMAND…: runs it in the background, stdout into out, stderr into errors. It ends with the test file at the
# latest.
start() {
  "$@" >out 2>errors 3>&- &
  STARTED=$!
  touch "$BATS_FILE_TMPDIR/started-$STARTED"
}

# start_asleep COMMAND…: the same, and returns when the command sleeps.
start_asleep() {
  start "$@"
  wait_until is_asleep "$STARTED"
}

# ended STATUS STDOUT STDERR: compares the result of the started command.
ended() {
  status=0
  wait "$STARTED" || status=$?
  rm -f "$BATS_FILE_TMPDIR/started-$STARTED"
  output=$(cat out) stderr=$(cat errors)
  as_expected "$@"
}

stop() {
  kill -KILL "$STARTED" 2>/dev/null || true
  wait "$STARTED" 2>/dev/null || true
  rm -f "$BATS_FILE_TMPDIR/started-$STARTED"
}

teardown_file() {
  local file
  for file in "$BATS_FILE_TMPDIR"/started-*; do
    [ -e "$file" ] && kill -KILL "${file##*-}" 2>/dev/null
  done
  return 0
}

# has_lines FILE N: at least so many.
has_lines() {
  [ "$(wc -l <"$1")" -ge "$2" ]
}

# gapless: the numbers of all events are 1, 2, 3, …, in the order of the lines of each file.
gapless() {
  jq .seq .teams/alpha/events*.jsonl >numbers
  same "$(seq "$(wc -l <numbers)")" "$(sort -n numbers)"
  for file in .teams/alpha/events*.jsonl; do jq .seq "$file" | sort -nc; done
}
