load helper
load trouble
load mail

# rich_team: makes a team with every kind of file, in the folder `from`, saved as alpha.tar.
rich_team() {
  mkdir from
  cd from || return
  echo 'You write code.' >coder.txt
  team-create alpha --role coder=coder.txt
  team-join backend --role coder
  team-join frontend
  team-config exchange.limit 7
  export TEAM_EVENTS_ROTATE=1000
  for i in 1 2 3 4; do task-create "task $i"; done
  task-update 2 --add-blocked-by 1
  task-update 3 --add-blocked-by 1,2
  jq '.colour = "red"' .tasks/2.json >t && chmod 600 t && mv t .tasks/2.json
  task-delete 4
  task-claim 1 --as backend
  for i in 1 2 3 4 5; do team-send backend "message $i" --as lead; done
  team-recv --as backend --max 1
  team-recv --as backend --max 1 --hold
  head -c 200000 /dev/zero | tr '\0' x | team-send frontend --as lead
  echo 'First this, then that.' | plan-submit --as backend
  echo '{"role":"user","content":"hello"}' >.teams/alpha/backend_transcript.jsonl
  mkdir -m 700 .teams/alpha/hooks
  echo '#!/bin/true' >.teams/alpha/hooks/post-task-created
  chmod 700 .teams/alpha/hooks/post-task-created
  team-save ../alpha.tar
  cd ..
} >/dev/null

# small_team: with two tasks, in the folder `from`, saved as alpha.tar.
small_team() {
  mkdir from
  team-create -C from alpha
  for name in first second; do task-create -C from "$name"; done
  team-save -C from alpha.tar
} >/dev/null

# described: everything that a reader sees of the team here.
described() {
  local name
  task-list --json
  for name in backend frontend lead user; do team-recv --as "$name" --peek --json 2>/dev/null; done
  plan-list --json
  team-log --json
  team-config --list
  jq -c . .teams/alpha/config.json
}

# same_team FOLDER: the team there equals the saved one.
same_team() {
  same "$(cd from && described)" "$(cd "$1" && described)"
}

# nothing_here: not even an empty store.
nothing_here() {
  same '' "$(find . -name '.t*' ! -path './from/*')"
}

# archive_of NAME…: alpha.tar made anew by tar from these files of the folder `files`.
archive_of() {
  tar cf alpha.tar -C files "$@"
}

# unpacked: the saved team as files, in the folder `files`.
unpacked() {
  small_team
  mkdir files
  tar xf alpha.tar -C files
}

@test "makes the team as it was saved, in a folder that has no store, and prints its name" {
  rich_team
  mkdir to
  cd to

  run --separate-stderr team-load --trust ../alpha.tar

  as_expected 0 alpha ''
  cd ..
  same_team to
  team-fsck -C to
}

@test "goes on where the team was: ids, numbers of events, held and unread mail, plans" {
  rich_team
  mkdir to
  team-load -C to alpha.tar
  cd to
  last=$(team-log | tail -1 | cut -f1)
  held=$(jq -r .id .teams/alpha/backend_taken.jsonl)

  same 5 "$(task-create next)"
  same "$((last + 1))" "$(team-log --type TASK_CREATED | tail -1 | cut -f1)"
  team-ack "$held" --as backend
  same 'message 3,message 4,message 5' "$(team-recv --as backend | cut -f4 | paste -sd ,)"
  same 200000 "$(team-recv --as frontend --json | jq -r .content | tr -d '\n' | wc -c)"
  plan-approve "$(plan-list | cut -f1)" --as lead
  task-complete 1 --as backend
  same red "$(jq -r .colour .tasks/2.json)"
  gapless
  team-fsck
}

@test "loads from stdin for -, at the end of a pipe" {
  rich_team
  mkdir to

  run --separate-stderr bash -o pipefail -c 'team-save -C from - | (cd to && team-load --trust -)'

  as_expected 0 alpha ''
  same_team to
}

