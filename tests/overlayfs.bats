#!/usr/bin/env bats
# Stores on overlayfs, as containers have them: what came with the image lies in a lower layer.

load helper

setup() {
  PATH=$BIN:$PATH
  unset TEAM_ROOT TEAM_NAME TEAM_MEMBER TEAM_RUN_ID TEAM_HOOK TEAM_NOTIFY NO_COLOR
  export TEAM_DURABILITY=process LC_ALL=C.UTF-8
  cd "$BATS_TEST_TMPDIR" || return
  mkdir layers merged
  # The image on another file system than the changes: the hardest case for inode numbers.
  mount -t tmpfs -o size=16m,mode=700 tmpfs layers 2>/dev/null || skip 'mounting needs root'
  mkdir -m 700 lower layers/upper layers/work
}

teardown() {
  cd "$BATS_TEST_TMPDIR" || return
  umount -q merged || true
  umount -q layers || true
}

# The store of the lower layer appears in `merged`, and the test goes on there.
start_container() {
  mount -t overlay overlay -o "lowerdir=lower,upperdir=layers/upper,workdir=layers/work" merged || skip 'no overlayfs here'
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
  mkfifo ../go
  exec {hold}<>../go
  flock .tasks/.lock cat <../go >/dev/null {hold}>&- &
  holder=$!
  wait_until eval '! flock --nonblock .tasks/.lock true'

  run --separate-stderr task-claim 1 --as ann --lock-timeout 0.1

  exec {hold}>&-
  wait "$holder"
  same 75 "$status"
  [[ $stderr == "task-claim: again: cannot lock '.tasks/.lock': pid "*" (flock) holds it; waited 0.1 s" ||
    $stderr == "task-claim: again: cannot lock '.tasks/.lock': pid "*" (cat) holds it; waited 0.1 s" ]]
}
