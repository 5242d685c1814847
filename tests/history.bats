# Many processes use one store while others disturb them, and a checker judges their answers. The checker must reject
# recorded histories that broke a guarantee. The first test was seen to fail with each of these faults: no lock of the
# board, lock files removed on release, messages acknowledged before they are shown, one name for all temporary files,
# an index that trusts the time of the folder.
load helper

HISTORY=$PROJECT/scripts/torture.d/history
CHECKER=$PROJECT/scripts/torture.d/history_checker.py

# ran NUMBER FROM TO EXIT OUT KEY=VALUE…: adds a command to the log. Numbers are numbers and lists are lists.
ran() {
  local number=$1 from=$2 to=$3 code=$4 out=$5
  shift 5
  mkdir -p logs
  jq -nc --argjson n "$number" --argjson at "$from" '$ARGS.positional | map(capture("^(?<k>[^=]+)=(?<v>.*)$"))
    | map({(.k): (.v as $v | try ($v | fromjson) catch $v)}) | add + {n: $n, at: $at}' --args "$@" >>logs/some.log
  jq -nc --argjson n "$number" --argjson to "$to" --argjson code "$code" --arg out "$out" \
    '{n: $n, end: $to, exit: $code, out: $out, err: ""}' >>logs/some.log
}

# task ID REV STATUS OWNER [METADATA]: as --json prints it.
task() {
  jq -nc --argjson id "$1" --argjson rev "$2" --arg status "$3" --arg owner "$4" --argjson metadata "${5:-{\}}" \
    '{id: $id, rev: $rev, status: $status, owner: (if $owner == "-" then null else $owner end), attempts: ($rev - 1),
      subject: "one", description: "", result: null, priority: 0, metadata: $metadata}'
}

# mail ID FROM NUMBER: a message as it is sent to b and received by it.
mail() {
  jq -nc --arg id "$1" --arg from "$2" --arg text "$2 $3" \
    '{id: $id, type: "message", sender: $from, recipient: "b", content: $text}'
}

# rejected WHAT TEXT: the checker reports this fault and no other.
rejected() {
  run -1 "$CHECKER" logs .

  same "$1" "$(sed -n '$!s/: .*//p' <<<"$output" | sort -u)"
  [[ $output == *"$2"* ]] || same "$2" "$output"
}

accepted() {
  run -0 "$CHECKER" logs .
}

@test "64 processes that are killed, stopped, out of time, without space and edited around keep every promise" {
  run timeout 300 "$HISTORY" --seconds "${HISTORY_SECONDS:-12}" --processes "${HISTORY_PROCESSES:-64}" "$BIN"

  printf '%s\n' "$output"
  same 0 "$status"
  echo "# ${lines[-1]}" >&3
}

@test "a history in which all is well is accepted" {
  task-create one
  task-claim 1 --as a
  ran 1 1 2 0 1 kind=create by=user token=one
  ran 2 3 4 0 "$(task 1 2 in_progress a)"$'\n' kind=claim by=a task=1

  accepted
}

@test "an acknowledged task that is not there is rejected" {
  task-create one
  ran 1 1 2 0 1 kind=create by=user token=one
  ran 2 3 4 0 2 kind=create by=user token=two

  rejected 'false successes' 'task 2 is not two'
}

@test "a task that is there although it was refused is rejected" {
  task-create one
  ran 1 1 2 74 '' kind=create by=user token=one

  rejected 'refused but done' 'one is on the board'
}

@test "half a batch is rejected" {
  task-create one
  ran 1 1 2 -9 '' kind=batch by=user 'tokens=["one","two"]'

  rejected 'lost' '1 of a batch of 2'
}

@test "two owners at the same time are rejected" {
  task-create one
  task-claim 1 --as a
  ran 1 1 2 0 "$(task 1 2 in_progress a)"$'\n' kind=claim by=a task=1
  ran 2 3 4 0 "$(task 1 2 in_progress b)"$'\n' kind=next by=b

  run -1 "$CHECKER" logs .

  [[ $output == *'claimed twice: task 1: '* ]]
  [[ $output == *'lost: rev 2 of task 1 was given twice'* ]]
}

@test "two owners one after the other are accepted, and so is a claim after one that was killed while it gave back" {
  task-create one
  task-claim 1 --as a && task-release 1 --as a && task-claim 1 --as b
  ran 1 1 2 0 "$(task 1 2 in_progress a)"$'\n' kind=claim by=a task=1
  ran 2 3 4 -9 '' kind=release by=a task=1
  ran 3 5 6 0 "$(task 1 4 in_progress b | jq -c '.attempts = 2')"$'\n' kind=claim by=b task=1

  accepted
}

@test "an update that is lost is rejected" {
  task-create one
  task-update 1 --metadata b=1 && task-update 1 --metadata b=2
  ran 1 1 2 0 "$(task 1 2 pending - '{"a":1}' | jq -c '.attempts = 0')"$'\n' kind=update by=a task=1 key=a value=1
  ran 2 3 4 0 "$(task 1 3 pending - '{"b":2}' | jq -c '.attempts = 0')"$'\n' kind=update by=b task=1 key=b value=2

  rejected 'lost' 'has not a=1 any more'
}

