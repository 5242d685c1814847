# One process of team-batch that claims tasks, on a file system in memory and on the disk of the build.

# batch_board FOLDER: a board on which any number of tasks may be in progress.
batch_board() {
  mkdir -p "$1" && "$bin/team-create" -C "$1" process >/dev/null &&
    "$bin/team-config" -C "$1" tasks.perMember 0 &&
    awk 'BEGIN { for (i = 1; i <= 5000; i++) printf "{\"subject\":\"task number %d\"}\n", i }' | "$bin/task-create" -C "$1" - >/dev/null ||
    fail "cannot fill a board"
}

# claim_rate FOLDER: claims a second; the best of three runs, because others only make it slower.
claim_rate() {
  local i
  for i in 1 2 3; do (cd "$1" && TEAM_DURABILITY=process "$place/batch" "$bin/team-batch" 5000); done | sort -n | tail -n 1
}

part_batch() {
  local memory
  compile batch.cc batch -static
  memory=$(mktemp -d /dev/shm/teamkit-bench.XXXXXX) || fail "no file system in memory"
  batch_board "$memory/board"
  row "team-batch: claims by one process, in memory" "$(claim_rate "$memory/board")" /s least 20000
  rm -rf "$memory"
  batch_board "$place/batch-board"
  note "  the same on this disk" "$(claim_rate "$place/batch-board")" /s
}
