# The other commands for tasks.

plan_operations() {
  local root=$place/operations
  line static "$place" "$place/static"
  line create "$root" "$bin/task-create" -t process "one more task"
  line get "$root" "$bin/task-get" -t process 2
  line '!refusal' "$root" "$bin/task-get" -t process 999999
  line update "$root" "$bin/task-update" -t process 999 --description "as of round %r"
  line - "$root" "$bin/task-claim" -t process %r
  line complete "$root" "$bin/task-complete" -t process %r
}

plan_list() {
  line cat "$place/boards/10000" sh -c 'cat .tasks/*.json'
  line list "$place/boards/10000" "$bin/task-list" --json -t process
}

part_operations() {
  local name
  make_board operations 1000
  have_board 10000
  run operations "$rounds" < <(plan_operations)
  for name in create get complete update; do
    row "task-$name" "$(ratio operations $name static)" 'x static' most 1.5
  done
  row "task-get of a missing task: a refusal" "$(ratio operations '!refusal' static)" 'x static' most 1.5
  run list "$slow_rounds" < <(plan_list)
  note "cat .tasks/*.json of 10000" "$(in_ms "$(value list cat)")" ms
  row "task-list --json of 10000" "$(in_ms "$(value list list)")" ms \
    most "$(awk -v cat="$(value list cat)" 'BEGIN { printf "%.1f", 1.2 * cat / 1000 + 60 }')"
}
