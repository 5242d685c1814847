load helper

@test "takes a task by id and prints it" {
  task-create 'first'

  run --separate-stderr task-claim 1 --as backend

  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tfirst' ''
  same backend "$(field 1 owner)"
}

@test "exits 1 with nothing on stdout when no task is ready" {
  task-create 'first'
  task-claim 1 --as frontend

  run --separate-stderr task-claim --next --as backend

  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "refuses a task whose blockers are open and names them" {
  task-create 'first'
  task-create 'second' --blocked-by 1

  run --separate-stderr task-claim 2 --as backend

  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'
  same pending "$(field 2 status)"
}
