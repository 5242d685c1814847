load helper
load trouble

@test "changes only the fields that are given and prints the task" {
  task-create 'first' --description 'old' --role dev

  run --separate-stderr task-update 1 --subject 'other' --priority 1

  as_expected 0 $'1\tpending\t-\t1\t-\tother' ''
  same '["other","old","dev",1,2]' "$(jq -c '[.subject, .description, .role, .priority, .rev]' .tasks/1.json)"
}

@test "changes every field" {
  task-create 'first'

  run --separate-stderr task-update 1 --subject s --description d --active-form a --owner backend --priority 2 --role dev \
    --deliverable out/x

  as_expected 0 $'1\tpending\tbackend\t2\t-\ts' ''
  same '["s","d","a","backend",2,"dev","out/x"]' \
    "$(jq -c '[.subject, .description, .activeForm, .owner, .priority, .role, .deliverable]' .tasks/1.json)"
}

@test "clears owner, role and deliverable with an empty value" {
  task-create 'first' --owner backend --role dev --deliverable out/x

  run --separate-stderr task-update 1 --owner '' --role '' --deliverable ''

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same '[null,null,null]' "$(jq -c '[.owner, .role, .deliverable]' .tasks/1.json)"
}

@test "prints the task with --json, including the computed keys" {
  task-create 'first'
  task-create 'second'
  task-create 'third' --blocked-by 2

  run --separate-stderr task-update 2 --add-blocked-by 1 --json

  same 0 "$status"
  same '' "$stderr"
  same '[2,[3],true,[1]]' "$(jq -c '[.id, .blocks, .blocked, .openBlockers]' <<<"$output")"
}

@test "prints the open blockers in the record" {
  task-create 'first'
  task-create 'second'

  run --separate-stderr task-update 2 --add-blocked-by 1

  as_expected 0 $'2\tpending\t-\t0\t1\tsecond' ''
}

@test "counts rev and notes the time at every change" {
  task-create 'first'
  before=$(field 1 updatedAt)

  task-update 1 --subject 'second'
  task-update 1 --subject 'third'

  same 3 "$(field 1 rev)"
  same true "$(jq ".updatedAt > $before and .createdAt <= $before" .tasks/1.json)"
}

@test "loses no change when many update at once" {
  task-create 'first'

  seq 20 | xargs -P 8 -I{} task-update 1 --metadata key-{}={} >records

  same 20 "$(jq '.metadata | length' .tasks/1.json)"
  same 21 "$(field 1 rev)"
}

@test "sets metadata to JSON where it is JSON and to text elsewhere" {
  task-create 'first'

  run --separate-stderr task-update 1 --metadata number=1 --metadata 'text=a=b c' --metadata 'deep={"x":[true,null]}' \
    --metadata empty=

  same 0 "$status"
  same '{"number":1,"text":"a=b c","deep":{"x":[true,null]},"empty":""}' "$(jq -c .metadata .tasks/1.json)"
}

@test "removes a key of the metadata by its name alone" {
  task-create 'first'
  task-update 1 --metadata a=1 --metadata b=2

  run --separate-stderr task-update 1 --metadata a --metadata missing

  same 0 "$status"
  same '{"b":2}' "$(jq -c .metadata .tasks/1.json)"
}

@test "adds and removes blockers" {
  for _ in 1 2 3 4; do task-create 'task'; done
  task-update 4 --add-blocked-by 1,2

  run --separate-stderr task-update 4 --remove-blocked-by 1 --add-blocked-by 3 --add-blocked-by 2

  same 0 "$status"
  same 2,3 "$(field 4 blockedBy)"
}

@test "frees a task by removing its last open blocker" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as frontend

  task-update 2 --remove-blocked-by 1
  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'2\tin_progress\tbackend\t0\t-\tsecond' ''
}

@test "blocks a ready task by adding a blocker" {
  task-create 'first'
  task-create 'second' --priority 2
  task-update 2 --add-blocked-by 1

  run --separate-stderr task-claim --next --as backend

  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tfirst' ''
}

@test "claims with --status in_progress" {
  task-create 'first'

  run --separate-stderr task-update 1 --status in_progress --as backend

  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tfirst' ''
  same 1 "$(field 1 attempts)"
}

@test "completes with --status completed and keeps the result" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-update 1 --status completed --result '14 endpoints' --as backend

  as_expected 0 $'1\tcompleted\tbackend\t0\t-\tfirst' ''
  same '14 endpoints' "$(field 1 result)"
}

