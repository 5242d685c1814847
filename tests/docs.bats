# The pages match the commands. Examples stand in `.Bd -literal` blocks of EXAMPLES: a line that begins with "$ " is a
# command (a backslash at its end continues it), and the lines below it are its output on a terminal. The examples of
# one page run from top to bottom in one new folder.
load helper

commands() {
  local source
  for source in "$PROJECT"/cmd/*.cc; do basename "$source" .cc; done
}

# The commands that have a page; another test reports a missing page.
documented() {
  local command
  for command in $(commands); do [ ! -f "$PROJECT/man/$command.1" ] || echo "$command"; done
}

# purpose_of COMMAND: from the first line of its source.
purpose_of() {
  sed -n "1s|^// $1 - ||p" "$PROJECT/cmd/$1.cc"
}

# section PAGE NAME: the lines of one section.
section() {
  awk -v wanted="$2" '/^\.Sh /{inside = substr($0, 5) == wanted; next} inside' "$1"
}

# Undoes the escapes of mdoc.
unescape() {
  sed -e 's/\\(aq/'\''/g; s/\\(dq/"/g; s/\\(ga/`/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\&//g; s/\\-/-/g; s/\\e/\\/g'
}

# examples PAGE: its sessions, as printed.
examples() {
  section "$1" EXAMPLES | awk '/^\.Ed/{inside = 0} inside; /^\.Bd -literal/{inside = 1}' | unescape
}

# play FILE: the commands of a session with their answers, as a terminal would show them.
play() {
  local line command
  while IFS= read -r line <&3; do
    [[ $line == '$ '* ]] || continue
    command=$line
    while [[ $line == *\\ ]] && IFS= read -r line <&3; do command+=$'\n'$line; done
    printf '%s\n' "$command"
    eval "${command#'$ '}" </dev/null 2>&1 3<&- || true
  done 3<"$1"
}

# options_of_page PAGE: "names value" of every item of its list of options, in the order of the page.
options_of_page() {
  section "$1" DESCRIPTION | sed -n '/^\.It Fl /{ s/^\.It //; s/Fl /-/g; s/ , /,/g; s/ Op Ar \(.*\)/ [\1]/; s/ Ns = Ns Ar /=/; s/ Ar / /; p }'
}

# options_of COMMAND: the same from the command itself.
options_of() {
  "$1" --option-table | awk -F '\t' '/^-/{print $1 ($2 == "" ? "" : " " tolower($2))}'
}

@test "every command has a page and a test" {
  for command in $(commands); do
    for file in "man/$command.1" "tests/$command.bats"; do
      [ -f "$PROJECT/$file" ] || { echo "$file is missing"; failed=1; }
    done
  done

  [ -z "${failed-}" ]
}

@test "every page of section 1 has a command" {
  for page in "$PROJECT"/man/*.1; do
    command=$(basename "$page" .1)
    [ -f "$PROJECT/cmd/$command.cc" ] || { echo "$page is of no command"; failed=1; }
  done

  [ -z "${failed-}" ]
}

@test "mandoc finds nothing to say about the pages" {
  run mandoc -T lint -W warning "$PROJECT"/man/*.[157]

  same '' "$output"
}

@test "a page has the sections of every page in their order" {
  for command in $(documented); do
    page=$PROJECT/man/$command.1
    found=$(sed -n 's/^\.Sh //p' "$page" | grep -v '^CAVEATS$' | paste -sd ,)
    same 'NAME,SYNOPSIS,DESCRIPTION,ENVIRONMENT,FILES,EXIT STATUS,EXAMPLES,SEE ALSO' "$found" || failed=$command
  done

  same '' "${failed-}"
}

@test "source, page, --option-table and teamkit.7 give one and the same purpose" {
  for command in $(documented); do
    purpose=$(purpose_of "$command")
    page=$PROJECT/man/$command.1
    [ -n "$purpose" ] || failed=$command
    same ".Nm $command .Nd $purpose" "$(section "$page" NAME | paste -sd ' ')" || failed=$command
    same "$command"$'\t\t'"$purpose" "$("$command" --option-table | head -1)" || failed=$command
  done
  same '' "${failed-}"

  listed=$(section "$PROJECT/man/teamkit.7" COMMANDS | awk '/^\.It Xr/{name = $3; getline; print name, $0}')

  same "$(for command in $(commands); do echo "$command $(purpose_of "$command")"; done)" "$listed"
}

@test "a page has the options of its command, with their values and in their order" {
  for command in $(documented); do
    same "$(options_of "$command")" "$(options_of_page "$PROJECT/man/$command.1")" || failed+=" $command"
  done

  same '' "${failed-}"
}

@test "a page mentions no option that its command does not have, and its synopsis all but help and version" {
  for command in $(documented); do
    page=$PROJECT/man/$command.1
    known=$(options_of "$command" | cut -d ' ' -f 1 | tr , '\n' | sort -u)
    mentioned=$(grep '^\.' "$page" | grep -o '\bFl [^ ]*' | sed 's/^Fl /-/' | sort -u)
    same "$known" "$mentioned" || failed+=" $command"

    short=$(options_of "$command" | grep -v -e '--help' -e '--version' | sed 's/[, ].*//' | sort -u)
    synopsis=$(section "$page" SYNOPSIS | grep -o '\bFl [^ ]*' | sed 's/^Fl /-/' | sort -u)
    same "$short" "$synopsis" || failed+=" $command"
  done

  same '' "${failed-}"
}

