#!/usr/bin/env bats
# Stores on overlayfs, as in containers: the files of the image are in a lower layer.

load helper
load trouble
load hooks

setup() {
  begin_test
  mkdir -m 700 lower layers merged
  # The image on another file system than the changes: the hardest case for inode numbers.
  mount_here -t tmpfs -o size=16m,mode=700 tmpfs layers
  mkdir layers/upper layers/work
}

# start_container [OPTION]: shows the store of the lower layer in `merged`, and changes to that folder.
start_container() {
  mount_here -t overlay -o "lowerdir=lower,upperdir=layers/upper,workdir=layers/work${1:+,$1}" overlay merged
  chmod 700 merged
  cd merged || return
}

make_image() {
  (
    cd lower || exit
    team-create alpha
    team-join ann
    task-create 'first'
    task-create 'second' --blocked-by 1
    team-send ann 'hello'
    head -c 100000 /dev/zero | tr '\0' x | team-send ann
  ) >/dev/null
}

@test "a team that came with the lower layer is deleted and made again" {
  make_image
  start_container

  run --separate-stderr team-delete alpha --force

  as_expected 0 "$output" ''
  same '' "$(team-list)"
  [ ! -e .teams/alpha ]
  team-create alpha
  same alpha "$(team-list --json | jq -r .name)"
  team-fsck
}

@test "a team-delete that was killed halfway is finished by the next command" {
  make_image
  start_container
  mv .teams/alpha/config.json .teams/alpha/.deleted-config.json

  same '' "$(team-list)"
  run --separate-stderr team-create alpha

  as_expected 0 alpha ''
  [ ! -e .teams/alpha/ann_inbox.jsonl ]
  team-fsck
}

@test "tasks, members and mail of the lower layer are used and changed" {
  make_image
  start_container

  same 1 "$(task-claim --next --as ann | cut -f 1)"
  task-update 1 --subject 'changed' --as ann
  task-complete 1 --as ann
  same 2 "$(task-claim --next --as ann | cut -f 1)"
  same 2 "$(team-recv --as ann --json | jq -s length)"
  team-config tasks.lease 10m
  team-join bob
  printf '%s\n' '{"subject":"a"}' '{"subject":"b"}' | task-create -
  team-leave ann --as ann
  task-delete 3
  team-save ../saved.tar
  team-fsck

  same 'completed changed' "$(field 1 status) $(field 1 subject)"
  same '1 2 4' "$(task-list --json | jq -r .id | sort -n | xargs)"
}

@test "a claim on a board of the lower layer has one winner" {
  make_image
  start_container

  for i in {1..12}; do
    (task-claim 1 --as "m$i" >>../won 2>/dev/null || true) &
  done
  wait

  same 1 "$(wc -l <../won)"
  team-fsck
}

@test "a lock held on overlayfs names its holder" {
  make_image
  start_container
  hold .tasks/.lock

  run --separate-stderr task-claim 1 --as ann --lock-timeout 0.1

  as_expected 75 '' "task-claim: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.1 s"
}

# trust_lasts OPTION: tests one way of overlayfs to number the inodes of a lower layer.
trust_lasts() {
  make_image
  (cd lower && hook task-created <<<'touch ran')
  start_container "$1"

  team-trust -t alpha
  task-create 'third'
  rm ran
  run --separate-stderr task-create 'fourth'

  as_expected 0 4 ''
  [ -e ran ]
  same current "$(team-trust --list --json | jq -r "select(.root == \"$PWD\").state")"
}

@test "a team of the lower layer stays trusted when it is changed" {
  trust_lasts xino=off
}

@test "a team of the lower layer stays trusted when it is changed, with inode numbers of 64 bits" {
  trust_lasts xino=on
}

@test "a team is trusted on an overlayfs that cannot be written to" {
  make_image
  mount_here -t overlay -o lowerdir=lower:layers/upper overlay merged
  cd merged

  team-trust -t alpha

  same current "$(team-trust --list --json | jq -r "select(.root == \"$PWD\").state")"
}
