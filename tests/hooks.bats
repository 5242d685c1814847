# Hooks: their input, their refusals, their end, and that no lock is held while they run.
load helper
load trouble
load mail
load hooks

unset TEAM_HOOK

# gone PID: true if no process of it runs.
gone() { ! kill -0 "$1" 2>/dev/null; }

# events TYPE: the number of these events in the log.
events() { team-log --type "$1" | wc -l; }

@test "task-created is told of the task before there is one" {
  make_team
  hook task-created <<<'cat >told; ls .tasks >board'

  run --separate-stderr task-create 'Design the schema' --description 'all of it' --owner backend --as lead

  as_expected 0 1 ''
  same '' "$(cat board)"
  same '[null,"alpha","lead",null,"TASK_CREATED",null,"Design the schema","backend"]' \
    "$(jq -c '[.seq, .team_id, .agent_id, .run_id, .event.type, .event.task_id, .event.subject, .event.owner]' told)"
  same '[null,"all of it","lead","pending",true]' \
    "$(jq -c '.event.task | [.id, .description, .createdBy, .status, (now - .createdAt) < 60]' told)"
}

@test "a refused task is not made: no id is used, nothing is written, stderr is the reason" {
  make_team
  task-create 'first'
  hook task-created <<<'echo nobody reads this; echo "too vague" >&2; exit 1'
  ls -A .tasks >before
  cat .tasks/.highwatermark .teams/alpha/events.jsonl >>before

  run --separate-stderr task-create 'something'

  as_expected 7 '' 'task-create: permission_denied: hook task-created: too vague'
  { ls -A .tasks; cat .tasks/.highwatermark .teams/alpha/events.jsonl; } >after
  cmp before after
  rm "$HOOKS/task-created"
  same 2 "$(task-create 'something else')"
}

@test "a hook that refuses in silence is quoted by its exit status" {
  make_team

  hook task-created <<<'exit 3'
  run --separate-stderr task-create 'first'
  as_expected 7 '' 'task-create: permission_denied: hook task-created: exit status 3'

  hook task-created <<<'kill -KILL $$'
  run --separate-stderr task-create 'first'
  as_expected 7 '' 'task-create: permission_denied: hook task-created: exit status 137'
}

@test "the output of a hook that accepts is ignored" {
  make_team
  hook task-created <<<'echo out; echo err >&2'

  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
}

@test "a reason of many lines becomes one, bad bytes are replaced, control characters do no harm" {
  make_team
  hook task-created <<<'printf "  two tests failed:\n\n\tone\r\n\033[2J\377 two \n" >&2; exit 1'

  run --separate-stderr task-create 'first'
  as_expected 7 '' $'task-create: permission_denied: hook task-created: two tests failed: one [2J\uFFFD two'

  run --separate-stderr task-create 'first' --json
  same 7 "$status"
  same $'hook task-created: two tests failed: one [2J\uFFFD two' "$(jq -r .error <<<"$stderr")"
}

@test "of a megabyte of reasons a thousand characters are kept" {
  make_team
  hook task-created <<<'head -c 1000000 /dev/zero | tr "\0" x >&2; exit 1'

  run --separate-stderr task-create 'first' --json

  same 7 "$status"
  same "hook task-created: $(printf 'x%.0s' {1..999})…" "$(jq -r .error <<<"$stderr")"
}

@test "a hook need not read its input" {
  make_team
  hook task-created <<<'exit 0'

  head -c 1000000 /dev/zero | tr '\0' x | task-create 'large' --description -

  same 1000000 "$(jq -r '.description | length' .tasks/1.json)"
}

@test "a batch is asked about task by task, and the first refusal stops all of it" {
  make_team
  hook task-created <<<'jq -r .event.subject | tee -a asked | grep -q bad && { echo "no bad ones" >&2; exit 1; }; exit 0'

  run --separate-stderr task-create - <<<$'{"subject":"one"}\n{"subject":"bad"}\n{"subject":"three"}'
  as_expected 7 '' 'task-create: permission_denied: hook task-created: no bad ones'
  same $'one\nbad' "$(cat asked)"
  same '' "$(task-list)"

  run --separate-stderr task-create - <<<$'{"subject":"four"}\n{"subject":"five"}'
  as_expected 0 $'1\n2' ''
  same $'one\nbad\nfour\nfive' "$(cat asked)"
}

