# team-serve: event streams against a server of bare epoll and one of node, and reads against a constant of Boost.Beast.
#
# All servers of streams follow the log of the same team. They run in turn, each alone.

streams_root() { echo "$place/served"; }

# with_server NAME COMMAND…: starts a server, runs the command with its pid, port and token, and stops the server.
with_server() {
  local name=$1 server port='' token=none status=0 log
  shift
  log=$(streams_root)/.teams/streams/events.jsonl
  : >"$place/port"
  case $name in
    ours) "$bin/team-serve" -C "$(streams_root)" >"$place/port" & ;;
    epoll) "$place/least_streams" "$log" >"$place/port" & ;;
    node) node "$here/bench.d/node_streams.mjs" "$log" >"$place/port" & ;;
    constant) "$place/constant" "$place/constant.json" >"$place/port" & ;;
  esac
  server=$!
  until [ -s "$place/port" ]; do
    kill -0 $server 2>/dev/null || fail "the server $name does not start"
    sleep 0.02
  done
  port=$(sed 's|.*127.0.0.1:||; s|/.*||' "$place/port")
  [ "$name" != ours ] || token=$(sed 's/.*#token=//' "$place/port")
  "$@" "$server" "$port" "$token" || status=$?
  kill $server
  wait $server 2>/dev/null
  return $status
}

# measure_streams LABEL SERVER STREAMS EVENTS RATE [STUCK | COMMAND…]: one measurement; repeated if the machine was busy.
measure_streams() {
  local label=$1 server=$2 try busy
  shift 2
  for ((try = 1; try <= patience; try++)); do
    with_server "$server" run_streams "$@" >"$place/one" || fail "a measurement of streams failed"
    busy=$(awk '$1 == "others" { print $2 }' "$place/one")
    ((busy > too_busy)) || break
  done
  ((others >= busy)) || others=$busy
  awk -v label="$label" '$1 != "others" { print label "-" $1 "\t" $2 }' "$place/one" >>"$place/serve.all"
}

# run_streams STREAMS EVENTS RATE [STUCK | COMMAND…] PID PORT TOKEN
run_streams() {
  local words=("$@")
  (cd "$(streams_root)" && exec "$place/streams" "${words[@]: -3}" "${words[@]:0:${#words[@]}-3}")
}

# middle LABEL: the median of all measurements.
middle() {
  awk -F '\t' -v label="$1" '$1 == label { print $2 }' "$place/serve.all" | sort -g |
    awk '{ all[NR] = $1 } END { if (NR) print all[int((NR + 1) / 2)] }'
}

# quotient LABEL REFERENCE: of their medians; empty if either is missing.
quotient() {
  local one other
  one=$(middle "$1") other=$(middle "$2")
  [ -z "$one" ] || [ -z "$other" ] || calculate "$one / $other"
}

fill_streams() {
  make_team "$(streams_root)" streams process
  batch 1000 | "$bin/task-create" -C "$(streams_root)" -t streams - >/dev/null || fail "cannot fill the board"
}

# last_event: the number of the last event in the log.
last_event() { tail -n 1 "$(streams_root)/.teams/streams/events.jsonl" | jq .seq; }

# run_reads PID PORT TOKEN: requests a second, of one client with 16 connections.
run_reads() {
  wrk -t 1 -c 16 -d "$seconds" -H "Authorization: Bearer $3" "http://127.0.0.1:$2/api/tasks/500" >"$place/wrk" || return
  grep -q 'Non-2xx' "$place/wrk" || awk '/^Requests\/sec/ { print $2 }' "$place/wrk"
}

measure_reads() {
  "$bin/task-get" -C "$(streams_root)" -t streams 500 --json >"$place/constant.json" || fail "no task"
  local name
  for ((round = 1; round <= turns; round++)); do
    for name in constant ours; do
      printf '%s-reads\t%s\n' "$name" "$(with_server "$name" run_reads)" >>"$place/serve.all"
    done
  done
}

part_serve() {
  local round turns=5 events=100 seconds=4 server reads
  [ -z "${QUICK:-}" ] || turns=2 events=40 seconds=1
  others=0
  : >"$place/serve.all"
  compile streams.cc streams "$build/libteam.a" -static
  compile least_streams.cc least_streams
  compile constant.cc constant
  fill_streams
  for ((round = 1; round <= turns; round++)); do
    for server in epoll ours node; do measure_streams "$server" "$server" 1000 "$events" 20; done
    measure_streams one ours 1 "$events" 20 "$bin/team-log" -f --json --after "$(last_event)"
    for server in 0 50; do measure_streams "stuck-$server" ours 200 "$events" 20 "$server"; done
  done
  ((others <= too_busy)) || note_busy
  note "1000 streams, 20 events a second: a delivery" "$(middle ours-cpu)" 'µs of cpu'
  row "  against a server of bare epoll" "$(quotient ours-cpu epoll-cpu)" x most 2
  row "  against the http module of node" "$(quotient ours-cpu node-cpu)" x most 0.9
  row "  memory of team-serve" "$(calculate "$(middle ours-memory) / 1024")" MB most 12
  note "  the 95th of 100 arrives after" "$(in_ms "$(middle ours-p95)")" ms
  row "  against a server of bare epoll" "$(quotient ours-p95 epoll-p95)" x most 1.5
  row "one stream, an event arrives after team-log -f by" \
    "$(in_ms "$(calculate "$(middle one-p50) - $(middle one-command)")")" ms most 1
  row "200 streams, the 95th of 100 with 50 stuck clients" "$(quotient stuck-50-p95 stuck-0-p95)" x most 1.2
  measure_reads
  reads=$(middle ours-reads)
  note "GET /api/tasks/ID" "$reads" /s
  if [ -n "$reads" ] && awk -v reads="$reads" 'BEGIN { exit !(reads >= 20000) }'; then
    row "  by 16 connections of one client" "$reads" /s least 20000
  else
    row "  against a server of Beast that answers a constant" "$(quotient ours-reads constant-reads)" x least 0.5
  fi
}