@test "makes folders 0700 and files 0600 whatever the umask and the archive say, and hooks that can be run" {
  rich_team
  mkdir files to
  tar xf alpha.tar -C files
  chmod -R a+rwx files
  chmod 600 files/team/hooks/post-task-created
  echo '#!/bin/true' >files/team/hooks/post-plan-submitted
  chmod 755 files/team/hooks/post-plan-submitted
  archive_of teamkit.json team board

  (umask 0 && team-load -C to alpha.tar)

  same 700 "$(find to/.t* -type d -printf '%m\n' | sort -u)"
  same 'to/.teams/alpha/hooks/post-plan-submitted 700' "$(find to/.t* -type f ! -perm 600 -printf '%p %m\n')"
}

@test "calls the team as --name says, in its configuration and in events from then on" {
  small_team

  run --separate-stderr team-load --trust alpha.tar --name beta

  as_expected 0 beta ''
  same beta "$(team-list | cut -f1)"
  task-create third
  same 'alpha beta' "$(jq -r .team_id .teams/beta/events.jsonl | uniq | paste -sd ' ')"
  team-fsck
}

@test "puts the tasks onto the board that --board names" {
  small_team
  task-create 'something else'

  run --separate-stderr team-load --trust alpha.tar --board boards/alpha

  as_expected 0 alpha ''
  same boards/alpha "$(jq -r .board .teams/alpha/config.json)"
  same $'first\nsecond' "$(task-list | cut -f6)"
  same 'something else' "$(jq -r .subject .tasks/1.json)"
  team-fsck
}

@test "takes a board that exists and has no tasks, and keeps the higher mark" {
  small_team
  for i in 1 2 3 4 5; do task-create "$i"; done
  for i in 1 2 3 4 5; do task-delete "$i"; done

  run --separate-stderr team-load --trust alpha.tar

  as_expected 0 alpha ''
  same $'first\nsecond' "$(task-list | cut -f6)"
  same 6 "$(task-create third)"
}

@test "loads onto a board on another disk" {
  small_team
  mkdir -m 700 .tasks
  mount_here -t tmpfs -o mode=700 tmpfs .tasks

  run --separate-stderr team-load --trust alpha.tar

  as_expected 0 alpha ''
  same $'first\nsecond' "$(task-list | cut -f6)"
  team-fsck
}

@test "counts a member that ran as dead: its task can be claimed; the task of a member that never ran cannot" {
  mkdir from
  cd from
  make_team
  for name in backend frontend; do
    task-create "of $name"
    touch .teams/alpha/backend.alive
  done
  hold .teams/alpha/backend.alive
  task-claim 1 --as backend
  task-claim 2 --as frontend
  team-save ../alpha.tar
  cd ..
  mkdir to

  team-load -C to alpha.tar

  same 'pending,in_progress' "$(cd to && task-reclaim >/dev/null && task-list | cut -f2 | paste -sd ,)"
}

@test "gives messages again that a reader had taken and not acknowledged" {
  mkdir from
  cd from
  make_team
  team-send backend 'in flight' --as lead
  mv .teams/alpha/backend_inbox.jsonl .teams/alpha/backend_taken.jsonl
  hold .teams/alpha/backend_taken.jsonl
  run -1 team-recv --as backend
  team-save ../alpha.tar
  cd ..
  mkdir to

  team-load -C to alpha.tar

  same 'in flight' "$(team-recv -C to --as backend | cut -f4)"
}

@test "messages of several dead readers come in the order in which they were taken" {
  mkdir from
  cd from
  team-create alpha >/dev/null
  team-join backend >/dev/null
  for i in 1 2 3; do
    team-send backend "message $i" --as lead >/dev/null
    mv .teams/alpha/backend_inbox.jsonl ".teams/alpha/part-$i"
  done
  for i in 2 3 1; do mv ".teams/alpha/part-$i" ".teams/alpha/backend_taken-$((9 - i)).jsonl"; done
  touch -d '2020-01-01' .teams/alpha/backend_taken-8.jsonl
  touch -d '2030-01-01' .teams/alpha/backend_taken-6.jsonl
  team-save ../alpha.tar >/dev/null
  cd ..
  mkdir to
  cd to

  run -0 team-load ../alpha.tar

  same $'message 1\nmessage 2\nmessage 3' "$(team-recv --as backend --json | jq -r .content)"
}