@test "task-completed is told of the task as it stands, with the result" {
  make_team
  task-create 'first' --description 'all of it'
  task-claim 1 --as backend
  hook task-completed <<<'cat >told; jq -r .status .tasks/1.json >board'

  run --separate-stderr task-complete 1 --as backend --result '14 endpoints'

  as_expected 0 '' ''
  same in_progress "$(cat board)"
  same '[null,"backend","TASK_COMPLETED",1,"first","14 endpoints",["in_progress","completed"]]' \
    "$(jq -c '[.seq, .agent_id] + (.event | [.type, .task_id, .subject, .result, .changes.status])' told)"
  same '[1,"all of it","14 endpoints","backend"]' \
    "$(jq -c '.event.task | [.id, .description, .result, .owner]' told)"
}

@test "a refused completion leaves the task in progress, whichever command asked for it" {
  make_team
  task-create 'first'
  task-claim 1 --as backend
  hook task-completed <<<'echo "2 tests fail" >&2; exit 1'
  cp .tasks/1.json before

  run --separate-stderr task-complete 1 --as backend --result 'done'
  as_expected 7 '' 'task-complete: permission_denied: hook task-completed: 2 tests fail'

  run --separate-stderr task-update 1 --status completed --as backend
  as_expected 7 '' 'task-update: permission_denied: hook task-completed: 2 tests fail'

  cmp before .tasks/1.json
  same 0 "$(events TASK_COMPLETED)"
}

@test "task-completed is not asked about a completion that is refused anyway, nor about other changes" {
  make_team
  task-create 'first'
  task-create 'second' --deliverable missing
  hook task-completed <<<'touch asked'

  run --separate-stderr task-complete 7 --as backend
  as_expected 3 '' 'task-complete: not_found: no task 7'
  run --separate-stderr task-complete 1 --as backend
  as_expected 8 '' 'task-complete: invalid_state: task 1 is pending: it cannot become completed'
  task-claim 2 --as backend
  run --separate-stderr task-complete 2 --as backend
  as_expected 8 '' "task-complete: invalid_state: task 2 has no deliverable 'missing'"
  run --separate-stderr task-complete 2 --as frontend
  refused 7 'task-complete: permission_denied: only its owner backend *'
  run --separate-stderr task-complete 2 --as backend --if-rev 1
  as_expected 4 '' 'task-complete: conflict: task 2 is at rev 2, not 1'
  task-update 2 --deliverable '' --as backend
  task-fail 2 --as backend
  [ ! -e asked ]

  task-claim 1 --as backend
  touch made
  task-complete 1 --as backend --deliverable made
  [ -e asked ]
}

@test "a task that was taken away while the hook ran is not completed" {
  make_team
  task-create 'first'
  task-claim 1 --as backend
  hook task-completed <<<'unset TEAM_MEMBER; task-release 1'

  run --separate-stderr task-complete 1 --as backend

  as_expected 8 '' 'task-complete: invalid_state: task 1 is pending: it cannot become completed'
}

@test "plan-submitted is told of the plan, whole, and of its task" {
  make_team
  task-create 'first'
  hook plan-submitted <<<'cat >told; ls .teams/alpha >files'

  id=$(plan-submit $'step one\nstep two' --task 1 --as backend)

  same '[null,"backend","PLAN_SUBMITTED","lead","step one\nstep two",1]' \
    "$(jq -c '[.seq, .agent_id] + (.event | [.type, .recipient, .text, .task_id])' told)"
  run ! grep -e requests -e lead_inbox files
  same "$id" "$(plan-list | cut -f 1)"
}

@test "a refused plan is not submitted: no request, no message, no event" {
  make_team
  hook plan-submitted <<<'echo "name the tests" >&2; exit 1'
  cp .teams/alpha/events.jsonl before

  run --separate-stderr plan-submit 'mine' --as backend
  as_expected 7 '' 'plan-submit: permission_denied: hook plan-submitted: name the tests'

  yes 'and so on' | head -c 200000 >large
  run --separate-stderr plan-submit --as backend <large
  as_expected 7 '' 'plan-submit: permission_denied: hook plan-submitted: name the tests'

  run --separate-stderr team-send lead 'mine' --type plan_approval_request --as backend
  as_expected 7 '' 'team-send: permission_denied: hook plan-submitted: name the tests'

  [ ! -e .teams/alpha/requests ]
  [ ! -e .teams/alpha/lead_inbox.jsonl ]
  [ -z "$(ls .teams/alpha/bodies 2>/dev/null)" ]
  cmp before .teams/alpha/events.jsonl
}

