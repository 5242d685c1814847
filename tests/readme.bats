load helper

# console_blocks SECTION: the lines of the ```console blocks of one section of the README.
console_blocks() {
  sed -n "/^## $1\$/,/^## /{/^\`\`\`console\$/,/^\`\`\`\$/{/^\`\`\`/!p}}" "$PROJECT/README.md"
}

# replay: reads a transcript and prints it again, with the present output of the commands on a terminal. A line that
# does not begin with "$ " is output of the command above it.
replay() {
  local line
  while IFS= read -r line <&3; do
    [[ $line == '$ '* ]] || continue
    printf '%s\n' "$line"
    on_terminal "${line#'$ '}"
  done 3<&0
}

teardown() {
  [ ! -d demo/graphql ] || teammate-stop -C demo/graphql --all --timeout 0 --force >/dev/null
}

# goes_as_printed SECTION FOLDER: its commands, run in FOLDER, print the output in the README.
goes_as_printed() {
  # A terminal that cannot erase a line, so that no progress line is in the output.
  export NO_COLOR=1 SHELL=/bin/bash TERM=dumb
  console_blocks "$1" >expected
  grep -q '^\$ ' expected

  (cd "$2" && replay <"$BATS_TEST_TMPDIR/expected") >actual

  diff -u expected actual
}

@test "the tour of the README goes on where the demo ended" {
  "$PROJECT/scripts/demo" "$BIN" demo >/dev/null

  goes_as_printed 'A tour of five minutes' demo/graphql
}

@test "the five commands of the README print the output in the README" {
  mkdir empty

  goes_as_printed 'Five commands' empty
}

@test "the section By hand of the README prints the output in the README" {
  mkdir empty

  goes_as_printed 'By hand' empty
}

@test "every command the README names is there" {
  local name
  # shellcheck disable=SC2016 # backquotes of Markdown
  for name in $(grep -oE '`(task|team|teammate)-[a-z]+' "$PROJECT/README.md" | tr -d '`' | sort -u); do
    [ -x "$BIN/$name" ] || { echo "no $name"; return 1; }
  done
}
