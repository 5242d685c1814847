load helper

# console_blocks FILE: the lines of its ```console blocks.
console_blocks() { sed -n '/^```console$/,/^```$/{/^```/!p}' "$1"; }

# replay: reads a transcript and prints it again, with what the commands print now on a terminal. What does not begin
# with "$ " was printed by the command above it.
replay() {
  local line
  while IFS= read -r line <&3; do
    [[ $line == '$ '* ]] || continue
    printf '%s\n' "$line"
    on_terminal "${line#'$ '}"
  done 3<&0
}

@test "the tour of the README prints what the README says" {
  export NO_COLOR=1 SHELL=/bin/bash
  mkdir tour
  console_blocks "$PROJECT/README.md" >expected
  grep -q '^\$ ' expected

  (cd tour && replay <../expected) >actual

  diff -u expected actual
}

@test "every command the README names is there" {
  local name
  # shellcheck disable=SC2016 # backquotes of Markdown
  for name in $(grep -oE '`(task|team)-[a-z]+' "$PROJECT/README.md" | tr -d '`' | sort -u); do
    [ -x "$BIN/$name" ] || { echo "no $name"; return 1; }
  done
}
