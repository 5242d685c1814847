load helper
load trouble

@test "prints nothing if nothing waited for the task" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-complete 1 --as backend

  as_expected 0 '' ''
  same '["completed","backend",true,3]' "$(jq -c '[.status, .owner, (now - .completedAt) < 60, .rev]' .tasks/1.json)"
}

@test "prints only the unblocked tasks, sorted by id" {
  task-create 'first'
  task-create 'other'
  for _ in {3..11}; do task-create 'waits' --blocked-by 1; done
  task-create 'waits for both' --blocked-by 1,2
  task-claim 1 --as backend

  run --separate-stderr task-complete 1 --as backend

  same 0 "$status"
  same '' "$stderr"
  same "$(seq 3 11)" "$(cut -f 1 <<<"$output")"
  same $'3\tpending\t-\t0\t-\twaits' "${lines[0]}"
}

@test "prints a freed task once its last blocker is completed" {
  task-create 'first'
  task-create 'second'
  task-create 'third' --blocked-by 1,2 --owner frontend
  task-claim 1
  task-complete 1
  task-claim 2

  run --separate-stderr task-complete 2

  as_expected 0 $'3\tpending\tfrontend\t0\t-\tthird' ''
}

@test "prints unblocked tasks with --json, including the computed keys" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third' --blocked-by 2
  task-claim 1

  run --separate-stderr task-complete 1 --json

  same 0 "$status"
  same 1 "${#lines[@]}"
  same '[2,[1],[3],false,[]]' "$(jq -c '[.id, .blockedBy, .blocks, .blocked, .openBlockers]' <<<"$output")"
}

@test "keeps the result, from the option or from stdin" {
  task-create 'first'
  task-create 'second'
  task-claim 1
  task-complete 1 --result '14 endpoints'
  task-claim 2

  printf 'two\nlines\n' | task-complete 2 --result -

  same '14 endpoints' "$(field 1 result)"
  same $'two\nlines' "$(field 2 result)"
}

@test "forgets the error of an earlier attempt" {
  task-create 'first'
  task-claim 1
  task-fail 1 --reason 'flaky'
  task-release 1
  task-claim 1

  run --separate-stderr task-complete 1

  as_expected 0 '' ''
  same null "$(field 1 error)"
}

@test "needs the deliverable to exist, at the root and wherever it is called" {
  task-create 'first' --deliverable docs/rest.md
  task-claim 1
  mkdir elsewhere

  run --separate-stderr task-complete 1
  as_expected 8 '' "task-complete: invalid_state: task 1 has no deliverable 'docs/rest.md'"
  same in_progress "$(field 1 status)"

  mkdir docs
  touch docs/rest.md
  cd elsewhere
  run --separate-stderr task-complete 1
  as_expected 0 '' ''
}

@test "takes the deliverable that it is given" {
  task-create 'first'
  task-claim 1
  touch made

  run --separate-stderr task-complete 1 --deliverable missing
  as_expected 8 '' "task-complete: invalid_state: task 1 has no deliverable 'missing'"
  same null "$(field 1 deliverable)"

  run --separate-stderr task-complete 1 --deliverable made
  as_expected 0 '' ''
  same made "$(field 1 deliverable)"
}

@test "does not take a link out of the root for a deliverable" {
  task-create 'first' --deliverable out
  task-claim 1
  ln -s /etc/passwd out

  run --separate-stderr task-complete 1

  as_expected 8 '' "task-complete: invalid_state: task 1 has no deliverable 'out'"
}

@test "lets the owner, the lead and the user complete, and nobody else" {
  for id in 1 2 3 4; do
    task-create 'task'
    task-claim "$id" --as "worker-$id"
  done

  run --separate-stderr task-complete 1 --as worker-1
  as_expected 0 '' ''

  run --separate-stderr task-complete 2 --as lead
  as_expected 0 '' ''

  run --separate-stderr task-complete 3
  as_expected 0 '' ''

  run --separate-stderr task-complete 4 --as worker-1
  as_expected 7 '' 'task-complete: permission_denied: only its owner worker-4 or the lead may complete task 4'
  same in_progress "$(field 4 status)"
}