@test "plan-submitted is not asked about other messages" {
  make_team
  hook plan-submitted <<<'exit 1'

  run --separate-stderr team-send lead 'hello' --as backend

  same 0 "$status"
  same hello "$(waiting_for lead)"
}

@test "teammate-idle gives a teammate more to do, and post-teammate-idle hears of it when it idles" {
  make_team
  hook teammate-idle <<<'cat >>asked; [ "$(wc -l <asked)" -gt 1 ] || { echo "write the tests" >&2; exit 1; }'
  hook post-teammate-idle <<<'cat >>told'
  task-create 'first'

  timeout 30 teammate-run backend --exec 'tail -n 3 >>prompts' --idle-timeout 50ms

  same $'<hook name="teammate-idle">\nwrite the tests\n</hook>' "$(tail -n 3 prompts)"
  same $'[null,"backend","active","idle"]\n[null,"backend","active","idle"]' \
    "$(jq -c '[.seq, .agent_id, .event.from, .event.to]' asked)"
  same "$(team-log --type MEMBER_STATE --json | jq -c 'select(.event.to == "idle")')" "$(jq -c . told)"
  same 1 "$(wc -l <told)"
}

@test "teammate-shutdown lets a teammate stay, and the answer has the reason" {
  make_team
  hook teammate-shutdown <<<'echo "in the middle of it" >&2; exit 1'
  start_asleep teammate-run backend --exec cat

  team-send backend 'please' --type shutdown_request
  same 'false in the middle of it' \
    "$(team-recv --type shutdown_response --wait=20 --json | jq -r '"\(.approve) \(.feedback)"')"

  rm "$HOOKS/teammate-shutdown"
  team-send backend 'please' --type shutdown_request
  wait "$STARTED"
  rm "$BATS_FILE_TMPDIR/started-$STARTED"
  same true "$(team-recv --type shutdown_response --wait=20 --json | jq .approve)"
}

@test "a hook runs in the root, with our commands first in PATH and the caller in its environment" {
  make_team
  mkdir -p deep/inside
  hook task-created <<<'{ pwd; echo "$TEAM_HOOK_FILE"; echo "$TEAM_ROOT $TEAM_NAME $TEAM_MEMBER $TEAM_RUN_ID $TEAM_HOOK"; echo "${PATH%%:*}"; } >seen'

  (cd deep/inside && TEAM_RUN_ID=r1 task-create 'first' --as backend)
  same "$PWD
$PWD/$HOOKS/task-created
$PWD alpha backend r1 task-created
$(realpath "$BIN")" "$(cat seen)"

  (cd / && task-create -C "$OLDPWD" 'second' --as backend)
  same "$PWD
$PWD/$HOOKS/task-created
$PWD alpha backend  task-created
$(realpath "$BIN")" "$(cat seen)"
}

@test "a hook is nobody when the user or the toolkit itself acts, and has no keys of models" {
  make_team
  export ANTHROPIC_API_KEY=none-of-its-business OPENAI_API_KEY=none-of-its-business GROQ_API_KEY=none-of-its-business ANTHROPIC_AUTH_TOKEN=none-of-its-business
  export CLAUDE_CODE_OAUTH_TOKEN=none-of-its-business REPLICATE_API_TOKEN=none-of-its-business HF_TOKEN=none-of-its-business ANTHROPIC_CUSTOM_HEADERS=none-of-its-business
  hook task-created <<<'env >before'
  hook post-message-sent <<<'env >after'

  TEAM_MEMBER=lead task-create 'first' --owner backend
  same TEAM_MEMBER=lead "$(grep '^TEAM_MEMBER' before)"
  run ! grep -e '^TEAM_MEMBER' -e none-of-its-business after

  task-create 'second'
  run ! grep -e '^TEAM_MEMBER' -e none-of-its-business before
}

