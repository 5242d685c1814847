# The peak memory of the commands.

plan_memory() {
  local name root=$place/memory
  for name in task-list task-graph team-status task-reclaim team-report team-log; do
    line $name "$root" "$bin/$name" -t process
  done
  line team-fsck "$root" "$bin/team-fsck"
  line "task-list --json" "$root" "$bin/task-list" --json -t process
  line "task-graph --svg" "$root" "$bin/task-graph" --svg -t process
  line "task-list --ready" "$root" "$bin/task-list" --ready -t process
  line task-get "$root" "$bin/task-get" -t process 9000
  line task-why "$root" "$bin/task-why" -t process 9000
  line task-claim "$root" "$bin/task-claim" -t process --next --as w%n
  line task-complete "$root" "$bin/task-complete" -t process 1
  line task-update "$root" "$bin/task-update" -t process 2 --description text
  line task-create "$root" "$bin/task-create" -t process "one more task"
}

# A small message first, so that both find the same files.
plan_large() {
  local size
  for size in 1 100; do
    line "send-$size" "$place/memory" sh -c "exec '$bin/team-send' -t process --as lead user <'$place/$size.txt'"
    line "recv --peek-$size" "$place/memory" "$bin/team-recv" -t process --as user --peek --json
    line "recv-$size" "$place/memory" "$bin/team-recv" -t process --as user
  done
}

part_memory() {
  local label kilobytes name
  local too_busy=100  # other load does not matter here
  make_board memory 10000
  run memory 1 < <(plan_memory)
  # A command that exits with 1 has used its memory all the same.
  while IFS=$'\t' read -r label _ kilobytes _; do
    [ "$label" != '#others' ] || continue
    row "memory of $label, 10000 tasks" "$(calculate "$kilobytes / 1024")" MB most 8
  done <"$place/memory.results"
  for size in 1 100; do
    head -c $((size * 1000000)) /dev/zero | tr '\0' 'a' | fold -w 99 >"$place/$size.txt" || fail "cannot make a text"
  done
  run large 1 < <(plan_large)
  for name in send recv "recv --peek"; do
    row "memory of team-$name, 100 MB against 1 MB" \
      "$(calculate "$(value large "$name-100" memory) / $(value large "$name-1" memory)")" x most 1.1
  done
}
