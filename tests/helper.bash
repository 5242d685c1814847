# Common to all tests: each has a folder of its own to stand in, our commands come first in PATH, and nothing of the
# caller's environment leaks in.
bats_require_minimum_version 1.5.0

PROJECT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
BIN=${TEAMKIT_BIN:-$PROJECT/build/bin}

setup() { begin_test; }

# begin_test: the environment of the test, and its folder. A file with a setup of its own calls it first.
begin_test() {
  PATH=$BIN:$PATH
  unset TEAM_ROOT TEAM_NAME TEAM_MEMBER TEAM_RUN_ID TEAM_HOOK TEAM_NOTIFY TEAM_TRUST NO_COLOR
  # Marks of trust lie beside the folder of the test, never in the home of the caller.
  export XDG_STATE_HOME=$BATS_TEST_TMPDIR.state
  # The disk is not what most tests are about; those that are say so.
  export TEAM_DURABILITY=process LC_ALL=C.UTF-8
  cd "$BATS_TEST_TMPDIR" || return
}

# wait_until COMMAND…: true as soon as COMMAND is, false if it is not within $TEAMKIT_PATIENCE seconds (20). Afterwards $!
# is another.
wait_until() {
  local deadline=$((SECONDS + ${TEAMKIT_PATIENCE:-20}))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    read -rt 0.02 <> <(:) || true
  done
}

# is_asleep PID: it waits for something to change.
is_asleep() {
  grep -qs '^inotify wd' "/proc/$1"/fdinfo/* && grep -q '^State:.S' "/proc/$1/status"
}

# field ID KEY: one value of a task's file.
field() {
  jq -r ".$2 | if type == \"array\" then join(\",\") else . end" ".tasks/$1.json"
}

# on_terminal COMMAND: what a person sees, 80 columns wide.
on_terminal() {
  script -qec "stty cols ${COLUMNS_WANTED:-80} rows 24; $1" /dev/null </dev/null | tr -d '\r'
}

# Whether the programs were built with a sanitizer (make check SANITIZE=address).
is_sanitized() { [[ $TEAMKIT_BIN == */sanitize-*/bin ]]; }

# same EXPECTED ACTUAL: shows both if they differ.
same() {
  [ "$1" == "$2" ] && return
  printf 'expected: %s\n  actual: %s\n' "$1" "$2" >&2
  return 1
}

# as_expected STATUS STDOUT STDERR: what `run --separate-stderr` left.
as_expected() {
  same "$1" "$status" && same "$2" "$output" && same "$3" "$stderr"
}
