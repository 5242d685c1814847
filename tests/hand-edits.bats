load helper
load trouble

# A person edits the files of a board with any tool: the very next command sees the edit.

# edit_by_jq ID FILTER: the usual way of a script, a new file moved over the old one.
edit_by_jq() {
  jq "$2" ".tasks/$1.json" >edited && mv edited ".tasks/$1.json"
}

# edit_in_place ID FILTER: the same file, written again.
edit_in_place() {
  jq "$2" ".tasks/$1.json" >edited && cat edited >".tasks/$1.json"
}

setup_three() {
  task-create 'first'
  task-create 'second'
  task-create 'third'
}

@test "sed -i: the next claim follows the new priority" {
  setup_three
  sed -i 's/"priority": 0/"priority": 2/' .tasks/3.json

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'3\tin_progress\tbackend\t2\t-\tthird' ''
}

@test "jq and mv: the next claim follows the new priority" {
  setup_three
  edit_by_jq 2 '.priority = 1'

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t1\t-\tsecond' ''
}

@test "cat over the file: the next claim follows the new priority" {
  setup_three
  edit_in_place 3 '.priority = 2'

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'3\tin_progress\tbackend\t2\t-\tthird' ''
}

@test "an edit in place of as many bytes, at once after our own write: the next claim follows it" {
  setup_three
  text=$(<.tasks/3.json)
  task-claim 1 --as frontend
  printf '%s\n' "${text/\"priority\": 0/\"priority\": 2}" >.tasks/3.json

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'3\tin_progress\tbackend\t2\t-\tthird' ''
}

@test "ed: the next claim follows the new priority" {
  command -v ed || skip 'there is no ed'
  setup_three
  printf '%s\n' ',s/"priority": 0/"priority": 2/' w q | ed -s .tasks/2.json

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t2\t-\tsecond' ''
}

@test "one byte written in the middle of the file: the next claim follows it" {
  setup_three
  at=$(grep -bo '"priority": 0' .tasks/3.json | cut -d : -f 1)
  printf 2 | dd of=.tasks/3.json bs=1 seek=$((at + 12)) conv=notrunc status=none

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'3\tin_progress\tbackend\t2\t-\tthird' ''
}

@test "completed by hand in place: the waiting tasks are ready" {
  task-create 'first' --owner frontend
  task-create 'second' --blocked-by 1
  edit_in_place 1 '.status = "completed"'

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "completed by hand: a claim by id goes through" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  edit_by_jq 1 '.status = "completed"'

  run --separate-stderr task-claim 2 --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "set back to pending by hand in place: the waiting tasks are blocked again" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as frontend
  task-complete 1 --as frontend
  edit_in_place 1 '.status = "pending" | .owner = "frontend"'

  run --separate-stderr task-claim 2 --as backend
  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'

  run --separate-stderr task-claim --next --as backend
  as_expected 1 '' 'task-claim: no: nothing is ready'
}

@test "a blocker added by hand: the next claim passes the task over" {
  setup_three
  edit_in_place 1 '.blockedBy = [3]'

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "a blocker removed by hand: completing the old one frees nothing twice" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1
  edit_in_place 2 '.blockedBy = []'

  run --separate-stderr task-complete 1

  as_expected 0 '' ''
  same $'2\tpending\t-\t0\t-\tsecond' "$(task-list --ready)"
}

@test "assigned by hand: the task is for its owner only" {
  task-create 'first'
  edit_in_place 1 '.owner = "frontend"'

  run --separate-stderr task-claim --next --as backend
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim --next --as frontend
  as_expected 0 $'1\tin_progress\tfrontend\t0\t-\tfirst' ''
}

@test "claimed by hand: its owner is busy and nobody else gets it" {
  setup_three
  edit_in_place 2 '.status = "in_progress" | .owner = "backend"'

  run --separate-stderr task-claim --next --as backend
  as_expected 6 '' 'task-claim: busy: backend holds task 2; finish or release it first'

  run --separate-stderr task-claim 2 --as frontend
  as_expected 4 '' 'task-claim: conflict: task 2 is owned by backend'
}

@test "released by hand: its owner is free and anybody gets it" {
  task-create 'first'
  task-claim 1 --as backend
  edit_in_place 1 '.status = "pending" | .owner = null'

  run --separate-stderr task-claim --next --as frontend

  as_expected 0 $'1\tin_progress\tfrontend\t0\t-\tfirst' ''
}

