# Many processes at once. Two things guard a task: the lock of the board, and the swap, which succeeds only if the file
# is still the one that was read. With both removed these tests were seen to fail.
load helper

# together N COMMAND…: runs COMMAND N times at once, with the number of the run as its last argument, and waits for all.
# They start together: each waits at a gate that opens when the last one is there.
together() {
  local count=$1 i
  shift
  exec 8>gate
  flock 8
  for ((i = 1; i <= count; i++)); do
    { flock -s gate true; "$@" "$i"; } 8>&- &
  done
  flock -u 8
  exec 8>&-
  wait
}

# Slow builds (sanitizers, coverage) wait longer for a lock.
PATIENTLY=(--lock-timeout "${TEAMKIT_PATIENCE:-5}")

batch() {
  local i
  for ((i = 1; i <= $1; i++)); do echo "{\"subject\":\"task $i\"}"; done | task-create - >/dev/null
}

claim_until_none() {
  local task code=0
  while true; do
    task=$(task-claim --next --as "worker-$1" "${PATIENTLY[@]}" 2>>"errors-$1") || { code=$?; break; }
    echo "${task%%$'\t'*}" >>"claimed-$1"
    task-complete "${task%%$'\t'*}" --as "worker-$1" "${PATIENTLY[@]}" >/dev/null 2>>"errors-$1"
  done
  [ "$code" -eq 1 ] || echo "status $code" >>"errors-$1"
}

@test "of 32 processes that claim 500 tasks each task has one winner and none is left" {
  batch 500

  together 32 claim_until_none

  same "$(seq 500)" "$(cat claimed-* | sort -n)"
  same '' "$(cat errors-* | grep -v ': no: nothing is ready$' || true)"
  same 500 "$(task-list --status completed | wc -l)"
  team-fsck
}

claim_one() {
  local code=0
  task-claim 1 --as "worker-$1" "${PATIENTLY[@]}" >"out-$1" 2>/dev/null || code=$?
  echo "$code" >>codes
}

@test "of 32 processes that claim one task one wins and the others get conflict" {
  export TEAM_DURABILITY=power  # the disk makes the window wide
  task-create 'wanted'

  together 32 claim_one

  same '1 0 31 4 ' "$(sort codes | uniq -c | tr -s ' \n' ' ' | sed 's/^ //')"
  same "$(field 1 owner)" "$(cut -f3 out-*)"
}

create_125() {
  local i
  for ((i = 1; i <= 125; i++)); do task-create "from $1: $i" >>"made-$1"; done
}

@test "8 processes that create 1000 tasks make 1000 files with the ids 1 to 1000" {
  together 8 create_125

  same "$(seq 1000)" "$(cat made-* | sort -n)"
  same "$(seq 1000)" "$(ls .tasks | sed 's/.json$//' | sort -n)"
  team-fsck
}

add_key() {
  task-update 1 --metadata "key$1=$1" "${PATIENTLY[@]}" >/dev/null || echo "failed $1" >>errors
}

@test "200 concurrent updates that each add a metadata key all take effect" {
  task-create 'busy'

  together 200 add_key

  [ ! -e errors ]
  same "$(seq 200)" "$(jq -r '.metadata[]' .tasks/1.json | sort -n)"
  same 201 "$(field 1 rev)"
}

complete() {
  task-complete "$1" --as "worker-$1" >>"freed-$1"
}

@test "40 tasks whose 8 blockers complete at the same moment are all free, and each is announced once" {
  batch 8
  for i in {1..40}; do echo '{"subject":"waits","blockedBy":[1,2,3,4,5,6,7,8]}'; done | task-create - >/dev/null
  for i in {1..8}; do task-claim "$i" --as "worker-$i" >/dev/null; done

  together 8 complete

  same "$(seq 9 48)" "$(task-list --ready | cut -f1)"
  same "$(seq 9 48)" "$(cat freed-* | cut -f1 | sort -n)"
}

close_half() {
  local from=$1 to=$((3 - $1)) code=0
  task-update "$from" --add-blocked-by "$to" >/dev/null 2>>errors || code=$?
  echo "$code" >>codes
}

@test "of two commands that together close a cycle one is refused, always" {
  export TEAM_DURABILITY=power
  for round in {1..40}; do
    rm -rf .tasks codes errors
    batch 2

    together 2 close_half

    same '0 8' "$(sort codes | paste -sd ' ')"
    team-fsck
  done
}

hold_and_release() {
  local i
  for ((i = 0; i < 20; i++)); do
    task-claim 1 --as "worker-$1" >/dev/null 2>&1 || continue
    echo in >>"$1.log"
    # No other process may hold it now.
    [ "$(field 1 owner)" == "worker-$1" ] || echo "stolen from $1" >>errors
    task-release 1 --as "worker-$1" >/dev/null || echo "lost by $1" >>errors
  done
}

@test "a task that is claimed and released by 8 processes is never held by two" {
  export TEAM_DURABILITY=power
  task-create 'ball'

  together 8 hold_and_release

  [ ! -e errors ]
  same "$(cat ./*.log | wc -l)" "$(field 1 attempts)"
}

@test "reading never waits for a writer and always sees a whole task" {
  task-create 'moving'
  ( for ((i = 0; i < 150; i++)); do task-update 1 --description "$(printf '%4000d' "$i")" >/dev/null; done ) &
  writer=$!

  while kill -0 "$writer" 2>/dev/null; do
    task-get 1 --json | jq -e '.subject == "moving"' >/dev/null || echo torn >>errors
  done

  wait "$writer"
  [ ! -e errors ]
}

@test "another program sees each file complete, and an open file does not change" {
  task-create 'first'
  task-create 'second'
  exec 8<.tasks/1.json
  before=$(cat .tasks/1.json)
  ( for ((i = 0; i < 150; i++)); do
      task-update $((i % 2 + 1)) --description "$(printf '%*d' "$((RANDOM % 4000))" "$i")" >/dev/null
    done ) &
  writer=$!

  while kill -0 "$writer" 2>/dev/null; do
    for id in 1 2; do jq -e ".id == $id" ".tasks/$id.json" >/dev/null || echo torn >>errors; done
  done

  wait "$writer"
  [ ! -e errors ]
  same "$before" "$(cat <&8)"
}