@test "drops the content of a large message that was not yet sent" {
  small_team
  mkdir files to
  tar xf alpha.tar -C files
  mkdir files/team/bodies
  echo lost >files/team/bodies/01M7HCMMQEEX2K95NJ3R0Y61GR
  archive_of teamkit.json team board

  team-load -C to alpha.tar

  same '' "$(ls to/.teams/alpha/bodies)"
  team-fsck -C to
}

@test "reads archives of tar with the same files, in every format and order" {
  rich_team
  mkdir files
  tar xf alpha.tar -C files
  long=$(printf 'l%.0s' {1..70})
  mkdir "files/team/hooks/$long"
  echo '#!/bin/true' >"files/team/hooks/$long/$long"
  n=0
  for format in gnu oldgnu ustar pax posix; do
    for names in 'teamkit.json team board' 'board team teamkit.json' .; do
      n=$((n + 1))
      mkdir "to-$n"
      # shellcheck disable=SC2086
      tar --format="$format" -cf again.tar -C files $names

      run --separate-stderr team-load -C "to-$n" --trust again.tar

      as_expected 0 alpha ''
      same_team "to-$n"
      [ -e "to-$n/.teams/alpha/hooks/$long/$long" ]
    done
  done
}

@test "saves and loads a team again and again without a difference" {
  rich_team
  mkdir one two
  team-load -C one alpha.tar
  team-save -C one one.tar

  team-load -C two one.tar

  same_team two
  same "$(tar xOf alpha.tar team board | md5sum)" "$(tar xOf one.tar team board | md5sum)"
}

# a_hooked_archive: makes alpha.tar, a team with a hook; nothing else is left.
a_hooked_archive() {
  team-create alpha >/dev/null
  mkdir -m 700 .teams/alpha/hooks
  printf '#!/bin/sh\ntouch ran\n' >.teams/alpha/hooks/task-created
  chmod 700 .teams/alpha/hooks/task-created
  team-save alpha.tar >/dev/null
  rm -r .teams .tasks
}

@test "loads a team that runs nothing, and says in one line how to accept it" {
  a_hooked_archive

  run --separate-stderr team-load alpha.tar
  as_expected 0 alpha "team-load: team alpha is not trusted and runs nothing; 'team-trust -t alpha --show' lists what it runs, 'team-trust -t alpha' accepts it"
  run --separate-stderr task-create first
  same 7 "$status"
  [ ! -e ran ]

  team-trust
  run --separate-stderr task-create first
  as_expected 0 1 ''
  [ -e ran ]
}

@test "with --trust the loaded team runs its hooks" {
  a_hooked_archive
  run --separate-stderr team-load --trust alpha.tar
  as_expected 0 alpha ''

  run --separate-stderr task-create first
  as_expected 0 1 ''
  [ -e ran ]
}

@test "shows on a terminal the programs of the team, asks, and accepts only y" {
  a_hooked_archive

  run script -qec 'team-load alpha.tar' /dev/null <<<'n'
  same 0 "$status"
  [[ $output == *'team-load: hook task-created: '*'task-created'*'May team alpha run this as you, and agents on its tasks? [y/N] '* ]]
  [[ $output == *'is not trusted and runs nothing'* ]]
  run --separate-stderr task-create first
  same 7 "$status"

  rm -r .teams .tasks
  run script -qec 'team-load alpha.tar' /dev/null <<<'y'
  same 0 "$status"
  [[ $output != *'is not trusted'* ]]
  run --separate-stderr task-create first
  as_expected 0 1 ''
}

@test "exits 76 when the team is loaded and cannot be marked" {
  a_hooked_archive
  unset XDG_STATE_HOME

  HOME='' run --separate-stderr team-load --trust alpha.tar

  as_expected 76 '' 'team-load: unknown: team alpha is loaded, but not marked as trusted: neither XDG_STATE_HOME nor HOME is set'
  [ -e .teams/alpha ]
}

@test "exits 4 when there is such a team, in whatever case, and changes nothing" {
  small_team
  team-create Alpha --board other
  before=$(find .teams .tasks other -type f -exec md5sum {} + 2>/dev/null | sort)

  run --separate-stderr team-load alpha.tar

  as_expected 4 '' 'team-load: conflict: team Alpha exists already (--name NEW: load it as another)'
  same "$before" "$(find .teams .tasks other -type f -exec md5sum {} + 2>/dev/null | sort)"
}

