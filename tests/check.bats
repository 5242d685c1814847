# scripts/check on a small tree of the test.
load helper

setup_tree() {
  mkdir -p scripts tests build/bin build/unit
  cp "$PROJECT/scripts/check" scripts/
  # The loud ones have fixed names.
  for file in history mutants power sweeps calm; do echo '@test "'"$file"' holds" { true; }' >"tests/$file.bats"; done
  printf '#!/bin/sh\nexit %d\n' 0 >build/unit/good_test
  chmod +x build/unit/good_test
}

@test "ends with the counts when everything passes" {
  setup_tree

  run --separate-stderr scripts/check build

  same 0 "$status"
  same '6 passed, 0 failed' "$output"
}

@test "names the skipped tests with their reasons and the failed ones, then the counts" {
  setup_tree
  printf '@test "an apple falls" { false; }\n@test "a pear hangs" { skip "no pears here"; }\n' >tests/fruit.bats
  printf 'falls() { false; }\n@test "a plum falls" { falls; }\n' >tests/plum.bats
  printf '#!/bin/sh\necho broken\nexit 1\n' >build/unit/bad_test
  chmod +x build/unit/bad_test

  run --separate-stderr scripts/check build

  same 1 "$status"
  same 'skipped:
  a pear hangs # skip no pears here
failed:
  unit/bad_test
  tests/fruit.bats: an apple falls
  tests/plum.bats: a plum falls
6 passed, 3 failed, 1 skipped' "$(tail -n 7 <<<"$output")"
}

@test "names a test file that bats cannot read" {
  setup_tree
  echo '@test "an open end" {' >tests/torn.bats

  run --separate-stderr scripts/check build

  same 1 "$status"
  same $'failed:\n  tests/torn.bats: setup_file failed\n6 passed, 1 failed' "$(tail -n 3 <<<"$output")"
}

@test "QUICK=1 leaves out the fuzzers and all but the quick files" {
  setup_tree
  echo '@test "a claim holds" { true; }' >tests/task-claim.bats
  printf '#!/bin/sh\nexit 1\n' >build/unit/bad_fuzz
  chmod +x build/unit/bad_fuzz
  for name in plan- team-send team-recv team-ack team-create team-join team-config team-where teamkit layers; do
    echo '@test "it holds" { true; }' >"tests/$name.bats"
  done

  QUICK=1 run --separate-stderr scripts/check build

  same 0 "$status"
  same '12 passed, 0 failed' "$output"
}
