# For tests of agents with a model: scripts/model-server stands in for it. Load it last, in place of teammates.bash, by
# which the server ends with the test.
load teammates

FORMAT=anthropic

# A command for an agent that works until the file `go` exists.
UNTIL_GO='until [ -e go ]; do read -rt 0.02 <> <(:); done'

setup_file() {
  # The real python3: a wrapper in PATH would be started for each test.
  PYTHON=$(python3 -c 'import sys; print(sys.executable)')
  export PYTHON
}

# start_model [SCRIPT]: returns when a server answers by that script of tests/models, else by the script on stdin. It
# sets URL and MODEL, the options for it; the keys are in the environment. Its log is model.log.
start_model() {
  local script=model.json
  if (($#)); then script=$PROJECT/tests/models/$1.json; else cat >model.json; fi
  rm -f model.url
  "$PYTHON" "$PROJECT/scripts/model-server" "$script" --port-file model.url --log model.log \
    >model.out 2>model.err 3>&- &
  TEAMMATE[model-server]=$!
  wait_until test -e model.url
  URL=$(cat model.url)
  case $FORMAT in
    anthropic) MODEL=(--model claude-x --base-url "$URL") ;;
    openai) MODEL=(--model gpt-x --base-url "$URL") ;;
    responses) MODEL=(--model gpt-x --api responses --base-url "$URL") ;;
  esac
  disown "${TEAMMATE[model-server]}"  # that it is killed is nothing to tell
  export URL ANTHROPIC_API_KEY=${MODEL_SERVER_KEY:-test-key} OPENAI_API_KEY=${MODEL_SERVER_KEY:-test-key}
}

stop_model() {
  kill -KILL "${TEAMMATE[model-server]}"
  wait_until gone "${TEAMMATE[model-server]}"
  unset "TEAMMATE[model-server]"
}

# in_each_format FUNCTION: calls it for each format, in its own folder, with FORMAT set.
in_each_format() {
  for FORMAT in anthropic openai responses; do
    echo "format: $FORMAT" >&2
    mkdir "$FORMAT"
    cd "$FORMAT" || return
    "$1"
    [ ! -v "TEAMMATE[model-server]" ] || stop_model
    cd ..
  done
}

# asked FILTER: applies jq to each call that arrived. `system` is its system prompt, `said` each text of the user in it
# without the state of the team, `present` that state, `results` each result of a tool.
asked() {
  jq -r "
    def parts: if type == \"array\" then .[] else {type: \"text\", text: .} end;
    def whole: [parts | .text // \"\"] | join(\"\");
    def turns: .body.messages // .body.input | .[];
    def system: (.body.system // .body.instructions // ([turns | select(.role == \"system\")][0].content)) | whole;
    def texts: turns | select(.role == \"user\").content | parts | select(.type == \"text\").text;
    def mark: \"[System] The team as it is now.\";
    def said: texts | split(mark)[0] | select(. != \"\") | sub(\"\n\n$\"; \"\");
    def present: texts | select(contains(mark)) | split(mark)[1];
    def results: turns | if .role == \"tool\" then .content | whole | ltrimstr(\"Error: \")
      elif .type == \"function_call_output\" then .output | ltrimstr(\"Error: \")
      elif .content then .content | parts | select(.type == \"tool_result\").content | whole else empty end;
    $1" model.log
}

# calls: the number of calls.
calls() { if [ -e model.log ]; then wc -l <model.log; else echo 0; fi; }

# was_asked N: true after at least so many calls, for wait_until.
was_asked() { (($(calls) >= $1)); }

# transcript NAME FILTER: applies jq to each line of its transcript.
transcript() { jq -r "$2" ".teams/${TEAM:-alpha}/$1_transcript.jsonl"; }

# results NAME: the results of its tools, a line each: ok or error, the tool, and the text.
results() {
  transcript "$1" 'select(.type == "result") | "\(if .is_error then "error" else "ok" end) \(.name): \(.text)"'
}
