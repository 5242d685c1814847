# The boards of the measurements.

# batch SIZE: prints so many tasks, one in ten of them blocked.
batch() {
  awk -v size="$1" 'BEGIN {
    for (i = 1; i <= size; i++) {
      blocked = i % 10 == 0 ? sprintf(",\"blockedBy\":[%d]", i - 1) : ""
      printf "{\"subject\":\"task number %d\",\"description\":\"what is to be done for number %d\"%s}\n", i, i, blocked
    }
  }'
}

# make_team ROOT TEAM DURABILITY [OPTION…]
make_team() {
  mkdir -p "$1" && "$bin/team-create" -C "$1" "$2" "${@:4}" >/dev/null &&
    "$bin/team-config" -C "$1" -t "$2" durability "$3" || fail "cannot make a team in $1"
}

# fill ROOT SIZE: makes a board and two teams that share it, one for each durability.
fill() {
  make_team "$1" process process
  make_team "$1" power power
  batch "$2" | "$bin/task-create" -C "$1" -t process - >/dev/null || fail "cannot fill $1"
}

# make_board NAME SIZE: makes a new board; its folder is $place/NAME.
make_board() { fill "$place/$1" "$2"; }

# have_board SIZE: a board on which every change is undone, in $place/boards/SIZE; kept from run to run.
have_board() {
  local root=$place/boards/$1
  if [ ! -e "$root/whole" ]; then
    [ ! -e "$root" ] || rm -rf --one-file-system "$root"
    fill "$root" "$1" && : >"$root/whole" || exit
  fi
  # An aborted run may have left a claimed task. The first look also loads the files into memory.
  "$bin/task-list" -C "$root" -t process --status in_progress | cut -f 1 | while read -r id; do
    "$bin/task-release" -C "$root" -t process "$id" >/dev/null
  done
}

# have_database JOURNAL SIZE: the same board in $place/databases/JOURNAL-SIZE/board.db.
have_database() {
  local folder=$place/databases/$1-$2 text
  mkdir -p "$folder" && text=$(<"$here/bench.d/board.sql") || exit
  printf 'PRAGMA journal_mode = %s;\n%s\n' "$1" "${text//%size/$2}" | sqlite3 "$folder/board.db" >/dev/null ||
    fail "cannot make a database"
}

# The interpreter itself: the first python3 in PATH may be a wrapper that costs more than Python.
python() { python3 -c 'import sys; print(sys.executable)'; }
