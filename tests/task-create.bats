load helper
load trouble

@test "prints the id and nothing else" {
  run --separate-stderr task-create 'Analyze REST endpoints'

  as_expected 0 1 ''
}

@test "makes the board in the current folder, for its owner only" {
  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
  same 700 "$(stat -c %a .tasks)"
  same 600 "$(stat -c %a .tasks/1.json)"
}

@test "keeps every option in the task's file" {
  task-create 'first'

  run --separate-stderr task-create 'second' --description $'two\nlines' --blocked-by 1 --owner backend --priority 2 \
    --role dev --active-form 'Doing the second' --deliverable docs/second.md --as lead

  as_expected 0 2 ''
  same '[2,"second","two\nlines","Doing the second","pending","backend",[1],2,"dev","lead","docs/second.md",1,0,{}]' \
    "$(jq -c '[.id, .subject, .description, .activeForm, .status, .owner, .blockedBy, .priority, .role, .createdBy,
               .deliverable, .rev, .attempts, .metadata]' .tasks/2.json)"
}

@test "writes a file that a person can read, with times and without computed keys" {
  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
  same '  "id": 1,' "$(sed -n 2p .tasks/1.json)"
  same '[true,true,null,null,null,false]' \
    "$(jq -c '[(now - .createdAt) < 60, .createdAt == .updatedAt, .claimedAt, .completedAt, .run, has("blocks")]' .tasks/1.json)"
}

@test "takes blockers with commas, repeated and with a number sign" {
  task-create 'first'
  task-create 'second'
  task-create 'third'

  run --separate-stderr task-create 'fourth' --blocked-by '1,#2' --blocked-by 3

  as_expected 0 4 ''
  same 1,2,3 "$(field 4 blockedBy)"
}

@test "never gives an id twice, even if the highest task was deleted" {
  task-create 'first'
  task-create 'second'
  task-delete 2

  run --separate-stderr task-create 'third'

  as_expected 0 3 ''
}

@test "never gives an id twice, even if the highest task was removed by hand" {
  task-create 'first'
  task-create 'second'
  rm .tasks/2.json

  run --separate-stderr task-create 'third'

  as_expected 0 3 ''
}

@test "goes on after the highest task if the high-water mark is gone" {
  task-create 'first'
  task-create 'second'
  rm .tasks/.highwatermark

  run --separate-stderr task-create 'third'

  as_expected 0 3 ''
}

@test "gives ids without gaps when many create at once" {
  task-create 'first'

  seq 24 | xargs -P 8 -I{} task-create 'one of many' >ids

  same "$(seq 2 25)" "$(sort -n ids)"
  same 25 "$(task-list | wc -l)"
}

@test "uses the board of the team" {
  team-create alpha --board boards/alpha

  run --separate-stderr task-create 'first' -t alpha

  as_expected 0 1 ''
  same first "$(jq -r .subject boards/alpha/1.json)"
}

@test "keeps control characters out of the records but not out of the file" {
  run --separate-stderr task-create $'a\tb\nc'

  as_expected 0 1 ''
  same $'1\tpending\t-\t0\t-\ta b c' "$(task-list)"
  same $'a\tb\nc' "$(field 1 subject)"
}

@test "reads a batch from stdin and prints the ids in its order" {
  task-create 'first'
  printf '%s\n' '{"subject":"schema","key":"s"}' '' '{"subject":"resolvers","blockedBy":["s",1],"priority":1}' >batch

  run --separate-stderr task-create - <batch

  as_expected 0 $'2\n3' ''
  same schema "$(field 2 subject)"
  same '[1,2]' "$(jq -c '.blockedBy | sort' .tasks/3.json)"
  same 1 "$(field 3 priority)"
}

@test "keeps the unknown keys of a batch but not its own" {
  printf '%s\n' '{"subject":"schema","key":"s","colour":{"deep":[1]},"metadata":{"a":1}}' >batch

  run --separate-stderr task-create - <batch

  as_expected 0 1 ''
  same '[{"deep":[1]},{"a":1},false]' "$(jq -c '[.colour, .metadata, has("key")]' .tasks/1.json)"
}

