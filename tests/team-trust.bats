# team-trust - let a team run its hooks, commands and agents
load helper
load trouble
load mail
load hooks

# a_checkout: changes to a copy of a store with a hook, as from a clone or an archive.
a_checkout() {
  mkdir upstream
  (
    cd upstream || return
    echo '{"command": "touch ran", "prompt": "Be quick.", "base_url": "http://127.0.0.1:9/"}' >coder.json
    team-create alpha --role coder=coder.json
    team-join backend
    task-create first
    hook task-created <<<'touch ran'
  ) >/dev/null
  tar -C upstream -cf store.tar .teams .tasks
  mkdir checkout
  tar -C checkout -xf store.tar
  cd checkout || return
}

MARKS=teamkit/trusted
# untrusted WHY [ROOT]: the end of the message.
untrusted() {
  echo "team alpha in '${2:-$PWD}' is not trusted$1; 'team-trust -t alpha --show' lists what it runs, 'team-trust -t alpha' accepts it"
}

@test "a store that came with a checkout runs no hook: the change is refused, and the message names the way out" {
  a_checkout

  run --separate-stderr task-create second

  as_expected 7 '' "task-create: permission_denied: hook task-created: $(untrusted '')"
  [ ! -e ran ]
  same 1 "$(task-list | wc -l)"
}

@test "after team-trust the hooks of a checkout run" {
  a_checkout
  team-trust

  run --separate-stderr task-create second

  as_expected 0 2 ''
  [ -e ran ]
}

@test "a post hook of a checkout does not run: the change stands, and the log says so" {
  a_checkout
  mv "$HOOKS/task-created" "$HOOKS/post-task-created"

  run --separate-stderr task-create second

  as_expected 0 2 ''
  [ ! -e ran ]
  same "hook=post-task-created reason=post-task-created: $(untrusted '')" \
    "$(team-log --type HOOK_FAILED | cut -f 5 | sed 's/reason=hook /reason=/')"
}

@test "board, mail, lists and checks of a checkout work without trust" {
  a_checkout
  rm -r "$HOOKS"

  task-create second
  task-claim 1 --as backend
  task-complete 1 --as backend
  team-send backend hello
  same hello "$(waiting_for backend)"
  team-config tasks.max 9
  team-status
  team-fsck --repair || true
  run -0 team-fsck
}

@test "no agent starts in a checkout, whatever runs it" {
  a_checkout
  rm -r "$HOOKS"
  export ANTHROPIC_API_KEY=secret

  run --separate-stderr teammate-spawn coder --mode background
  as_expected 7 '' "teammate-spawn: permission_denied: role coder: $(untrusted '')"
  run --separate-stderr teammate-run backend --role coder
  as_expected 7 '' "teammate-run: permission_denied: teammate backend: $(untrusted '')"
  run --separate-stderr teammate-run me --exec 'touch ran' --once
  as_expected 7 '' "teammate-run: permission_denied: teammate me: $(untrusted '')"
  run --separate-stderr team-resume
  as_expected 7 '' "team-resume: permission_denied: team-resume: $(untrusted '')"
  run --separate-stderr team-run 'reach it' --model claude-x
  as_expected 7 '' "team-run: permission_denied: the lead: $(untrusted '')"
  [ ! -e ran ]
}

@test "team-create, team-up and team-run mark the teams that they create" {
  echo '{"team": "beta", "roles": {}, "tasks": [{"subject": "first"}]}' >team.json
  team-create alpha
  team-up team.json

  same "$PWD	alpha	current
$PWD	beta	current" "$(team-trust --list)"
}

@test "a team that is made in a foreign store is trusted, the others are not" {
  a_checkout
  team-create beta >/dev/null

  run --separate-stderr task-create -t beta second
  as_expected 0 2 ''
  run --separate-stderr task-create -t alpha third
  as_expected 7 '' "task-create: permission_denied: hook task-created: $(untrusted '')"
}

@test "a copied store, a moved one and one that was made anew need a new mark" {
  make_team
  hook task-created <<<'exit 0'
  mkdir copy
  cp -a .teams .tasks copy

  run --separate-stderr env -C copy task-create first
  as_expected 7 '' "task-create: permission_denied: hook task-created: $(untrusted '' "$PWD/copy")"

  mkdir moved
  mv .teams .tasks moved
  run --separate-stderr env -C moved task-create first
  as_expected 7 '' "task-create: permission_denied: hook task-created: $(untrusted ": you trusted it as team alpha in '$PWD'" "$PWD/moved")"

  mv copy/.teams copy/.tasks .
  run --separate-stderr task-create first
  as_expected 7 '' "task-create: permission_denied: hook task-created: $(untrusted ': its folder was made anew since you trusted it')"
}

