load helper
load mail
load models

# start_collector [ANSWER…]: an OpenTelemetry collector that logs to collector.log and gives these answers; sets TO.
start_collector() {
  rm -f collector.url
  "$PYTHON" "$PROJECT/tests/collector" collector.url collector.log "$@" >collector.out 2>&1 3>&- &
  TEAMMATE[collector]=$!
  disown "${TEAMMATE[collector]}"
  wait_until test -e collector.url
  TO=$(cat collector.url)
}

# a_run: a team whose member has completed a task by a program.
a_run() {
  make_team
  task-create first
  teammate-run backend --exec 'cat >/dev/null; echo done' --until-done >/dev/null 2>&1
}

# spans FILTER [FILE]: applies jq to each span.
spans() {
  jq -r ".resourceSpans[].scopeSpans[].spans[] | $1" "${2:-spans.jsonl}"
}

@test "writes a span for the team run, the run of a member and its task, and prints their number" {
  a_run

  run --separate-stderr team-export --otlp spans.jsonl

  as_expected 0 3 ''
  same "task 1
invoke_agent backend
invoke_workflow alpha" "$(spans .name)"
  same '1 1' "$(spans .parentSpanId | grep -cx null) $(spans .traceId | sort -u | wc -l)"
  same 600 "$(stat -c %a spans.jsonl)"
  same teamkit "$(jq -r '.resourceSpans[].resource.attributes[] | select(.key == "service.name").value.stringValue' spans.jsonl)"
}

@test "gives the same spans when it runs again, to a file and to stdout" {
  a_run
  team-export --otlp first.jsonl

  team-export --otlp second.jsonl
  team-export --otlp - >third.jsonl

  cmp first.jsonl second.jsonl
  cmp first.jsonl third.jsonl
}

@test "exports calls of models and tools with their tokens and provider, and their texts only with --content" {
  start_model <<'END'
[{"when": {"turns": 0}, "answer": [{"text": "I look."}, {"tool": "bash", "input": {"command": "echo found"}}],
  "usage": {"input": 10, "output": 4}},
 {"answer": "Nothing else."}]
END
  make_team
  task-create look
  ANTHROPIC_API_KEY=test-key teammate-run backend "${MODEL[@]}" --until-done >out 2>&1

  team-export --otlp spans.jsonl
  team-export --otlp content.jsonl --content

  same "execute_tool bash" "$(spans 'select(.name | startswith("execute_tool")).name')"
  spans 'select(.name | startswith("chat")) | .attributes | map({(.key): .value}) | add |
    [."gen_ai.provider.name".stringValue, ."gen_ai.usage.output_tokens".intValue, ."gen_ai.agent.name".stringValue] | join(" ")' >calls
  grep -qx 'anthropic 4 backend' calls
  run ! grep -q 'I look\|echo found' spans.jsonl
  grep -q 'I look' content.jsonl
  grep -q 'echo found' content.jsonl
}

@test "replaces keys in the content" {
  key=sk-$(printf 'a%.0s' {1..30})
  make_team
  task-create "use $key and hunter2hunter2"
  task-claim 1 --as backend
  task-complete 1 --as backend

  SOME_API_KEY=hunter2hunter2 team-export --otlp spans.jsonl --content

  same 'use [key] and [key]' "$(spans '.attributes[] | select(.key == "teamkit.task.subject").value.stringValue')"
}

@test "links the span of an unblocked task to the span that unblocked it" {
  make_team
  task-create first
  task-create second --blocked-by 1
  for id in 1 2; do task-claim "$id" --as backend && task-complete "$id" --as backend; done

  team-export --otlp spans.jsonl

  same "$(spans 'select(.name == "task 1").spanId')" "$(spans 'select(.name == "task 2").links[].spanId')"
}

@test "leaves out operations that have not ended, and says how many" {
  make_team
  task-create first
  task-claim 1 --as backend

  run --separate-stderr team-export --otlp spans.jsonl

  as_expected 0 0 'team-export: left out 1 operations that have not ended'
  [ ! -s spans.jsonl ]
}

@test "sends to a collector, with the headers of the environment" {
  a_run
  start_collector

  OTEL_EXPORTER_OTLP_HEADERS='authorization=Bearer%20hidden-key, x-tenant=blue' OTEL_SERVICE_NAME=ours \
    run --separate-stderr team-export --otlp "$TO"

  as_expected 0 3 ''
  same '/v1/traces Bearer hidden-key blue application/json' \
    "$(jq -r '[.path, .headers.authorization, .headers["x-tenant"], .headers["content-type"]] | join(" ")' collector.log)"
  jq -c .body collector.log >spans.jsonl
  same 3 "$(spans .name | wc -l)"
  grep -q '"ours"' spans.jsonl
}

