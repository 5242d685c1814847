load helper
load trouble

# Six tasks: one of each kind.
make_one_of_each() {
  task-create 'done'
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-create 'failed'
  task-claim 2 --as backend
  task-fail 2 --as backend
  task-create 'running'
  task-claim 3 --as backend
  task-create 'free' --blocked-by 1
  task-create 'waits' --blocked-by 1,3 --owner frontend
  task-create 'stuck' --blocked-by 2
}

@test "prints nothing for an empty board" {
  team-create alpha

  run --separate-stderr task-list

  as_expected 0 '' ''
}

@test "prints one record a task with its open blockers" {
  make_one_of_each

  run --separate-stderr task-list

  as_expected 0 $'1\tcompleted\tbackend\t0\t-\tdone
2\tfailed\tbackend\t0\t-\tfailed
3\tin_progress\tbackend\t0\t-\trunning
4\tpending\t-\t0\t-\tfree
5\tpending\tfrontend\t0\t3\twaits
6\tpending\t-\t0\t2\tstuck' ''
}

@test "sorts by number, not by text" {
  for _ in {1..12}; do echo '{"subject":"task"}'; done | task-create -

  run --separate-stderr task-list

  same 0 "$status"
  same "$(seq 12)" "$(cut -f 1 <<<"$output")"
}

@test "lists only the wanted statuses" {
  make_one_of_each

  run --separate-stderr task-list --status completed,failed --status in_progress

  same 0 "$status"
  same '1 2 3' "$(cut -f 1 <<<"$output" | xargs)"
}

@test "lists only the tasks of an owner" {
  make_one_of_each

  run --separate-stderr task-list --owner frontend

  as_expected 0 $'5\tpending\tfrontend\t0\t3\twaits' ''
}

@test "lists only ready tasks" {
  make_one_of_each

  run --separate-stderr task-list --ready

  as_expected 0 $'4\tpending\t-\t0\t-\tfree' ''
}

@test "lists only blocked tasks" {
  make_one_of_each

  run --separate-stderr task-list --blocked

  as_expected 0 $'5\tpending\tfrontend\t0\t3\twaits\n6\tpending\t-\t0\t2\tstuck' ''
}

@test "joins all filters" {
  make_one_of_each

  run --separate-stderr task-list --status pending --owner frontend --ready

  as_expected 0 '' ''
}

@test "prints one JSON object a line, including the computed keys" {
  make_one_of_each

  run --separate-stderr task-list --json

  same 0 "$status"
  same '' "$stderr"
  same 6 "${#lines[@]}"
  same '[1,[4,5],[],false] [2,[6],[],false] [3,[5],[],false] [4,[],[],false] [5,[],[3],true] [6,[],[2],true]' \
    "$(jq -c '[.id, .blocks, .openBlockers, .blocked]' <<<"$output" | xargs)"
}

@test "computes blocks from all tasks, whatever the filter shows" {
  make_one_of_each

  run --separate-stderr task-list --status in_progress --json

  same 0 "$status"
  same '[3,[5]]' "$(jq -c '[.id, .blocks]' <<<"$output")"
}

@test "shows a table on a terminal, without colour if NO_COLOR is set" {
  task-create 'first'
  task-create 'a subject that is much longer than the eighty columns that this terminal of ours is wide' --blocked-by 1

  table=$(NO_COLOR=1 on_terminal task-list)

  like 'ID *STATUS *SUBJECT*1 *pending*first*2 *pending*1 *a subject*…' "$table"
  same 3 "$(wc -l <<<"$table")"
  [ "$(wc -L <<<"$table")" -le 80 ]
}

@test "uses colour on a terminal" {
  task-create 'first'

  table=$(TERM=xterm on_terminal task-list)

  like $'*\e[*first*' "$table"
}

@test "names a broken file on stderr and lists the others" {
  task-create 'first'
  task-create 'second'
  printf '{\n  "id": 1,\n' >.tasks/1.json

  run --separate-stderr task-list

  same 0 "$status"
  same $'2\tpending\t-\t0\t-\tsecond' "$output"
  like 'task-list: corrupt: .tasks/1.json:*:*: *' "$stderr"
}

@test "passes over names that are no tasks" {
  task-create 'first'
  touch .tasks/{notes.txt,02.json,2.json~,2.json.swp,x.json,-1.json,99999999999999999999.json,.3.json}

  run --separate-stderr task-list

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
}

@test "takes no lock and works on a read-only board" {
  task-create 'first'
  hold .tasks/.lock
  read_only .tasks

  run --separate-stderr task-list

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
}

@test "finds the board from a folder below, by -C and by TEAM_ROOT" {
  task-create 'first'
  mkdir -p deep/down other

  (cd deep/down && task-list) >below
  task-list -C "$BATS_TEST_TMPDIR" >by_option
  (cd / && TEAM_ROOT=$BATS_TEST_TMPDIR task-list) >by_environment

  same $'1\tpending\t-\t0\t-\tfirst' "$(cat below)"
  same "$(cat below)" "$(cat by_option)"
  same "$(cat below)" "$(cat by_environment)"
}

@test "exits 2 for operands, unknown options and bad values" {
  task-create 'first'

  run --separate-stderr task-list 1
  refused 2 'task-list: usage: *'

  run --separate-stderr task-list --bogus
  as_expected 2 '' "task-list: usage: unknown option '--bogus' (try task-list --help)"

  run --separate-stderr task-list --status pending,done
  as_expected 2 '' "task-list: usage: --status: 'done' is not pending, in_progress, completed or failed"

  run --separate-stderr task-list --ready --blocked
  as_expected 2 '' 'task-list: usage: --ready and --blocked cannot be combined'
}

@test "exits 3 where there is no board" {
  run --separate-stderr task-list -C "$BATS_TEST_TMPDIR"

  as_expected 3 '' "task-list: not_found: no .teams or .tasks in '$BATS_TEST_TMPDIR'"
}

@test "exits 3 for a team that does not exist and names near ones" {
  team-create alpha

  run --separate-stderr task-list -t alhpa

  refused 3 "task-list: not_found: no team 'alhpa'; *alpha*"
}

@test "exits 7 for a board that anybody can write to" {
  task-create 'first'
  chmod 777 .tasks

  run --separate-stderr task-list

  as_expected 7 '' "task-list: permission_denied: '.tasks' is not to be trusted: anybody can write to it"
}

@test "exits 74 if the list cannot be written" {
  task-create 'first'

  run --separate-stderr bash -c 'task-list >/dev/full'

  as_expected 74 '' 'task-list: io: cannot write to stdout: No space left on device'
}

@test "does not mind a reader that leaves" {
  for _ in {1..2000}; do echo '{"subject":"one of two thousand tasks, enough to fill the pipe"}'; done | task-create - >ids

  run --separate-stderr bash -c 'task-list | head -1; echo "${PIPESTATUS[0]}"'

  as_expected 0 $'1\tpending\t-\t0\t-\tone of two thousand tasks, enough to fill the pipe\n0' ''
}

@test "escapes control and direction characters in --json on a terminal; a pipe gets the text unchanged" {
  subject=$'a\u009b31mb\u202ec\u2066d\u200fe\u061c'
  task-create "$subject"

  shown=$(on_terminal 'task-list --json')

  same "$subject" "$(jq -r .subject <<<"$shown")"
  like '*"subject":"a\\u009b31mb\\u202ec\\u2066d\\u200fe\\u061c"*' "$shown"
  like "*\"subject\":\"$subject\"*" "$(task-list --json)"
  run ! grep -P '[\x{80}-\x{9f}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]' <<<"$(on_terminal task-list)"
}