@test "one mark holds for all worktrees of a repository, and for every name of the root" {
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git init -q main
  git -C main -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m first
  git -C main worktree add -q ../linked
  (cd main && make_team && hook task-created <<<'exit 0')
  ln -s main other-name

  run --separate-stderr env -C linked task-create first
  as_expected 0 1 ''
  run --separate-stderr task-create -C other-name second
  as_expected 0 2 ''
}

@test "--show lists hooks, commands, addresses, prompts, start arguments and skills, and trusts nothing" {
  a_checkout
  mkdir -p .skills/deploy
  printf 'How to deploy\n' >.skills/deploy/SKILL.md
  chmod -R go-w .skills
  echo '{"state": "active", "since": 1, "resumable": true, "start": {"arguments": ["--exec", "touch ran"], "directory": "", "mode": "background"}}' \
    >.teams/alpha/backend.json
  chmod 600 .teams/alpha/backend.json

  run --separate-stderr team-trust --show

  as_expected 0 "hook	task-created	.teams/alpha/hooks/task-created
command	coder	touch ran
address	coder	http://127.0.0.1:9/
prompt	coder	Be quick.
start	backend	--exec touch ran
skill	deploy	How to deploy" ''
  same "$BATS_TEST_TMPDIR/upstream	alpha	current" "$(team-trust --list)"
  same '["hook","task-created",".teams/alpha/hooks/task-created"]' \
    "$(team-trust --show --json | head -1 | jq -c '[.kind, .name, .text]')"
}

@test "--list shows which teams exist, --prune removes the marks of missing teams" {
  team-create alpha
  mkdir one two
  team-create -C one alpha
  team-create -C two alpha
  rm -r one/.teams
  mv two/.teams/alpha aside
  mkdir two/.teams/alpha

  same "$PWD	alpha	current
$PWD/one	alpha	gone
$PWD/two	alpha	replaced" "$(team-trust --list)"
  same "{\"root\":\"$PWD\",\"team\":\"alpha\",\"state\":\"current\"}" "$(team-trust --list --json | head -1)"

  run --separate-stderr team-trust --prune
  as_expected 0 "$PWD/one	alpha	gone
$PWD/two	alpha	replaced" ''
  same "$PWD	alpha	current" "$(team-trust --list)"
}

@test "--remove takes the mark away, and exits 1 where there is none" {
  make_team
  hook task-created <<<'exit 0'

  run --separate-stderr team-trust --remove
  as_expected 0 '' ''
  run --separate-stderr task-create first
  as_expected 7 '' "task-create: permission_denied: hook task-created: $(untrusted '')"
  run --separate-stderr team-trust --remove
  as_expected 1 '' 'team-trust: no: team alpha has no mark'
}

@test "team-delete removes the mark" {
  team-create alpha
  team-delete alpha

  same '' "$(team-trust --list)"
}

@test "exits 7 for an agent: only the user decides" {
  a_checkout

  TEAM_MEMBER=backend run --separate-stderr team-trust
  as_expected 7 '' 'team-trust: permission_denied: only the user decides what a team may run, not backend (TEAM_MEMBER)'
  TEAM_MEMBER=backend run --separate-stderr team-load --trust ../store.tar
  same 7 "$status"
  TEAM_MEMBER=backend run -0 team-trust --show
}

@test "exits 3 without a team, 2 for options that cannot be combined" {
  run --separate-stderr team-trust
  same 3 "$status"

  team-create alpha
  run --separate-stderr team-trust --show --remove
  same 2 "$status"
}

@test "TEAM_TRUST=1 trusts every store, and no other value does" {
  a_checkout

  TEAM_TRUST=0 run --separate-stderr task-create second
  same 7 "$status"
  TEAM_TRUST=yes run --separate-stderr task-create second
  same 7 "$status"
  TEAM_TRUST=1 run --separate-stderr task-create second
  as_expected 0 2 ''
}

@test "without HOME a team is made, unmarked, with a warning; TEAM_TRUST=1 makes it run" {
  unset XDG_STATE_HOME

  HOME='' run --separate-stderr team-create alpha
  as_expected 0 alpha 'team-create: warning: team alpha is not marked as trusted and will run nothing: neither XDG_STATE_HOME nor HOME is set; see team-trust(1)'
  hook task-created <<<'exit 0'
  HOME='' run --separate-stderr task-create first
  as_expected 7 '' "task-create: permission_denied: hook task-created: team alpha in '$PWD' is not trusted: neither XDG_STATE_HOME nor HOME is set; TEAM_TRUST=1 trusts every store"
  HOME='' TEAM_TRUST=1 run --separate-stderr task-create first
  as_expected 0 1 ''
  HOME='' TEAM_TRUST=1 run --separate-stderr team-create beta
  as_expected 0 beta ''
  HOME='' run --separate-stderr team-trust -t alpha
  as_expected 74 '' 'team-trust: io: neither XDG_STATE_HOME nor HOME is set'
}

