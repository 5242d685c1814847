# How much of the prompts of busy teammates a service can read from its cache. It counts bytes of requests, not time.

REQUESTS=20

# A model that works like a coding agent: it reads files and runs commands, and it changes the board and writes to a
# teammate in between, so that the state of the team differs in almost every request.
coding_model() {
  jq -n --argjson requests "$REQUESTS" '
    def tool(name; input): [{thinking: "What next?"}, {tool: name, input: input}];
    [{when: {user: "Your task is"}, steps: ([range($requests - 1) | [
        tool("bash"; {command: "seq -s \" \" 400"}),
        tool("TaskCreate"; {subject: "found meanwhile, number \(.)"}),
        tool("read_file"; {path: "notes"}),
        tool("SendMessage"; {recipient: "user", content: "Step \(.) is done."}),
        tool("bash"; {command: "seq -s \" \" 300"})
      ][. % 5]] + ["All done."])},
     {answer: "Noted."}]'
}

# busy_team FORMAT OPTION…: runs four teammates at once, and prints the figures of their requests.
busy_team() {
  local root=$place/cache/$1 server name
  local -a pids=()
  make_team "$root" cache process
  "$bin/team-config" -C "$root" model.concurrency 0 || fail "cannot change the team"
  seq 1000 >"$root/notes"
  coding_model >"$root/model.json"
  "$(python)" "$here/model-server" "$root/model.json" --port-file "$root/url" --log "$root/log" >/dev/null 2>&1 &
  server=$!
  for name in ann bob cat dan; do
    "$bin/task-create" -C "$root" "the work of $name" --owner "$name" >/dev/null || fail "cannot make a task"
  done
  until [ -e "$root/url" ]; do sleep 0.05; done
  for name in ann bob cat dan; do
    (cd "$root" && exec timeout 120 "$bin/teammate-run" "$name" --quiet --once "${@:2}" --base-url "$(<url)" \
      </dev/null >/dev/null 2>"$name.err") &
    pids+=($!)
  done
  wait "${pids[@]}"
  kill $server
  wait $server
  "$here/bench.d/cache_share.py" "$root/log"
}

part_cache() {
  local format share input
  local -A options=([anthropic]='--model claude-x' [openai]='--model gpt-x' [responses]='--model gpt-x --api responses')
  others=0
  export ANTHROPIC_API_KEY=test-key OPENAI_API_KEY=test-key
  for format in anthropic openai responses; do
    # shellcheck disable=SC2086 # options
    read -r share input < <(busy_team $format ${options[$format]} |
      awk -F '\t' -v all=$((4 * (REQUESTS - 1))) '$1 == "all" && $2 == all { print $3, $4 }')
    row "prompt cache, $format: of the request before" "$share" % least 90
    note '  of all input' "$input" %
    share='' input=''
  done
}