@test "takes the last line of a batch without a newline" {
  printf '{"subject":"first"}\n{"subject":"second"}' >batch

  run --separate-stderr task-create - <batch

  as_expected 0 $'1\n2' ''
}

@test "makes nothing of an empty batch" {
  run --separate-stderr task-create - </dev/null

  as_expected 0 '' ''
  [ ! -e .tasks/1.json ]
}

@test "makes nothing at all if one line of a batch is bad, and uses up no id" {
  task-create 'first'
  printf '%s\n' '{"subject":"a"}' '{"subject":"b"}' '{"subject":}' >batch

  run --separate-stderr task-create - <batch

  refused 2 'task-create: usage: line 3, column 12: *'
  same '1.json' "$(ls .tasks)"
  same 2 "$(task-create 'second')"
}

@test "makes nothing at all if one line of a batch has a wrong field, and names the line" {
  printf '%s\n' '{"subject":"a"}' '{"subject":"b"}' '{"subject":"c","priority":7}' >batch

  run --separate-stderr task-create - <batch

  as_expected 2 '' "task-create: usage: line 3: 'priority' must be a whole number from 0 to 2"
  [ ! -e .tasks/1.json ]
  same 1 "$(task-create 'first')"
}

@test "refuses a batch with an empty subject" {
  printf '%s\n' '{"subject":"a"}' '{"subject":" "}' >batch

  run --separate-stderr task-create - <batch

  as_expected 2 '' 'task-create: usage: line 2: the subject is empty'
  [ ! -e .tasks/1.json ]
}

@test "refuses a batch with keys that only the board sets" {
  printf '%s\n' '{"subject":"a","id":7}' >batch

  run --separate-stderr task-create - <batch

  as_expected 2 '' "task-create: usage: line 1: 'id' cannot be given: the board sets it"
  [ ! -e .tasks/1.json ]
}

@test "refuses a batch that refers to a later line" {
  printf '%s\n' '{"subject":"a","blockedBy":["later"]}' '{"subject":"b","key":"later"}' >batch

  run --separate-stderr task-create - <batch

  refused 3 "task-create: not_found: *no earlier line has the key 'later'"
  [ ! -e .tasks/1.json ]
}

@test "refuses a batch that refers to the number of a later line" {
  printf '%s\n' '{"subject":"a","blockedBy":[2]}' '{"subject":"b"}' >batch

  run --separate-stderr task-create - <batch

  as_expected 3 '' 'task-create: not_found: no task 2 to be blocked by'
  [ ! -e .tasks/1.json ]
}

@test "refuses a batch that gives a key twice" {
  printf '%s\n' '{"subject":"a","key":"k"}' '{"subject":"b","key":"k"}' >batch

  run --separate-stderr task-create - <batch

  refused 2 "task-create: usage: *line 2: the key 'k' is taken by an earlier line"
  [ ! -e .tasks/1.json ]
}

@test "refuses a batch that is no list of objects" {
  printf '%s\n' '[]' >batch

  run --separate-stderr task-create - <batch

  as_expected 2 '' 'task-create: usage: line 1: not a JSON object'
  [ ! -e .tasks/1.json ]
}

@test "refuses a missing, empty or overlong subject" {
  run --separate-stderr task-create
  as_expected 2 '' 'task-create: usage: SUBJECT is missing (try task-create --help)'

  run --separate-stderr task-create '  '
  as_expected 2 '' 'task-create: usage: the subject is empty'

  run --separate-stderr task-create "$(printf 'é%.0s' {1..1001})"
  as_expected 2 '' 'task-create: usage: the subject is longer than 1000 characters; use the description'

  run --separate-stderr task-create "$(printf 'é%.0s' {1..1000})"
  as_expected 0 1 ''
}

