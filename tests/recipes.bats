# The recipes of teamkit-recipes(7), as printed on the page. A stand-in replaces each external program. It accepts the
# arguments, the input and the permissions that the documentation of the program describes, refuses everything else, and
# works like a model: it writes hello.txt and tells the lead, if it may.
load helper
load teammates

PAGE=$PROJECT/man/teamkit-recipes.7

# blocks RECIPE: the literal blocks below that heading, as printed, with a line "--" between two.
blocks() {
  awk -v wanted=".Ss $1" '
    /^\.S[sh] /{ inside = $0 == wanted }
    inside && /^\.Ed/{ literal = 0 }
    inside && literal
    inside && /^\.Bd -literal/{ literal = 1; if (++n > 1) print "--" }' "$PAGE" |
    sed -e 's/\\(aq/'\''/g; s/\\e/\\/g'
}

# block RECIPE N: one of them.
block() {
  blocks "$1" | awk -v wanted="$2" 'BEGIN { n = 1 } $0 == "--" { n++; next } n == wanted'
}

# lines RECIPE [N]: the commands of a block without their prompts, as one would type them.
lines() {
  block "$1" "${2:-1}" | sed 's/^\$ //'
}

# command_in TEXT: the value of --exec in the line.
command_in() {
  local text=${1#*--exec }
  eval "printf '%s' $text"
}

# try LINES [OPTION]: runs the lines, with options at the end that make the teammate end.
try() {
  run --separate-stderr bash -c "$1 ${2:---once} --idle-timeout 20" </dev/null
}

# stand_in NAME: makes a program of that name from stdin.
stand_in() {
  {
    echo '#!/bin/bash'
    declare -f refuse takes one_of is_beneath work
    cat
  } >"$STAND_INS/$1"
  chmod +x "$STAND_INS/$1"
}

# Common code of the stand-ins. They also refuse real ARGUMENTS that the test does not know, so the page must not use
# them.
refuse() {
  echo "${0##*/}: $*" >&2
  exit "${wrong_use:-2}"
}

takes() {
  [ "$1" -ge 2 ] || refuse "a value is missing"
}

one_of() {
  [[ " $2 " == *" $1 "* ]] || refuse "'$1' is none of $2"
}

# is_beneath PATH FOLDER
is_beneath() {
  [[ $(realpath "$1")/ == "$(realpath "$2")"/* ]]
}

# work PROMPT: works like a model.
work() {
  [[ $1 == "You are teammate '$TEAM_MEMBER' in team '$TEAM_NAME'"* ]] || refuse "nobody is addressed"
  [[ $1 == *"Your task is #$TASK_ID: "* ]] || refuse "there is no task in the prompt"
  echo "${0##*/} thinks" >&2
  if [ "$TEAM_PHASE" == plan ]; then
    [ -z "${may_edit:-}${may_run:-}" ] || refuse "it could change something while it plans"
    [[ $1 == *"Do not do it yet"* ]] || refuse "it was not asked for a plan"
    echo 'First hello, then goodbye.'
    return
  fi
  [ -z "${may_edit:-}" ] || echo hello >hello.txt
  [ -z "${may_run:-}" ] || team-send lead "${0##*/} is done with $TASK_ID" >/dev/null 2>&1
  echo "I wrote hello.txt."
}

setup_stand_ins() {
  STAND_INS=$BATS_TEST_TMPDIR/stand-ins
  mkdir "$STAND_INS"
  PATH=$STAND_INS:$PATH

  # https://code.claude.com/docs/en/cli-reference, /headless, /permission-modes
  stand_in claude <<'END'
mode=default tools=
while (($# > 0)); do
  case $1 in
    -p | --print) print=yes ;;
    --output-format) takes $# && one_of "$2" 'text json stream-json' && format=$2 && shift ;;
    --permission-mode) takes $# && one_of "$2" 'default acceptEdits plan auto dontAsk bypassPermissions' && mode=$2 && shift ;;
    --allowedTools) takes $# && tools=,$2, && shift ;;
    *) refuse "unknown option or operand '$1'" ;;
  esac
  shift
