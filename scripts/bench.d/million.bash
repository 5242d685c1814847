# A board of 1,000,000 tasks: created in batches of 100,000, claimed from, listed.

part_million() {
  local root=$place/million size=1000000 each=100000 made began
  make_team "$root" process process
  # More than the default limit of a board.
  "$bin/team-config" -C "$root" tasks.max 0 || fail "cannot raise the limit of a board"
  began=$(date +%s.%N)
  for ((made = 0; made < size; made += each)); do
    batch $each | "$bin/task-create" -C "$root" - >/dev/null || fail "cannot make a million tasks"
  done
  note "1000000 tasks made, 100000 at a time" "$(calculate "$size / ($(date +%s.%N) - $began)")" 'tasks/s'
  run million $((rounds / 10)) < <(
    line static "$place" "$place/static"
    line claim "$root" "$bin/task-claim" --next --as w%n
    line - "$root" "$bin/task-release" 1
  )
  row "task-claim --next, 1000000 tasks" "$(ratio million claim static)" 'x static' most 1.7
  run million_list 1 < <(line list "$root" "$bin/task-list" --json)
  note "task-list --json of 1000000" "$(calculate "$(value million_list list) / 1e6")" s
  note "  its memory" "$(calculate "$(value million_list list memory) / 1024")" MB
  rm -rf --one-file-system "$root"
}