@test "sends several requests for a long log" {
  make_team
  for ((i = 1; i <= 600; ++i)); do echo "{\"subject\":\"t$i\"}"; done | task-create - >/dev/null
  last=$(wc -l <.teams/alpha/events.jsonl)
  for ((i = 1; i <= 600; ++i)); do
    printf '{"seq":%d,"timestamp":%d,"team_id":"alpha","agent_id":"backend","role_name":null,"run_id":null,"event":{"type":"TASK_CLAIMED","task_id":%d,"subject":"t","owner":"backend"}}\n' $((last + 2 * i - 1)) $((2000000000 + i)) "$i"
    printf '{"seq":%d,"timestamp":%d,"team_id":"alpha","agent_id":"backend","role_name":null,"run_id":null,"event":{"type":"TASK_COMPLETED","task_id":%d,"subject":"t","owner":"backend"}}\n' $((last + 2 * i)) $((2000000000 + i)) "$i"
  done >>.teams/alpha/events.jsonl
  start_collector

  run --separate-stderr team-export --otlp "$TO/v1/traces"

  as_expected 0 600 ''
  same '512
88' "$(jq '[.body.resourceSpans[].scopeSpans[].spans[]] | length' collector.log)"
}

@test "retries while the collector is busy, at the time that it names" {
  a_run
  start_collector 503:retry-after=0.1 429:retry-after=0 200

  run --separate-stderr team-export --otlp "$TO"

  same 0 "$status"
  same 3 "$output"
  same 2 "$(grep -c 'next try in' <<<"$stderr")"
  same 3 "$(wc -l <collector.log)"
  same 1 "$(jq -c .body collector.log | sort -u | wc -l)"
}

@test "exits 69 if the collector stays busy for longer than --timeout" {
  a_run
  start_collector '503:retry-after=60:{"message":"come back later"}'

  run --separate-stderr team-export --otlp "$TO" --timeout 1

  as_expected 69 '' "team-export: unavailable: ${TO#http://}: 503 come back later"
  same 1 "$(wc -l <collector.log)"
}

@test "exits 69 if the collector refuses the request, without a second try and without the key" {
  a_run
  start_collector '401::{"message":"not a key: hidden-key"}'

  OTEL_EXPORTER_OTLP_HEADERS=x-key=hidden-key run --separate-stderr team-export --otlp "$TO"

  as_expected 69 '' "team-export: unavailable: ${TO#http://}: 401 not a key: [key]"
  same 1 "$(wc -l <collector.log)"
}

@test "names no key, also if the collector repeats it without its scheme" {
  a_run
  start_collector '401::{"message":"not a key: hidden-key"}'
  OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20hidden-key run --separate-stderr team-export --otlp "$TO"
  as_expected 69 '' "team-export: unavailable: ${TO#http://}: 401 not a key: [key]"

  start_collector '200::{"partialSuccess":{"rejectedSpans":"2","errorMessage":"hidden-key is too old"}}'
  OTEL_EXPORTER_OTLP_HEADERS=x-key=hidden-key run --separate-stderr team-export --otlp "$TO"
  as_expected 69 '' "team-export: unavailable: ${TO#http://}: rejected 2 spans: [key] is too old"
}

@test "exits 69 if the collector accepts only some of the spans" {
  a_run
  start_collector '200::{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}'

  run --separate-stderr team-export --otlp "$TO"

  as_expected 69 '' "team-export: unavailable: ${TO#http://}: rejected 2 spans: too old"
}

@test "exits 69 at once if no collector is there" {
  a_run
  start_collector
  kill -KILL "${TEAMMATE[collector]}"
  wait_until gone "${TEAMMATE[collector]}"

  run --separate-stderr team-export --otlp "$TO"

  same 69 "$status"
  [[ $stderr == "team-export: unavailable: ${TO#http://}: "* ]]
}

@test "refuses wrong targets and headers" {
  make_team
  for words in '' '--otlp http://' '--otlp x --timeout 3'; do
    # shellcheck disable=SC2086 # words
    run --separate-stderr team-export $words
    same "2 $words" "$status $words"
  done

  OTEL_EXPORTER_OTLP_HEADERS='just words' run --separate-stderr team-export --otlp http://127.0.0.1:1
  as_expected 2 '' 'team-export: usage: OTEL_EXPORTER_OTLP_HEADERS: header 1 is not NAME=VALUE'

  run --separate-stderr team-export --otlp nowhere/spans.jsonl
  as_expected 3 '' "team-export: not_found: no such folder 'nowhere'"

  run --separate-stderr team-export --otlp spans.jsonl -t beta
  same 3 "$status"
  [ ! -e spans.jsonl ]
}

@test "keeps the old file if the disk is full" {
  a_run
  echo old >spans.jsonl

  run --separate-stderr strace -qq -o trace -e trace=write -e 'inject=write:error=ENOSPC:when=1' \
    team-export --otlp spans.jsonl

  same 74 "$status"
  same old "$(cat spans.jsonl)"
  same '' "$(find . -maxdepth 1 -name '.tmp*')"
}

@test "warns about lines that are no events" {
  a_run
  sed -i '2s/"event":.*//' .teams/alpha/events.jsonl

  run --separate-stderr team-export --otlp spans.jsonl

  as_expected 0 3 'team-export: left out 1 lines of the log that are no events'
}
