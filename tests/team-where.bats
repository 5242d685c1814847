load helper

where() { printf 'root\t%s\t%s\nboard\t%s\t%s\nteam\t%s\t%s\nmember\t%s\t%s' "$@"; }

@test "prints root, board, team and member, and by which rule each was found" {
  team-create alpha

  run --separate-stderr team-where

  as_expected 0 "$(where "$PWD" 'current folder' .tasks 'the team' alpha 'the only team' user default)" ''
}

@test "finds the root upward from a folder beneath it" {
  team-create alpha
  mkdir -p a/b

  run --separate-stderr env -C a/b team-where

  as_expected 0 "$(where "$PWD" 'upward from current folder' .tasks 'the team' alpha 'the only team' user default)" ''
}

@test "works with a board and no team" {
  task-create 'alone'

  run --separate-stderr team-where

  as_expected 0 "$(where "$PWD" 'current folder' .tasks default - 'there is none' user default)" ''
}

@test "takes -C before TEAM_ROOT before the folders upward" {
  mkdir one two
  team-create -C one alpha
  team-create -C two beta
  team-create gamma

  run --separate-stderr env TEAM_ROOT="$PWD/one" team-where
  as_expected 0 "$(where "$PWD/one" TEAM_ROOT .tasks 'the team' alpha 'the only team' user default)" ''

  run --separate-stderr env TEAM_ROOT="$PWD/one" team-where -C two
  as_expected 0 "$(where "$PWD/two" -C .tasks 'the team' beta 'the only team' user default)" ''
}

@test "takes an empty TEAM_ROOT as none" {
  team-create alpha

  TEAM_ROOT='' run --separate-stderr team-where

  same 0 "$status"
  [[ $output == "root"$'\t'"$PWD"$'\t'"current folder"* ]]
}

@test "takes -t before TEAM_NAME, and --as and TEAM_MEMBER" {
  team-create alpha
  team-create beta --board boards/beta --lead boss

  TEAM_NAME=alpha TEAM_MEMBER=lead run --separate-stderr team-where
  as_expected 0 "$(where "$PWD" 'current folder' .tasks 'the team' alpha TEAM_NAME lead TEAM_MEMBER)" ''

  TEAM_NAME=alpha run --separate-stderr team-where -t beta --as boss
  as_expected 0 "$(where "$PWD" 'current folder' boards/beta 'the team' beta -t boss --as)" ''
}

@test "finds the store of the main worktree from a linked one" {
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git init -q main
  git -C main -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m first
  git -C main worktree add -q ../linked
  team-create -C main alpha
  mkdir linked/sub

  run --separate-stderr env -C linked/sub team-where

  as_expected 0 "$(where "$PWD/main" 'main worktree' .tasks 'the team' alpha 'the only team' user default)" ''
}

@test "makes the team of a linked worktree in the store of the main one" {
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git init -q main
  git -C main -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m first
  git -C main worktree add -q ../linked
  team-create -C main alpha

  run --separate-stderr env -C linked team-create beta

  as_expected 0 beta ''
  [ -e main/.teams/beta/config.json ]
  [ ! -e linked/.teams ]
}

@test "warns of a stray second store on the way" {
  team-create alpha
  mkdir -p sub/.tasks

  run --separate-stderr env -C sub team-where

  as_expected 0 "$(where "$PWD/sub" 'current folder' .tasks default - 'there is none' user default)" \
    "team-where: warning: another store in '$PWD' is not used"
}

@test "warns of the store of the main worktree when a linked one has its own" {
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git init -q main
  git -C main -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m first
  git -C main worktree add -q ../linked
  team-create -C main alpha
  mkdir linked/.tasks

  run --separate-stderr env -C linked team-where

  same 0 "$status"
  same "team-where: warning: another store in '$PWD/main' is not used" "$stderr"
  [[ $output == "root"$'\t'"$PWD/linked"$'\t'* ]]
}

@test "exits 3 where there is no store, and where the folder that is named has none" {
  mkdir sub

  run --separate-stderr team-where
  as_expected 3 '' 'team-where: not_found: no .teams or .tasks here or in any folder above; team-create or task-create makes one'

  run --separate-stderr team-where -C sub
  as_expected 3 '' "team-where: not_found: no .teams or .tasks in 'sub'"

  run --separate-stderr team-where -C nowhere
  as_expected 3 '' "team-where: not_found: no such folder '$PWD/nowhere'"

  TEAM_ROOT=sub run --separate-stderr team-where
  as_expected 3 '' "team-where: not_found: no .teams or .tasks in 'sub'"
}

@test "exits 3 for a team that is not there" {
  team-create alpha

  run --separate-stderr team-where -t alpga

  as_expected 3 '' "team-where: not_found: no team 'alpga'; did you mean alpha?"
}

@test "exits 2 for a member that is no name" {
  team-create alpha

  run --separate-stderr team-where --as 'a b'
  as_expected 2 '' "team-where: usage: 'a b' is not a name"

  run --separate-stderr team-where --as all
  as_expected 2 '' "team-where: usage: 'all' is reserved"
}

@test "exits 7 for a caller that acts as system or as another member" {
  team-create alpha

  run --separate-stderr team-where --as system
  as_expected 7 '' 'team-where: permission_denied: nobody acts as system'

  TEAM_MEMBER=backend run --separate-stderr team-where --as lead
  as_expected 7 '' 'team-where: permission_denied: you are backend (TEAM_MEMBER) and cannot act as lead'
}

@test "exits 7 for a store that is a link out of the root" {
  mkdir elsewhere root
  ln -s ../elsewhere root/.teams

  run --separate-stderr env -C root team-where

  as_expected 7 '' "team-where: permission_denied: '.teams' is a link that leads out"
}

@test "exits 9 when the configuration of the team is broken" {
  team-create alpha
  echo '[]' >.teams/alpha/config.json

  run --separate-stderr team-where

  as_expected 9 '' 'team-where: corrupt: .teams/alpha/config.json: not a JSON object'
}
