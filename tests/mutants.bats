# scripts/torture.d/mutants shows that the suite finds the faults of tests/mutants; here are a few of them.
load helper

@test "every mutant applies to the source, and two that are built are caught" {
  [ "$BIN" -ef "$PROJECT/build/bin" ] || skip 'mutants are built from the plain build only'
  cd "$PROJECT"

  run timeout 120 scripts/torture.d/mutants --quick

  echo "$output"
  same 0 "$status"
  same 'mutants: 2 of 2 caught' "${lines[-1]}"
}
