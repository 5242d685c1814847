load helper
load trouble
load mail

# names ARCHIVE: the names in it.
names() {
  tar tf "$1" | sort
}

# content ARCHIVE NAME: one file of it.
content() {
  tar xOf "$1" "$2"
}

@test "writes the whole team into a file that tar reads, and prints its name" {
  make_team
  task-create first
  team-send backend hello --as lead
  echo 'my plan' | plan-submit --as backend
  mkdir -m 700 .teams/alpha/hooks
  touch .teams/alpha/backend_transcript.jsonl .teams/alpha/backend.json .teams/alpha/hooks/task-created

  run --separate-stderr team-save alpha.tar

  as_expected 0 alpha.tar ''
  request=$(ls .teams/alpha/requests)
  same "board/.highwatermark
board/1.json
team/backend.json
team/backend_inbox.jsonl
team/backend_transcript.jsonl
team/config.json
team/events.jsonl
team/hooks/task-created
team/lead_inbox.jsonl
team/requests/$request
teamkit.json" "$(names alpha.tar)"
  for name in config.json backend_inbox.jsonl events.jsonl "requests/$request"; do
    content alpha.tar "team/$name" | cmp - ".teams/alpha/$name"
  done
  content alpha.tar board/1.json | cmp - .tasks/1.json
}

@test "begins with its description" {
  team-create alpha --board boards/alpha

  team-save alpha.tar

  same teamkit.json "$(tar tf alpha.tar | head -1)"
  same '[1,"alpha","boards/alpha"]' "$(content alpha.tar teamkit.json | jq -c '[.format, .team, .board]')"
  same true "$(content alpha.tar teamkit.json | jq '(now - .savedAt) | . >= 0 and . < 60')"
  same "team-save (teamkit) $(content alpha.tar teamkit.json | jq -r .version)" "$(team-save --version)"
}

@test "leaves out locks, caches and temporary files" {
  make_team
  task-create first
  task-claim 1 --as backend
  team-send backend hello --as lead
  mkdir -m 700 .teams/alpha/bodies
  touch .teams/alpha/.tmp-1-0123456789abcdef .teams/alpha/bodies/.tmp-1-0123456789abcdef .tasks/.tmp/.tmp-1-0
  [ -e .tasks/.index ] && [ -e .teams/alpha/.lock ] && [ -e .teams/alpha/events.lock ]

  team-save alpha.tar

  same '' "$(names alpha.tar | grep -e lock -e tmp -e index -e edges || true)"
}

@test "keeps files of the board that are no tasks out, and tasks that were set aside in" {
  team-create alpha
  task-create first
  touch .tasks/notes.txt .tasks/007.json .tasks/2.json.of-batch

  team-save alpha.tar

  same $'board/.highwatermark\nboard/1.json\nboard/2.json.of-batch' "$(names alpha.tar | grep ^board)"
}

@test "keeps a broken task as it is" {
  team-create alpha
  task-create first
  echo '{ "subject": ' >.tasks/1.json

  run --separate-stderr team-save alpha.tar

  as_expected 0 alpha.tar ''
  same '{ "subject": ' "$(content alpha.tar board/1.json)"
}

@test "makes a file that its owner alone can read, whatever the umask" {
  team-create alpha

  (umask 0 && team-save alpha.tar)

  same 600 "$(stat -c %a alpha.tar)"
  same "-rw-------" "$(tar tvf alpha.tar | cut -c1-10 | sort -u)"
}

@test "keeps the execute bit of hooks, and of nothing else" {
  team-create alpha
  mkdir -m 700 .teams/alpha/hooks
  touch .teams/alpha/hooks/{task-created,not-active}
  chmod 755 .teams/alpha/hooks/task-created
  chmod 644 .teams/alpha/hooks/not-active
  chmod 755 .teams/alpha/config.json

  team-save alpha.tar

  same $'-rwx------ team/hooks/task-created' "$(tar tvf alpha.tar | grep '^-rwx' | awk '{print $1, $NF}')"
}

@test "keeps that a member ran, but not the contents of its alive file" {
  make_team
  echo 4711 >.teams/alpha/backend.alive

  team-save alpha.tar

  same team/backend.alive "$(names alpha.tar | grep alive)"
  same '' "$(content alpha.tar team/backend.alive)"
}