done
[ -n "${print:-}" ] || refuse 'would open its screen'
[ "${format:-text}" == text ] || refuse 'would answer in JSON'
[[ $mode == acceptEdits || $mode == bypassPermissions || $tools == *,Write,* ]] && may_edit=yes
[[ $mode == bypassPermissions || $tools == *,'Bash(team-send:*)',* ]] && may_run=yes
work "$(cat)"
END

  # https://developers.openai.com/codex/noninteractive, /cli/reference
  stand_in codex <<'END'
[ "${1:-}" == exec ] || refuse 'would open its screen'
shift
sandbox=read-only writable=("$PWD")
while (($# > 0)); do
  case $1 in
    --sandbox | -s) takes $# && one_of "$2" 'read-only workspace-write danger-full-access' && sandbox=$2 && shift ;;
    --add-dir) takes $# && [ -d "$2" ] && writable+=("$2") && shift ;;
    --skip-git-repo-check) anywhere=yes ;;
    -) input=yes ;;
    -*) refuse "unexpected argument '$1'" ;;
    *) refuse "stdin would stand below the prompt '$1'" ;;
  esac
  shift
done
[ -n "${input:-}" ] || refuse 'there is no prompt'
[ -n "${anywhere:-}" ] || git rev-parse >/dev/null 2>&1 || refuse 'Not inside a trusted directory'
if [ "$sandbox" != read-only ]; then
  may_edit=yes
  for folder in "${writable[@]}"; do ! is_beneath "$TEAM_ROOT/.teams" "$folder" || may_run=yes; done
fi
work "$(cat)"
END

  # https://geminicli.com/docs/cli/headless, /cli/cli-reference, /cli/trusted-folders
  stand_in gemini <<'END'
wrong_use=42 mode=default
while (($# > 0)); do
  case $1 in
    -p | --prompt) takes $# && [ -n "$2" ] && prompt=$2 && shift ;;
    --approval-mode) takes $# && one_of "$2" 'default auto_edit yolo plan' && mode=$2 && shift ;;
    --output-format | -o) takes $# && one_of "$2" 'text json stream-json' && format=$2 && shift ;;
    --skip-trust) trusted=yes ;;
    *) refuse "Unknown argument: $1" ;;
  esac
  shift
done
[ -n "${prompt:-}" ] || refuse 'Not enough arguments following: p'
[ "${format:-text}" == text ] || refuse 'would answer in JSON'
[ -n "${trusted:-}${GEMINI_CLI_TRUST_WORKSPACE:-}" ] || mode=default
[[ $mode == auto_edit || $mode == yolo ]] && may_edit=yes
[[ $mode == yolo ]] && may_run=yes
work "$(cat)"$'\n\n'"$prompt"
END

  # https://opencode.ai/docs/cli, /permissions; actions that the configuration does not name are allowed
  stand_in opencode <<'END'
[ "${1:-}" == run ] || refuse 'would open its screen'
shift
while (($# > 0)); do
  case $1 in
    --auto) auto=yes ;;
    --agent) takes $# && one_of "$2" 'build plan' && agent=$2 && shift ;;
    -*) refuse "Unknown argument: $1" ;;
    *) refuse "stdin would stand below the message '$1'" ;;
  esac
  shift
done
permission=$(jq -r .permission opencode.json 2>/dev/null || echo allow)
if [ "${agent:-build}" == build ] && { [ "$permission" == allow ] || [ "$permission${auto:-}" == askyes ]; }; then
  may_edit=yes may_run=yes
fi
work "$(cat)"
END

  # https://aider.chat/docs/scripting.html, /docs/config/options.html
  stand_in aider <<'END'
while (($# > 0)); do
  case $1 in
    --message-file | -f) takes $# && message=$(<"$2") && shift ;;
    --yes-always) may_edit=yes ;;
    --dry-run) dry=yes ;;
    --no-pretty | --no-stream | --no-check-update) ;;
    *) refuse "unrecognized arguments: $1" ;;
  esac
  shift
