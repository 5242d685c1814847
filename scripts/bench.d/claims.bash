# task-claim --next on boards of all sizes, and by many processes at once.

# Each claim is undone, so that the board stays as it was; each claimant is new, because a member holds one task.
# plan_claim LABEL ROOT TEAM
plan_claim() {
  line "$1" "$2" "$bin/task-claim" --next -t "$3" --as w%n
  line - "$2" "$bin/task-release" 1 -t process
}

plan_claims() {
  local size durability
  line static "$place" "$place/static"
  line dynamic "$place" "$place/dynamic"
  line durable "$place" "$place/durable" "$place/alone"
  for size in "${sizes[@]}"; do
    for durability in process power; do plan_claim "$size-$durability" "$place/boards/$size" "$durability"; done
  done
}

# A board without a team has no log.
plan_log() {
  plan_claim with "$place/boards/100" process
  line without "$place/alone" "$bin/task-claim" --next --as w%n
  line - "$place/alone" "$bin/task-release" 1
}

plan_many() {
  line static "$place" "$place/static"
  line claim "$place/boards/10000" "$bin/task-claim" --next -t process --as w%n
  line - "$place/boards/10000" "$bin/task-release" %w -t process
}

part_claims() {
  local size
  for size in "${sizes[@]}"; do have_board "$size"; done
  mkdir "$place/alone" && batch 100 | "$bin/task-create" -C "$place/alone" - >/dev/null || fail "cannot fill a board"
  run claims "$rounds" < <(plan_claims)
  note "static: an empty static program" "$(in_ms "$(value claims static)")" ms
  note "an empty dynamic program" "$(ratio claims dynamic static)" 'x static'
  for size in "${sizes[@]}"; do
    row "task-claim --next, $size tasks" "$(ratio claims "$size-process" static)" 'x static' most 1.7
  done
  row "  ${sizes[-1]} tasks against 100" "$(ratio claims "${sizes[-1]}-process" 100-process)" x most 1.3
  for size in "${sizes[@]}"; do
    row "task-claim --next, power, $size tasks" "$(ratio claims "$size-power" static)" 'x static' most 2.4
  done
  note "  a static program that replaces a flushed file" "$(ratio claims durable static)" 'x static'
  TEAM_DURABILITY=process run log "$rounds" < <(plan_log)
  row "  with a team and its log against without" "$(ratio log with without)" x most 2
  run many $((rounds / 4)) 8 < <(plan_many)
  row "8 processes claiming, 10000 tasks" "$(ratio many static claim)" 'x static rate' least 0.65
}