@test "refuses options that are unknown or have wrong values" {
  run --separate-stderr task-create 'first' --bogus
  as_expected 2 '' "task-create: usage: unknown option '--bogus' (try task-create --help)"

  run --separate-stderr task-create 'first' 'second'
  refused 2 'task-create: usage: *'

  run --separate-stderr task-create 'first' --priority 3
  as_expected 2 '' 'task-create: usage: priority 3 is not 0 (normal), 1 (high) or 2 (critical)'

  run --separate-stderr task-create 'first' --priority high
  as_expected 2 '' "task-create: usage: --priority: 'high' is not a whole number"

  run --separate-stderr task-create 'first' --blocked-by one
  as_expected 2 '' "task-create: usage: --blocked-by: 'one' is not a task id"

  run --separate-stderr task-create 'first' --owner 'two words'
  as_expected 2 '' "task-create: usage: owner 'two words' is not a name"

  run --separate-stderr task-create 'first' --role ../dev
  as_expected 2 '' "task-create: usage: role '../dev' is not a name"

  run --separate-stderr task-create 'first' --as a/b
  as_expected 2 '' "task-create: usage: 'a/b' is not a name"

  [ ! -e .tasks/1.json ]
}

@test "refuses a deliverable outside the root" {
  run --separate-stderr task-create 'first' --deliverable /etc/passwd
  as_expected 2 '' "task-create: usage: deliverable '/etc/passwd' is not a path beneath the root"

  run --separate-stderr task-create 'first' --deliverable a/../../b
  as_expected 2 '' "task-create: usage: deliverable 'a/../../b' is not a path beneath the root"
}

@test "exits 3 for a blocker that does not exist, and uses up no id" {
  task-create 'first'

  run --separate-stderr task-create 'second' --blocked-by 1,9

  as_expected 3 '' 'task-create: not_found: no task 9 to be blocked by'
  same 2 "$(task-create 'second')"
}

@test "exits 3 for a team that does not exist" {
  run --separate-stderr task-create 'first' -t alpha

  as_expected 3 '' "task-create: not_found: no team 'alpha'"
}

@test "lets only the lead assign a task to others" {
  run --separate-stderr task-create 'first' --owner frontend --as backend
  as_expected 7 '' 'task-create: permission_denied: only the lead assigns tasks to others'

  run --separate-stderr task-create 'first' --owner backend --as backend
  as_expected 0 1 ''

  run --separate-stderr task-create 'second' --owner backend --as lead
  as_expected 0 2 ''
}

@test "lets an agent act only as itself" {
  TEAM_MEMBER=backend run --separate-stderr task-create 'first' --as lead
  as_expected 7 '' 'task-create: permission_denied: you are backend (TEAM_MEMBER) and cannot act as lead'

  TEAM_MEMBER=backend run --separate-stderr task-create 'first' --as backend
  as_expected 0 1 ''
  same backend "$(field 1 createdBy)"
}

@test "lets nobody act as system" {
  run --separate-stderr task-create 'first' --as System

  as_expected 7 '' 'task-create: permission_denied: nobody acts as system'
}

@test "exits 8 when the board has as many tasks as it may" {
  team-create alpha
  team-config tasks.max 2
  task-create 'first'
  task-create 'second'

  run --separate-stderr task-create 'third'

  as_expected 8 '' 'task-create: invalid_state: the board has 2 tasks, its limit is 2 (tasks.max)'
  [ ! -e .tasks/3.json ]
}

@test "counts a whole batch against the limit" {
  team-create alpha
  team-config tasks.max 2
  task-create 'first'
  printf '%s\n' '{"subject":"a"}' '{"subject":"b"}' >batch

  run --separate-stderr task-create - <batch

  as_expected 8 '' 'task-create: invalid_state: the board has 1 tasks, its limit is 2 (tasks.max)'
  same 1.json "$(ls .tasks)"
}

@test "has room again after a task was deleted" {
  team-create alpha
  team-config tasks.max 1
  task-create 'first'
  task-delete 1

  run --separate-stderr task-create 'second'

  as_expected 0 2 ''
}

