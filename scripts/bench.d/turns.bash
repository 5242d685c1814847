# The processor time of a teammate for one turn, without the model, by the length of its conversation.

TURNS=20

# transcript MESSAGES: a conversation of so many messages, of the user and the model in turn.
transcript() {
  awk -v pairs=$(($1 / 2)) 'BEGIN {
    for (i = 1; i <= pairs; i++) {
      printf "{\"timestamp\":1,\"type\":\"work\",\"title\":\"messages\",\"phase\":\"work\",\"messages\":[]," \
             "\"text\":\"question number %d of the user\"}\n", i
      printf "{\"timestamp\":1,\"type\":\"answer\",\"model\":\"m\",\"stop\":\"end\",\"usage\":{}," \
             "\"turn\":{\"role\":\"model\",\"parts\":[{\"type\":\"text\",\"text\":\"answer number %d of the model\"}]}}\n", i
      print "{\"timestamp\":1,\"type\":\"end\"}"
    }
  }'
}

# A model that calls a tool so often, and then ends; or ends at once.
model_script() {
  jq -n --argjson turns $TURNS '[
    {when: {user: "count"}, again: true, steps: ([range($turns) | [{tool: "TaskList", input: {}}]] + ["done"])},
    {when: {user: "hello"}, answer: "done"}]'
}

# plan_turns URL
plan_turns() {
  local messages word
  for messages in 10 10000; do
    for word in hello count; do
      line - "$place/turns" cp "$messages.jsonl" .teams/turns/bob_transcript.jsonl
      line "$word-$messages" "$place/turns" "$bin/teammate-run" bob --quiet --once --no-auto-claim --prompt "$word %n" \
        --model claude-x --context 1000000 --base-url "$1"
    done
  done
}

# per_turn MESSAGES: µs.
per_turn() {
  local all one
  all=$(value turns "count-$1" processor) one=$(value turns "hello-$1" processor)
  [ -z "$all" ] || [ -z "$one" ] || calculate "($all - $one) / $TURNS"
}

part_turns() {
  local messages server too_busy=100 few many
  make_team "$place/turns" turns process
  "$bin/team-join" -C "$place/turns" bob >/dev/null
  for messages in 10 10000; do transcript $messages >"$place/turns/$messages.jsonl"; done
  model_script >"$place/turns/model.json"
  "$(python)" "$here/model-server" "$place/turns/model.json" --port-file "$place/turns/url" >/dev/null 2>&1 &
  server=$!
  until [ -e "$place/turns/url" ]; do sleep 0.05; done
  ANTHROPIC_API_KEY=test-key run turns $((slow_rounds / 2)) < <(plan_turns "$(<"$place/turns/url")")
  kill $server
  wait $server
  few=$(per_turn 10) many=$(per_turn 10000)
  note "teammate-run, a turn after 10 messages" "$(in_ms "$few")" 'ms of cpu'
  note "  after 10000 messages" "$(in_ms "$many")" 'ms of cpu'
  note "  to start with 10000 messages" "$(in_ms "$(value turns hello-10000 processor)")" 'ms of cpu'
}
