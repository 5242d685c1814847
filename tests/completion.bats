load helper

# complete_line WORD…: the completions of bash for the last word, one a line. Words are split as bash splits them, with
# "=" as a word.
complete_line() {
  bash --norc -c '
    source "$1" || exit
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _teamkit
    printf "%s\n" "${COMPREPLY[@]}"
  ' bash completion "$@" 2>errors | sort
  same '' "$(cat errors)"
}

setup_file() {
  export COMPLETION=$BATS_FILE_TMPDIR/completion
  local project bin
  project=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
  bin=${TEAMKIT_BIN:-$project/build/bin}
  "$project/scripts/completion" "$bin"/* >"$COMPLETION"
}

# Links the generated file into the folder of the test.
setup_here() { ln -s "$COMPLETION" completion; }

@test "offers the options of the program and no others" {
  setup_here

  run complete_line team-where -

  same 0 "$status"
  same "$(printf '%s\n' -C -h -t --as --help --team --version | sort)" "$output"
}

@test "offers the options that begin as the word does" {
  setup_here

  run complete_line task-update 1 --add

  same --add-blocked-by "$output"
}

@test "knows every program that was built" {
  setup_here
  local program
  for program in "$BIN"/*; do
    run complete_line "${program##*/}" --vers

    same --version "$output"
    grep -qw -e "${program##*/}" <(grep '^complete ' completion)
  done
}

@test "offers the ids of the board, alone and after a comma" {
  setup_here
  task-create 'one'
  task-create 'two'

  same $'1\n2' "$(complete_line task-claim '')"
  same $'1\n2' "$(complete_line task-wait 1 '')"
  same $'1,1\n1,2' "$(complete_line task-create x --blocked-by 1,)"
}

@test "offers the states, also after an equals sign" {
  setup_here

  same $'completed\nfailed\nin_progress\npending' "$(complete_line task-list --status '')"
  same in_progress "$(complete_line task-list --status in)"
  same pending "$(complete_line task-list --status = pe)"
  same $'completed\nfailed\nin_progress\npending' "$(complete_line task-list --status =)"
  same pending,failed "$(complete_line task-list --status pending,f)"
}

@test "offers the teams" {
  setup_here
  team-create alpha
  team-create beta

  same $'alpha\nbeta' "$(complete_line task-list -t '')"
  same beta "$(complete_line team-where --team b)"
  same beta "$(complete_line team-delete b)"
}

@test "offers members, owners and the user as names" {
  setup_here
  team-create alpha
  team-join backend
  task-create 'one' --owner visitor

  same $'backend\nlead\nuser\nvisitor' "$(complete_line task-claim 1 --as '')"
  same backend "$(complete_line team-leave b)"
}

@test "offers no name where a new one is wanted" {
  setup_here
  team-create alpha

  same '' "$(complete_line team-create '')"
  same '' "$(complete_line team-join '')"
}

@test "offers the keys of the settings" {
  setup_here
  team-create alpha

  same $'tasks.backoff\ntasks.check\ntasks.checkClean\ntasks.checkTime\ntasks.lease\ntasks.max\ntasks.perMember' "$(complete_line team-config tasks)"
}

@test "offers files and folders, blanks in their names included" {
  setup_here
  mkdir 'a folder'
  touch 'a file'

  same $'a file\na folder' "$(complete_line task-create x --deliverable a)"
  same 'a folder' "$(complete_line task-list -C a)"
  same 'a file' "$(complete_line team-create x --role coder = 'a fi')"
}

@test "looks where -C and -t on the line say" {
  setup_here
  mkdir other
  team-create -C other alpha --board boards/alpha
  team-create -C other beta
  task-create -C other -t alpha 'one'

  same 1 "$(complete_line task-get -C other -t alpha '')"
  same '' "$(complete_line task-get -C other -t beta '')"
}

@test "is silent where there is no store" {
  setup_here

  same '' "$(complete_line task-claim '')"
  same '' "$(complete_line task-list -t '')"
}

@test "asks the programs beside the one on the command line" {
  setup_here
  task-create 'one'

  PATH=/usr/bin:/bin run complete_line "$BIN/task-claim" ''

  same 1 "$output"
}

@test "offers no options after two dashes" {
  setup_here

  same '' "$(complete_line task-create -- -)"
}

@test "starts no program when it is loaded" {
  setup_here

  run --separate-stderr env -i PATH=/nowhere "$BASH" --norc -c 'source ./completion && complete -p task-claim'

  as_expected 0 'complete -F _teamkit task-claim' ''
}

@test "exits 2 without a program" {
  run --separate-stderr "$PROJECT/scripts/completion"

  as_expected 2 '' 'usage: completion PROGRAM...'
}

@test "completes the names of commands behind teamkit, and then the options of the command" {
  setup_here

  same task-claim "$(complete_line teamkit task-cl)"
  same task-claim "$(complete_line teamkit help task-cl)"
  same --add-blocked-by "$(complete_line teamkit task-update --add)"
  task-create 'one'
  same 1 "$(complete_line teamkit task-claim '')"
}