@test "exits 4 when the board has tasks, and changes nothing" {
  small_team
  task-create mine

  run --separate-stderr team-load alpha.tar

  as_expected 4 '' "team-load: conflict: the board '.tasks' has tasks already (--board DIR: load onto another)"
  same mine "$(task-list | cut -f6)"
  same '' "$(team-list)"
  same .lock "$(ls -A .teams)"
}

@test "exits 4 when a folder that is no team has the name" {
  small_team
  mkdir -m 700 .teams .teams/alpha

  run --separate-stderr team-load alpha.tar

  as_expected 4 '' "team-load: conflict: '.teams/alpha' is in the way"
  [ ! -e .tasks/1.json ]
}

@test "goes on where a load that died between board and team has left off" {
  rich_team
  mkdir to
  team-load -C to alpha.tar
  rm -r to/.teams/alpha

  run --separate-stderr team-load -C to --trust alpha.tar

  as_expected 0 alpha ''
  same_team to
}

@test "exits 4 when tasks of an interrupted load were changed, or belong to another team" {
  small_team
  team-load alpha.tar
  run --separate-stderr team-load alpha.tar --name beta
  refused 4 "team-load: conflict: the board '.tasks' has tasks already *"

  rm -r .teams/alpha
  task-update 1 --description changed
  run --separate-stderr team-load alpha.tar
  refused 4 "team-load: conflict: the board '.tasks' has tasks already *"
  same '' "$(team-list)"
}

@test "exits 2 for names that are not names and boards that are none" {
  small_team
  for name in ../escape . a/b '' 'a b'; do
    run --separate-stderr team-load alpha.tar --name "$name"
    refused 2 "team-load: usage: '$name' is not a name: *"
  done
  run --separate-stderr team-load alpha.tar --name user
  as_expected 2 '' "team-load: usage: 'user' is reserved"

  for board in ../out /tmp/out a/../../out '' . .teams .teams/x; do
    run --separate-stderr team-load alpha.tar --board "$board"
    as_expected 2 '' "team-load: usage: '$board' is not a folder beneath the root that can be a board"
  done
  nothing_here
}

@test "exits 2 without FILE" {
  run --separate-stderr team-load

  as_expected 2 '' 'team-load: usage: FILE is missing (try team-load --help)'
}

@test "refuses to read from a terminal" {
  run script -qec 'team-load -' /dev/null </dev/null

  same 2 "$status"
  same $'team-load: usage: an archive does not come from a terminal\r' "$output"
}

@test "exits 3 for a file and a folder that are not there" {
  run --separate-stderr team-load none.tar
  as_expected 3 '' "team-load: not_found: no file 'none.tar'"

  run --separate-stderr team-load -C nowhere none.tar
  as_expected 3 '' "team-load: not_found: no such folder '$PWD/nowhere'"
  nothing_here
}

@test "exits 7 for a store or a board that is not to be trusted" {
  small_team
  mkdir -m 777 .tasks
  chmod 777 .tasks

  run --separate-stderr team-load alpha.tar
  as_expected 7 '' "team-load: permission_denied: '.tasks' is not to be trusted: anybody can write to it"
  rm -r .tasks

  mkdir .teams
  chmod 777 .teams
  run --separate-stderr team-load alpha.tar
  as_expected 7 '' "team-load: permission_denied: '.teams' is not to be trusted: anybody can write to it"
  same '' "$(ls -A .teams)"
}

@test "exits 9 for a file that is not an archive, and makes nothing" {
  : >empty
  echo 'some text' >text
  head -c 3000 /dev/zero | tr '\0' x >block
  small_team
  gzip -k alpha.tar

  run --separate-stderr team-load empty
  as_expected 9 '' 'team-load: corrupt: empty: is empty'

  for file in text block alpha.tar.gz; do
    run --separate-stderr team-load "$file"
    as_expected 9 '' "team-load: corrupt: $file: is not a tar archive"
  done

  run --separate-stderr bash -c 'team-load - <text'
  as_expected 9 '' 'team-load: corrupt: stdin: is not a tar archive'
  nothing_here
}