@test "task-get and task-list show an edit at once" {
  setup_three
  edit_in_place 2 '.subject = "edited"'

  run --separate-stderr task-get 2
  as_expected 0 $'2\tpending\t-\t0\t-\tedited' ''

  run --separate-stderr task-list --json
  same edited "$(jq -r 'select(.id == 2).subject' <<<"$output")"
}

@test "created by hand with a subject only: it can be listed, claimed and completed" {
  task-create 'first' --owner frontend
  echo '{"subject": "by hand"}' >.tasks/2.json

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tby hand' ''

  run --separate-stderr task-complete 2 --as backend
  as_expected 0 '' ''
  same '[2,"completed","backend",2]' "$(jq -c '[.id, .status, .owner, .rev]' .tasks/2.json)"
}

@test "created by hand on an empty board: it is seen and its number is not given again" {
  mkdir -m 700 .tasks
  echo '{"subject": "by hand"}' >.tasks/7.json

  same $'7\tpending\t-\t0\t-\tby hand' "$(task-list)"
  same 8 "$(task-create 'next')"
  same 7 "$(task-claim --next --as backend | cut -f 1)"
}

@test "created by hand as a blocker of others: it blocks them" {
  mkdir -m 700 .tasks
  echo '{"subject": "waits", "blockedBy": [2]}' >.tasks/1.json

  run --separate-stderr task-claim 1 --as backend
  as_expected 5 '' 'task-claim: blocked: task 1 waits for 2'

  echo '{"subject": "blocker", "status": "completed"}' >.tasks/2.json
  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'1\tin_progress\tbackend\t0\t-\twaits' ''
}

@test "deleted by hand: it is offered no more" {
  setup_three
  rm .tasks/1.json

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''

  run --separate-stderr task-get 1
  as_expected 3 '' 'task-get: not_found: no task 1'

  same '2 3' "$(task-list | cut -f 1 | xargs)"
}

@test "deleted by hand while in progress: its owner is free" {
  task-create 'first'
  task-create 'second'
  task-claim 1 --as backend
  rm .tasks/1.json

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "a completed blocker deleted by hand: the waiting tasks are blocked" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1
  task-complete 1
  rm .tasks/1.json

  run --separate-stderr task-claim --next --as backend
  as_expected 1 '' 'task-claim: no: nothing is ready'

  run --separate-stderr task-claim 2 --as backend
  as_expected 5 '' 'task-claim: blocked: task 2 waits for 1'
}

@test "files exchanged by hand: each is read by its name" {
  setup_three
  jq '.id = 2' .tasks/1.json >one
  jq '.id = 1 | .priority = 2' .tasks/2.json >two
  mv two .tasks/1.json
  mv one .tasks/2.json

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'1\tin_progress\tbackend\t2\t-\tsecond' ''
}

@test "a cycle made by hand stops nobody else" {
  setup_three
  edit_in_place 1 '.blockedBy = [2]'
  edit_in_place 2 '.blockedBy = [1]'

  run --separate-stderr task-claim 1 --as backend
  as_expected 5 '' 'task-claim: blocked: task 1 waits for 2'

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'3\tin_progress\tbackend\t0\t-\tthird' ''

  run --separate-stderr task-update 1 --remove-blocked-by 2
  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
}

