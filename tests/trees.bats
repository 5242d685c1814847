# Work in a repository: a tree for each teammate, gates, and landings on the line of the team.
load helper
load teammates
load hooks

setup() {
  begin_test
  # The trees are beside the root: the root of each test has a folder around it.
  export HOME=$BATS_TEST_TMPDIR GIT_CONFIG_NOSYSTEM=1
  mkdir project
  cd project || return
  git init -q -b main
  git config user.name Person
  git config user.email person@example.org
  seq 9 >numbers
  echo hello >greeting
  echo '*.o' >.gitignore
  git add -A
  git commit -qm first
  team-create alpha >/dev/null
}

tree_of() { echo "$BATS_TEST_TMPDIR/.teamkit-trees/project/alpha/$1"; }
# in_line FILE: its contents on the line.
in_line() { git show "team/alpha:$1"; }
# untouched: nothing of the person has changed.
untouched() {
  same '' "$(git status --porcelain)" && same main "$(git symbolic-ref --short HEAD)" && same "$1" "$(git rev-parse HEAD)"
}

@test "lands the work of a task on the line, and leaves the person's checkout alone" {
  head=$(git rev-parse HEAD)
  task-create 'Greet' >/dev/null

  run --separate-stderr teammate-run rita --tree --exec 'echo "hello, $TASK_ID" >greeting; pwd; echo "$TEAM_TREE"' --until-done

  same 0 "$status"
  same "$(tree_of rita)"$'\n'"$(tree_of rita)" "$output"
  task_is 1 completed
  same 'hello, 1' "$(in_line greeting)"
  same 'task 1: Greet' "$(git log -1 --format=%s team/alpha)"
  same "$head" "$(git rev-parse team/alpha^1)"
  same 'rita <rita@alpha>' "$(git log -1 --format='%an <%ae>' team/alpha^2)"
  same "$(git rev-parse team/alpha) $head team/alpha" "$(jq -r '.receipt | "\(.commit) \(.base) \(.line)"' .tasks/1.json)"
  same '' "$(git branch --list 'task/*')"
  untouched "$head"
}

@test "completes a task that changed nothing, without a merge" {
  task-create 'Look' >/dev/null

  teammate-run rita --tree --exec true --until-done 2>/dev/null

  task_is 1 completed
  same "$(git rev-parse main)" "$(git rev-parse team/alpha)"
  same null "$(field 1 receipt.commit)"
}

@test "begins a task with the work of its blockers, and without leftovers of the task before" {
  task-create 'One' >/dev/null
  task-create 'Two' --blocked-by 1 >/dev/null

  teammate-run rita --tree --until-done 2>/dev/null --exec '
    if [ "$TASK_ID" = 1 ]; then echo one >one; else ls one && git status --porcelain; fi'

  task_is 2 completed
  same one "$(field 2 result)"
}

@test "keeps the work of a failed attempt for the next one, also by another member" {
  task-create 'Count' >/dev/null
  teammate-run rita --tree --once --retries 0 --exec 'echo half >work; exit 1' 2>/dev/null || true
  task_is 1 failed
  task-update 1 --status pending >/dev/null

  teammate-run bob --tree --until-done --exec 'cat work; echo whole >>work; cat >"$HOME/prompt"' 2>/dev/null

  same half "$(field 1 result)"
  same half$'\n'whole "$(in_line work)"
  grep -q 'have the changes of the last attempt' "$HOME/prompt"
}

@test "sends a conflict back to its author, with markers, and lands the resolution" {
  task-create 'Mine' --owner rita >/dev/null
  task-create 'Yours' --owner bob >/dev/null
  mkfifo "$HOME/go"
  start_teammate rita --tree --until-done --exec '
    cat >"$HOME/prompt-$(date +%s%N)"
    if grep -q "<<<<<<<" greeting; then echo "both" >greeting; else echo rita >greeting; read -r line <"$HOME/go"; fi'
  wait_until grep -qs rita "$(tree_of rita)/greeting"
  teammate-run bob --tree --once --exec 'echo bob >greeting' 2>/dev/null
  echo go >"$HOME/go"

  teammate_ended rita 0

  task_is 1 completed
  same both "$(in_line greeting)"
  same $'task 1: Mine\ntask 2: Yours\nfirst' "$(git log --first-parent --format=%s team/alpha)"
  says rita 'the work conflicts with work that landed meanwhile'
  # The second prompt has the conflict, the landed task and the own change.
  prompt=$(printf '%s\n' "$HOME"/prompt-* | tail -1)
  grep -q '^contents: greeting' "$prompt"
  grep -q '^task 2: Yours' "$prompt"
  grep -q '^+rita' "$prompt"
}