@test "fails with --status failed and keeps the reason" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-update 1 --status failed --reason 'no database' --as backend

  as_expected 0 $'1\tfailed\tbackend\t0\t-\tfirst' ''
  same 'no database' "$(field 1 error)"
}

@test "releases with --status pending" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-update 1 --status pending --as backend

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
}

@test "reopens a failed task for the lead" {
  task-create 'first'
  task-claim 1 --as backend
  task-fail 1 --as backend

  run --separate-stderr task-update 1 --status pending --as lead

  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''
  same '[null,null,null,1]' "$(jq -c '[.error, .completedAt, .claimedAt, .attempts]' .tasks/1.json)"
}

# Changes of the status that are not allowed.
@test "exits 8 for every other move" {
  task-create 'pending'
  task-create 'completed'
  task-create 'failed'
  task-claim 2
  task-complete 2
  task-claim 3
  task-fail 3

  for move in 1:pending 1:completed 1:failed 2:pending 2:in_progress 2:completed 2:failed 3:in_progress 3:completed 3:failed; do
    run --separate-stderr task-update "${move%:*}" --status "${move#*:}"
    refused 8 "task-update: invalid_state: task ${move%:*} is *"
  done

  same $'pending\ncompleted\nfailed' "$(task-list | cut -f 2)"
}

@test "exits 8 for a dependency on itself or one that closes a cycle" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third' --blocked-by 2

  run --separate-stderr task-update 1 --add-blocked-by 1
  as_expected 8 '' 'task-update: invalid_state: task 1 cannot wait for itself'

  run --separate-stderr task-update 1 --add-blocked-by 3
  as_expected 8 '' 'task-update: invalid_state: task 1 cannot wait for 3, which waits for 1'

  same '' "$(field 1 blockedBy)"
}

@test "lets only one of two close a cycle between them" {
  task-create 'first'
  task-create 'second'

  printf '%s\n' '1 2' '2 1' | xargs -P 2 -L 1 sh -c 'task-update "$0" --add-blocked-by "$1" || true' >records 2>refusals

  same 1 "$(wc -l <records)"
  like 'task-update: invalid_state: task * cannot wait for *' "$(cat refusals)"
}

@test "exits 8 for a new owner of a task that is not pending" {
  task-create 'first'
  task-claim 1 --as backend

  run --separate-stderr task-update 1 --owner frontend --as lead

  as_expected 8 '' 'task-update: invalid_state: task 1 is in_progress: only a pending one can be assigned'
}

@test "exits 8 and changes nothing if the deliverable does not exist at completion" {
  task-create 'first' --deliverable out.md
  task-claim 1

  run --separate-stderr task-update 1 --status completed --subject 'other'

  as_expected 8 '' "task-update: invalid_state: task 1 has no deliverable 'out.md'"
  same 'in_progress first' "$(field 1 status) $(field 1 subject)"
}

@test "exits 2 without an id, for bad values and unknown options, and changes nothing" {
  task-create 'first'

  run --separate-stderr task-update --subject x
  as_expected 2 '' 'task-update: usage: ID is missing (try task-update --help)'

  run --separate-stderr task-update x --subject x
  as_expected 2 '' "task-update: usage: ID: 'x' is not a task id"

  run --separate-stderr task-update 1 --bogus
  as_expected 2 '' "task-update: usage: unknown option '--bogus' (try task-update --help)"

  run --separate-stderr task-update 1 --status 'done'
  as_expected 2 '' "task-update: usage: --status: 'done' is not pending, in_progress, completed or failed"

  run --separate-stderr task-update 1 --priority 3
  as_expected 2 '' 'task-update: usage: priority 3 is not 0 (normal), 1 (high) or 2 (critical)'

  run --separate-stderr task-update 1 --priority -1
  as_expected 2 '' "task-update: usage: --priority: '-1' is not a whole number"

  run --separate-stderr task-update 1 --subject ' '
  as_expected 2 '' 'task-update: usage: the subject is empty'

  run --separate-stderr task-update 1 --owner 'two words'
  as_expected 2 '' "task-update: usage: owner 'two words' is not a name"

  run --separate-stderr task-update 1 --deliverable ../x
  as_expected 2 '' "task-update: usage: deliverable '../x' is not a path beneath the root"

  run --separate-stderr task-update 1 --metadata =1
  as_expected 2 '' "task-update: usage: --metadata: '=1' has no key"

  run --separate-stderr task-update 1 --add-blocked-by x
  as_expected 2 '' "task-update: usage: --add-blocked-by: 'x' is not a task id"

  run --separate-stderr task-update 1 --if-rev x
  as_expected 2 '' "task-update: usage: --if-rev: 'x' is not a whole number"

  run --separate-stderr task-update 1 --subject a --subject b
  refused 2 'task-update: usage: --subject is given twice'

  same 1 "$(field 1 rev)"
}