done
[ -n "${message:-}" ] || refuse 'would wait for a person'
[ -z "${dry:-}" ] || may_edit=
echo 'Aider v0.86.1'
work "$message"
[ -n "${may_edit:-}" ] || exit 0
git add hello.txt && git -c user.name=aider -c user.email=aider@example.org commit -qm 'feat: say hello'
END
}

# a_project: a repository with a team and a task, and stand-ins for the programs of others.
a_project() {
  setup_stand_ins
  git init -q -b main project
  cd project || return
  git -c user.name=me -c user.email=me@example.org commit -q --allow-empty -m start
  team-create alpha
  task-create 'Say hello' --description 'Write hello into hello.txt.' --deliverable hello.txt
} >/dev/null

# done_with RESULT: the teammate succeeded, its task has that result, and the deliverable exists.
done_with() {
  same 0 "$status" && same completed "$(field 1 status)" && same "$1" "$(field 1 result)" && same hello "$(cat hello.txt)"
}

# state_is_settled NAME: it waits for the lead, or has ended.
state_is_settled() {
  state_is "$1" plan_pending || gone "${TEAMMATE[$1]}"
}

@test "every recipe of the page has a test here" {
  same 'Agents in one living session,claude,codex,gemini,opencode,aider,A shell script,A Makefile target,Inside the command,Checks,Plans,Worktrees,CI' \
    "$(awk '/^\.Sh /{ inside = $2 == "RECIPES" } inside && /^\.Ss /' "$PAGE" | cut -c 5- | paste -sd ,)"
}

@test "agents in one living session: each line runs an agent, and a role names one" {
  local name line
  a_project
  for name in claude-agent-acp codex-acp gemini opencode; do
    printf '#!/bin/sh\nexec "%s/tests/acp-agent"\n' "$PROJECT" >"$STAND_INS/$name"
    chmod +x "$STAND_INS/$name"
  done
  task-delete 1

  while read -r line; do
    task-create Say --description 'do: say hello' >/dev/null
    bash -c "$line --once --quiet" </dev/null
  done < <(lines 'Agents in one living session' | sed -e ':join' -e '/\\$/{N; s/ *\\\n */ /; b join' -e '}')

  same 4 "$(task-list --status completed | wc -l)"
  echo "{$(block 'Agents in one living session' 2)}" | jq -e '.coder.permissions.execute == "ask"'
}

@test "claude: the prompt comes from stdin, it may edit, and use the commands of its list" {
  a_project

  try "$(lines claude)"

  done_with 'I wrote hello.txt.'
  same 'backend,message,claude is done with 1' "$(team-recv --as lead | cut -f 2- | tr '\t' ,)"
}

@test "codex: the prompt comes from stdin and it may edit; from another worktree it still reaches the store" {
  a_project
  task-update 1 --deliverable '' >/dev/null
  git worktree add -q ../elsewhere
  cd ../elsewhere

  try "$(lines codex)"

  same 0 "$status"
  same hello "$(cat hello.txt)"
  same 'I wrote hello.txt.' "$(task-get 1 --json | jq -r .result)"
  same 'backend,message,codex is done with 1' "$(team-recv --as lead | cut -f 2- | tr '\t' ,)"
}

@test "gemini: the prompt comes from stdin, it may edit and runs no commands" {
  a_project

  try "$(lines gemini)"

  done_with 'I wrote hello.txt.'
  same '' "$(team-recv --as lead 2>/dev/null)"
}

@test "opencode: the message comes from stdin, and actions with 'ask' are approved" {
  a_project
  echo '{ "permission": "ask" }' >opencode.json

  try "$(lines opencode)"

  done_with 'I wrote hello.txt.'
  same 'tester,message,opencode is done with 1' "$(team-recv --as lead | cut -f 2- | tr '\t' ,)"
}

@test "aider: the message is a file, and the commits are the result" {
  a_project

  try "$(lines aider)"

  done_with 'feat: say hello'
}

@test "aider: the task is not done when nothing is committed, though its exit status is 0" {
  a_project
  stand_in aider <<<'cat >/dev/null; echo "litellm.InternalServerError" >&2'

  try "$(lines aider)"

  same 1 "$status"
  same pending "$(field 1 status)"
  same 'exit status 1: litellm.InternalServerError' "$(field 1 error)"
}

