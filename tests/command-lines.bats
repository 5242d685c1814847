# Unusual command lines: the short form of tests/fuzz/command-lines.
load helper

@test "every program obeys or refuses any command line, and touches nothing outside its folder" {
  run "$PROJECT/tests/fuzz/command-lines" --runs 132 --seconds 30 "$BIN"

  echo "$output"
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} == "command lines: "*"; 0 broken" ]]
}