@test "--help exits 0, has every option and an example" {
  for command in $(commands); do
    run --separate-stderr "$command" --help
    same 0 "$status" && same '' "$stderr" || failed+=" $command"
    options_of "$command" | cut -d ' ' -f 1 | sed 's/,/, /' >names
    while IFS= read -r names; do
      [[ $output == *" $names "* ]] || { echo "$command --help has no $names"; failed+=" $command"; }
    done <names
    ! grep -E '.{81}' <<<"$output" || { echo "$command --help is wider than 80 columns"; failed+=" $command"; }
    [[ $output == *$'\nexamples:\n  '*"$command"* ]] || { echo "$command --help has no example"; failed+=" $command"; }
  done

  same '' "${failed-}"
}

@test "a picture brings its own paper, which covers all of it, so that it can be read on a page of any colour" {
  printf 'ours\t100\t900\nours\t1000\t950\n' | python3 "$PROJECT/scripts/bench.d/draw.py" >drawn.svg

  for picture in drawn.svg "$PROJECT"/man/*.svg; do
    size=$(grep -oE 'viewBox="0 0 [0-9]+ [0-9]+' "$picture" | sed -E 's/.* ([0-9]+) ([0-9]+)/width="\1" height="\2"/')
    grep -qE "^<rect[^>]* ($size|width=\"100%\" height=\"100%\")[^>]* fill=\"#[0-9a-f]+\"" "$picture" || failed+=" $picture"
  done

  same '' "${failed-}"
}

@test "every command answers --version" {
  for command in $(commands); do
    run --separate-stderr "$command" --version
    same 0 "$status" && same '' "$stderr" && [[ $output == "$command (teamkit) "[0-9]* ]] || failed+=" $command"
  done

  same '' "${failed-}"
}

@test "every exit status of a page is one of teamkit(7), by number and name" {
  known='0
1 no
2 usage
3 not_found
4 conflict
5 blocked
6 busy
7 permission_denied
8 invalid_state
9 corrupt
10 paused
69 unavailable
74 io
75 again
76 unknown
126
127
128+n'
  for command in $(documented); do
    section "$PROJECT/man/$command.1" 'EXIT STATUS' | sed -n 's/^\.It //p' >codes
    [ -s codes ] || failed+=" $command"
    grep -vxF "$known" codes && failed+=" $command"
    same "$(sort -n codes)" "$(cat codes)" || failed+=" $command"
  done

  same '' "${failed-}"
}

@test "the examples of the pages run as printed" {
  for page in "$PROJECT"/man/*.[157]; do
    name=$(basename "$page")
    mkdir "$name"
    examples "$page" >"$name.expected"
    grep -q '^\$ ' "$name.expected" || { echo "$name has no example"; failed+=" $name"; }
    (cd "$name" && timeout 60 bash -c "$(declare -f play); play ../$name.expected") >"$name.actual" || failed+=" $name"
    diff -u "$name.expected" "$name.actual" || failed+=" $name"
  done

  same '' "${failed-}"
}