@test "keeps only the messages of a backlog that were not taken" {
  make_team
  for i in 1 2 3; do team-send backend "$i" --as lead; done
  team-recv --as backend --max 1
  [ -e .teams/alpha/backend_backlog.pos ]

  team-save alpha.tar

  same '"2" "3"' "$(content alpha.tar team/backend_backlog.jsonl | jq .content | xargs -n2 printf '"%s" "%s"')"
  same '' "$(names alpha.tar | grep pos || true)"
}

@test "has the content of large messages before the messages, so that none that is there has lost it" {
  make_team
  head -c 100000 /dev/zero | tr '\0' x | team-send backend --as lead

  team-save alpha.tar

  same "team/bodies/$(ls .teams/alpha/bodies) team/backend_inbox.jsonl" \
    "$(tar tf alpha.tar | grep -e bodies -e backend_inbox | xargs)"
}

@test "leaves out the end of a log or transcript that is still being written" {
  team-create alpha
  printf '{"seq":2' >>.teams/alpha/events.jsonl
  printf 'one\ntwo\nthr' >.teams/alpha/lead_transcript.jsonl

  team-save alpha.tar

  same 1 "$(content alpha.tar team/events.jsonl | jq .seq)"
  same $'one\ntwo' "$(content alpha.tar team/lead_transcript.jsonl)"
}

@test "moves a decided batch in first" {
  team-create alpha
  task-create first
  mkdir -m 700 .tasks/.batch
  mv .tasks/1.json .tasks/.batch/1.json

  team-save alpha.tar

  same board/1.json "$(names alpha.tar | grep '1\.json')"
}

@test "names entries that it skips because they are neither file nor folder" {
  team-create alpha
  ln -s /etc/passwd .teams/alpha/link
  mkfifo .tasks/7.json
  mkdir .tasks/8.json

  run --separate-stderr team-save alpha.tar

  as_expected 0 alpha.tar "team-save: left out: '.tasks/7.json' is not a regular file
team-save: left out: '.tasks/8.json' is not a regular file
team-save: left out: '.teams/alpha/link' is not a regular file"
  same '' "$(names alpha.tar | grep -e link -e '[78]' || true)"
}

@test "saves the team that -t names" {
  team-create alpha --board a
  team-create beta --board b

  run --separate-stderr team-save x.tar
  as_expected 2 '' 'team-save: usage: which team? there is alpha, beta (-t TEAM)'
  [ ! -e x.tar ]

  run --separate-stderr team-save -t beta x.tar
  as_expected 0 x.tar ''
  same beta "$(content x.tar teamkit.json | jq -r .team)"
}

@test "finds FILE from the current folder, not from the root" {
  mkdir root out
  team-create -C root alpha
  cd out

  run --separate-stderr team-save -C ../root alpha.tar

  as_expected 0 alpha.tar ''
  [ -s alpha.tar ]
}

@test "replaces an older archive" {
  team-create alpha
  echo old >alpha.tar
  chmod 644 alpha.tar

  run --separate-stderr team-save alpha.tar

  as_expected 0 alpha.tar ''
  same 600 "$(stat -c %a alpha.tar)"
  same alpha "$(content alpha.tar teamkit.json | jq -r .team)"
}

@test "replaces the target of a link, and keeps the link" {
  team-create alpha
  mkdir store
  echo old >store/alpha.tar
  ln -s store/alpha.tar latest

  run --separate-stderr team-save latest

  as_expected 0 latest ''
  [ -L latest ]
  same alpha "$(content store/alpha.tar teamkit.json | jq -r .team)"
}

@test "writes to stdout for -, and nothing but the archive" {
  team-create alpha

  team-save - >alpha.tar 2>errors

  same '' "$(cat errors)"
  same $'team/config.json\nteam/events.jsonl\nteamkit.json' "$(names alpha.tar)"
}

@test "refuses to write to a terminal" {
  team-create alpha

  run on_terminal 'team-save -'

  same 'team-save: usage: an archive is not written to a terminal' "$output"
  same 2 "$(on_terminal 'team-save - 2>/dev/null; echo $?')"
}

@test "writes into a fifo, as a shell makes one" {
  team-create alpha

  team-save >(cat >alpha.tar)

  wait_until tar tf alpha.tar
  same alpha "$(content alpha.tar teamkit.json | jq -r .team)"
}

