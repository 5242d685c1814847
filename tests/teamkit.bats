load helper

@test "lists every command with its purpose" {
  run --separate-stderr teamkit

  same 0 "$status"
  same '' "$stderr"
  same "$(cd "$PROJECT/cmd" && printf '%s\n' *.cc | sed 's/\.cc$//' | LC_ALL=C sort)" \
    "$(cut -f 1 <<<"$output" | LC_ALL=C sort)"
  grep -qx $'task-claim\ttake a task and become its owner' <<<"$output"
}

@test "help without a name lists the commands too" {
  same "$(teamkit)" "$(teamkit help)"
}

@test "runs a command with its arguments, output and exit status" {
  same 1 "$(teamkit task-create 'one' --priority 2)"

  run --separate-stderr teamkit task-get 7 --json

  as_expected 3 '' '{"status":"error","code":"not_found","error":"no task 7"}'
}

@test "runs the commands of the other executable, from either" {
  same "$(teammate-run --version)" "$(teamkit teammate-run --version)"
  same "$(task-list --version)" "$(teamkit-net task-list --version)"
  same "$(teamkit)" "$(teamkit-net)"
}

@test "gives -C to the command" {
  mkdir there
  (cd there && task-create 'over there')

  same 'over there' "$(teamkit -C there task-list | cut -f 6)"
}

@test "help with a name prints the help of that command" {
  same "$(task-claim --help)" "$(teamkit help task-claim)"
  same "$(teammate-run --help)" "$(teamkit help teammate-run)"
  same "$(teamkit --help)" "$(teamkit help teamkit)"
}

@test "refuses an unknown command with the nearest names" {
  run --separate-stderr teamkit task-clam --next
  as_expected 2 '' "teamkit: usage: 'task-clam' is not a command of teamkit; did you mean task-claim or task-reclaim?"

  run --separate-stderr teamkit help nonsense
  as_expected 2 '' "teamkit: usage: 'nonsense' is not a command of teamkit (try teamkit help)"

  run --separate-stderr teamkit help task-claim task-list
  as_expected 2 '' 'teamkit: usage: help explains one command at a time'

  run --separate-stderr teamkit --nonsense
  as_expected 2 '' "teamkit: usage: unknown option '--nonsense' (try teamkit --help)"
}

@test "works under any other name, as an executable that was copied would" {
  cp "$BIN/teamkit" kit

  same "$(task-list --version)" "$(./kit task-list --version)"
}

@test "exits 74 when the other executable is missing" {
  cp "$BIN/teamkit" teamkit

  PATH=/usr/bin:/bin run --separate-stderr ./teamkit teammate-run --version

  as_expected 74 '' "teamkit: io: cannot run 'teamkit-net': No such file or directory"
}

@test "a refusal is cheap: an exception does not sort all frames of the program" {
  command -v valgrind >/dev/null || skip 'needs valgrind'
  ! is_sanitized || skip 'counts instructions'
  task-create 'one'

  counted() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
  granted=$(counted "$BIN/task-get" 1)
  refused=$(counted "$BIN/task-get" 7)

  ((granted > 0 && refused < 4 * granted)) || same "less than 4 x $granted" "$refused"
}