@test "exits 9 for an archive that was cut, wherever, and makes nothing" {
  small_team
  size=$(stat -c %s alpha.tar)
  for ((length = 1; length < size; length += 337)); do
    head -c "$length" alpha.tar >cut.tar

    run --separate-stderr team-load cut.tar

    refused 9 'team-load: corrupt: cut.tar: *'
    nothing_here
  done
}

@test "exits 9 for an archive of something else, and makes nothing" {
  mkdir -p project/src
  echo 'int main() {}' >project/src/main.c
  tar cf project.tar project

  run --separate-stderr team-load project.tar
  as_expected 9 '' "team-load: corrupt: project.tar: 'project/src/main.c' is no part of a team"

  tar cf nothing.tar --files-from /dev/null
  run --separate-stderr team-load nothing.tar
  as_expected 9 '' "team-load: corrupt: nothing.tar: is not of team-save: 'teamkit.json' is missing"
  nothing_here
}

@test "exits 9 for entries that are no files or lead out, and follows none of them" {
  unpacked
  ln -s /etc/passwd files/team/link
  ln files/team/config.json files/team/hard
  mkfifo files/team/fifo
  echo x >escaped
  deep=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16
  while IFS=';' read -r arguments problem; do
    rm -rf to
    mkdir to
    # shellcheck disable=SC2086
    tar cf evil.tar -C files -P teamkit.json $arguments 2>/dev/null

    run --separate-stderr team-load -C to evil.tar

    as_expected 9 '' "team-load: corrupt: evil.tar: $problem"
    same '' "$(find to -mindepth 1)"
  done <<END
team/link;'team/link' is a link
team/config.json team/hard;'team/hard' is a link
team/fifo;'team/fifo' is a fifo
../escaped;'../escaped' is no path inside an archive
$PWD/escaped;'$PWD/escaped' is no path inside an archive
team/config.json --transform=s,team/,team/../../,;'team/../../config.json' is no path inside an archive
team/config.json --transform=s,config.json,.lock,;'team/.lock' is no part of a team
team/config.json --transform=s,config.json,.tmp-1-0,;'team/.tmp-1-0' is no part of a team
board/1.json --transform=s,1.json,.index,;'board/.index' is no part of a team
board/1.json --transform=s,1.json,a/1.json,;'board/a/1.json' is no part of a team
team/config.json --transform=s,config.json,$deep,;'team/$deep' is no part of a team
team/config.json team/config.json --hard-dereference;'team/config.json' is there twice
team/config.json board/1.json --transform=s,board/1,team/config.json/1,;'team/config.json' is a file and a folder
END
}

@test "exits 9 when the description in the archive is missing or wrong" {
  unpacked
  cp -r files good
  check() {
    archive_of teamkit.json team board 2>/dev/null || archive_of team board 2>/dev/null || archive_of teamkit.json board
    run --separate-stderr team-load alpha.tar
    refused 9 "team-load: corrupt: alpha.tar: $1"
    nothing_here
    rm -r files
    cp -r good files
  }

  rm files/teamkit.json
  check "is not of team-save: 'teamkit.json' is missing"
  echo '{"format": 2, "team": "alpha"}' >files/teamkit.json
  check 'its format is 2, and this version reads 1'
  echo '{"team": "alpha"}' >files/teamkit.json
  check 'its format is 0, and this version reads 1'
  echo '{"format": 1, "team": "../x"}' >files/teamkit.json
  check "teamkit.json:1:15: 'team' must be a name"
  echo '{"format":' >files/teamkit.json
  check 'teamkit.json:2:1: *'
  echo '{"format": 1, "team": "beta"}' >files/teamkit.json
  check "team/config.json:2:3: 'name' must be 'beta', as the folder is named"
  rm files/team/config.json
  check "'team/config.json' is missing"
  echo '{' >files/team/config.json
  check 'team/config.json:2:1: *'
  jq '.board = "../out"' good/team/config.json >files/team/config.json
  check "team/config.json: '../out' is not a folder beneath the root that can be a board"
  head -c 5000000 /dev/zero >files/team/config.json
  check "'team/config.json' is larger than 4194304 bytes"
  rm -r files/team/config.json && mkdir -p files/team/config.json && echo >files/team/config.json/x
  check "'team/config.json' is missing"
}

