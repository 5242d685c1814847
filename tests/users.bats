# Several users and groups on one machine: files that belong to another user, or that others can write to, are neither
# run nor followed.
load helper
load mail
load hooks

OTHER=54321

needs_root() { ((EUID == 0)) || skip 'another user needs root'; }

# as_other COMMAND…: as another user, who is in the group 4242.
as_other() {
  setpriv --reuid "$OTHER" --regid 4242 --clear-groups env PATH="${OTHER_BIN:-$BIN}:/usr/bin:/bin" "$@"
}

@test "a hook that is replaced between the check and the run is not run" {
  needs_root
  make_team
  hook task-created <<<'exit 0'
  hook theirs <<<"touch '$PWD/theirs-ran'"
  chown "$OTHER" "$HOOKS/theirs"
  cp -a "$HOOKS/task-created" "$HOOKS/ours"
  python3 - "$HOOKS" 3>&- <<'END' &
import os, sys
os.chdir(sys.argv[1])
while True:
    for name in ("theirs", "ours"):
        os.link(name, "next")
        os.rename("next", "task-created")
END

  for i in {1..150}; do task-create "$i" >>answers 2>&1 || true; done
  kill $!

  [ ! -e theirs-ran ]
  # Both happened: some tasks were created, some refused.
  grep -qx '[0-9]*' answers
  grep -q 'belongs to user 54321' answers
}

@test "the file that was checked runs, even if its name leads elsewhere by then" {
  needs_root
  make_team
  hook task-created <<<'touch ours-ran'
  mkdir -m 700 other
  printf '#!/bin/sh\ntouch theirs-ran\n' >other/task-created
  chmod 755 other/task-created
  # The folder is renamed when the process that becomes the hook is about to execute it.
  strace -f -o calls -e trace=execve,execveat -e inject=execve,execveat:delay_enter=300000 task-create first 3>&- &
  tracer=$!
  wait_until grep -qs 'exec.*proc/self/fd\|exec.*hooks' calls
  mv "$HOOKS" aside
  mv other "$HOOKS"
  wait "$tracer"

  [ -e ours-ran ]
  [ ! -e theirs-ran ]
}

@test "a hook is a program or a script of any interpreter, and is told where it lies" {
  make_team
  hook task-created <<<'echo "$TEAM_HOOK_FILE"; exit 0'
  printf '#!/usr/bin/env python3\nimport os, sys\nopen("seen", "w").write(os.environ["TEAM_HOOK_FILE"] + open(sys.argv[0]).readline())\n' \
    >"$HOOKS/task-created"

  task-create first
  same "$PWD/$HOOKS/task-created#!/usr/bin/env python3" "$(cat seen)"

  cp "$(type -P false)" "$HOOKS/task-created"
  run --separate-stderr task-create second
  as_expected 7 '' 'task-create: permission_denied: hook task-created: exit status 1'
}

@test "no hook runs where others can write to the root, the store or the team's folder" {
  make_team
  hook task-created <<<'touch ran'
  for folder in . .teams/alpha; do
    for bits in g+w o+w; do
      chmod "$bits" "$folder"
      run --separate-stderr task-create first
      as_expected 7 '' "task-create: permission_denied: '$(
        [ "$folder" == . ] && pwd || echo "$folder"
      )' is not to be trusted: others can write to it"
      chmod go-w "$folder"
    done
  done
  chmod g+w .teams

  run --separate-stderr task-create first

  as_expected 7 '' "task-create: permission_denied: '.teams' is not to be trusted: its group can write to it (chmod g-w)"
  [ ! -e ran ]
}

@test "a root that others can write to is no obstacle without hooks" {
  make_team
  chmod 777 .

  run --separate-stderr task-create first

  as_expected 0 1 ''
}

@test "a store of root's project runs its hooks" {
  needs_root
  make_team
  hook task-created <<<'touch made/ran'
  mkdir -m 777 made
  chmod 755 . "$(dirname "$PWD")" "$(dirname "$(dirname "$PWD")")"
  chown -R "$OTHER" .teams .tasks
  mkdir -m 700 "$BATS_TEST_TMPDIR.other"
  chown "$OTHER" "$BATS_TEST_TMPDIR.other"
  # The project may be in a home folder that is closed to others.
  OTHER_BIN=$BATS_TEST_TMPDIR.bin
  mkdir -m 755 "$OTHER_BIN"
  cp "$BIN/team-trust" "$BIN/task-create" "$OTHER_BIN"
  XDG_STATE_HOME=$BATS_TEST_TMPDIR.other as_other team-trust

  XDG_STATE_HOME=$BATS_TEST_TMPDIR.other run --separate-stderr as_other task-create first

  as_expected 0 1 ''
  [ -e made/ran ]
}

@test "refuses a store or a board that its group can write to" {
  make_team
  chmod g+w .tasks
  run --separate-stderr task-list
  as_expected 7 '' "task-list: permission_denied: '.tasks' is not to be trusted: its group can write to it (chmod g-w)"

  chmod g-w .tasks
  chmod g+w .teams
  run --separate-stderr team-status
  as_expected 7 '' "team-status: permission_denied: '.teams' is not to be trusted: its group can write to it (chmod g-w)"
}