@test "an answer older than one that was given before is rejected" {
  task-create one
  task-update 1 --metadata a=1
  ran 1 1 2 0 "$(task 1 2 pending - '{"a":1}' | jq -c '.attempts = 0')"$'\n' kind=update by=a task=1 key=a value=1
  ran 2 3 4 0 "$(task 1 1 pending -)"$'\n' kind=get by=b task=1

  rejected 'out of order' 'had rev 2 before'
}

@test "two clients that set a counter to the same number are rejected" {
  task-create one
  task-update 1 --metadata n=1 && task-update 1 --metadata n=1
  ran 1 1 5 0 "$(task 1 2 pending - '{"n":1}' | jq -c '.attempts = 0')"$'\n' kind=update task=1 key=n value=1 if_rev=1 counts=1
  ran 2 1 5 0 "$(task 1 3 pending - '{"n":1}' | jq -c '.attempts = 0')"$'\n' kind=update task=1 key=n value=1 if_rev=1 counts=1

  rejected 'lost' 'were told that they made counter 1 1'
}

@test "nothing is ready, although a task is, is rejected" {
  task-create one
  ran 1 1 2 0 1 kind=create by=user token=one
  ran 2 3 4 1 '' kind=next by=a

  rejected 'wrong answers' 'task 1 was ready'
}

@test "an edit by hand that a command wrote over is rejected" {
  task-create one
  task-update 1 --metadata a=1
  ran 1 1 2 0 '' kind=edit by=person task=1 mark=1
  ran 2 3 4 0 "$(task 1 2 pending - '{"a":1}')"$'\n' kind=update by=a task=1 key=a value=1

  rejected 'lost' 'edit 1 by hand of task 1 is gone'
}

@test "a message that was sent and never came is rejected" {
  ran 1 1 2 0 "$(mail X1 a 1)"$'\n' kind=send by=a number=1
  ran 2 3 4 1 '' kind=recv by=b reader=b mode=plain life=0

  rejected 'lost' 'message X1 to b'
}

@test "a message that comes again is rejected, unless its reader died" {
  ran 1 1 2 0 "$(mail X1 a 1)"$'\n' kind=send by=a number=1
  ran 2 3 4 -9 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=plain life=0
  ran 3 5 6 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=plain life=0
  accepted
  ran 4 7 8 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=plain life=0

  rejected 'doubled' 'X1 to b'
}

@test "a held message that comes again to the life that holds it is rejected" {
  ran 1 1 2 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=hold life=0
  ran 2 3 4 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=hold life=1
  accepted
  ran 3 5 6 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=hold life=1

  rejected 'doubled' 'is held by the same life'
}

@test "messages of one sender in another order are rejected" {
  ran 1 1 2 0 "$(mail X2 a 2; mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=plain life=0

  rejected 'out of order' 'a 1 came to b after 2'
}

@test "a message that was refused and came is rejected" {
  ran 1 1 2 75 '' kind=send by=a number=1
  ran 2 3 4 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=plain life=0

  rejected 'refused but done' 'a 1 came to b'
}

@test "a request with two answers is rejected" {
  team-create alpha >/dev/null
  team-join a >/dev/null
  plan=$(plan-submit 'my plan' --as a)
  answer=$(plan-approve "$plan" --as lead)
  came=$(jq -nc --arg id "$answer" --arg request "$plan" \
    '{id: $id, type: "plan_approval_response", sender: "lead", recipient: "a", request_id: $request, approve: true}')
  ran 1 1 2 0 "{\"id\":\"$answer\"}"$'\n' kind=answer by=lead request="$plan" approve=true
  ran 2 3 4 0 "$came"$'\n' kind=recv by=a reader=a mode=plain life=0
  accepted
  ran 3 5 6 0 '{"id":"X"}'$'\n' kind=answer by=user request="$plan" approve=false

  rejected 'doubled' "request $plan was answered by"
}

@test "a gap in the events is rejected" {
  team-create alpha >/dev/null
  team-join a >/dev/null
  team-join b >/dev/null
  sed -i 2d .teams/alpha/events.jsonl
  mkdir logs

  rejected 'lost' 'event 2 is missing'
}

@test "a run in which a nemesis hits nothing, or a command never succeeds, fails" {
  run -1 timeout 60 "$HISTORY" --seconds 0.1 --processes 1 --nemesis kill --on . "$BIN"

  [[ ${lines[-2]} == history:*' vacuous' ]]
  [[ ${lines[-2]} != *' 0 vacuous' ]]
}

@test "an inbox that gives less than was sent before is rejected" {
  ran 1 1 2 0 "$(mail X1 a 1; mail X2 a 2)"$'\n' kind=send by=a number=1
  ran 2 3 4 0 "$(mail X1 a 1)"$'\n' kind=recv by=b reader=b mode=plain life=0 all=1
  ran 3 5 6 0 "$(mail X2 a 2)"$'\n' kind=recv by=b reader=b mode=plain life=1 all=1

  rejected 'wrong answers' 'X2 and 0 more did not come'
}

@test "a task of a dead member that nobody frees is rejected, and one that somebody takes before the death" {
  task-create one
  task-claim 1 --as a
  ran 1 1 2 0 "$(task 1 2 in_progress a)"$'\n' kind=claim by=a task=1
  ran 2 5 5 0 '' kind=death by=a
  rejected 'lost' 'task 1 is still with a, who is dead'
  ran 3 3 4 0 "$(task 1 4 in_progress b)"$'\n' kind=next by=b

  run -1 "$CHECKER" logs .

  [[ $output == *'claimed twice: task 1: '* ]]
}