@test "a shell script: the page's line runs one of that name" {
  a_project
  task-update 1 --deliverable '' >/dev/null
  printf '%s\n' '#!/bin/sh' 'jq -r .subject "$TASK_FILE"' >count
  chmod +x count

  try "$(lines 'A shell script')"

  same 0 "$status"
  same 'Say hello' "$(field 1 result)"
}

@test "a Makefile target: the task names it, and the real make makes it" {
  a_project
  printf 'greeting:\n\t@echo hello >hello.txt\n\t@echo made by $(TEAM_MEMBER)\n' >Makefile
  task-update 1 --metadata target=greeting >/dev/null

  try "$(lines 'A Makefile target')"

  done_with 'made by builder'
}

@test "a Makefile target: a task that names none is given back" {
  a_project

  try "$(lines 'A Makefile target')"

  same 1 "$status"
  same pending "$(field 1 status)"
}

@test "inside the command: the toolkit needs no options" {
  a_project
  echo hello >hello.txt
  lines 'Inside the command' >script

  try "teammate-run backend --exec 'sh -e script'"

  done_with 'Write hello into hello.txt.'
  same half "$(field 1 metadata.progress)"
  same 'Review it by backend after 1' "$(field 2 subject) by $(field 2 createdBy) after $(field 2 blockedBy)"
  same 'backend,message,Half of it is done' "$(team-recv --as lead | cut -f 2- | tr '\t' ,)"
}

@test "inside the command: a task that the command ended stays so, whatever the exit status" {
  a_project
  echo hello >hello.txt

  try "teammate-run backend --exec 'task-complete \$TASK_ID --result mine; exit 3'"

  same 'completed mine' "$(field 1 status) $(field 1 result)"
}

@test "checks: the error of the check is in the next prompt" {
  a_project
  printf 'check:\n\t@grep -s bye hello.txt || { echo no goodbye >&2; exit 1; }\n' >Makefile
  stand_in codex <<'END'
prompt=$(cat)
echo hello >hello.txt
[[ $prompt != *'The last attempt ended like this: <error>exit status 2: make: '*check* ]] || echo bye >>hello.txt
echo 'I wrote hello.txt.'
END

  try "$(lines Checks)" --until-done

  same 0 "$status"
  same 'completed 2' "$(field 1 status) $(field 1 attempts)"
  same 'I wrote hello.txt.' "$(field 1 result)"
}

@test "plans: the first run may change nothing and makes the plan, the second does the work" {
  a_project

  bash -c "$(lines Plans) --once" >out 2>errors </dev/null 3>&- &
  local teammate=$!
  wait_until team-wait message --as lead --timeout 0
  same 'pending,backend,1,First hello, then goodbye.' "$(plan-list | cut -f 2- | tr '\t' ,)"
  [ ! -e hello.txt ]
  plan-approve "$(plan-list | cut -f 1)" >/dev/null
  status=0
  wait "$teammate" || status=$?

  done_with 'I wrote hello.txt.'
}

@test "plans: with none of the commands for planning can the others change anything" {
  a_project
  planning=$(sed -n '/^For the others, use/,/^\.Ss/p' "$PAGE" | sed -n 's/^\.Ql \(.*[a-z-]\) *[,.]\{0,1\}$/\1/p')
  same 'codex,gemini,opencode,aider' "$(cut -d ' ' -f 1 <<<"$planning" | paste -sd ,)"

  while IFS= read -r planner <&4; do
    name=${planner%% *}
    case $name in
      gemini) planner+=' --skip-trust -p "Go on."' ;;
      aider) planner+=' --message-file /dev/stdin --yes-always' ;;
    esac
    start_teammate "$name" --plan --once --exec "$planner"
    wait_until state_is_settled "$name"
    same "$name 1" "$(plan-list | awk -v name="$name" '$3 == name { print $3, $4 }')" || failed+=" $name"
    kill_teammate "$name"
  done 4<<<"$planning"

  same '' "${failed-}"
}