@test "follows a link of ours to a store in the root, and refuses one of another user" {
  needs_root
  make_team
  task-create first
  mkdir kept
  mv .teams .tasks kept
  ln -s kept/.teams .teams
  ln -s kept/.tasks .tasks
  same 1 "$(task-list | wc -l)"

  chown -h "$OTHER" .tasks
  run --separate-stderr task-list
  as_expected 7 '' "task-list: permission_denied: '.tasks' is a link that belongs to user 54321, not to you"

  chown -h 0 .tasks
  chown -h "$OTHER" .teams
  run --separate-stderr team-list
  as_expected 7 '' "team-list: permission_denied: '.teams' is a link that belongs to user 54321, not to you"
}

@test "follows a chain of links, and refuses one that leads out or to itself" {
  task-create first
  mkdir -p kept/deep
  mv .tasks kept/deep/board
  ln -s deep/board kept/one
  ln -s kept/one .tasks
  same 1 "$(task-list | wc -l)"

  ln -sfn ../../outside kept/one
  run --separate-stderr task-list
  as_expected 7 '' "task-list: permission_denied: 'kept/one' is a link that leads out"

  ln -sfn ../.tasks kept/one
  run --separate-stderr task-list
  as_expected 7 '' "task-list: permission_denied: '.tasks' is a link that leads to itself"
}

@test "refuses a configuration that others could have written" {
  make_team
  chmod 660 .teams/alpha/config.json
  run --separate-stderr team-status
  as_expected 7 '' "team-status: permission_denied: '.teams/alpha/config.json' is not to be trusted: its group can write to it (chmod g-w)"
  chmod 606 .teams/alpha/config.json
  run --separate-stderr team-config tasks.max 9
  as_expected 7 '' "team-config: permission_denied: '.teams/alpha/config.json' is not to be trusted: anybody can write to it"

  needs_root
  chmod 600 .teams/alpha/config.json
  chown "$OTHER" .teams/alpha/config.json
  run --separate-stderr teammate-spawn backend
  as_expected 7 '' "teammate-spawn: permission_denied: '.teams/alpha/config.json' is not to be trusted: belongs to user 54321, not to you"
}

@test "does not start a member as a file says that others could have written" {
  make_team
  timeout 20 teammate-run backend --exec 'true' --idle-timeout 10ms --quiet
  jq '.resumable = true | .start.arguments = ["--exec", "touch ran", "--prompt", "go"]' .teams/alpha/backend.json >new
  cat new >.teams/alpha/backend.json
  chmod 660 .teams/alpha/backend.json

  run --separate-stderr team-resume
  as_expected 7 '' "team-resume: permission_denied: '.teams/alpha/backend.json' is not to be trusted: its group can write to it (chmod g-w)"
  [ ! -e ran ]

  # It does not stop commands that only read.
  run -0 team-status
}

@test "a git file of another user leads into no store" {
  needs_root
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git init -q main
  git -C main -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m first
  git -C main worktree add -q ../linked
  task-create -C main first
  same 1 "$(cd linked && task-list | wc -l)"

  chown "$OTHER" linked/.git
  run --separate-stderr env -C linked task-list
  as_expected 3 '' 'task-list: not_found: no .teams or .tasks here or in any folder above; team-create or task-create makes one'

  chown 0 linked/.git
  chown "$OTHER" main/.git/worktrees/linked/commondir
  run --separate-stderr env -C linked task-list
  as_expected 3 '' 'task-list: not_found: no .teams or .tasks here or in any folder above; team-create or task-create makes one'

  chown 0 main/.git/worktrees/linked/commondir
  chmod 666 linked/.git
  run --separate-stderr env -C linked task-list
  as_expected 3 '' 'task-list: not_found: no .teams or .tasks here or in any folder above; team-create or task-create makes one'
}

@test "a store that another user put into a folder for everybody is not found from beneath" {
  needs_root
  mkdir -m 1777 everybody
  mkdir everybody/mine
  as_other mkdir -m 700 everybody/.tasks everybody/.teams

  run --separate-stderr env -C everybody/mine team-create alpha
  as_expected 0 alpha ''
  [ -e everybody/mine/.teams/alpha ]

  # Where it was named, it is refused.
  run --separate-stderr team-list -C everybody
  as_expected 7 '' "team-list: permission_denied: '$PWD/everybody/.teams' is not to be trusted: belongs to user 54321, not to you"
}

@test "a member of the group of a shared project runs nothing as its owner" {
  needs_root
  chgrp 4242 .
  chmod 2770 .
  chmod 711 "$(dirname "$PWD")" "$(dirname "$(dirname "$PWD")")"
  make_team
  hook post-task-created <<<'exit 0'
  as_other mkdir -p evil/alpha/hooks
  printf '#!/bin/sh\nid -u >%q\n' "$PWD/who" | as_other tee evil/alpha/hooks/post-task-created >/dev/null
  as_other chmod -R 755 evil
  # The owner always sees the hook in .teams, but the other file may be there when the hook runs.
  (exec setpriv --reuid "$OTHER" --regid 4242 --clear-groups /usr/bin/env PATH=/usr/bin:/bin python3 - 3>&-) <<'END' &
import os
while True:
    os.rename(".teams", "aside")
    os.rename("evil", ".teams")
    os.rename("aside", "evil")
END

  for i in {1..150}; do task-create "$i" >/dev/null 2>&1 || true; done
  kill $!

  [ ! -e who ]
}