@test "loads broken tasks and a broken high-water mark unchanged" {
  unpacked
  echo '{ "subject": ' >files/board/1.json
  echo 'many' >files/board/.highwatermark
  archive_of teamkit.json team board
  mkdir to

  run --separate-stderr team-load -C to --trust alpha.tar

  as_expected 0 alpha ''
  same '{ "subject": ' "$(cat to/.tasks/1.json)"
  same 3 "$(task-create -C to third)"
}

@test "exits 74 for a folder in place of the archive" {
  mkdir folder

  run --separate-stderr team-load folder

  as_expected 74 '' "team-load: io: cannot read 'folder': Is a directory"
  nothing_here
}

@test "exits 74 on a full disk and leaves nothing" {
  mkdir from
  team-create -C from alpha
  head -c 100000 /dev/zero | tr '\0' x | team-send -C from lead
  team-save -C from alpha.tar
  small_disk

  run --separate-stderr team-load ../alpha.tar

  refused 74 "team-load: io: cannot write in '.teams/.tmp-*': No space left on device"
  same '' "$(ls -A)"
}

@test "exits 74 where nothing can be written" {
  small_team
  mkdir to
  read_only to

  run --separate-stderr team-load -C to alpha.tar

  refused 74 "team-load: io: cannot make folder '$PWD/to/.teams': *"
}

