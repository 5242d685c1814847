load helper

tab=$'\t'

@test "prints nothing and exits 0 for a store that is as it should be" {
  team-create demo
  task-create first
  task-create second --blocked-by 1

  run --separate-stderr team-fsck

  as_expected 0 '' ''
}

@test "names a broken task file, leaves it alone and exits 9" {
  task-create first
  echo '{ "subject": ' >.tasks/1.json

  run --separate-stderr team-fsck --repair

  same 9 "$status"
  [[ $output == ".tasks/1.json:2:1${tab}open${tab}"* ]]
  same '{ "subject": ' "$(cat .tasks/1.json)"
}

@test "mends modes, litter, the high-water mark and the index" {
  task-create first
  chmod 644 .tasks/1.json
  chmod 755 .tasks
  touch .tasks/.tmp/.tmp-left-by-somebody
  chmod 600 .tasks/.tmp/.tmp-left-by-somebody
  echo garbage >.tasks/.highwatermark

  run --separate-stderr team-fsck --repair

  as_expected 0 ".tasks${tab}mended${tab}mode is 755, not 700
.tasks/1.json${tab}mended${tab}mode is 644, not 600
.tasks/.tmp/.tmp-left-by-somebody${tab}mended${tab}left by a writer that died
.tasks/.highwatermark${tab}mended${tab}not a number" ''
  run --separate-stderr team-fsck
  as_expected 0 '' ''
  same 2 "$(task-create second)"
}

@test "without --repair mends nothing and exits 9" {
  task-create first
  chmod 644 .tasks/1.json

  run --separate-stderr team-fsck

  as_expected 9 ".tasks/1.json${tab}open${tab}mode is 644, not 600" \
    "team-fsck: corrupt: 1 problem in '$PWD'"
  same 644 "$(stat -c %a .tasks/1.json)"
}

@test "finds a cycle that was made by hand" {
  task-create first
  task-create second --blocked-by 1
  jq '.blockedBy = [2]' .tasks/1.json >t && chmod 600 t && mv t .tasks/1.json

  run --separate-stderr team-fsck

  same 9 "$status"
  same ".tasks/2.json${tab}open${tab}waits for 1, which waits for it: a cycle" "$output"
}

@test "finds a dependency on a task that is gone" {
  task-create first
  task-create second --blocked-by 1
  rm .tasks/1.json

  run --separate-stderr team-fsck

  same 9 "$status"
  same ".tasks/2.json${tab}open${tab}waits for task 1, which does not exist" "$output"
}

@test "finds a member that holds two tasks at once" {
  task-create first
  task-create second
  task-claim 1 --as ann
  jq '.status = "in_progress" | .owner = "ann"' .tasks/2.json >t && chmod 600 t && mv t .tasks/2.json

  run --separate-stderr team-fsck

  same 9 "$status"
  same ".tasks${tab}open${tab}ann holds 2 tasks at once: 1, 2" "$output"
}

@test "finds a name that looks like a task and is none" {
  task-create first
  cp .tasks/1.json .tasks/007.json

  run --separate-stderr team-fsck

  same 9 "$status"
  [[ $output == ".tasks/007.json${tab}open${tab}not taken for a task:"* ]]
}

@test "finds errors in the configuration of a team" {
  team-create demo
  jq '.settings["tasks.perMember"] = "many" | .members += [{name: "LEAD"}] | .lead = "boss"' .teams/demo/config.json >t
  chmod 600 t && mv t .teams/demo/config.json

  run --separate-stderr team-fsck

  same 9 "$status"
  same ".teams/demo/config.json${tab}open${tab}the lead boss is not a member
.teams/demo/config.json${tab}open${tab}member lead is there twice
.teams/demo/config.json${tab}open${tab}tasks.perMember takes a whole number, not 'many'" "$output"
}

@test "puts a decided batch into place" {
  task-create first
  mkdir -m 700 .tasks/.batch
  jq '.id = 2' .tasks/1.json >.tasks/.batch/2.json
  chmod 600 .tasks/.batch/2.json

  run --separate-stderr team-fsck --repair

  same 0 "$status"
  same 2 "$(task-list | wc -l)"
  [ ! -e .tasks/.batch ]
}

@test "exits 3 where there is no store" {
  run --separate-stderr team-fsck

  same 3 "$status"
}

@test "exits 75 when the board is locked" {
  task-create first
  exec 9<.tasks/.lock
  flock 9

  run --separate-stderr team-fsck --lock-timeout 0.1

  same 75 "$status"
}

@test "names a file that somebody wrote at the same moment as a command" {
  task-create first
  cp .tasks/1.json .tasks/1.json.theirs-0123456789abcdef

  run --separate-stderr team-fsck

  same 9 "$status"
  [[ $output == ".tasks/1.json.theirs-0123456789abcdef${tab}"* ]]
}