@test "a HOME that is not there or read-only gives a warning too, and nothing is made there" {
  unset XDG_STATE_HOME

  HOME=$PWD/none run --separate-stderr team-create alpha
  as_expected 0 alpha "team-create: warning: team alpha is not marked as trusted and will run nothing: no folder '$PWD/none'; see team-trust(1)"
  [ ! -e none ]

  mkdir -p home/.local/state/teamkit
  chmod 700 home/.local/state/teamkit
  read_only home
  HOME=$PWD/home run --separate-stderr team-create beta
  same 0 "$status"
  [[ $stderr == "team-create: warning: team beta is not marked as trusted and will run nothing: cannot "* ]]
}

@test "marks lie beneath HOME, 0600 in a folder 0700, whatever the umask" {
  unset XDG_STATE_HOME
  mkdir home
  export HOME=$PWD/home

  (umask 0 && team-create alpha)

  same '700 600' "$(stat -c %a home/.local/state/teamkit home/.local/state/$MARKS | paste -sd' ')"
  same "$(stat -c %i .teams/alpha)	alpha	$PWD" "$(grep -v '^#' home/.local/state/$MARKS | cut -f 1,3,4)"
}

@test "marks that others could have written count for nothing" {
  make_team
  hook task-created <<<'exit 0'
  chmod g+w "$XDG_STATE_HOME/$MARKS"
  run --separate-stderr task-create first
  as_expected 7 '' "task-create: permission_denied: '$XDG_STATE_HOME/$MARKS' is not to be trusted: its group can write to it (chmod g-w)"

  chmod g-w "$XDG_STATE_HOME/$MARKS"
  chmod o+w "$XDG_STATE_HOME/teamkit"
  run --separate-stderr task-create first
  as_expected 7 '' "task-create: permission_denied: '$XDG_STATE_HOME/teamkit' is not to be trusted: anybody can write to it"
}

@test "under sudo with the HOME of another user nothing is made there" {
  ((EUID == 0)) || skip 'another user needs root'
  unset XDG_STATE_HOME
  mkdir home
  chown 54321 home

  HOME=$PWD/home run --separate-stderr team-create alpha

  as_expected 0 alpha "team-create: warning: team alpha is not marked as trusted and will run nothing: '$PWD/home' belongs to user 54321, not to you; see team-trust(1)"
  same '' "$(ls -A home)"
}

@test "lines that mean nothing trust nothing and do no harm, and strange roots are kept" {
  mkdir $'a\nb\t%41'
  cd $'a\nb\t%41'
  team-create alpha
  printf 'nonsense\n1\t2\t../x\t/\n\t\t\t\n' >>"$XDG_STATE_HOME/$MARKS"
  hook task-created <<<'exit 0'

  run --separate-stderr task-create first
  as_expected 0 1 ''
  same 1 "$(team-trust --list | wc -l)"
}

@test "many teams that are made at once are all marked" {
  local i pids=()
  for i in {1..12}; do
    mkdir "r$i"
    team-create -C "r$i" alpha >/dev/null 3>&- &
    pids+=($!)
  done
  wait "${pids[@]}"

  same 12 "$(team-trust --list | grep -c current)"
}

@test "at most 1000 marks are kept: marks of missing teams go first" {
  team-create alpha
  { cat "$XDG_STATE_HOME/$MARKS"; for i in {1..1500}; do printf '1\t1\tgone\t/nowhere/%s\n' "$i"; done; } >many
  cat many >"$XDG_STATE_HOME/$MARKS"

  team-create beta

  same "$PWD	alpha	current
$PWD	beta	current" "$(team-trust --list)"
}

@test "exits 75 and names the holder when the lock is not free in time" {
  team-create alpha
  hold "$XDG_STATE_HOME/teamkit/trusted.lock"

  run --separate-stderr team-trust --lock-timeout 0.1
  same 75 "$status"

  # A team that cannot be marked for that reason is not made.
  run --separate-stderr team-create beta --lock-timeout 0.1
  same 75 "$status"
  same alpha "$(team-list | cut -f 1)"
}

@test "exits 9 for marks that are not a file" {
  make_team
  hook task-created <<<'exit 0'
  rm "$XDG_STATE_HOME/$MARKS"
  mkdir "$XDG_STATE_HOME/$MARKS"

  run --separate-stderr team-trust --list
  as_expected 9 '' "team-trust: corrupt: $XDG_STATE_HOME/$MARKS: is not a regular file"
  run --separate-stderr task-create first
  same 9 "$status"
}
