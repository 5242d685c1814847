#!/bin/bash
# peer.sh VERB … - the same operations in a careful shell script, on the same files, with flock and jq
#
#   claim OWNER   create SUBJECT   complete ID   get ID   list   send TEXT   recv

# replace ID FILTER [OPTION…]: changes the task with jq.
replace() {
  jq "${@:3}" "$2" ".tasks/$1.json" >".tasks/.new-$$" && mv ".tasks/.new-$$" ".tasks/$1.json"
}

# More files than fit into one command line.
each_task() { find .tasks -name '[0-9]*.json' -exec cat {} +; }

claim() {
  local id
  id=$(each_task | jq -rs '
    (map({key: (.id | tostring), value: .status}) | from_entries) as $status
    | map(select(.status == "pending" and .owner == null
        and all(.blockedBy[]; $status[tostring] == "completed")))
    | sort_by(-.priority, .id) | .[0].id // empty')
  [ -n "$id" ] || return
  replace "$id" '.status = "in_progress" | .owner = $owner | .rev += 1' --arg owner "$1"
}

create() {
  local id=$(($(cat .tasks/.last 2>/dev/null || echo 900000) + 1))
  jq -n --argjson id "$id" --arg subject "$1" '{id: $id, subject: $subject, status: "pending", owner: null,
    blockedBy: [], priority: 0, rev: 1}' >".tasks/.new-$$" && mv ".tasks/.new-$$" ".tasks/$id.json" &&
    echo "$id" >.tasks/.last
}

complete() { replace "$1" '.status = "completed" | .rev += 1'; }

get() { jq . ".tasks/$1.json"; }

list() { each_task | jq -c .; }

send() { jq -nc --arg content "$1" '{type: "message", sender: "lead", content: $content}' >>inbox.jsonl; }

recv() { mv inbox.jsonl taken.jsonl && cat taken.jsonl && rm taken.jsonl; }

exec 9>>.tasks/.peer-lock
flock 9
"$@"