@test "holds no lock while a slow reader takes the archive" {
  make_team
  head -c 1000000 /dev/zero | tr '\0' x | team-send backend --as lead
  mkfifo slow
  exec 8<>slow 7<slow
  start team-save slow 7<&- 8<&-
  wait_until has_open slow  # which takes less than there is: from now on it waits
  exec 8>&-

  run --separate-stderr bash -c 'task-create first --lock-timeout 0.1 && team-join fourth --lock-timeout 0.1 &&
    team-send backend hi --as lead --lock-timeout 0.1'

  same 0 "$status"
  same '' "$stderr"
  cat <&7 >alpha.tar
  exec 7<&-
  ended 0 slow ''
  same '' "$(names alpha.tar | grep board/1.json || true)"
}

# has_open FILE: the started command has opened it.
has_open() {
  find "/proc/$STARTED/fd" -lname "$PWD/$1" 2>/dev/null | grep -q .
}

@test "exits 2 without FILE, with an empty one, and with two" {
  team-create alpha

  run --separate-stderr team-save
  as_expected 2 '' 'team-save: usage: FILE is missing (try team-save --help)'

  run --separate-stderr team-save ''
  as_expected 2 '' 'team-save: usage: the name of the file is empty'

  run --separate-stderr team-save one two
  as_expected 2 '' "team-save: usage: unexpected operand 'two' (try team-save --help)"
  [ ! -e one ]
}

@test "exits 3 where there is no store, no such team, no board or no such folder" {
  run --separate-stderr team-save alpha.tar
  refused 3 'team-save: not_found: no .teams or .tasks here*'

  task-create first
  run --separate-stderr team-save alpha.tar
  as_expected 3 '' "team-save: not_found: no team in '$PWD'; team-create makes one"

  team-create alpha
  run --separate-stderr team-save -t beta alpha.tar
  as_expected 3 '' "team-save: not_found: no team 'beta'; there is alpha"

  run --separate-stderr team-save nowhere/alpha.tar
  as_expected 3 '' "team-save: not_found: no such folder 'nowhere'"

  rm -r .tasks
  run --separate-stderr team-save alpha.tar
  as_expected 3 '' "team-save: not_found: no board '.tasks' in '$PWD'"
  [ ! -e alpha.tar ]
}

@test "exits 7 for a store that anybody can write to" {
  team-create alpha
  chmod o+w .tasks

  run --separate-stderr team-save alpha.tar

  as_expected 7 '' "team-save: permission_denied: '.tasks' is not to be trusted: anybody can write to it"
  [ ! -e alpha.tar ]
}

@test "exits 9 for a team whose configuration is broken" {
  team-create alpha
  echo '{' >.teams/alpha/config.json

  run --separate-stderr team-save alpha.tar

  refused 9 'team-save: corrupt: .teams/alpha/config.json:2:1: *'
  [ ! -e alpha.tar ]
}

@test "exits 74 for a folder" {
  team-create alpha
  mkdir folder

  run --separate-stderr team-save folder
  as_expected 74 '' "team-save: io: cannot write 'folder': Is a directory"

  run --separate-stderr team-save new/
  as_expected 74 '' "team-save: io: cannot write 'new/': Is a directory"
}

@test "exits 74 on a full disk and leaves the older archive and no litter" {
  team-create alpha
  head -c 100000 /dev/zero | tr '\0' x | team-send lead
  small_disk
  echo old >alpha.tar

  run --separate-stderr team-save -C .. alpha.tar

  refused 74 "team-save: io: cannot write 'alpha.tar': No space left on device"
  same alpha.tar "$(ls -A)"
  same old "$(cat alpha.tar)"
}

@test "exits 74 in a folder that is read-only" {
  team-create alpha
  mkdir out
  read_only out

  run --separate-stderr team-save out/alpha.tar

  refused 74 "team-save: io: cannot write in 'out': *"
}

@test "exits 74 when the reader of the archive leaves" {
  team-create alpha
  head -c 1000000 /dev/zero | tr '\0' x | team-send lead

  run --separate-stderr bash -c 'team-save - | head -c 10 >/dev/null; exit "${PIPESTATUS[0]}"'

  as_expected 74 '' 'team-save: io: the archive was not read to its end'
}