@test "takes braces and brackets of a value as they stand" {
  task-create 'first'

  task-update 1 --subject '{}' --description='[a,b]'

  same '{}' "$(field 1 subject)"
  same '[a,b]' "$(field 1 description)"
}

@test "exits 3 for a task or a blocker that does not exist" {
  task-create 'first'

  run --separate-stderr task-update 2 --subject x
  as_expected 3 '' 'task-update: not_found: no task 2'

  run --separate-stderr task-update 1 --add-blocked-by 7
  as_expected 3 '' 'task-update: not_found: no task 7 to be blocked by'

  run --separate-stderr task-update 1 --remove-blocked-by 7
  as_expected 3 '' 'task-update: not_found: task 1 is not blocked by 7'

  same 1 "$(field 1 rev)"
}

@test "changes a task only at the rev that --if-rev names" {
  task-create 'first'
  task-update 1 --subject 'second'

  run --separate-stderr task-update 1 --subject 'third' --if-rev 1
  as_expected 4 '' 'task-update: conflict: task 1 is at rev 2, not 1'
  same second "$(field 1 subject)"

  run --separate-stderr task-update 1 --subject 'third' --if-rev 2
  as_expected 0 $'1\tpending\t-\t0\t-\tthird' ''
}

@test "lets one of many change a rev" {
  task-create 'first'

  seq 12 | xargs -P 8 -I{} sh -c 'task-update 1 --subject by-{} --if-rev 1 || true' >records 2>refusals

  same 1 "$(wc -l <records)"
  same 11 "$(grep -c 'conflict: task 1 is at rev 2, not 1' refusals)"
}

@test "exits 4 for a write by the same name from another run" {
  task-create 'first'
  TEAM_RUN_ID=old task-claim 1 --as backend

  TEAM_RUN_ID=new run --separate-stderr task-update 1 --subject 'other' --as backend
  as_expected 4 '' 'task-update: conflict: task 1 was claimed by another run of backend'

  run --separate-stderr task-update 1 --subject 'other' --as backend
  as_expected 4 '' 'task-update: conflict: task 1 was claimed by another run of backend'

  TEAM_RUN_ID=old run --separate-stderr task-update 1 --subject 'other' --as backend
  as_expected 0 $'1\tin_progress\tbackend\t0\t-\tother' ''
}

@test "exits 4 for a claim of a task that another has" {
  task-create 'first'
  task-claim 1 --as frontend

  run --separate-stderr task-update 1 --status in_progress --as backend

  as_expected 4 '' 'task-update: conflict: task 1 is owned by frontend'
}

@test "exits 5 for a claim of a blocked task, also if it blocks it itself" {
  task-create 'first'
  task-create 'second' --blocked-by 1
  task-create 'third'

  run --separate-stderr task-update 2 --status in_progress --as backend
  as_expected 5 '' 'task-update: blocked: task 2 waits for 1'

  run --separate-stderr task-update 3 --status in_progress --add-blocked-by 1 --as backend
  as_expected 5 '' 'task-update: blocked: task 3 waits for 1'
  same '' "$(field 3 blockedBy)"
}

@test "exits 6 for a claim by a member that holds another task" {
  task-create 'first'
  task-create 'second'
  task-claim 1 --as backend

  run --separate-stderr task-update 2 --status in_progress --as backend

  as_expected 6 '' 'task-update: busy: backend holds task 1; finish or release it first'
}

@test "lets only the owner or the lead complete, fail or release" {
  task-create 'first'
  task-claim 1 --as backend

  for move in completed:complete failed:fail pending:release; do
    run --separate-stderr task-update 1 --status "${move%:*}" --as frontend
    as_expected 7 '' "task-update: permission_denied: only its owner backend or the lead may ${move#*:} task 1"
  done

  same in_progress "$(field 1 status)"
}

@test "lets only the lead reopen" {
  task-create 'first'
  task-claim 1 --as backend
  task-fail 1 --as backend

  run --separate-stderr task-update 1 --status pending --as backend

  as_expected 7 '' 'task-update: permission_denied: only the lead may reopen task 1'
}