@test "exits 8 if a task closes a cycle that somebody wrote by hand" {
  printf '{"id":1,"subject":"by hand","blockedBy":[2]}\n' | install -D /dev/stdin .tasks/1.json
  chmod 700 .tasks

  run --separate-stderr task-create 'second' --blocked-by 1

  as_expected 8 '' 'task-create: invalid_state: task 2 would wait for itself'
  [ ! -e .tasks/2.json ]

  run --separate-stderr task-create 'second'

  as_expected 0 2 ''
}

@test "exits 9 if the high-water mark is no number, and leaves it" {
  task-create 'first'
  echo 'not a number' >.tasks/.highwatermark

  run --separate-stderr task-create 'second'

  as_expected 9 '' 'task-create: corrupt: .tasks/.highwatermark:1:1: not a number'
  same 'not a number' "$(cat .tasks/.highwatermark)"
  [ ! -e .tasks/2.json ]
}

@test "exits 9 if the high-water mark is above every id, and makes nothing" {
  task-create 'first'
  echo 9223372036854775807 >.tasks/.highwatermark

  run --separate-stderr task-create 'second'

  as_expected 9 '' 'task-create: corrupt: .tasks/.highwatermark:1:1: above 16777216'
  same 1.json "$(ls .tasks)"
  team-fsck --repair
  same 2 "$(task-create 'second')"
}

@test "exits 74 on a read-only board" {
  task-create 'first'
  read_only .tasks

  run --separate-stderr task-create 'second'

  refused 74 "task-create: io: cannot * '.tasks/*': *"
  same 1.json "$(ls .tasks)"
}

@test "exits 74 on a full disk, leaves nothing behind and uses up no id" {
  small_disk
  task-create 'first'
  fill_disk

  run --separate-stderr task-create 'second'

  refused 74 'task-create: io: *: No space left on device'
  same 1.json "$(ls .tasks)"
  same '' "$(ls -A .tasks/.tmp)"
  rm full
  same 2 "$(task-create 'second')"
}

@test "makes nothing of a batch if the disk is full" {
  small_disk
  task-create 'first'
  printf '%s\n' '{"subject":"a"}' '{"subject":"b"}' >batch
  fill_disk

  run --separate-stderr task-create - <batch

  refused 74 'task-create: io: *: No space left on device'
  same 1.json "$(ls .tasks)"
  same '' "$(ls -A .tasks/.tmp)"
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  hold .tasks/.lock

  run --separate-stderr task-create 'second' --lock-timeout 0.2

  as_expected 75 '' "task-create: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
  [ ! -e .tasks/2.json ]
}

@test "exits 76 if the id cannot be printed: the task is there" {
  run --separate-stderr bash -c 'task-create first >/dev/full'

  as_expected 76 '' 'task-create: unknown: the change is made, but cannot write to stdout: No space left on device'
  same first "$(field 1 subject)"
}

@test "says errors as JSON with --json" {
  run --separate-stderr task-create 'say "hi"' --blocked-by 9 --json

  same 3 "$status"
  same '' "$output"
  same '{"status":"error","code":"not_found","error":"no task 9 to be blocked by"}' "$stderr"
}

@test "refuses a line of a batch with a misspelt key, and makes nothing of the batch" {
  task-create 'first'
  for key in blocked_by dependsOn depends_on BlockedBy blockedby; do
    printf '%s\n' '{"subject":"second"}' '{"subject":"third","'"$key"'":[1]}' >batch

    run --separate-stderr task-create - <batch

    as_expected 2 '' "task-create: usage: line 2: unknown key '$key'; did you mean blockedBy?"
  done
  same 1 "$(task-list | wc -l)"
}

@test "takes time in proportion to the keys of a task" {
  keys=$(seq -f '"k%g":1' -s , 100000)

  (ulimit -t 3; task-create - <<<"{\"subject\":\"one\",$keys}")
  (ulimit -t 3; task-create - <<<"{\"subject\":\"two\",\"metadata\":{$keys}}")

  (ulimit -t 3; task-get 1 --json >one)
  (ulimit -t 3; task-update 2 --metadata k5=2 >two)
  same '[1,1]' "$(jq -c '[.k1, .k100000]' one)"
}