@test "exits 74 when stdout is full" {
  team-create alpha

  run --separate-stderr bash -c 'team-save - >/dev/full'

  as_expected 74 '' 'team-save: io: cannot write to stdout: No space left on device'
}

@test "exits 74 when there is no folder for temporary data" {
  team-create alpha

  TMPDIR=$PWD/nowhere run --separate-stderr team-save -

  as_expected 74 '' "team-save: io: no folder '$PWD/nowhere' for temporary files (TMPDIR)"
}

@test "exits 75 and names the lock that was not had in time" {
  make_team
  team-send backend hello --as lead
  for lock in .teams/alpha/.lock .tasks/.lock .teams/alpha/backend_inbox.lock .teams/alpha/events.lock; do
    hold "$lock"

    run --separate-stderr team-save alpha.tar --lock-timeout 0.05

    let_go
    refused 75 "team-save: again: cannot lock '$lock': pid * holds it; waited 0.05 s"
  done
  [ ! -e alpha.tar ]
}

@test "exits 76 when the archive is made and its name cannot be printed" {
  team-create alpha

  run --separate-stderr bash -c 'team-save alpha.tar >/dev/full'

  as_expected 76 '' 'team-save: unknown: the change is made, but cannot write to stdout: No space left on device'
  same alpha "$(content alpha.tar teamkit.json | jq -r .team)"
}

@test "saves a store that is read-only, and that nobody ever locked" {
  mkdir root
  team-create -C root alpha
  task-create -C root first
  rm root/.tasks/.lock root/.teams/alpha/*lock
  read_only root

  run --separate-stderr team-save -C root alpha.tar

  as_expected 0 alpha.tar ''
  same board/1.json "$(names alpha.tar | grep 1.json)"
}

@test "changes nothing in the team and writes no event" {
  make_team
  task-create first
  team-send backend hello --as lead
  find .teams .tasks -type f ! -name '*lock' -exec md5sum {} + | sort >before

  team-save alpha.tar

  find .teams .tasks -type f ! -name '*lock' -exec md5sum {} + | sort | cmp before -
}

@test "puts the archive on the disk before it has its name" {
  command -v strace || skip 'needs strace'
  team-create alpha

  TEAM_DURABILITY=power strace -o trace -e trace=fsync,rename,renameat,renameat2,linkat team-save alpha.tar

  same 'linkat fsync renameat fsync' "$(grep -o '^[a-z0-9]*(' trace | tr -d '(' | xargs)"
}

@test "removes temporary files of a killed team-save beside FILE, and no file of the user" {
  team-create alpha
  mkdir .tmp-cafe .tmp-cafe-0123456789abcdef
  dead=$(printf '%x' "$(bash -c 'echo $$')")
  touch ".tmp-$dead-0123456789abcdef" ".tmp-$dead" ".tmp-$dead-0123456789abcdeg" ".tmp-$dead-notes-0123456789abcdef"

  team-save alpha.tar

  printf '%s\n' ".tmp-$dead" ".tmp-$dead-0123456789abcdeg" ".tmp-$dead-notes-0123456789abcdef" .tmp-cafe \
    .tmp-cafe-0123456789abcdef | sort >expected
  same "$(cat expected)" "$(printf '%s\n' .tmp-* | sort)"
}

@test "killed at any call it leaves the older archive or the new one whole, and nothing that stays" {
  command -v strace || skip 'needs strace'
  make_team
  task-create first
  team-send backend hello --as lead
  mkdir out
  team-save out/alpha.tar
  names out/alpha.tar >expected
  strace -o trace team-save out/alpha.tar
  sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' trace | awk '{print $1, ++n[$1]}' >points
  grep -e '^rename' -e '^link' -e '^unlink' -e '^flock' points >where
  grep -vx -f where points | grep -v '^exec' | awk 'NR % 7 == 1' >>where
  [ "$(wc -l <where)" -gt 20 ]

  while read -r call number; do
    echo old >out/alpha.tar
    status=0
    strace -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$number" \
      team-save out/alpha.tar >/dev/null 2>&1 3>&- || status=$?
    same "137 $call $number" "$status $call $number"
    [ "$(cat out/alpha.tar)" == old ] || names out/alpha.tar | cmp - expected
    team-save out/alpha.tar
    names out/alpha.tar | cmp - expected
    same alpha.tar "$(ls -A out)"
  done <where
}