@test "a post hook is told the line of the log, after the change" {
  make_team
  hook post-task-created <<<'cat >>told; ls .tasks >board'

  run --separate-stderr task-create - <<<$'{"subject":"one"}\n{"subject":"two"}'

  as_expected 0 $'1\n2' ''
  same $'1.json\n2.json' "$(cat board)"
  same "$(team-log --type TASK_CREATED --json)" "$(cat told)"
}

@test "every type of event has its post hook, for changes of the board, mail and the team" {
  make_team
  for name in task-claimed task-failed task-reopened task-completed task-unblocked task-updated task-deleted \
    message-sent message-delivered message-processed plan-submitted plan-rejected member-joined setting-changed; do
    hook "post-$name" <<<'echo "$TEAM_HOOK $(jq .seq)" >>heard'
  done
  team-log --json | jq .seq | tail -1 >from

  task-create 'first'
  task-create 'second' --blocked-by 1
  task-claim 1 --as backend
  task-fail 1 --as backend
  task-update 1 --status pending
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-update 2 --priority 1
  task-delete 2
  team-send backend 'hello'
  team-recv --as backend
  plan-reject "$(plan-submit 'mine' --as backend)"
  team-join writer
  team-config tasks.max 9

  team-log --json --after "$(cat from)" | jq -r '"post-\(.event.type | ascii_downcase | gsub("_"; "-")) \(.seq)"' |
    grep -v task-created >expected
  same "$(cat expected)" "$(cat heard)"
  same 17 "$(wc -l <heard)"
}

@test "a post hook cannot refuse: that it failed stands in the log, and no hook is told of that" {
  make_team
  hook post-task-created <<<'echo "no network" >&2; exit 1'
  hook post-hook-failed <<<'touch told'

  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
  same 'first' "$(field 1 subject)"
  same '["system","post-task-created","no network"]' \
    "$(team-log --type HOOK_FAILED --json | jq -c '[.agent_id, .event.hook, .event.reason]')"
  [ ! -e told ]
}

@test "post hooks run for released tasks even if the claim that released them is refused" {
  make_team
  touch .teams/alpha/backend.alive
  task-create 'first'
  task-create 'second'
  task-claim 1 --as frontend
  task-claim 2 --as backend
  hook post-task-released <<<'jq -r .event.task_id >heard'

  run --separate-stderr task-claim --next --as frontend

  as_expected 6 '' 'task-claim: busy: frontend holds task 1; finish or release it first'
  same 2 "$(cat heard)"
}

@test "a hook that hangs is ended at the time limit, and that is a refusal" {
  make_team
  team-config hooks.timeout 200ms
  hook task-created <<<'echo $$ >pid; exec tail -f /dev/null'

  run --separate-stderr timeout 20 task-create 'first'

  as_expected 7 '' 'task-create: permission_denied: hook task-created: not within 0.2 s'
  gone "$(cat pid)"
  same '' "$(task-list)"
}

@test "a hook that hangs and ignores TERM is killed with all its child processes" {
  make_team
  team-config hooks.timeout 200ms
  hook task-created <<<'trap "" TERM; setsid tail -f /dev/null & echo $$ $! >pids; while :; do wait; done'

  run --separate-stderr timeout 20 task-create 'first'

  as_expected 7 '' 'task-create: permission_denied: hook task-created: not within 0.2 s'
  read -r outer inner <pids
  gone "$outer"
  gone "$inner"
}

@test "that a hook says yes when its time is over is too late" {
  make_team
  team-config hooks.timeout 200ms
  hook task-created <<<'trap "exit 0" TERM; while :; do read -rt 0.02 <> <(:); done'

  run --separate-stderr timeout 20 task-create 'first'

  as_expected 7 '' 'task-create: permission_denied: hook task-created: not within 0.2 s'
}

@test "a post hook that hangs holds the command up until the time limit, no longer" {
  make_team
  team-config hooks.timeout 200ms
  hook post-task-created <<<'exec tail -f /dev/null'

  run --separate-stderr timeout 20 task-create 'first'

  as_expected 0 1 ''
  same 'hook=post-task-created reason=not within 0.2 s' "$(team-log --type HOOK_FAILED | cut -f 5)"
}