@test "exits 75 and names the lock that was not had in time, and leaves nothing" {
  small_team
  mkdir -m 700 .teams .tasks
  for lock in .teams/.lock .tasks/.lock; do
    hold "$lock"

    run --separate-stderr team-load alpha.tar --lock-timeout 0.05

    let_go
    refused 75 "team-load: again: cannot lock '$lock': pid * holds it; waited 0.05 s"
    same .lock "$(ls -A "${lock%/*}")"
  done
}

@test "exits 76 when the team is loaded and its name cannot be printed" {
  small_team

  run --separate-stderr bash -c 'team-load --trust alpha.tar >/dev/full'

  as_expected 76 '' 'team-load: unknown: the change is made, but cannot write to stdout: No space left on device'
  same alpha "$(team-list | cut -f1)"
}

@test "has one winner when two load the same archive at once" {
  small_team
  for round in {1..15}; do
    rm -rf .teams .tasks
    mkdir -m 700 .teams
    team-load alpha.tar >one.out 2>one.err 3>&- &
    first=$!
    team-load alpha.tar >two.out 2>two.err 3>&- &
    second=$!
    results=()
    wait "$first" && results+=(0) || results+=($?)
    wait "$second" && results+=(0) || results+=($?)

    same '0 4' "$(printf '%s\n' "${results[@]}" | sort -n | paste -sd ' ')"
    same $'.lock\nalpha' "$(ls -A .teams)"
  done
  team-fsck
}

@test "lets nobody put a task onto the board between the look at it and the load" {
  command -v strace || skip 'needs strace'
  small_team
  start strace -qq -o trace -e trace=pwrite64 -e inject=pwrite64:delay_enter=300000:when=1 team-load --trust alpha.tar
  wait_until test -e .tasks/.highwatermark  # which is still empty

  run --separate-stderr task-create mine

  as_expected 0 3 ''
  ended 0 alpha ''
  grep -q DELAYED trace
  same 'first second mine' "$(task-list | cut -f6 | xargs)"
  team-fsck
}

# work NAME: changes the team as long as the file `working` is there.
work() {
  local id
  while [ -e working ]; do
    id=$(task-create "by $1" --as "$1") && task-claim "$id" --as "$1" && task-complete "$id" --as "$1"
    team-send lead "done $id" --as "$1"
    head -c 70000 /dev/zero | tr '\0' x | team-send "$1" --as lead
    team-recv --as "$1" --max 1
    plan-approve "$(echo 'a plan' | plan-submit --as "$1")"
  done >/dev/null 2>>errors-of-work
}

# whole_team: the files of the team here are those of one moment.
whole_team() {
  local name
  team-fsck
  gapless
  # The board agrees with the log.
  same "$(task-list --status completed --json | jq .id)" "$(logged TASK_COMPLETED)"
  same "$(task-list --json | jq .id)" "$(logged TASK_CREATED)"
  # No plan is half approved.
  same '' "$(jq 'select(.verdict != null and .status == "pending") | .id' .teams/alpha/requests/*.json)"
  # The contents of all large messages are there.
  for name in backend frontend tester writer; do
    cat .teams/alpha/"$name"_{backlog,inbox,taken}.jsonl 2>/dev/null | jq -r 'select(.body_size) | .id'
  done | sort >large
  same '' "$(comm -23 large <(ls .teams/alpha/bodies | sort))"
}

logged() {
  team-log --json --type "$1" | jq .event.task_id | sort -n
}

@test "a team that is saved while four work on it is whole when it is loaded" {
  export TEAM_EVENTS_ROTATE=20000
  make_team
  team-join writer
  touch working
  for name in backend frontend tester writer; do work "$name" 3>&- & done
  wait_until has_lines .teams/alpha/events.jsonl 40

  for round in {1..12}; do team-save "save-$round.tar" --lock-timeout 20; done

  rm working
  wait
  same '' "$(cat errors-of-work)"
  for round in {1..12}; do
    mkdir "$round"
    team-load -C "$round" "save-$round.tar"
    (cd "$round" && whole_team)
  done
}

# put_aside: rotates the log of the team, as a writer does.
put_aside() {
  local log=.teams/alpha/events.jsonl last
  exec 9<.teams/alpha/events.lock
  flock 9
  last=$(tail -1 "$log" | jq .seq)
  mv "$log" ".teams/alpha/events-$(head -1 "$log" | jq .seq).jsonl"
  echo "{\"seq\":$((last + 1)),\"timestamp\":0,\"agent_id\":\"user\",\"event\":{\"type\":\"X\"}}" >"$log"
  exec 9<&-
}

@test "a log that is put aside while the team is saved has no gap when it is loaded" {
  command -v strace || skip 'needs strace'
  make_team
  # It pauses between reading the rotated logs and the current one.
  start strace -qq -o trace -P events.jsonl -e inject=openat2:delay_enter=300000 team-save alpha.tar

  while kill -0 "$STARTED" 2>/dev/null; do put_aside; done

  ended 0 alpha.tar ''
  grep -q DELAYED trace
  mkdir to
  team-load -C to alpha.tar
  cd to
  gapless
}

@test "the next writer removes the files of a killed team-load" {
  small_team
  mkfifo slow
  exec 8<>slow
  start team-load slow 8<&-
  head -c 2000 alpha.tar >&8
  wait_until compgen -G '.teams/.tmp-*/teamkit.json'
  stop
  same '' "$(team-list)"

  team-create beta

  same $'.lock\nbeta' "$(ls -A .teams)"
}

# points TRACE: "CALL N" for each call of the trace, where N counts the calls of that name.
points() {
  sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' "$1" | awk '{print $1, ++n[$1]}'
}

@test "killed at any call that changes something it leaves no team or the whole, and can be repeated" {
  command -v strace || skip 'needs strace'
  rich_team
  described_before=$(cd from && described)
  mkdir to
  strace -o trace team-load -C to alpha.tar
  points trace | grep -e '^rename' -e '^mkdir' -e '^unlink' -e '^flock' -e '^fchmod' -e '^pwrite' >where
  points trace | grep -e '^write' -e '^openat2' -e '^close' | awk 'NR % 19 == 1' >>where
  [ "$(wc -l <where)" -gt 25 ]

  while read -r call number; do
    rm -rf to
    mkdir to
    status=0
    strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$number" \
      team-load -C to alpha.tar >out 2>&1 3>&- || status=$?
    same "137 $call $number" "$status $call $number"
    [ ! -e to/.teams/alpha ] || expected=4
    [ -e to/.teams/alpha ] || expected=0
    run team-load -C to alpha.tar
    same "$expected $call $number" "$status $call $number"
    same "$described_before" "$(cd to && described)"
    team-fsck -C to
    same '' "$(find to/.teams -name '.tmp-*')"
  done <where
}

@test "refuses an agent" {
  team-create alpha
  team-save alpha.tar
  mkdir elsewhere

  TEAM_MEMBER=bob run --separate-stderr team-load alpha.tar -C elsewhere

  as_expected 7 '' \
    'team-load: permission_denied: bob is an agent (TEAM_MEMBER), and only the user makes teams (teammates.createTeams)'
  [ ! -e elsewhere/.teams ]
}
