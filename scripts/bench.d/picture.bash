# What claiming the next task costs on boards of all sizes, for us and for others; drawn as man/claim-next.svg.

# A claim by somebody else is undone by us and makes the next of ours look at every file: that one is not counted.
plan_picture() {
  local root=$place/boards/$1 number=1
  line static "$place" "$place/static"
  line ours "$root" "$bin/task-claim" --next -t process --as w%n
  line - "$root" "$bin/task-release" $number -t process
  line sqlite "$place/databases/wal-$1" sqlite3 board.db "PRAGMA synchronous = OFF; $(<"$here/bench.d/claim.sql")"
  line - "$place/databases/wal-$1" sqlite3 board.db "UPDATE task SET status = 'pending', owner = NULL WHERE id = 1"
  line python "$root" "$python" "$here/bench.d/peer.py" claim w%n
  line - "$root" "$bin/task-release" $number -t process
  line shell "$root" bash "$here/bench.d/peer.sh" claim w%n
  line - "$root" "$bin/task-release" $number -t process
  line - "$root" "$bin/task-claim" --next -t process --as w%n
  line - "$root" "$bin/task-release" $number -t process
}

part_picture() {
  local size label python too_busy=60 # the lines are far apart
  python=$(python)
  for size in "${sizes[@]}"; do
    [ -e "$place/databases/wal-$size" ] || have_database wal "$size"
    have_board "$size"
    run "picture_$size" $((size >= 100000 ? 2 : size >= 10000 ? 3 : 2 * slow_rounds)) < <(plan_picture "$size")
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
