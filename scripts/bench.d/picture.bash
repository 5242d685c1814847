# The cost of claiming the next task on boards of all sizes, for teamkit and other tools; drawn as man/claim-next.svg.

plan_quick() {
  local root=$place/boards/$1
  line static "$place" "$place/static"
  line ours "$root" "$bin/task-claim" --next -t process --as w%n
  line - "$root" "$bin/task-release" 1 -t process
  line sqlite "$place/databases/wal-$1" sqlite3 board.db "PRAGMA synchronous = OFF; $(<"$here/bench.d/claim.sql")"
  line - "$place/databases/wal-$1" sqlite3 board.db "UPDATE task SET status = 'pending', owner = NULL WHERE id = 1"
}

# The tools that read every file. After another program wrote some files, our next claim also looks at every file: it is
# not counted.
plan_scans() {
  local root=$place/boards/$1
  line python "$root" "$python" "$here/bench.d/peer.py" claim w%n
  line - "$root" "$bin/task-release" 1 -t process
  line shell "$root" bash "$here/bench.d/peer.sh" claim w%n
  line - "$root" "$bin/task-release" 1 -t process
  line - "$root" "$bin/task-claim" --next -t process --as w%n
  line - "$root" "$bin/task-release" 1 -t process
}

part_picture() {
  local size label python too_busy=60 # the lines are far apart
  python=$(python)
  for size in "${sizes[@]}"; do
    [ -e "$place/databases/wal-$size" ] || have_database wal "$size"
    have_board "$size"
    run "quick_$size" $((rounds / 4)) < <(plan_quick "$size")
    run "scans_$size" $((size >= 10000 ? 2 : slow_rounds)) < <(plan_scans "$size")
    cat "$place/quick_$size.results" "$place/scans_$size.results" >"$place/picture_$size.results"
    for label in static ours sqlite python shell; do
      printf '%s\t%s\t%s\n' "$label" "$size" "$(value "picture_$size" $label)"
    done >>"$place/picture.tsv"
  done
  for label in sqlite shell python; do
    note "task-claim --next, ${sizes[-1]} tasks, against ${label/sqlite/sqlite3}" \
      "$(ratio "picture_${sizes[-1]}" $label ours)" 'x faster'
  done
  "$python" "$here/bench.d/draw.py" <"$place/picture.tsv" >"$place/claim-next.svg" || fail "cannot draw"
}