@test "a task that waits for itself by hand is blocked, no more" {
  setup_three
  edit_in_place 1 '.blockedBy = [1]'

  run --separate-stderr task-claim 1 --as backend
  as_expected 5 '' 'task-claim: blocked: task 1 waits for 1'

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "an edit between a look and a change with --if-rev is a conflict" {
  task-create 'first'
  edit_in_place 1 '.rev = 7'

  run --separate-stderr task-update 1 --subject 'other' --if-rev 1

  as_expected 4 '' 'task-update: conflict: task 1 is at rev 7, not 1'
}

@test "unknown keys survive every rewrite, in their order" {
  task-create 'first'
  edit_by_jq 1 '. + {"zebra": {"deep": [1, 2.5, null, "ü"]}, "apple": false, "x-empty": {}}'
  jq -c '[.zebra, .apple, ."x-empty"]' .tasks/1.json >before

  task-update 1 --subject 'other' --metadata a=1
  task-claim 1
  task-release 1
  task-claim 1
  task-fail 1
  task-release 1
  task-claim 1
  task-complete 1

  same "$(cat before)" "$(jq -c '[.zebra, .apple, ."x-empty"]' .tasks/1.json)"
  same 'zebra apple x-empty' "$(jq -r 'keys_unsorted[]' .tasks/1.json | tail -3 | xargs)"
  same "$(cat before)" "$(task-get 1 --json | jq -c '[.zebra, .apple, ."x-empty"]')"
}

@test "large and precise numbers in unknown keys survive a rewrite" {
  task-create 'first'
  sed -i '2i "big": 9007199254740993, "negative": -9223372036854775808, "largest": 18446744073709551615,' .tasks/1.json

  task-update 1 --subject 'other'

  same 1 "$(grep -c '"big": 9007199254740993,' .tasks/1.json)"
  same 1 "$(grep -c '"negative": -9223372036854775808,' .tasks/1.json)"
  same 1 "$(grep -c '"largest": 18446744073709551615' .tasks/1.json)"
}

@test "a computed key in a file is not believed" {
  task-create 'first'
  edit_by_jq 1 '. + {"blocked": true, "blocks": [9], "openBlockers": [8]}'

  run --separate-stderr task-get 1 --json

  same 0 "$status"
  same '[false,[],[]]' "$(jq -c '[.blocked, .blocks, .openBlockers]' <<<"$output")"
}

@test "a broken file is named by file, line and column; the rest works" {
  setup_three
  printf '{\n  "id": 1,\n  "subject": "first"\n  "status": "pending"\n}\n' >.tasks/1.json

  run --separate-stderr task-list
  same 0 "$status"
  same '2 3' "$(cut -f 1 <<<"$output" | xargs)"
  like 'task-list: corrupt: .tasks/1.json:4:*: *' "$stderr"

  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''

  run --separate-stderr task-create 'fourth'
  as_expected 0 4 ''
}

# broken_at PLACE TEXT: task-get refuses a task file with TEXT at PLACE, the file is never overwritten, and other tasks
# work.
broken_at() {
  printf '%s\n' "$2" >.tasks/1.json
  cp .tasks/1.json before
  run --separate-stderr task-get 1
  refused 9 "task-get: corrupt: .tasks/1.json:$1: *"
  for change in 'task-claim 1' 'task-update 1 --subject x' 'task-complete 1' 'task-delete 1'; do
    run --separate-stderr $change
    refused 9 "${change%% *}: corrupt: .tasks/1.json:$1: *"
  done
  task-update 2 --subject 'goes on'
  cmp before .tasks/1.json
}

@test "broken JSON is refused with its place and never written over" {
  task-create 'first'
  task-create 'second'

  broken_at '2:*' $'{\n"subject" "first"}'
  broken_at '2:1' '{"subject": "first"'
  broken_at '1:*' '{"subject": "first"} trailing'
  broken_at '1:*' 'not JSON at all'
}

@test "a file that is wrong from its first byte is refused with its place" {
  task-create 'first'
  task-create 'second'

  broken_at '1:1' ']'
}

@test "an empty file is refused with its place" {
  task-create 'first'
  : >.tasks/1.json

  run --separate-stderr task-get 1

  refused 9 'task-get: corrupt: .tasks/1.json:1:1: *'
}

@test "duplicate keys are refused with their place" {
  task-create 'first'
  task-create 'second'

  broken_at '2:*' $'{"subject": "first",\n"subject": "other"}'
}

@test "a number that overflows is refused with its place" {
  task-create 'first'
  task-create 'second'

  broken_at '2:*' $'{\n"id": 99999999999999999999}'
  broken_at '2:*' $'{"subject": "first",\n"x": 99999999999999999999}'
}

@test "fields of the wrong kind are refused with their place" {
  task-create 'first'
  task-create 'second'

  broken_at '2:1' $'{\n"id": 2}'
  broken_at '2:1' $'{\n"id": "1"}'
  broken_at '2:1' $'{\n"id": 1.0}'
  broken_at '2:1' $'{\n"id": -1}'
  broken_at '2:1' $'{\n"subject": 1}'
  broken_at '2:1' $'{\n"status": "done"}'
  broken_at '2:1' $'{\n"priority": 3}'
  broken_at '2:1' $'{\n"owner": "../x"}'
  broken_at '2:1' $'{\n"blockedBy": 1}'
  broken_at '2:1' $'{\n"blockedBy": [0]}'
  broken_at '2:1' $'{\n"blockedBy": [18446744073709551615]}'
  broken_at '2:1' $'{\n"metadata": []}'
  broken_at '2:1' $'{\n"rev": -1}'
}

@test "a document that is no object, too deep or too large is refused" {
  task-create 'first'

  echo '[]' >.tasks/1.json
  run --separate-stderr task-get 1
  as_expected 9 '' 'task-get: corrupt: .tasks/1.json: not a JSON object'

  printf '{"x": %s%s}' "$(printf '[%.0s' {1..100000})" "$(printf ']%.0s' {1..100000})" >.tasks/1.json
  run --separate-stderr task-get 1
  refused 9 'task-get: corrupt: .tasks/1.json*: deeper than 64 levels'

  head -c 5000000 /dev/zero | tr '\0' ' ' >.tasks/1.json
  run --separate-stderr task-get 1
  as_expected 9 '' 'task-get: corrupt: .tasks/1.json: larger than 4194304 bytes'
}

@test "bytes that are no UTF-8 are replaced, not refused" {
  mkdir -m 700 .tasks
  printf '{"subject": "a\xffb"}' >.tasks/1.json

  run --separate-stderr task-list

  as_expected 0 $'1\tpending\t-\t0\t-\ta\xef\xbf\xbdb' ''
}

@test "a broken file that is mended is taken at once" {
  setup_three
  cp .tasks/1.json good
  echo '{' >.tasks/1.json
  task-claim --next --as frontend
  cat good >.tasks/1.json

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tfirst' ''
}

# no_regular_file WHAT: 3.json is something else; it is reported and stays, and the other tasks work.
no_regular_file() {
  run --separate-stderr timeout 10 task-get 3
  refused 9 "task-get: corrupt: .tasks/3.json: $1"

  run --separate-stderr timeout 10 task-list
  same 0 "$status"
  same '1 2' "$(cut -f 1 <<<"$output" | xargs)"
  same "task-list: corrupt: .tasks/3.json: $1" "$stderr"

  run --separate-stderr timeout 10 task-claim --next --as backend
  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tfirst' ''

  run --separate-stderr timeout 10 task-delete 3
  refused 9 "task-delete: corrupt: .tasks/3.json: $1"

  run --separate-stderr timeout 10 task-update 2 --add-blocked-by 3
  same 0 "$status"

  run --separate-stderr timeout 10 task-create 'fourth'
  as_expected 0 4 ''
}

@test "a symbolic link in the place of a task is not followed" {
  setup_three
  mv .tasks/3.json elsewhere.json
  ln -s ../elsewhere.json .tasks/3.json
  cp elsewhere.json before

  no_regular_file 'is a symbolic link'

  [ -L .tasks/3.json ]
  cmp before elsewhere.json
}

@test "a dangling link in the place of a task is reported" {
  setup_three
  ln -sf nowhere .tasks/3.json

  no_regular_file 'is a symbolic link'
}

@test "a folder in the place of a task is reported and stays" {
  setup_three
  rm .tasks/3.json
  mkdir .tasks/3.json

  no_regular_file 'is not a regular file'

  [ -d .tasks/3.json ]
}

@test "a fifo in the place of a task hangs nobody" {
  setup_three
  rm .tasks/3.json
  mkfifo .tasks/3.json

  no_regular_file 'is not a regular file'

  [ -p .tasks/3.json ]
}

@test "a socket in the place of a task stops nobody" {
  command -v python3 || skip 'nothing here makes a socket'
  setup_three
  rm .tasks/3.json
  python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(".tasks/3.json")'

  no_regular_file 'is not a regular file'
}

# A board in use: one task running, one done, one ready, one waiting.
setup_story() {
  setup_three
  task-create 'fourth' --blocked-by 3
  task-claim 1 --as frontend
  task-claim 2 --as backend
  task-complete 2 --as backend
}

# the_story_goes_on: continues with the cache as the test left it.
the_story_goes_on() {
  run --separate-stderr task-claim --next --as backend
  as_expected 0 $'3\tin_progress\tbackend\t0\t-\tthird' ''

  run --separate-stderr task-claim 4 --as analyst
  as_expected 5 '' 'task-claim: blocked: task 4 waits for 3'

  run --separate-stderr task-complete 3 --as backend
  as_expected 0 $'4\tpending\t-\t0\t-\tfourth' ''

  run --separate-stderr task-claim --next --as frontend
  as_expected 6 '' 'task-claim: busy: frontend holds task 1; finish or release it first'

  same 5 "$(task-create 'fifth')"
}

@test "the index can be deleted" {
  setup_story
  rm .tasks/.index

  the_story_goes_on
}

@test "the index can be deleted before every command" {
  setup_story

  rm .tasks/.index
  same 3 "$(task-claim --next --as backend | cut -f 1)"
  rm .tasks/.index
  same 4 "$(task-complete 3 --as backend | cut -f 1)"
  rm .tasks/.index
  same 4 "$(task-claim --next --as backend | cut -f 1)"
  rm .tasks/.index
  same 5 "$(task-create 'fifth')"
}

@test "the index can be deleted while many work" {
  for _ in {1..30}; do echo '{"subject":"task"}'; done | task-create - >ids

  seq 30 | xargs -P 6 -I{} sh -c 'rm -f .tasks/.index; task-claim --next --as worker-{}; rm -f .tasks/.index' >claimed

  same "$(seq 30)" "$(cut -f 1 claimed | sort -n)"
}

@test "an index of another board is not believed" {
  setup_story
  mkdir other
  for _ in {1..9}; do task-create 'other' --priority 2 -C other; done
  cat other/.tasks/.index >.tasks/.index

  the_story_goes_on
}

@test "a board that was copied serves the copy" {
  setup_story
  mkdir copy
  cp -a .tasks copy
  cd copy

  the_story_goes_on
}

@test "an empty index is made anew" {
  setup_story
  : >.tasks/.index

  the_story_goes_on
}

@test "an index that is cut short is made anew" {
  setup_story
  truncate -s 4096 .tasks/.index

  the_story_goes_on
}

@test "an index that lost its pages but the first is made anew" {
  setup_story
  head -c $(($(stat -c %s .tasks/.index) - 4096)) /dev/zero | dd of=.tasks/.index bs=4096 seek=1 conv=notrunc status=none

  the_story_goes_on
}

@test "garbage behind the first page of the index does no harm" {
  setup_story
  yes garbage | head -c $(($(stat -c %s .tasks/.index) - 4096)) | dd of=.tasks/.index bs=4096 seek=1 conv=notrunc status=none

  the_story_goes_on
}

@test "an index full of garbage is made anew" {
  setup_story
  head -c 200000 /dev/urandom >.tasks/.index

  the_story_goes_on
}

@test "litter of dead writers is no task" {
  setup_story
  mkdir -p .tasks/.tmp
  echo '{"subject": "half"' >.tasks/.tmp/.tmp-1-0000000000000000
  echo '{"subject": "by an editor"}' >.tasks/.4.json.swp

  the_story_goes_on
}

@test "a link in the place of the scratch folder is refused and nothing is swept through it" {
  task-create 'first'
  rm -r .tasks/.tmp
  ln -s . .tasks/.tmp

  run --separate-stderr task-create 'second'

  as_expected 7 '' "task-create: permission_denied: '.tasks/.tmp' is a link inside a store"
  [ -e .tasks/1.json ]
}

@test "files of a person in the scratch folder are not swept" {
  mkdir -p docs/.tmp
  echo mine >docs/.tmp/mine
  team-create alpha --board docs
  task-create 'first'
  rm docs/.index
  task-create 'second'

  same mine "$(cat docs/.tmp/mine)"
}

@test "a task of a batch whose id a person took meanwhile is kept beside it" {
  task-create 'first'
  mkdir -m 700 .tasks/.batch
  jq '.id = 2 | .subject = "of the batch"' .tasks/1.json >.tasks/.batch/2.json
  jq '.id = 2 | .subject = "of a person"' .tasks/1.json >.tasks/2.json

  task-create 'third'

  same 'of a person' "$(field 2 subject)"
  same 'of the batch' "$(jq -r .subject .tasks/2.json.of-batch)"
  [ ! -e .tasks/.batch ]
}

@test "a task is made though another one waits, by hand, for a number that is still to come" {
  task-create 'first' >/dev/null
  edit_in_place 1 '.blockedBy = [3]'

  run --separate-stderr task-create 'second'

  as_expected 0 2 ''
}