@test "exits 7 if an agent acts as another" {
  task-create 'first'
  task-claim 1 --as frontend

  TEAM_MEMBER=backend run --separate-stderr task-complete 1 --as frontend

  as_expected 7 '' 'task-complete: permission_denied: you are backend (TEAM_MEMBER) and cannot act as frontend'
}

@test "exits 8 for a task that is pending, completed or failed" {
  task-create 'pending'
  task-create 'completed'
  task-create 'failed'
  task-claim 2
  task-complete 2
  task-claim 3
  task-fail 3

  for state in 1:pending 2:completed 3:failed; do
    run --separate-stderr task-complete "${state%:*}"
    as_expected 8 '' "task-complete: invalid_state: task ${state%:*} is ${state#*:}: it cannot become completed"
  done
}

@test "lets one of many complete a task" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as backend

  seq 8 | xargs -P 8 -I{} sh -c 'task-complete 1 --as backend --result {} || true' >freed 2>refusals

  same 1 "$(wc -l <freed)"
  same 7 "$(grep -c 'invalid_state: task 1 is completed' refusals)"
  same 3 "$(field 1 rev)"
}

@test "exits 2 without an id, with a bad one or an unknown option" {
  task-create 'first'

  run --separate-stderr task-complete
  as_expected 2 '' 'task-complete: usage: ID is missing (try task-complete --help)'

  run --separate-stderr task-complete first
  as_expected 2 '' "task-complete: usage: ID: 'first' is not a task id"

  run --separate-stderr task-complete 1 --bogus
  as_expected 2 '' "task-complete: usage: unknown option '--bogus' (try task-complete --help)"
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-complete 2

  as_expected 3 '' 'task-complete: not_found: no task 2'
}

@test "exits 4 if the task changed under --if-rev" {
  task-create 'first'
  task-claim 1

  run --separate-stderr task-complete 1 --if-rev 1
  as_expected 4 '' 'task-complete: conflict: task 1 is at rev 2, not 1'

  run --separate-stderr task-complete 1 --if-rev 2
  as_expected 0 '' ''
}

@test "exits 4 for the same name in another run" {
  task-create 'first'
  TEAM_RUN_ID=old task-claim 1 --as backend

  TEAM_RUN_ID=new run --separate-stderr task-complete 1 --as backend

  as_expected 4 '' 'task-complete: conflict: task 1 was claimed by another run of backend'
  same in_progress "$(field 1 status)"
}

@test "exits 9 for a broken file and leaves it as it is" {
  task-create 'first'
  task-claim 1
  printf '{"id": 1, "status": "in_progress"}\n' >.tasks/1.json
  cp .tasks/1.json before

  run --separate-stderr task-complete 1

  refused 9 "task-complete: corrupt: .tasks/1.json*: 'owner' must be set while the task is in progress"
  cmp before .tasks/1.json
}

@test "completes although the file of a waiting task is broken" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third' --blocked-by 1
  task-claim 1
  echo '{' >.tasks/2.json

  run --separate-stderr task-complete 1

  as_expected 0 $'3\tpending\t-\t0\t-\tthird' ''
  same '{' "$(cat .tasks/2.json)"
}

@test "exits 74 on a full disk and changes nothing" {
  small_disk
  task-create 'first'
  task-claim 1
  fill_disk

  run --separate-stderr task-complete 1

  refused 74 'task-complete: io: *: No space left on device'
  same in_progress "$(field 1 status)"
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  task-claim 1
  hold .tasks/.lock

  run --separate-stderr task-complete 1 --lock-timeout 0.2

  as_expected 75 '' "task-complete: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
}

@test "exits 76 if the freed tasks cannot be printed: the task is completed" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1

  run --separate-stderr bash -c 'task-complete 1 >/dev/full'

  as_expected 76 '' 'task-complete: unknown: the change is made, but cannot write to stdout: No space left on device'
  same completed "$(field 1 status)"
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-complete 1 --json

  as_expected 8 '' '{"status":"error","code":"invalid_state","error":"task 1 is pending: it cannot become completed"}'
}
