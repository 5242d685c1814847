# The same operations with other tools: the sqlite3 command, nq, task-spooler, taskwarrior, a shell script with flock
# and jq, and Python. Each does the operation that is nearest to ours, on boards of 1,000 tasks.

ours() { line ours "$place/peers" "$bin/$1" -t process "${@:2}"; }

# sqlite LABEL STATEMENT: as durable as our "process".
sqlite() { line "$1" "$place/databases/wal-1000" sqlite3 board.db "PRAGMA synchronous = OFF; $2"; }

# scripts VERB [OPERAND]: the shell script and the Python script.
scripts() {
  line shell "$place/scripts" bash "$here/bench.d/peer.sh" "$@"
  line python "$place/scripts" "$python" "$here/bench.d/peer.py" "$@"
}

# warrior LABEL WORD…: without questions and without extra output.
warrior() { line "$1" "$place/warrior" task rc:"$place/warrior/rc" rc.verbose=nothing "${@:2}"; }

plan_peer_claim() {
  ours task-claim --next --as w%n
  line - "$place/peers" "$bin/task-release" 1 -t process
  sqlite sqlite "$(<"$here/bench.d/claim.sql")"
  sqlite - "UPDATE task SET status = 'pending', owner = NULL WHERE id = 1"
  scripts claim w%n
  # By its number: it has no atomic command for the next task.
  warrior warrior 1 start
  warrior - 1 stop
}

plan_peer_power() {
  line floor "$place/peers" "$place/durable" "$place/peers"
  line ours "$place/peers" "$bin/task-claim" --next -t power --as w%n
  line - "$place/peers" "$bin/task-release" 1 -t process
  local journal
  for journal in wal delete; do
    line $journal "$place/databases/$journal-1000" sqlite3 board.db \
      "PRAGMA synchronous = FULL; $(<"$here/bench.d/claim.sql")"
    line - "$place/databases/$journal-1000" sqlite3 board.db \
      "UPDATE task SET status = 'pending', owner = NULL WHERE id = 1"
  done
}

# A queue whose first job waits accepts jobs and does not run them.
plan_peer_create() {
  ours task-create "one more task"
  sqlite sqlite "INSERT INTO task (subject) VALUES ('one more task') RETURNING id"
  line static "$place" "$place/static"
  line nq "$place/nq" nq -q true
  line spooler "$place/nq" tsp -n true
  scripts create "one more task"
  warrior warrior add "one more task"
}

plan_peer_complete() {
  line - "$place/peers" "$bin/task-claim" -t process %r
  ours task-complete %r
  sqlite sqlite "UPDATE task SET status = 'completed' WHERE id = %r"
  scripts complete %r
  warrior - add "to be done"
  warrior warrior +LATEST done
}

plan_peer_get() {
  ours task-get 2 --json
  sqlite sqlite "SELECT * FROM task WHERE id = 2"
  scripts get 2
  warrior warrior 2 export
}

plan_peer_list() {
  ours task-list --json
  line sqlite "$place/databases/wal-1000" sqlite3 -json board.db "SELECT * FROM task"
  scripts list
  warrior warrior export
}

plan_peer_send() {
  ours team-send --as lead user "a message of some words"
  sqlite sqlite "INSERT INTO message (recipient, sender, content) VALUES ('user', 'lead', 'a message of some words')"
  scripts send "a message of some words"
}

plan_peer_recv() {
  plan_peer_send | sed 's/^[a-z]*/-/' | grep -v python
  ours team-recv --as user
  sqlite sqlite "DELETE FROM message WHERE recipient = 'user' RETURNING sender, content"
  line shell "$place/scripts" bash "$here/bench.d/peer.sh" recv
  line - "$place/scripts" bash "$here/bench.d/peer.sh" send "a message of some words"
  line python "$place/scripts" "$python" "$here/bench.d/peer.py" recv
}

name_of() {
  case $1 in
    sqlite) echo sqlite3 ;;
    spooler) echo task-spooler ;;
    warrior) echo taskwarrior ;;
    shell) echo 'flock and jq' ;;
    python) echo python3 ;;
    *) echo "$1" ;;
  esac
}

# report VERB COMMAND: a row for each peer. Listing reads every file; its cost and its bar are above. Tools that keep
# all tasks in one file cannot be compared.
report() {
  local label
  while IFS=$'\t' read -r label _; do
    case $label in
      '#others' | ours | static) continue ;;
    esac
    case $1-$label in
      list-*) note "$2 against $(name_of "$label")" "$(ratio peer_list "$label" ours)" 'x faster' ;;
      *-python) row "$2 against $(name_of python)" "$(ratio "peer_$1" python ours)" 'x faster' least 20 ;;
      *) row "$2 against $(name_of "$label")" "$(ratio "peer_$1" "$label" ours)" 'x faster' least 2 ;;
    esac
  done <"$place/peer_$1.results"
  [ "$1" != create ] || for label in nq spooler; do
    note "  an empty static program against $(name_of $label)" "$(ratio peer_create $label static)" 'x faster'
  done
}

make_peers() {
  make_board peers 1000
  make_board scripts 1000
  have_database wal 1000
  have_database delete 1000
  mkdir "$place/nq" "$place/warrior" && mkfifo "$place/nq/go" || exit
  printf 'data.location=%s\nconfirmation=off\nhooks=off\nnews.version=9\n' "$place/warrior" >"$place/warrior/rc"
  batch 1000 | jq -c '{description: .subject}' |
    task rc:"$place/warrior/rc" rc.verbose=nothing import - >/dev/null 2>&1 || fail "cannot fill taskwarrior"
  export NQDIR=$place/nq TS_SOCKET=$place/nq/socket TASKRC= TASKDATA=
  unset TASKRC TASKDATA
  (cd "$place/nq" && nq -q sh -c 'read -r line <go' && tsp -n sh -c 'read -r line <go') >/dev/null ||
    fail "cannot start the queues"
}

# Empties the queues.
end_peers() {
  echo >"$place/nq/go"
  echo >"$place/nq/go"
  (cd "$place/nq" && nq -w)
  tsp -w >/dev/null
  tsp -K
  unset NQDIR TS_SOCKET
}

# against_sqlite LABEL: uses the faster one of its journals.
against_sqlite() {
  printf '%s\n' "$(ratio peer_power wal "$1")" "$(ratio peer_power delete "$1")" | sort -g | head -n 1
}

part_peers() {
  local verb python
  python=$(python)
  make_peers
  run peer_power $((rounds / 4)) < <(plan_peer_power)
  row "task-claim --next, power, against sqlite3" "$(against_sqlite ours)" 'x faster' least 2.2
  note "  a static program that replaces a flushed file" "$(against_sqlite floor)" 'x faster'
  for verb in claim create complete get list send recv; do
    run "peer_$verb" $((3 * slow_rounds)) < <("plan_peer_$verb")
    case $verb in
      claim) report claim "task-claim --next" ;;
      send | recv) report $verb team-$verb ;;
      list) report list "task-list --json" ;;
      *) report $verb task-$verb ;;
    esac
  done
  end_peers
}