@test "worktrees: a teammate in one works on the tasks of the main one" {
  a_project
  task-update 1 --deliverable '' >/dev/null

  try "$(lines Worktrees)"

  same 0 "$status"
  same 'completed backend' "$(field 1 status) $(field 1 owner)"
  same hello "$(cat ../backend/hello.txt)"
  [ ! -e hello.txt ]
}

@test "worktrees: with the script of the page two teammates of a role have one each" {
  a_project
  team-delete alpha >/dev/null
  rm -r .tasks
  block Worktrees 2 >in-tree
  chmod +x in-tree
  block Worktrees 3 >trees.json

  run --separate-stderr team-up trees.json --wait --timeout 60 --mode background

  same 0 "$status"
  same 'completed completed' "$(field 1 status) $(field 2 status)"
  same 'hello hello' "$(cat ../coder-1/hello.txt) $(cat ../coder-2/hello.txt)"
  same 'coder-1 coder-2' "$(git -C ../coder-1 branch --show-current) $(git -C ../coder-2 branch --show-current)"
  nothing_left
}

@test "CI: the file of the page runs to its end, and the exit status is the outcome" {
  a_project
  team-delete alpha >/dev/null
  rm -r .tasks
  block CI 1 >team.json
  printf 'check:\n\t@grep hello hello.txt\n' >Makefile

  run --separate-stderr bash -c "$(lines CI 2)"

  same 0 "$status"
  same 'completed completed' "$(field 1 status) $(field 2 status)"
  same 'hello' "$(field 2 result)"
  nothing_left
}

@test "CI: exits 1 with a line for the task that failed when the check does" {
  a_project
  team-delete alpha >/dev/null
  rm -r .tasks
  block CI 1 >team.json
  printf 'check:\n\t@grep goodbye hello.txt\n' >Makefile

  run --separate-stderr bash -c "$(lines CI 2)"

  same 1 "$status"
  same 'completed failed' "$(field 1 status) $(field 2 status)"
  like "*team-up: no: task 2 'Check it': *exit status 2*" "$stderr"
}

@test "the same commands work in a role" {
  a_project
  for recipe in claude codex gemini opencode aider; do
    mkdir "../$recipe"
    jq -n --arg command "$(command_in "$(lines "$recipe")")" '{ team: "alpha", roles: { any: { $command } },
      tasks: [{ subject: "Say hello", deliverable: "hello.txt" }] }' >"../$recipe/team.json"
    git -C .. init -q -b main "$recipe"
    git -C "../$recipe" -c user.name=me -c user.email=me@example.org commit -q --allow-empty -m start

    run --separate-stderr team-up -C "../$recipe" "../$recipe/team.json" --wait --timeout 60 --mode background

    same 0 "$status" || { echo "$recipe: $stderr"; failed+=" $recipe"; }
  done

  same '' "${failed-}"
}

@test "a stand-in refuses options that its program does not know" {
  a_project
  for words in 'claude -p --sandbox' 'codex exec --permission-mode plan -' 'gemini -p' 'opencode run --yolo=1' 'aider --print'; do
    run --separate-stderr $words </dev/null
    [ "$status" -ne 0 ] || failed+=" '$words'"
  done
  same '' "${failed-}"
}

# Without the flags of the page nothing is written, so these flags give the permission.
@test "a stand-in edits nothing without the permissions that the page gives it" {
  a_project
  echo '{ "permission": "ask" }' >opencode.json
  for words in 'claude -p' 'codex exec -' 'gemini -p go' 'gemini --approval-mode yolo -p go' 'opencode run' \
    'aider --message-file /dev/stdin'; do
    id=$(task-create 'Say hello' --deliverable hello.txt)

    run --separate-stderr teammate-run any --once --task "$id" --exec "$words" </dev/null

    same 1 "$status" || failed+=" '$words'"
    same "task $id has no deliverable 'hello.txt'" "$(field "$id" error)" || failed+=" '$words'"
  done

  same '' "${failed-}"
  [ ! -e hello.txt ]
}
