# The common functions of all parts of the bench.

too_busy=25  # percent of the machine
others=0     # in the run that is being reported

fail() {
  echo "bench: $*" >&2
  exit 1
}

# clear_place WHAT…: removes these, but never the boards.
clear_place() {
  local old
  for old in "$@"; do
    [ "${old%/}" = "$place/boards" ] || [ ! -e "$old" ] || rm -rf --one-file-system "$old"
  done
}

begin_place() {
  mkdir -p "$place/boards" || exit
  clear_place "$place"/* "$place"/.[!.]*
  : >"$place/failed" && : >"$place/busy" || exit
}

# Deletes the thousands of files now, so that this does not disturb the next measurement.
end_place() { clear_place "$place"/*/; }

# line LABEL FOLDER WORD…: one line of the plan that is being written.
line() {
  local IFS=$'\t'
  echo "$*"
}

# run PLAN ROUNDS [WORKERS]: runs the plan on stdin; the results go to a file of that name. Repeats it if the machine
# was busy.
run() {
  local try plan
  plan=$(cat)
  for ((try = 1; try <= patience; try++)); do
    "$place/runner" "${@:2}" <<<"$plan" >"$place/$1.results" || fail "cannot run $1"
    others=$(value "$1" '#others')
    ((others > too_busy)) || break
  done
  ((others <= too_busy)) || note_busy
}

note_busy() {
  echo "(others used $others % of the machine: the next figures tell nothing)"
  echo "$others" >>"$place/busy"
}

# value PLAN LABEL [memory|processor]: the median in µs, in KB, or in µs of processor time; empty if it was not measured
# or failed.
value() {
  local column=2
  case ${3:-} in memory) column=3 ;; processor) column=5 ;; esac
  awk -F '\t' -v label="$2" -v column=$column '$1 == label && $4 == 0 { print $column }' "$place/$1.results"
}

# ratio PLAN LABEL REFERENCE: empty if either failed.
ratio() {
  local one other
  one=$(value "$1" "$2") other=$(value "$1" "$3")
  [ -z "$one" ] || [ -z "$other" ] || calculate "$one / $other"
}

# calculate EXPRESSION: by awk; empty if a number is missing.
calculate() { awk "BEGIN { printf \"%.4f\\n\", $1 }" 2>/dev/null; }

heading() { printf '%-50s %18s  %10s %s\n' operation measured bar holds; }

# row OPERATION VALUE UNIT least|most BAR: one line of the table.
row() {
  local holds=no sign='<=' shown=failed
  [ "$4" = most ] || sign='>='
  if [ -n "$2" ]; then
    shown=$(show "$2" "$3")
    ! awk -v value="$2" -v bar="$5" -v sign="$sign" 'BEGIN { exit !(sign == "<=" ? value <= bar : value >= bar) }' ||
      holds=yes
  fi
  [ $holds = yes ] || echo "$1" >>"$place/failed"
  ((others <= too_busy)) || holds='?'
  printf '%-50s %18s  %2s %7s %s\n' "$1" "$shown" "$sign" "$5" "$holds"
}

# note OPERATION VALUE UNIT: a line of the table that has no bar.
note() { printf '%-50s %18s\n' "$1" "$([ -n "$2" ] && show "$2" "$3" || echo failed)"; }

show() { awk -v value="$1" -v unit="$2" 'BEGIN { printf value < 100 ? "%.2f %s" : "%.0f %s", value, unit }'; }

# in_ms MICROSECONDS
in_ms() { [ -z "$1" ] || calculate "$1 / 1000"; }

conclude() {
  local names
  if [ -s "$place/busy" ]; then
    echo "bench: others used up to $(sort -n "$place/busy" | tail -n 1) % of the machine: run it again" >&2
    exit 2
  fi
  [ -s "$place/failed" ] || exit 0
  names=$(paste -sd ';' "$place/failed")
  echo "bench: $(wc -l <"$place/failed") bars do not hold: ${names//;/; }" >&2
  exit 1
}