@test "the time limit is 30 s by default, and none with 0" {
  make_team
  same 30 "$(team-config hooks.timeout)"
  team-config hooks.timeout 0
  hook task-created <<<'for _ in {1..10}; do read -rt 0.01 <> <(:); done; exit 0'

  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
}

@test "a time limit that is no number counts as the default, and team-fsck tells" {
  make_team
  jq '.settings["hooks.timeout"] = "soon"' .teams/alpha/config.json >edited
  cat edited >.teams/alpha/config.json
  hook task-created <<<'touch asked'

  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
  [ -e asked ]
  run team-fsck
  [[ $output == *"hooks.timeout takes seconds"* ]]
}

@test "processes that a hook leaves running end with it" {
  make_team
  hook post-task-created <<<'setsid tail -f /dev/null >/dev/null 2>&1 & echo $! >pid'

  TEAM_DETACHED=1 run --separate-stderr timeout 20 task-create 'first'

  as_expected 0 1 ''
  gone "$(cat pid)"
}

@test "a hook ends with the command that runs it, however that ends" {
  make_team
  hook task-created <<<'echo $$ >pid.new; mv pid.new pid; exec tail -f /dev/null'
  start task-create 'first'
  wait_until test -e pid

  stop

  wait_until gone "$(cat pid)"
  same '' "$(task-list)"
}

@test "commands that a hook runs run no hooks" {
  make_team
  hook task-created <<<'echo before >>asked; task-create "by the hook" >made'
  hook post-task-created <<<'echo after >>asked'

  run --separate-stderr timeout 20 task-create 'first'

  as_expected 0 2 ''
  same 1 "$(cat made)"
  same $'before\nafter' "$(cat asked)"

  TEAM_HOOK='' task-create 'an empty variable counts as unset'
  same $'before\nafter\nbefore\nafter' "$(cat asked)"
}

