# Pipes that a person would write.
load helper
load trouble
load mail

@test "the ready tasks by jq" {
  task-create 'first' --priority 1
  task-create 'second' --blocked-by 1
  task-create 'third'

  task-list --ready --json | jq -r 'select(.priority > 0) | "\(.id): \(.subject)"' >seen

  same '1: first' "$(cat seen)"
}

@test "claim all ready tasks, one by one" {
  for i in 1 2 3; do task-create "task $i"; done

  task-list --ready | cut -f1 | while read -r id; do task-claim "$id" --as "worker-$id"; done

  same 3 "$(task-list --status in_progress | wc -l)"
}

@test "a task for each file that changed" {
  git init -q .
  git -c user.name=user -c user.email=user@example.com commit -q --allow-empty -m 'start'
  touch 'a.cc' 'with blank.cc'
  git add a.cc 'with blank.cc'

  git diff --name-only --cached | xargs -d '\n' -n1 task-create >ids
  git diff --name-only -z --cached | xargs -0 -n1 task-create >>ids

  same '1 2 3 4' "$(xargs <ids)"
  same $'a.cc\nwith blank.cc\na.cc\nwith blank.cc' "$(task-list | cut -f6)"
}

@test "xargs without options" {
  printf 'a.cc\nb.cc\n' | xargs -n1 task-create >ids

  same '1 2' "$(xargs <ids)"
}

@test "an answer to each message as it comes" {
  make_team
  # shellcheck disable=SC2016
  start bash -c 'team-recv --as backend --follow --max 3 |
    while IFS=$'"'\t'"' read -r id sender type text; do
      team-send "$sender" "got $text" --reply-to "$id" --as backend
    done'

  for text in one two three; do team-send backend "$text" --as lead; done >ids
  wait "$STARTED"

  team-recv --as lead --json >answers
  same $'got one\ngot two\ngot three' "$(jq -r .content answers)"
  same "$(cat ids)" "$(jq -r .reply_to answers)"
}

@test "the id of a message for the next command" {
  make_team

  team-send backend 'ready?' --as lead | xargs team-send --status >seen

  same pending "$(cut -f2 seen)"
}

@test "the output of a command as a message" {
  make_team

  seq 3 | team-send backend --summary 'numbers' --as lead | cut -c1-26 >id

  team-recv --as backend --json >received
  same "$(cat id)" "$(jq -r .id received)"
  same $'1\n2\n3' "$(jq -r .content received)"
}

@test "hold, work, acknowledge" {
  make_team
  for i in 1 2 3; do team-send backend "$i" --as lead; done

  team-recv --as backend --hold --json | jq -r .id | xargs team-ack --as backend

  run --separate-stderr team-recv --as backend
  as_expected 1 '' 'team-recv: no: no message'
}

@test "approve all plans" {
  make_team
  for name in backend frontend; do plan-submit "of $name" --as "$name"; done

  plan-list | cut -f1 | xargs -n1 plan-approve

  same $'approved\napproved' "$(plan-list --all | cut -f2)"
}

@test "wait, then take" {
  make_team
  start bash -c 'team-wait message --as lead && team-recv --as lead | cut -f4'

  team-send lead 'done' --as backend

  wait "$STARTED"
  same 'done' "$(cat out)"
}

@test "a reader that closes early is no error" {
  make_team
  for i in {1..50}; do task-create "task $i"; done >ids

  run --separate-stderr bash -o pipefail -c 'task-list | head -1'
  same 0 "$status"
  same '' "$stderr"

  run --separate-stderr bash -o pipefail -c 'team-log --json | head -1 >/dev/null'
  same 0 "$status"
  same '' "$stderr"
}

@test "the events by jq" {
  make_team
  task-create 'first'
  task-claim 1 --as backend
  task-complete 1 --as backend

  team-log --json | jq -r 'select(.event.task_id == 1) | "\(.agent_id) \(.event.type)"' >seen

  same $'user TASK_CREATED\nbackend TASK_CLAIMED\nbackend TASK_COMPLETED' "$(cat seen)"
}

@test "all of a large output arrives" {
  awk 'BEGIN { for (i = 1; i <= 1500; i++) printf "{\"subject\":\"task %d\",\"description\":\"%0100d\"}\n", i, i }' |
    task-create - >ids

  same 1500 "$(task-list --json | jq -r .id | wc -l)"
}
