# Common code of all tests: each test has its own folder, our commands come first in PATH, and no variable of the caller
# leaks in.
bats_require_minimum_version 1.5.0

PROJECT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
BIN=${TEAMKIT_BIN:-$PROJECT/build/bin}

setup() { begin_test; }

# begin_test: sets the environment and the folder of the test. A file with its own setup calls it first.
begin_test() {
  PATH=$BIN:$PATH
  unset TEAM_ROOT TEAM_NAME TEAM_MEMBER TEAM_RUN_ID TEAM_HOOK TEAM_NOTIFY TEAM_TRACE TEAM_TRUST NO_COLOR
  # Trust marks are beside the folder of the test, never in the home of the caller.
  export XDG_STATE_HOME=$BATS_TEST_TMPDIR.state
  # Most tests are not about the disk; the others set this themselves.
  # Failed attempts are repeated at once.
  export TEAM_DURABILITY=process TEAM_BACKOFF=0 LC_ALL=C.UTF-8
  cd "$BATS_TEST_TMPDIR" || return
}

# wait_until COMMAND…: waits until COMMAND succeeds; false if it does not within $TEAMKIT_PATIENCE seconds (20). It
# changes $!.
wait_until() {
  local deadline=$((SECONDS + ${TEAMKIT_PATIENCE:-20}))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    read -rt 0.02 <> <(:) || true
  done
}

# is_asleep PID: true if it sleeps.
is_asleep() {
  grep -qs '^inotify wd' "/proc/$1"/fdinfo/* && grep -q '^State:.S' "/proc/$1/status"
}

# field ID KEY: one value of a task's file.
field() {
  jq -r ".$2 | if type == \"array\" then join(\",\") else . end" ".tasks/$1.json"
}

# on_terminal COMMAND: runs it on a terminal of 80 columns and prints the output.
on_terminal() {
  script -qec "stty cols ${COLUMNS_WANTED:-80} rows 24; $1" /dev/null </dev/null | tr -d '\r'
}

# True if the programs were built with a sanitizer (make check SANITIZE=address).
is_sanitized() { [[ $TEAMKIT_BIN == */sanitize-*/bin ]]; }

# same EXPECTED ACTUAL: shows both if they differ.
same() {
  [ "$1" == "$2" ] && return
  printf 'expected: %s\n  actual: %s\n' "$1" "$2" >&2
  return 1
}

# as_expected STATUS STDOUT STDERR: compares the result of `run --separate-stderr`.
as_expected() {
  same "$1" "$status" && same "$2" "$output" && same "$3" "$stderr"
}