@test "nobody holds a lock while a hook runs" {
  make_team
  cat >try_locks <<'END'
for lock in .tasks/.lock .teams/.lock .teams/alpha/*.lock .teams/alpha/.lock .teams/alpha/*_taken*.jsonl; do
  [ ! -e "$lock" ] || flock --nonblock "$lock" true || echo "$TEAM_HOOK: $lock" >>held
done
echo "$TEAM_HOOK" >>tried
END
  local names=(task-created post-task-created task-completed post-task-claimed post-task-completed post-task-unblocked
    post-task-released post-task-deleted plan-submitted post-plan-submitted post-plan-approved post-message-sent
    post-message-delivered post-message-processed post-member-joined post-setting-changed)
  for name in "${names[@]}"; do hook "$name" <try_locks; done

  task-create 'first'
  task-create 'second' --blocked-by 1 --owner frontend
  task-claim 1 --as backend
  task-complete 1 --as backend
  task-claim --next --as frontend
  task-release 2 --as frontend
  task-delete 2
  plan-approve "$(plan-submit 'mine' --as backend)"
  team-recv --as backend
  team-join writer
  team-config tasks.max 9

  same '' "$(cat held 2>/dev/null)"
  same "$(printf '%s\n' "${names[@]}" | sort)" "$(sort -u tried)"
}

@test "two hooks run at once, before and after" {
  make_team
  cat >meet <<'END'
echo >>"met-$TEAM_HOOK"
until [ "$(wc -l <"met-$TEAM_HOOK")" -ge 2 ]; do
  ((SECONDS < 10)) || { echo 'alone' >&2; exit 1; }
  read -rt 0.02 <> <(:)
done
exit 0
END
  hook task-created <meet
  hook post-task-created <meet

  task-create 'one' >one 2>&1 3>&- &
  task-create 'two' >two 2>&1 3>&- &
  wait

  same $'1\n2' "$(sort one two)"
  same 0 "$(events HOOK_FAILED)"
}

@test "a hook that is not executable, or has another name, is not there" {
  make_team
  hook task-created <<<'exit 1'
  mv "$HOOKS/task-created" "$HOOKS/task-created.sample"
  hook task-claimed <<<'exit 1'
  hook task-completed <<<'exit 1'
  chmod 660 "$HOOKS/task-completed"

  task-create 'first'
  task-claim 1
  run --separate-stderr task-complete 1

  as_expected 0 '' ''
}

@test "a script without a first line is run by sh" {
  make_team
  hook task-created <<<''
  echo 'echo "by sh" >&2; exit 1' >"$HOOKS/task-created"

  run --separate-stderr task-create 'first'

  as_expected 7 '' 'task-create: permission_denied: hook task-created: by sh'
}

@test "a hook that cannot be run refuses" {
  make_team
  hook task-created <<<''
  echo '#!/nowhere/at/all' >"$HOOKS/task-created"

  run --separate-stderr task-create 'first'

  as_expected 7 '' "task-create: permission_denied: hook task-created: cannot run '$PWD/$HOOKS/task-created': No such file or directory"
}

@test "a hook that others can write to is not run: the change is refused" {
  make_team
  hook task-created <<<'touch asked'

  for mode in 720 702; do
    chmod "$mode" "$HOOKS/task-created"
    run --separate-stderr task-create 'first'
    as_expected 7 '' "task-create: permission_denied: '$HOOKS/task-created' is not to be trusted: others can write to it"
  done
  chmod 700 "$HOOKS/task-created"

  for mode in 770 702; do
    chmod "$mode" "$HOOKS"
    run --separate-stderr task-create 'first'
    as_expected 7 '' "task-create: permission_denied: '$HOOKS' is not to be trusted: others can write to it"
  done
  [ ! -e asked ]
  same '' "$(task-list)"
}

@test "a hook of somebody else is not run" {
  ((EUID == 0)) || skip 'giving a file away needs root'
  make_team
  hook task-created <<<'touch asked'
  chown 65534 "$HOOKS/task-created"

  run --separate-stderr task-create 'first'

  as_expected 7 '' "task-create: permission_denied: '$HOOKS/task-created' is not to be trusted: belongs to user 65534, not to you"
  [ ! -e asked ]
}

@test "a link and a folder in place of a hook, and a link in place of the folder, are refused" {
  make_team
  hook task-created <<<'touch asked'
  mv "$HOOKS/task-created" elsewhere

  ln -s ../../../elsewhere "$HOOKS/task-created"
  run --separate-stderr task-create 'first'
  as_expected 7 '' "task-create: permission_denied: '$HOOKS/task-created' is a link inside a store"

  rm "$HOOKS/task-created"
  mkdir "$HOOKS/task-created"
  run --separate-stderr task-create 'first'
  as_expected 7 '' "task-create: permission_denied: '$HOOKS/task-created' is not a regular file"

  rmdir "$HOOKS/task-created"
  mv elsewhere "$HOOKS/task-created"
  mv "$HOOKS" out
  ln -s ../../out "$HOOKS"
  run --separate-stderr task-create 'first'
  as_expected 7 '' "task-create: permission_denied: '$HOOKS' is a link inside a store"

  [ ! -e asked ]
  same '' "$(task-list)"
}

@test "a post hook that is not to be trusted is not run: the change stands, and the log says so" {
  make_team
  hook post-task-created <<<'touch asked'
  chmod 720 "$HOOKS/post-task-created"

  run --separate-stderr task-create 'first'

  as_expected 0 1 ''
  [ ! -e asked ]
  same "hook=post-task-created reason='$HOOKS/post-task-created' is not to be trusted: others can write to it" \
    "$(team-log --type HOOK_FAILED | cut -f 5)"
}

@test "a board without a team has no hooks, and a hook is that of its team" {
  task-create 'alone'
  make_team
  team-create beta
  hook task-created <<<'exit 1'

  run --separate-stderr task-create -t beta 'of beta'
  as_expected 0 2 ''

  run --separate-stderr task-create -t alpha 'of alpha'
  as_expected 7 '' 'task-create: permission_denied: hook task-created: exit status 1'
}

@test "without hooks a change costs one system call that fails" {
  make_team
  local command
  for command in 'task-create first' 'task-claim 1 --as backend' 'task-complete 1 --as backend' \
    'team-send backend hello' 'plan-submit mine --as backend' 'team-recv --as backend' 'team-config tasks.max 9'; do
    # shellcheck disable=SC2086 # the words of a command
    strace -f -o calls $command >/dev/null || skip 'cannot trace here'
    same "$command 1" "$command $(grep -c '"hooks' calls)"
  done
}
