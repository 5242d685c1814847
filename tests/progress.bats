load helper

@test "a waiting command on a terminal shows the progress of the board and the work of members" {
  team-create alpha
  task-create first
  task-create second
  task-create third
  task-claim 1 --as ann
  task-claim 2
  task-fail 2 --reason no

  for command in 'task-wait --timeout 0.5' 'team-wait all-done --timeout 0.5'; do
    run on_terminal "$command"

    [[ $output == *'0:00  0 of 3 done, 1 failed; ann #1'* ]] || { echo "$command: $output"; return 1; }
  done
}

@test "the line is wiped before anything else is said" {
  task-create first

  run on_terminal 'task-wait 1 --timeout 0.3'

  [[ $output == *$'0 of 1 done\e[Ktask-wait: no: not within 0.3 s'* ]]
}

@test "an ended task is printed on its own line" {
  task-create first
  task-claim 1
  touch shown
  (wait_until grep -q 'of 1 done' shown && task-complete 1 >/dev/null) 3>&- &

  script -qefc 'task-wait 1 --timeout 20' shown >/dev/null </dev/null
  output=$(tr -d "\r" <shown)

  [[ $output == *$'0 of 1 done; user #1\e[K#1 completed  first'* ]]
}

@test "in a pipe nobody is told" {
  task-create first

  run --separate-stderr task-wait 1 --timeout 0.2
  as_expected 1 '' 'task-wait: no: not within 0.2 s'

  run --separate-stderr team-wait task=1 --timeout 0.2
  as_expected 1 '' 'team-wait: no: task=1 not within 0.2 s'
}

@test "the line is cut to the terminal" {
  team-create alpha
  team-config tasks.perMember 0
  for i in {1..30}; do echo "{\"subject\": \"task $i\"}"; done | task-create - >/dev/null
  for i in {1..30}; do task-claim "$i" --as a-member-with-a-long-name >/dev/null; done

  COLUMNS_WANTED=40 run on_terminal 'task-wait --timeout 0.4'

  [[ $output == *'0 of 30 done; a-member-with-a'*'…'* ]]
  [[ $output != *'#3'* ]]
}

@test "a signal ends a waiting command as usual, and the line is erased first" {
  task-create first

  for signal in INT TERM; do
    run on_terminal "timeout --foreground -s $signal 0.5 task-wait 1; echo ended by \$?"

    [[ $output == *$'0 of 1 done\e[Kended by 124'* ]] || { echo "$signal: $output"; return 1; }
  done
}

@test "only the tasks that are waited for are counted" {
  task-create first
  task-create second

  run on_terminal 'task-wait 2 --timeout 0.3; team-wait task=1 --timeout 0.3'

  [[ $output != *'of 2 done'* ]]
  [[ $output == *'0 of 1 done'*'0 of 1 done'* ]]
}

@test "a terminal that cannot wipe a line gets none" {
  task-create first

  run on_terminal 'TERM=dumb task-wait 1 --timeout 0.3'

  same 'task-wait: no: not within 0.3 s' "$output"
}
