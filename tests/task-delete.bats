load helper
load trouble

@test "removes a task and prints nothing" {
  task-create 'first'
  task-create 'second'

  run --separate-stderr task-delete 1

  as_expected 0 '' ''
  same $'2\tpending\t-\t0\t-\tsecond' "$(task-list)"
}

@test "removes pending, completed and failed tasks" {
  task-create 'pending'
  task-create 'completed'
  task-create 'failed'
  task-claim 2
  task-complete 2
  task-claim 3
  task-fail 3

  same 3 "$(task-list | wc -l)"

  for id in 1 2 3; do
    run --separate-stderr task-delete "$id"
    as_expected 0 '' ''
  done

  same '' "$(ls .tasks)"
}

@test "never offers a task again that is gone" {
  task-create 'first' --priority 2
  task-create 'second'
  task-delete 1

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "removes a task that only completed ones waited for" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1
  task-complete 1
  task-claim 2
  task-complete 2

  run --separate-stderr task-delete 1

  as_expected 0 '' ''
  same 1 "$(field 2 blockedBy)"
}

@test "exits 2 without an id, with two, with a bad one or an unknown option" {
  task-create 'first'

  run --separate-stderr task-delete
  as_expected 2 '' 'task-delete: usage: ID is missing (try task-delete --help)'

  run --separate-stderr task-delete 1 2
  refused 2 'task-delete: usage: *'

  run --separate-stderr task-delete ../1
  as_expected 2 '' "task-delete: usage: ID: '../1' is not a task id"

  run --separate-stderr task-delete 1 --bogus
  as_expected 2 '' "task-delete: usage: unknown option '--bogus' (try task-delete --help)"

  [ -e .tasks/1.json ]
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'
  task-delete 1

  run --separate-stderr task-delete 1

  as_expected 3 '' 'task-delete: not_found: no task 1'
}

@test "exits 4 while others wait for it and names them" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third' --blocked-by 1

  run --separate-stderr task-delete 1

  as_expected 4 '' 'task-delete: conflict: task 1 is needed by 2, 3; task-update --remove-blocked-by 1 frees them'
  [ -e .tasks/1.json ]
}

@test "removes it once nobody waits for it any more" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-update 2 --remove-blocked-by 1

  run --separate-stderr task-delete 1

  as_expected 0 '' ''
  same 2.json "$(ls .tasks)"
}

@test "exits 4 if the task changed under --if-rev" {
  task-create 'first'
  task-update 1 --subject 'other'

  run --separate-stderr task-delete 1 --if-rev 1
  as_expected 4 '' 'task-delete: conflict: task 1 is at rev 2, not 1'

  run --separate-stderr task-delete 1 --if-rev 2
  as_expected 0 '' ''
}

@test "lets only the lead and the creator remove a task" {
  task-create 'first' --as backend
  task-create 'second' --as backend

  run --separate-stderr task-delete 1 --as frontend
  as_expected 7 '' 'task-delete: permission_denied: only the lead or backend, who made it, may delete task 1'

  run --separate-stderr task-delete 1 --as backend
  as_expected 0 '' ''

  run --separate-stderr task-delete 2 --as lead
  as_expected 0 '' ''
}

@test "exits 8 for a task in progress" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-delete 1

  as_expected 8 '' 'task-delete: invalid_state: task 1 is in progress by backend; release it first'
  [ -e .tasks/1.json ]
}

@test "exits 9 for a broken file and leaves it as it is" {
  task-create 'first'
  echo 'notes of a person' >.tasks/1.json

  run --separate-stderr task-delete 1

  refused 9 'task-delete: corrupt: .tasks/1.json*: *'
  same 'notes of a person' "$(cat .tasks/1.json)"
}

@test "removes a task on a full disk, to make room" {
  small_disk
  task-create 'first'
  fill_disk

  run --separate-stderr task-delete 1

  as_expected 0 '' ''
  same '' "$(ls .tasks)"
}

@test "exits 74 on a read-only board" {
  task-create 'first'
  read_only .tasks

  run --separate-stderr task-delete 1

  refused 74 "task-delete: io: cannot * '.tasks/*': *"
  [ -e .tasks/1.json ]
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  hold .tasks/.lock

  run --separate-stderr task-delete 1 --lock-timeout 0.2

  as_expected 75 '' "task-delete: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
  [ -e .tasks/1.json ]
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-delete 2 --json

  as_expected 3 '' '{"status":"error","code":"not_found","error":"no task 2"}'
}