@test "lets members assign tasks to themselves, and only the lead to others" {
  task-create 'first'
  task-create 'second' --owner frontend

  run --separate-stderr task-update 1 --owner backend --as backend
  as_expected 0 $'1\tpending\tbackend\t0\t-\tfirst' ''

  run --separate-stderr task-update 1 --owner '' --as backend
  as_expected 0 $'1\tpending\t-\t0\t-\tfirst' ''

  run --separate-stderr task-update 1 --owner frontend --as backend
  as_expected 7 '' 'task-update: permission_denied: only the lead assigns tasks to others'

  run --separate-stderr task-update 2 --owner backend --as backend
  as_expected 7 '' 'task-update: permission_denied: only the lead assigns tasks to others'

  run --separate-stderr task-update 2 --owner backend --as lead
  as_expected 0 $'2\tpending\tbackend\t0\t-\tsecond' ''
}

@test "knows the lead of the team by the name it chose" {
  team-create alpha --lead chief
  task-create 'first' --owner frontend

  run --separate-stderr task-update 1 --owner backend --as lead
  as_expected 7 '' 'task-update: permission_denied: only the lead assigns tasks to others'

  run --separate-stderr task-update 1 --owner backend --as chief
  as_expected 0 $'1\tpending\tbackend\t0\t-\tfirst' ''
}

@test "renews the lease of the owner" {
  team-create alpha
  team-config tasks.lease 60
  task-create 'first'
  task-claim 1 --as backend
  before=$(jq .lease.until .tasks/1.json)

  task-update 1 --description 'half way' --as backend

  same true "$(jq ".lease.until > $before" .tasks/1.json)"
}

@test "exits 9 for a broken file and leaves it as it is" {
  task-create 'first'
  printf '{"id": 1, "subject": "first", "owner": 7}\n' >.tasks/1.json
  cp .tasks/1.json before

  run --separate-stderr task-update 1 --subject 'other'

  refused 9 "task-update: corrupt: .tasks/1.json:1:31: 'owner' must be a string"
  cmp before .tasks/1.json
}

@test "exits 74 on a full disk and changes nothing" {
  small_disk
  task-create 'first'
  fill_disk

  run --separate-stderr task-update 1 --subject 'other'

  refused 74 'task-update: io: *: No space left on device'
  same first "$(field 1 subject)"
}

@test "exits 74 on a read-only board" {
  task-create 'first'
  read_only .tasks

  run --separate-stderr task-update 1 --subject 'other'

  refused 74 "task-update: io: cannot * '.tasks/*': *"
}

@test "exits 75 and names the holder if the board stays locked" {
  task-create 'first'
  hold .tasks/.lock

  run --separate-stderr task-update 1 --subject 'other' --lock-timeout 0.2

  as_expected 75 '' "task-update: again: cannot lock '.tasks/.lock': pid $HOLDER (cat) holds it; waited 0.2 s"
  same first "$(field 1 subject)"
}

@test "exits 76 if the record cannot be printed: the change is made" {
  task-create 'first'

  run --separate-stderr bash -c 'task-update 1 --subject other >/dev/full'

  as_expected 76 '' 'task-update: unknown: the change is made, but cannot write to stdout: No space left on device'
  same other "$(field 1 subject)"
}

@test "says errors as JSON with --json" {
  task-create 'first'

  run --separate-stderr task-update 1 --subject other --if-rev 7 --json

  as_expected 4 '' '{"status":"error","code":"conflict","error":"task 1 is at rev 1, not 7"}'
}

@test "exits 2 when nothing is to be changed" {
  task-create 'first'

  run --separate-stderr task-update 1

  as_expected 2 '' 'task-update: usage: nothing to do (try task-update --help)'
  same 1 "$(field 1 rev)"
}

@test "a task whose blockers are exchanged becomes ready when the new ones are completed" {
  seq 65 | jq -c '{subject: "task \(.)", owner: "lead"}' | task-create - >ids
  task-update 65 --owner '' --add-blocked-by 64 >/dev/null
  task-update 65 --remove-blocked-by 64 --add-blocked-by 1 --add-blocked-by 2 >/dev/null

  for id in 1 2; do
    task-claim "$id" --as lead >/dev/null
    task-complete "$id" >"completed.$id"
  done

  same '65' "$(cut -f 1 completed.2 | tail -n 1)"
  run --separate-stderr task-claim --next --as ann
  same '0 65' "$status ${output%%$'\t'*}"
}
