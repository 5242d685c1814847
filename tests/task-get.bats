load helper
load trouble

@test "prints a task as one record" {
  task-create 'first' --owner backend --priority 2

  run --separate-stderr task-get 1

  as_expected 0 $'1\tpending\tbackend\t2\t-\tfirst' ''
}

@test "takes the id with a number sign" {
  task-create 'first'

  run --separate-stderr task-get '#1'

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
}

@test "prints the same record as task-list, open blockers included" {
  task-create 'first'
  task-create 'second' --blocked-by 1

  run --separate-stderr task-get 2

  as_expected 0 "$(task-list | tail -1)" ''
  same $'2\tpending\t-\t0\t1\tsecond' "$output"
}

@test "prints with --json all stored and computed keys" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third' --blocked-by 2

  run --separate-stderr task-get 2 --json

  same 0 "$status"
  same '' "$stderr"
  same 1 "${#lines[@]}"
  same '[[3],[1],true]' "$(jq -c '[.blocks, .openBlockers, .blocked]' <<<"$output")"
  same "$(jq -cS . .tasks/2.json)" "$(jq -cS 'del(.blocks, .openBlockers, .blocked)' <<<"$output")"
}

@test "shows a task as free once its blockers are completed" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1
  task-complete 1

  run --separate-stderr task-get 2 --json

  same 0 "$status"
  same '[[1],[],false]' "$(jq -c '[.blockedBy, .openBlockers, .blocked]' <<<"$output")"
}

@test "counts a blocker that failed, is broken or is gone as open" {
  task-create 'fails'
  task-create 'breaks'
  task-create 'goes'
  task-create 'waits' --blocked-by 1,2,3
  task-claim 1
  task-fail 1
  echo '{' >.tasks/2.json
  rm .tasks/3.json

  run --separate-stderr task-get 4 --json

  same 0 "$status"
  same '[[1,2,3],true]' "$(jq -c '[.openBlockers, .blocked]' <<<"$output")"
}

@test "shows a page on a terminal" {
  task-create 'first' --description $'one\ntwo'
  task-create 'second' --blocked-by 1

  page=$(NO_COLOR=1 on_terminal 'task-get 1')

  like '#1 first*status  pending*blocks  2*created  * by user*rev  1*  one?  two' "$page"
}

@test "never lets the text of a task drive the terminal" {
  task-create $'first\e]0;title\a' --description $'a\e[2Jb'

  page=$(NO_COLOR=1 on_terminal 'task-get 1')

  like '#1 first*' "$page"
  [[ $page != *$'\e'* ]]
}

@test "takes no lock" {
  task-create 'first'
  hold .tasks/.lock

  run --separate-stderr task-get 1 --json

  same 0 "$status"
  same '' "$stderr"
  same first "$(jq -r .subject <<<"$output")"
}

@test "works on a read-only board" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  read_only .tasks

  run --separate-stderr task-get 1 --json

  same 0 "$status"
  same '' "$stderr"
  same '[2]' "$(jq -c .blocks <<<"$output")"
}

@test "exits 2 without an id, with two, with a bad one or an unknown option" {
  task-create 'first'

  run --separate-stderr task-get
  as_expected 2 '' 'task-get: usage: ID is missing (try task-get --help)'

  run --separate-stderr task-get 1 2
  refused 2 'task-get: usage: *'

  for id in one 0 -1 01 1.5 99999999999999999999 ''; do
    run --separate-stderr task-get -- "$id"
    refused 2 "task-get: usage: *"
  done

  run --separate-stderr task-get 1 --bogus
  as_expected 2 '' "task-get: usage: unknown option '--bogus' (try task-get --help)"
}

@test "exits 2 and lists the teams if there are several" {
  team-create alpha
  team-create beta
  task-create 'first' -t alpha

  run --separate-stderr task-get 1

  as_expected 2 '' 'task-get: usage: which team? there is alpha, beta (-t TEAM)'
}

@test "exits 3 for a task that does not exist" {
  task-create 'first'

  run --separate-stderr task-get 2
  as_expected 3 '' 'task-get: not_found: no task 2'

  run --separate-stderr task-get 16777217
  as_expected 3 '' 'task-get: not_found: no task 16777217'
}

@test "exits 3 where there is no board" {
  run --separate-stderr task-get 1 -C "$BATS_TEST_TMPDIR"

  as_expected 3 '' "task-get: not_found: no .teams or .tasks in '$BATS_TEST_TMPDIR'"
}

@test "exits 7 for a board that anybody can write to" {
  task-create 'first'
  chmod 777 .tasks

  run --separate-stderr task-get 1

  as_expected 7 '' "task-get: permission_denied: '.tasks' is not to be trusted: anybody can write to it"
}

@test "exits 7 for a board that is a link out of the root" {
  mkdir -m 700 outside root
  ln -s ../outside root/.tasks

  run --separate-stderr task-get 1 -C root

  refused 7 "task-get: permission_denied: '*/.tasks' is a link that leads out"
}

@test "exits 9 for a broken file and names the place" {
  task-create 'first'
  printf '{\n  "id": 1,\n  "subject": ,\n}\n' >.tasks/1.json

  run --separate-stderr task-get 1

  refused 9 'task-get: corrupt: .tasks/1.json:3:14: *'
}

@test "exits 74 if the record cannot be written" {
  task-create 'first'

  run --separate-stderr bash -c 'task-get 1 >/dev/full'

  as_expected 74 '' 'task-get: io: cannot write to stdout: No space left on device'
}

@test "does not mind a reader that leaves" {
  jq -nc '{subject: "first", description: ("x" * 200000)}' | task-create -

  run --separate-stderr bash -c 'task-get 1 --json | true; echo "${PIPESTATUS[0]}"'

  as_expected 0 0 ''
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-get 2 --json

  as_expected 3 '' '{"status":"error","code":"not_found","error":"no task 2"}'
}
