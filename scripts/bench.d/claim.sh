#!/bin/bash
# claim.sh OWNER - what a careful person writes instead: take the next ready task of .tasks with flock and jq
exec 9>>.tasks/.claim-lock
flock 9
id=$(jq -rs '
  (map({key: (.id | tostring), value: .status}) | from_entries) as $status
  | map(select(.status == "pending" and .owner == null
      and all(.blockedBy[]; $status[tostring] == "completed")))
  | sort_by(-.priority, .id) | .[0].id // empty' .tasks/*.json)
[ -n "$id" ] || exit 1
jq --arg owner "$1" '.status = "in_progress" | .owner = $owner | .rev += 1' ".tasks/$id.json" >".tasks/.claim-$$" &&
  mv ".tasks/.claim-$$" ".tasks/$id.json"