@test "refuses conflict markers that were left" {
  task-create 'Mine' --owner rita >/dev/null
  task-create 'Yours' --owner bob >/dev/null
  mkfifo "$HOME/go"
  start_teammate rita --tree --until-done --retries 1 --exec '
    if ! grep -q "<<<<<<<" greeting; then echo rita >greeting; read -r line <"$HOME/go"; else echo more >>numbers; fi'
  wait_until grep -qs rita "$(tree_of rita)/greeting"
  teammate-run bob --tree --once --exec 'echo bob >greeting' 2>/dev/null
  echo go >"$HOME/go"

  teammate_ended rita 0

  task_is 1 failed
  same 'conflict markers are left in greeting' "$(field 1 error)"
  same bob "$(in_line greeting)"
}

@test "a check that fails keeps the work off the line, and its output is in the next prompt" {
  task-create 'Greet' --check 'cat greeting; grep -q world greeting' >/dev/null

  teammate-run rita --tree --until-done 2>rita.err --exec '
    if grep "^hello$" | grep -q .; then echo world >>greeting; else echo wrong >greeting; fi; cat greeting >"$HOME/last"' ||
    true

  grep -q "attempt 1 of 3: the check 'cat greeting; grep -q world greeting' failed: exit status 1" rita.err
  same 'failed' "$(field 1 status)"
  grep -q '^wrong$' .teams/alpha/outputs/check-1-3.txt
  same hello "$(in_line greeting)"
}

@test "runs the check on exactly the commit that lands, and keeps ignored files for the next check" {
  task-create 'One' --check 'git status --porcelain; ls *.o 2>/dev/null; touch built.o' >/dev/null
  task-create 'Two' --check 'git status --porcelain; ls *.o; git rev-parse HEAD' >/dev/null

  teammate-run rita --tree --until-done --exec 'echo "$TASK_ID" >>numbers; touch mine.o' 2>/dev/null

  same '' "$(cat .teams/alpha/outputs/check-1-1.txt)"
  same "built.o"$'\n'"$(git rev-parse team/alpha)" "$(cat .teams/alpha/outputs/check-2-1.txt)"
  same "$(git rev-parse team/alpha)" "$(field 2 receipt.checked)"
  team-config tasks.checkClean true
  task-create 'Three' --check '! ls *.o' >/dev/null
  teammate-run rita --tree --until-done --exec true 2>/dev/null
  same true "$(field 3 receipt.check.clean)"
}

@test "ends a check that hangs, with all that it started" {
  team-config tasks.checkTime 0.3
  task-create 'Hang' --check 'setsid sleep 600 & sleep 601' >/dev/null

  run --separate-stderr teammate-run rita --tree --once --retries 0 --exec 'echo 1 >x'

  same 'failed' "$(field 1 status)"
  [[ $(field 1 error) == *'not done within 0.3 s (tasks.checkTime)'* ]]
  nothing_left
}

@test "an agent that says done does not complete a task whose check fails" {
  task-create 'Greet' --check 'grep -q world greeting' >/dev/null

  teammate-run rita --tree --once --retries 0 --exec 'task-complete "$TASK_ID" --result done; exit 0' 2>rita.err || true

  grep -q 'task 1 is offered: its gates run when this work ends' rita.err
  task_is 1 failed
  same "$(git rev-parse main)" "$(git rev-parse team/alpha)"
}

@test "an offered result lands even if the program fails after that" {
  task-create 'Greet' --check 'grep -q world greeting' >/dev/null

  teammate-run rita --tree --until-done --exec 'echo world >greeting; task-complete "$TASK_ID" --result "greets"; exit 3' 2>/dev/null

  task_is 1 completed
  same greets "$(field 1 result)"
  same world "$(in_line greeting)"
}

@test "nobody completes a task that is worked on in a tree" {
  task-create 'Greet' >/dev/null
  mkfifo "$HOME/go"
  start_teammate rita --tree --until-done --exec 'echo x >greeting; read -r line <"$HOME/go"'
  wait_until grep -qs x "$(tree_of rita)/greeting"

  run --separate-stderr task-complete 1

  as_expected 8 '' 'task-complete: invalid_state: task 1 is worked on in the tree of rita: it completes when that work lands'
  echo go >"$HOME/go"
  teammate_ended rita 0
  task_is 1 completed
}

@test "task-complete --wait in a tree does not pass by the files of the root" {
  task-create 'Greet' --check 'grep -q hello greeting' >/dev/null

  teammate-run rita --tree --once --retries 0 --exec 'echo wrong >greeting; task-complete "$TASK_ID" --wait' 2>/dev/null || true

  task_is 1 failed
  same hello "$(in_line greeting)"
}

@test "runs no hook while it holds the line" {
  task-create 'Greet' >/dev/null
  for name in task-completed post-task-completed; do
    hook "$name" <<<"flock -n .git/teamkit/alpha.landing echo $name >>'$HOME/hooks'"
  done

  teammate-run rita --tree --until-done --exec 'echo x >greeting' 2>/dev/null

  task_is 1 completed
  same $'task-completed\npost-task-completed' "$(cat "$HOME/hooks")"
}

