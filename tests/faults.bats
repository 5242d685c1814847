# Faults of the system, and changes by others, in the middle of a change.
load helper
load trouble

# leave_room BYTES: fills the disk except for so many bytes.
leave_room() {
  fill_disk
  truncate -s "-$1" full
}

@test "a task that only half fits on the disk is not made" {
  small_disk
  task-create 'first'
  leave_room 12288  # two pages more than the index may need

  run --separate-stderr task-create 'second' --description "$(head -c 24000 /dev/zero | tr '\0' x)"

  refused 74 'task-create: io: *: No space left on device'
  same 1.json "$(ls .tasks)"
  same '' "$(ls -A .tasks/.tmp)"
}

about_to_swap() {
  grep -q '^renameat2(' trace
}

@test "an edit by hand in the last moment before a change is kept, and so is the change" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  task-create 'first'
  jq '.subject = "edited"' .tasks/1.json >edited

  strace -qqo trace -e trace=renameat2 -e inject=renameat2:delay_enter=2000000:when=1 \
    task-update 1 --description 'changed' >out 3>&- &
  writer=$!
  wait_until about_to_swap
  mv edited .tasks/1.json
  wait "$writer"

  same 'edited changed' "$(field 1 subject) $(field 1 description)"
  (($(wc -l <trace) > 1))  # there and back, and again
}

# whichever CALL ERROR COMMAND…: runs COMMAND with the first, the second, … of these system calls failing, until it
# succeeds. It calls `prepare` before each run, and `unchanged` must be true if the command reported that nothing
# changed.
whichever() {
  local call=$1 error=$2 k code
  shift 2
  for ((k = 1; k < 100; k++)); do
    prepare >/dev/null
    code=0
    strace -qqo trace -e "inject=$call:error=$error:when=$k+" "$@" >out 2>err || code=$?
    grep -q INJECTED trace || return 0
    if ((code == 74)) && ! unchanged; then
      echo "at $call $k of $*: $(cat err)" >>false_refusals
    fi
  done
  return 1
}

prepare() {
  rm -rf .teams .tasks
  team-create alpha
  team-join backend
}

config_of() {
  jq -cS 'del(.createdAt, .members[].joinedAt)' .teams/alpha/config.json
}

unchanged() {
  [ "$(config_of)" == "$before" ] && [ ! -e .teams/beta ] && [ -z "$(ls .teams/alpha/requests 2>/dev/null)" ]
}

@test "a command that says that nothing changed has changed nothing, whichever file cannot be opened" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  prepare
  before=$(config_of)

  whichever openat2 EIO team-config digest.width 99 -t alpha
  whichever openat2 EIO team-join frontend -t alpha
  whichever openat2 EIO team-leave backend -t alpha
  whichever openat2 EIO team-create beta
  whichever openat2 EIO plan-submit 'in two steps' --as backend -t alpha

  [ ! -e false_refusals ] || same '' "$(cat false_refusals)"
}

@test "a message that cannot be synced and not be taken back is neither sent nor not sent: exit 76" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  prepare
  export TEAM_DURABILITY=power

  run --separate-stderr strace -qqo trace -e inject=fdatasync:error=EIO:when=1+ \
    -e inject=ftruncate:error=EIO:when=1+ team-send backend hello
  refused 76 'team-send: unknown: *Input/output error'

  # The messages of an agent are counted first.
  TEAM_RUN_ID=run run --separate-stderr strace -qqo trace -e inject=fdatasync:error=EIO:when=2+ \
    -e inject=ftruncate:error=EIO:when=1+ team-send backend hello --as lead
  refused 76 'team-send: unknown: *Input/output error'
}

# letter NUMBER…: lines of an inbox.
letter() {
  local number
  for number; do
    printf '{"id":"01JD0V8Z7Q4M3N2B1A0F9E8D%02d","type":"message","sender":"lead","recipient":"backend",' "$number"
    printf '"content":"%s","summary":"","timestamp":1700000000}\n' "$number"
  done
}

