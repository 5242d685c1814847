load helper
load teammates

tab=$'\t'

@test "names each open blocker and its owner" {
  task-create first
  task-create second
  task-create third --blocked-by 1,2
  task-claim 1 --as ann

  run --separate-stderr task-why 3

  same 0 "$status"
  [[ ${lines[0]} == "1${tab}blocked${tab}waits for #1 'first', in progress by ann for "* ]]
  same "2${tab}blocked${tab}waits for #2 'second', pending" "${lines[1]}"
}

@test "tells of a blocker that failed, is gone or is broken" {
  task-create first
  task-create second
  task-create third
  task-create fourth --blocked-by 1,2,3
  task-claim 1
  task-fail 1 --reason 'no disk'
  rm .tasks/2.json
  echo '{' >.tasks/3.json

  run --separate-stderr task-why 4

  same "1${tab}failed${tab}waits for #1 'first', which failed: no disk" "${lines[0]}"
  same "2${tab}missing${tab}waits for #2, which does not exist" "${lines[1]}"
  [[ ${lines[2]} == "3${tab}broken${tab}waits for #3: .tasks/3.json:2:1: "* ]]
}

@test "tells of a role that nobody has and of one that somebody has" {
  team-create demo
  task-create first --role tester

  same "1${tab}role${tab}only for role tester, which nobody has" "$(task-why 1)"
  team-join bob --role tester
  same "1${tab}role${tab}only for role tester: bob" "$(task-why 1)"
}

@test "tells of an owner that died" {
  team-create demo
  team-join ann
  task-create first
  task-claim 1 --as ann
  touch .teams/demo/ann.alive

  run --separate-stderr task-why 1

  same "1${tab}dead${tab}in progress by ann, who died; the next claim releases it" "$output"
}

@test "tells how an owner ended that said so, and of no death" {
  team-create demo
  task-create first --owner bob
  TEAM=demo start_teammate bob --exec 'touch begun; exec sleep 100'
  wait_until test -e begun
  kill -TERM "${TEAMMATE[bob]}"
  teammate_ended bob 143

  run --separate-stderr task-why 1

  same "1${tab}assigned${tab}assigned to bob, who ended (interrupted by Terminated)" "$output"
}

@test "explains a task that waits for nothing" {
  task-create first
  same "1${tab}ready${tab}ready: nobody has claimed it" "$(task-why 1)"

  task-claim 1 --as ann
  task-release 1 --as ann --reason 'needs a key'
  same "1${tab}ready${tab}ready: nobody has claimed it; last time: needs a key" "$(task-why 1)"

  task-claim 1 --as ann
  task-complete 1 --as ann
  same "1${tab}completed${tab}completed by ann" "$(task-why 1)"
}

@test "tells whom a pending task is assigned to" {
  task-create first --owner ann

  same "1${tab}assigned${tab}assigned to ann" "$(task-why 1)"
}

@test "exits 3 for a task that does not exist and 9 for a broken one" {
  task-create first
  echo '{' >.tasks/1.json

  run --separate-stderr task-why 2
  as_expected 3 '' 'task-why: not_found: no task 2'

  run --separate-stderr task-why 1
  same 9 "$status"
}

@test "exits 2 without an id" {
  task-create first

  run --separate-stderr task-why

  same 2 "$status"
}