@test "lands a deliverable that git ignores, and refuses a missing one" {
  task-create 'Build' --deliverable out.o >/dev/null
  task-create 'Build more' --deliverable more.o >/dev/null

  teammate-run rita --tree --until-done --retries 0 --exec 'echo object >out.o' 2>/dev/null || true

  task_is 1 completed
  same object "$(in_line out.o)"
  task_is 2 failed
  same "task 2 has no deliverable 'more.o'" "$(field 2 error)"
}

@test "waits while a person has the line checked out, and tells the user" {
  task-create 'Greet' >/dev/null
  git branch team/alpha
  git checkout -q team/alpha
  start_teammate rita --tree --until-done --exec 'echo x >greeting'
  wait_until says rita 'paused: the line team/alpha is checked out'
  same 'hello' "$(cat greeting)"
  task_is 1 in_progress

  git checkout -q main

  teammate_ended rita 0
  same x "$(in_line greeting)"
  team-recv --json | grep -q 'lands when another branch is checked out there'
}

@test "a stopped teammate gives its task back, with its work" {
  task-create 'Greet' >/dev/null
  start_teammate rita --tree --exec 'echo half >greeting; exec sleep 600'
  wait_until grep -qs half "$(tree_of rita)/greeting"

  kill -TERM "${TEAMMATE[rita]}"

  teammate_ended rita 143
  task_is 1 pending
  same half "$(git show task/alpha/1:greeting)"
  same null "$(field 1 base)"
}

@test "a killed teammate continues in its tree" {
  task-create 'Greet' >/dev/null
  start_teammate rita --tree --exec 'echo half >greeting; exec sleep 600'
  wait_until grep -qs half "$(tree_of rita)/greeting"
  kill_teammate rita

  teammate-run rita --tree --until-done --exec 'echo whole >>greeting' 2>/dev/null

  task_is 1 completed
  # A kill leaves no snapshot: the attempt begins anew.
  same hello$'\n'whole "$(in_line greeting)"
}

@test "works in the place of the root when the root is a part of the repository" {
  mkdir part
  echo 1 >part/file
  git add -A
  git commit -qm part
  cd part
  team-create beta -C "$PWD" >/dev/null
  task-create 'Change' --deliverable file >/dev/null

  teammate-run rita --tree --until-done --exec 'pwd; echo 2 >file' 2>/dev/null

  same 2 "$(git show team/beta:part/file)"
  [[ $(field 1 result) == "$BATS_TEST_TMPDIR/.teamkit-trees/project+part/beta/rita/part" ]]
}

@test "a role and a setting give trees; the setting needs no repository" {
  team-create gamma --role "dev=/dev/stdin" <<<'{"command": "pwd", "tree": true}' >/dev/null
  task-create 'Look' -t gamma >/dev/null
  teammate-run dev-1 -t gamma --role dev --until-done >role.out 2>/dev/null
  same "$BATS_TEST_TMPDIR/.teamkit-trees/project/gamma/dev-1" "$(cat role.out)"
  team-config -t alpha git.trees true
  team-config -t alpha git.treesDir "$BATS_TEST_TMPDIR/elsewhere"
  task-create 'Look' -t alpha >/dev/null
  teammate-run rita -t alpha --until-done --exec pwd >setting.out 2>/dev/null
  same "$BATS_TEST_TMPDIR/elsewhere/alpha/rita" "$(cat setting.out)"
  mkdir ../plain
  cd ../plain
  team-create delta >/dev/null
  team-config git.trees true
  task-create 'Look' >/dev/null

  teammate-run rita --until-done --exec pwd >plain.out 2>/dev/null

  same "$PWD" "$(cat plain.out)"
}

@test "starts in no tree without a repository, without a commit, and beside a branch called team" {
  run --separate-stderr teammate-run rita -C .. --tree --exec true
  same 3 "$status"
  mkdir ../empty
  cd ../empty
  git init -q
  team-create delta >/dev/null
  run --separate-stderr teammate-run rita --tree --exec true
  as_expected 8 '' "teammate-run: invalid_state: the repository has no commit yet: 'git commit' makes the first one"
  cd ../project
  git branch team
  run --separate-stderr teammate-run rita --tree --exec true
  same 8 "$status"
  [[ $stderr == *"has a branch 'team'"* ]]
}

@test "several teammates change one file: each task lands once" {
  for i in {1..12}; do task-create "Add $i" >/dev/null; done
  for name in ann bob cleo; do
    start_teammate "$name" --tree --until-done --retries 20 --exec '
      if grep -q "<<<<<<<" numbers; then sed -i "/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d" numbers; else echo "task $TASK_ID" >>numbers; fi'
  done

  for name in ann bob cleo; do teammate_ended "$name" 0; done

  same 12 "$(grep -l '"status": "completed"' .tasks/*.json | wc -l)"
  same 12 "$(git log --first-parent --format=%s team/alpha | grep -c '^task ')"
  same 12 "$(git log --first-parent --format=%s team/alpha | grep '^task ' | sort -u | wc -l)"
  same 12 "$(in_line numbers | grep -c '^task ')"
  git fsck --no-dangling
}