@test "messages taken by several dead readers are shown and delivered again, each once and in order" {
  prepare
  cd .teams/alpha
  letter 1 2 >backend_taken.jsonl
  letter 3 4 >backend_taken-2.jsonl
  letter 4 5 >backend_taken-3.jsonl
  touch -d '@1700000000' backend_taken*.jsonl # nothing tells who was first: then by their numbers
  letter 5 6 >backend_backlog.jsonl
  letter 7 >backend_inbox.jsonl

  same "$(seq 7)" "$(team-recv --as backend --peek | cut -f 4)"
  same "$(seq 7)" "$(team-recv --as backend | cut -f 4)"

  same '' "$(ls backend_taken* 2>/dev/null)"
}

@test "the id of a task that was deleted is not given again, also if the index is gone and a writer died" {
  task-create 'first' >/dev/null
  for i in 2 3 4; do
    same "$i" "$(task-create 'another')"
    task-delete "$i"
    rm -f .tasks/.index
  done

  strace -qqo trace -e inject=renameat2:signal=KILL:when=1 task-create 'killed' >/dev/null 2>&1 || true

  (($(task-create 'last') > 4))
}

@test "a call that a signal interrupts is made again" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  ! is_sanitized || skip 'what loads a program that is not static gives up'
  export TEAM_DURABILITY=power
  task-create 'first'

  for call in openat2 read write fdatasync fsync; do
    for ((k = 1; k < 100; k++)); do
      strace -qqo trace -e "inject=$call:error=EINTR:when=$k" task-update 1 --priority $((k % 2)) >out 2>err ||
        same '' "$call $k: $(cat err)"
      grep -q INJECTED trace || break
    done
    ((k > 1))
  done
}

@test "a hold that a cut of power left empty holds nothing: the messages come again" {
  prepare
  team-send backend 'held' --as lead >/dev/null
  team-recv --as backend --hold >/dev/null
  : >.teams/alpha/backend_taken.jsonl.hold

  run --separate-stderr team-recv --as backend

  same 0 "$status"
  same 'held' "$(cut -f 4 <<<"$output")"
}

@test "a change whose old file cannot be removed is made, logged, and swept later" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  team-create alpha
  task-create 'first'
  task-claim 1 --as ann

  run --separate-stderr strace -qqo trace -e inject=unlinkat:error=EIO:when=1+ task-complete 1 --as ann

  as_expected 0 '' ''
  same completed "$(field 1 status)"
  same TASK_COMPLETED "$(team-log --json | tail -n 1 | jq -r .event.type)"
  task-create 'second'
  same '' "$(ls -A .tasks/.tmp)"
}

@test "an old file that cannot be removed is swept later, also if the same command changes another task" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  team-create alpha
  team-config tasks.lease 10ms
  task-create 'first'
  task-claim 1 --as ann
  team-config tasks.lease 10m
  wait_until lease_is_over 1

  strace -qqo trace -e inject=unlinkat:error=EIO:when=1 task-claim 1 --as bob

  same bob "$(field 1 owner)"
  task-create 'second'
  same '' "$(ls -A .tasks/.tmp)"
}

@test "a message that was sent is no failure because the life of its reader cannot be told" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  team-create alpha
  team-join bob
  touch .teams/alpha/bob.alive

  run --separate-stderr strace -qqo trace -P "$PWD/.teams/alpha/bob.alive" -P .teams/alpha/bob.alive -P bob.alive \
    -e inject=openat2,openat:error=EMFILE team-send bob hello

  same 0 "$status"
  grep -q EMFILE trace
  same hello "$(team-recv --as bob --json | jq -r .content)"
}

@test "messages that were acknowledged are not said to be unchanged because hooks cannot be looked for" {
  strace -qqo trace true 2>/dev/null || skip 'cannot trace here'
  team-create alpha
  team-join bob
  team-send bob hello
  id=$(team-recv --as bob --hold --json | jq -r .id)

  run --separate-stderr strace -qqo trace -P hooks -e inject=newfstatat:error=EIO team-ack "$id" --as bob

  same 76 "$status"
}
