# The server that stands in for a model; tests/models/client calls it like a small agent.
load helper

setup_file() {
  # The real python3: a wrapper in PATH would be started some hundred times.
  PYTHON=$(python3 -c 'import sys; print(sys.executable)')
  export PYTHON
}

teardown() {
  [ -n "${SERVER:-}" ] || return 0
  kill -KILL "$SERVER" 2>/dev/null || true
  wait "$SERVER" 2>/dev/null || true
}

# serve [OPTION…]: starts it with the script on stdin, and returns when it listens.
serve() {
  cat >script.json
  rm -f url
  "$PYTHON" "$PROJECT/scripts/model-server" script.json --port-file url --log log "$@" >out 2>errors 3>&- &
  SERVER=$!
  wait_until test -e url
  export URL
  URL=$(cat url)
}

client() {
  timeout 60 "$PYTHON" "$PROJECT/tests/models/client" "$@"
}

# texts: the words of the model in complete answers, one a line.
texts() {
  jq -r '.content // [.choices[].message.content] | map(.text? // .) | join("|")'
}

# streamed: the same for streams: the texts of each answer joined.
streamed() {
  sed -n 's/^data: \({.*\)/\1/p' | jq -j '
    if .type == "message_start" or .choices[0].delta.role then "\n"
    else (.delta.text // .choices[0].delta.content // "") end' | sed 1d
  echo
}

# logged FILTER: of each request that was answered or refused.
logged() {
  jq -r "$1" log
}

# user TEXT: the messages of a new conversation.
user() {
  jq -nc --arg text "$1" '{messages: [{role: "user", content: $text}]}'
}

# refuses FORMAT: sends the text after the words on each line of stdin; each is refused with these words.
refuses() {
  local words=() bodies=() line
  while IFS= read -r line; do
    [ -n "$line" ] || continue
    words+=("${line%% <- *}")
    bodies+=("${line##* <- }")
  done
  run --separate-stderr client ask "$1" "${bodies[@]}"
  same "$(printf '%s\n' "${words[@]}")" "$output"
  same "$(printf "${2:-400}%.0s\n" "${words[@]}")" "$stderr"
}

@test "prints where it listens, and ends with 0 when it is told to" {
  echo '[{"answer": "hi"}]' >script.json
  "$PROJECT/scripts/model-server" script.json >out 3>&- &
  SERVER=$!
  wait_until test -s out

  kill -TERM "$SERVER"
  result=0
  wait "$SERVER" || result=$?

  same 0 "$result"
  grep -qxE 'http://127\.0\.0\.1:[0-9]+' out
}

@test "ends at once though clients wait, and its port is free for the next" {
  serve <<<'[{"answer": "hi", "fault": "hang"}]'
  client ask openai '{"stream": true}' >/dev/null 2>&1 3>&- &
  wait_until test -s log
  kill -TERM "$SERVER"
  wait "$SERVER"

  serve --port "${URL##*:}" <<<'[{"answer": "hi"}]'
  run --separate-stderr client ask openai '{}'

  same hi "$(texts <<<"$output")"
}

@test "refuses a port that is taken with 74" {
  serve <<<'[{"answer": "hi"}]'

  run --separate-stderr "$PROJECT/scripts/model-server" script.json --port "${URL##*:}"

  as_expected 74 '' "model-server: io: ${URL##*:}: Address already in use"
}

@test "refuses a script that is wrong, and says where" {
  while IFS= read -r line; do
    printf '%s\n' "${line##* <- }" >script.json
    run --separate-stderr "$PROJECT/scripts/model-server" script.json
    as_expected 2 '' "model-server: usage: script 'script.json': ${line%% <- *}"
  done <<'END'
no JSON: Expecting value: line 1 column 1 (char 0) <- nothing
the script: unknown key 'rulez' <- {"rulez": []}
rule 0: must be an object <- ["hi"]
rule 1: unknown key 'anser' <- [{"answer": "hi"}, {"anser": "hi"}]
rule greet, when: unknown key 'usr' <- [{"name": "greet", "when": {"usr": "x"}, "answer": "hi"}]
rule 0, when: no regular expression: missing ), unterminated subpattern at position 0 <- [{"when": {"user~": "("}, "answer": "hi"}]
rule 0: has neither 'answer', 'steps' nor 'fault' <- [{"when": {}}]
rule 0, fault: unknown key 'statuz' <- [{"answer": "hi", "fault": {"statuz": 429}}]
rule 0, step 1: a part has either 'text', 'tool' or 'thinking' <- [{"steps": ["a", [{"input": {}}]]}]
rule 0: ${2} is neither a group nor a variable of the environment <- [{"when": {"user~": "(a)"}, "answer": "${2}"}]
two rules have the same name <- [{"name": "a", "answer": "hi"}, {"name": "a", "answer": "hi"}]
END
}

@test "answers in Anthropic's format as a whole" {
  serve <<<'[{"answer": [{"text": "Let me see."}, {"tool": "bash", "input": {"command": "ls"}}]}]'

  run --separate-stderr client ask anthropic '{}'

  same 200 "$stderr"
  same '{"type":"message","role":"assistant","model":"m","stop_reason":"tool_use","stop_sequence":null}' \
    "$(jq -c '{type, role, model, stop_reason, stop_sequence}' <<<"$output")"
  same '[{"type":"text","text":"Let me see."},{"type":"tool_use","name":"bash","input":{"command":"ls"}}]' \
    "$(jq -c '[.content[] | del(.id)]' <<<"$output")"
  same true "$(jq '.usage | .input_tokens > 0 and .output_tokens > 0' <<<"$output")"
}

@test "streams in Anthropic's format" {
  serve <<'END'
[{"answer": [{"text": "I look at two files, ü."},
             {"tool": "read_file", "input": {"path": "one/long/name"}}, {"tool": "read_file", "input": {"path": "two"}}]}]
END

  run --separate-stderr client ask anthropic '{"stream": true}'

  events=$(sed -n 's/^event: //p' <<<"$output" | uniq | paste -sd ' ')
  block='content_block_delta content_block_stop'
  same "message_start content_block_start ping $block content_block_start $block content_block_start $block \
message_delta message_stop" "$events"
  data=$(sed -n 's/^data: //p' <<<"$output")
  same 'I look at two files, ü.' "$(jq -j '.delta.text // empty' <<<"$data")"
  same '{"path": "one/long/name"}' "$(jq -j 'select(.index == 1) | .delta.partial_json // empty' <<<"$data")"
  same '{"path": "two"}' "$(jq -j 'select(.index == 2) | .delta.partial_json // empty' <<<"$data")"
  same '{}' "$(jq -c 'select(.index == 2) | .content_block.input // empty' <<<"$data")"
  same 'tool_use true' "$(jq -r 'select(.type == "message_delta") | "\(.delta.stop_reason) \(.usage.output_tokens > 0)"' <<<"$data")"
  same '"" "{\"path\": \"one/lo" "ng/name\"}"' \
    "$(jq -c 'select(.index == 1) | .delta.partial_json // empty' <<<"$data" | paste -sd ' ')"
}

@test "answers in OpenAI's format as a whole" {
  serve <<<'[{"answer": [{"text": "Let me see."}, {"tool": "bash", "input": {"command": "ls"}}]}]'

  run --separate-stderr client ask openai '{}'

  same 200 "$stderr"
  same '{"object":"chat.completion","model":"m","finish_reason":"tool_calls"}' \
    "$(jq -c '{object, model, finish_reason: .choices[0].finish_reason}' <<<"$output")"
  same '{"role":"assistant","content":"Let me see.","refusal":null,"tool_calls":[{"type":"function",'\
'"function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}}]}' \
    "$(jq -c '.choices[0].message | del(.tool_calls[].id)' <<<"$output")"
  same true "$(jq '.usage | .total_tokens == .prompt_tokens + .completion_tokens' <<<"$output")"
}

@test "streams in OpenAI's format, with usage if it is asked for" {
  serve <<'END'
[{"answer": [{"text": "I look at two files, ü."},
             {"tool": "read_file", "input": {"path": "one/long/name"}}, {"tool": "read_file", "input": {"path": "two"}}]}]
END

  run --separate-stderr client ask openai '{"stream": true, "stream_options": {"include_usage": true}}'
  same 'data: [DONE]' "${lines[-1]}"
  data=$(sed -n 's/^data: \({.*\)/\1/p' <<<"$output")
  same 'I look at two files, ü.' "$(jq -j '.choices[0].delta.content // empty' <<<"$data")"
  for index in 0 1; do
    jq -j --argjson i $index '.choices[0].delta.tool_calls[]? | select(.index == $i) | .function.arguments' <<<"$data"
    echo
  done >arguments
  same $'{"path": "one/long/name"}\n{"path": "two"}' "$(cat arguments)"
  same 'read_file read_file' "$(jq -r '.choices[0].delta.tool_calls[]?.function.name // empty' <<<"$data" | paste -sd ' ')"
  same tool_calls "$(jq -r '.choices[0].finish_reason // empty' <<<"$data")"
  same '[] true' "$(jq -c 'select(.usage) | .choices, .usage.total_tokens > 0' <<<"$data" | paste -sd ' ')"

  run --separate-stderr client ask openai '{"stream": true}'
  same '' "$(sed -n 's/^data: \({.*\)/\1/p' <<<"$output" | jq 'select(has("usage"))')"
}

@test "asks for the key in the service's own way" {
  serve <<<'[{"answer": "hi"}]'

  run --separate-stderr client ask anthropic -H x-api-key: '{}'
  as_expected 0 'authentication_error: x-api-key header is required' 401
  run --separate-stderr client ask anthropic -H x-api-key:wrong-key '{}'
  as_expected 0 'authentication_error: invalid x-api-key' 401
  run --separate-stderr client ask anthropic -H x-api-key: -H 'authorization:Bearer test-key' '{}'
  as_expected 0 'authentication_error: x-api-key header is required' 401
  run --separate-stderr client ask openai -H authorization: '{}'
  as_expected 0 "invalid_request_error: You didn't provide an API key. You need to provide your API key in an \
Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)." 401
  run --separate-stderr client ask openai -H 'authorization:Bearer wrong-key' '{}'
  as_expected 0 "invalid_request_error: Incorrect API key provided. You can find your API key at \
https://platform.openai.com/account/api-keys. (invalid_api_key)" 401
  run --separate-stderr client ask openai '{}'
  same 200 "$stderr"

  same 'missing wrong missing missing wrong right' "$(logged .key | paste -sd ' ')"
  run grep -q -e test-key -e wrong-key log
  same 1 "$status"
}

@test "asks for no key when MODEL_SERVER_KEY is empty" {
  export MODEL_SERVER_KEY=
  serve <<<'[{"answer": "hi"}]'

  run --separate-stderr client ask openai -H authorization: '{}'

  same 200 "$stderr"
}

@test "refuses headers that the services refuse" {
  serve <<<'[{"answer": "hi"}]'

  run --separate-stderr client ask anthropic -H anthropic-version: '{}'
  as_expected 0 'invalid_request_error: anthropic-version: header is required' 400
  run --separate-stderr client ask anthropic -H anthropic-version:2020-01-01 '{}'
  as_expected 0 'invalid_request_error: anthropic-version: "2020-01-01" is not a valid version' 400
  run --separate-stderr client ask openai -H content-type:application/x-www-form-urlencoded '{}'
  as_expected 0 'invalid_request_error: you must provide a model parameter' 400
}

@test "refuses the same requests as Anthropic" {
  serve <<<'[{"answer": "hi"}]'

  refuses anthropic <<'END'
invalid_request_error: max_tokens: Field required <- {"max_tokens": null}
invalid_request_error: max_tokens: Input should be greater than or equal to 1 <- {"max_tokens": 0}
invalid_request_error: model: Field required <- {"model": null}
invalid_request_error: response_format: Extra inputs are not permitted <- {"response_format": {}}
invalid_request_error: messages: at least one message is required <- {"messages": []}
invalid_request_error: messages: first message must use the "user" role <- {"messages": [{"role": "assistant", "content": "a"}]}
invalid_request_error: messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row <- {"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}
invalid_request_error: messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role. <- {"messages": [{"role": "system", "content": "a"}]}
invalid_request_error: messages.0.name: Extra inputs are not permitted <- {"messages": [{"role": "user", "content": "a", "name": "x"}]}
invalid_request_error: messages.0: all messages must have non-empty content except for the optional final assistant message <- {"messages": [{"role": "user", "content": []}]}
invalid_request_error: messages: text content blocks must be non-empty <- {"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]}
invalid_request_error: messages: text content blocks must contain non-whitespace text <- {"messages": [{"role": "user", "content": " \n"}]}
invalid_request_error: messages.0.content.0.text: cache_control cannot be set for empty text blocks <- {"messages": [{"role": "user", "content": [{"type": "text", "text": "", "cache_control": {"type": "ephemeral"}}]}]}
invalid_request_error: This model does not support assistant message prefill. The conversation must end with a user message. <- {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
invalid_request_error: system: text content blocks must be non-empty <- {"system": [{"type": "text", "text": ""}]}
invalid_request_error: tools.0.custom.input_schema: Field required <- {"tools": [{"name": "t"}]}
invalid_request_error: tools.0.custom.input_schema.type: Field required <- {"tools": [{"name": "t", "input_schema": {}}]}
invalid_request_error: tools.0.custom.input_schema.type: Input should be 'object' <- {"tools": [{"name": "t", "input_schema": {"type": "array"}}]}
invalid_request_error: tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use. <- {"tools": [{"name": "t", "input_schema": {"type": "object", "properties": {"x": {"type": "text"}}}}]}
invalid_request_error: tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$' <- {"tools": [{"name": "a b", "input_schema": {"type": "object"}}]}
invalid_request_error: tools: Tool names must be unique. <- {"tools": [{"name": "t", "input_schema": {"type": "object"}}, {"name": "t", "input_schema": {"type": "object"}}]}
invalid_request_error: A maximum of 4 blocks with cache_control may be provided. Found 5. <- {"messages": [{"role": "user", "content": [{"type": "text", "text": "1", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "2", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "3", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "4", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "5", "cache_control": {"type": "ephemeral"}}]}]}
END
}

@test "refuses tool calls and results that do not fit, as Anthropic does" {
  serve <<<'[{"answer": "hi"}]'
  # call ID…, result ID…: blocks
  call() { printf ', {"type": "tool_use", "id": "%s", "name": "t", "input": {}}' "$@" | cut -c 3-; }
  result() { printf ', {"type": "tool_result", "tool_use_id": "%s", "content": "x"}' "$@" | cut -c 3-; }
  begun='{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": ['
  text='{"type": "text", "text": "b"}'
  missing='invalid_request_error: messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: '
  must=' Each `tool_use` block must have a corresponding `tool_result` block in the next message.'

  refuses anthropic <<END
${missing}c1.$must <- $begun$(call c1)]}, {"role": "user", "content": "b"}]}
${missing}c2.$must <- $begun$(call c1 c2)]}, {"role": "user", "content": [$(result c1)]}]}
${missing}c1.$must <- $begun$(call c1)]}, {"role": "user", "content": [$text, $(result c1)]}]}
invalid_request_error: messages.2.content.1: unexpected \`tool_use_id\` found in \`tool_result\` blocks: c9. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message. <- $begun$(call c1)]}, {"role": "user", "content": [$(result c1 c9)]}]}
invalid_request_error: messages.0.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: c1. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message. <- {"messages": [{"role": "user", "content": [$(result c1)]}]}
invalid_request_error: messages.2.content.1: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: c1 <- $begun$(call c1)]}, {"role": "user", "content": [$(result c1 c1)]}]}
invalid_request_error: messages.1.content.2: \`tool_use\` ids must be unique <- $begun$text, $(call c1 c1)]}, {"role": "user", "content": [$(result c1)]}]}
invalid_request_error: messages.3.content.0: \`tool_use\` ids must be unique <- $begun$(call c1)]}, {"role": "user", "content": [$(result c1)]}, {"role": "assistant", "content": [$(call c1)]}, {"role": "user", "content": [$(result c1)]}]}
invalid_request_error: messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$' <- $begun$(call c.1)]}, {"role": "user", "content": [$(result c.1)]}]}
invalid_request_error: messages.1.content.0.tool_use.input: Input should be a valid dictionary <- $begun{"type": "tool_use", "id": "c1", "name": "t", "input": "{}"}]}, {"role": "user", "content": [$(result c1)]}]}
invalid_request_error: messages.1.content.0.tool_use.index: Extra inputs are not permitted <- $begun{"type": "tool_use", "id": "c1", "name": "t", "input": {}, "index": 0}]}, {"role": "user", "content": [$(result c1)]}]}
END
  run --separate-stderr client ask anthropic \
    "$begun$text, $(call c1 c2)]}, {\"role\": \"user\", \"content\": [$(result c2 c1), $text]}]}"
  same 200 "$stderr"
}

@test "refuses the same requests as OpenAI" {
  serve <<<'[{"answer": "hi"}]'

  refuses openai <<'END'
invalid_request_error: you must provide a model parameter <- {"model": null}
invalid_request_error: Unrecognized request argument supplied: system <- {"system": "x"}
invalid_request_error: Unrecognized request arguments supplied: a, b <- {"a": 1, "b": 2}
invalid_request_error: Missing required parameter: 'messages'. (messages, missing_required_parameter) <- {"messages": null}
invalid_request_error: Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead. (messages, empty_array) <- {"messages": []}
invalid_request_error: Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'. (messages[0].role, invalid_value) <- {"messages": [{"role": "bot", "content": "a"}]}
invalid_request_error: Invalid value for 'content': expected a string, got null. (messages.[0].content) <- {"messages": [{"role": "user", "content": null}]}
invalid_request_error: Invalid value for 'content': expected a string, got null. (messages.[1].content) <- {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": null}]}
invalid_request_error: Unknown parameter: 'messages[0].cache_control'. (messages[0].cache_control, unknown_parameter) <- {"messages": [{"role": "user", "content": "a", "cache_control": {}}]}
invalid_request_error: Invalid schema for function 't': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'. (tools[0].function.parameters, invalid_function_parameters) <- {"tools": [{"type": "function", "function": {"name": "t", "parameters": {}}}]}
invalid_request_error: Invalid schema for function 't': In context=('properties', 'x'), array schema missing items. (tools[0].function.parameters, invalid_function_parameters) <- {"tools": [{"type": "function", "function": {"name": "t", "parameters": {"type": "object", "properties": {"x": {"type": "array"}}}}}]}
invalid_request_error: Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'. (tools[0].function.name, invalid_value) <- {"tools": [{"type": "function", "function": {"name": "a b"}}]}
invalid_request_error: Missing required parameter: 'tools[0].function'. (tools[0].function, missing_required_parameter) <- {"tools": [{"type": "function"}]}
invalid_request_error: Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead. (tools, empty_array) <- {"tools": []}
invalid_request_error: Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified. (tool_choice) <- {"tool_choice": "auto"}
invalid_request_error: The 'stream_options' parameter is only allowed when 'stream' is enabled. (stream_options) <- {"stream_options": {"include_usage": true}}
END
}

@test "refuses tool calls and results that do not fit, as OpenAI does" {
  serve <<<'[{"answer": "hi"}]'
  # call ID…, result ID…: a call of a message, messages with results
  call() { printf ', {"id": "%s", "type": "function", "function": {"name": "t", "arguments": "{}"}}' "$@" | cut -c 3-; }
  result() { printf ', {"role": "tool", "tool_call_id": "%s", "content": "x"}' "$@"; }
  begun='{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": null, "tool_calls": ['
  missing="invalid_request_error: An assistant message with 'tool_calls' must be followed by tool messages responding to \
each 'tool_call_id'. The following tool_call_ids did not have response messages: "

  refuses openai <<END
${missing}c1 (messages.[2].role) <- $begun$(call c1)]}]}
${missing}c2 (messages.[2].role) <- $begun$(call c1 c2)]}$(result c1)]}
${missing}c1 (messages.[2].role) <- $begun$(call c1)]}, {"role": "user", "content": "b"}$(result c1)]}
invalid_request_error: Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[1].role) <- {"messages": [{"role": "user", "content": "a"}$(result c1)]}
invalid_request_error: Invalid parameter: 'tool_call_id' of 'c9' not found in 'tool_calls' of previous message. (messages.[3].tool_call_id) <- $begun$(call c1)]}$(result c1 c9)]}
invalid_request_error: Invalid parameter: Duplicate value for 'tool_call_id' of 'c1', in messages[2] and messages[3]. (messages.[3].tool_call_id) <- $begun$(call c1)]}$(result c1 c1)]}
invalid_request_error: Invalid parameter: Duplicate value for 'id' of 'c1' in 'tool_calls'. (messages[1].tool_calls[1].id) <- $begun$(call c1 c1)]}$(result c1)]}
invalid_request_error: Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'. (messages.[2].tool_call_id) <- $begun$(call c1)]}, {"role": "tool", "content": "x"}]}
invalid_request_error: Missing required parameter: 'messages[1].tool_calls[0].function.arguments'. (messages[1].tool_calls[0].function.arguments, missing_required_parameter) <- $begun{"id": "c1", "type": "function", "function": {"name": "t"}}]}$(result c1)]}
invalid_request_error: Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead. (messages[1].tool_calls, empty_array) <- $begun]}]}
END
  run --separate-stderr client ask openai "$begun$(call c1 c2)]}$(result c2 c1), {\"role\": \"user\", \"content\": \"b\"}]}"
  same 200 "$stderr"
}

@test "refuses a body that is no JSON, and one that is too large" {
  serve <<<'[{"answer": "hi"}]'
  echo '{"model": ' >broken
  echo '{"model": "\ud800"}' >half
  head -c 33554433 /dev/zero >large

  run --separate-stderr client ask anthropic @broken
  as_expected 0 'invalid_request_error: The request body is not valid JSON: Expecting value: line 2 column 1 (char 11)' 400
  run --separate-stderr client ask openai @half
  same 400 "$stderr"
  [[ $output == 'invalid_request_error: We could not parse the JSON body of your request.'* ]]
  run --separate-stderr client ask anthropic @large
  [[ $stderr == 413* || $stderr == broken ]]
  wait_until grep -q '"status": 413' log
}

@test "knows no other path" {
  serve <<<'[{"answer": "hi"}]'

  run --separate-stderr "$PYTHON" -c '
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1])
for method, path in (("GET", "/"), ("POST", "/v1/embeddings")):
    connection.request(method, path)
    answer = connection.getresponse()
    print(answer.status, answer.read().decode())' "${URL#http://}"

  as_expected 0 '404 {"error": {"message": "Invalid URL (GET /)", "type": "invalid_request_error", "param": null, "code": null}}
404 {"error": {"message": "Invalid URL (POST /v1/embeddings)", "type": "invalid_request_error", "param": null, "code": null}}' ''
}

@test "answers by the first rule that holds, and says clearly when none does" {
  serve <<'END'
[{"name": "openai", "when": {"format": "openai", "user": "format"}, "answer": "openai"},
 {"name": "model", "when": {"model": "special"}, "answer": "special model"},
 {"name": "system", "when": {"system~": "^You are (\\w+)$", "user": "who"}, "answer": "I am ${1}"},
 {"name": "prompt", "when": {"prompt~": "role\\ngoal"}, "answer": "role and goal"},
 {"name": "tools", "when": {"tool": ["a", "b"]}, "answer": "has both"},
 {"name": "both", "when": {"user~": "x", "system": "Y"}, "answer": "x and Y"}]
END
  tools='"tools": [{"name": "a", "input_schema": {"type": "object"}}'

  run --separate-stderr client ask anthropic '{"model": "a-special-one"}' \
    "$(user who | jq -c '.system = "Be kind.\nYou are Ann"')" "$(user goal | jq -c '.system = "role"')" \
    "{$tools, {\"name\": \"b\", \"input_schema\": {\"type\": \"object\"}}]}" "$(user x | jq -c '.system = "Y"')"
  same $'special model\nI am Ann\nrole and goal\nhas both\nx and Y' "$(texts <<<"$output")"
  run --separate-stderr client ask openai "$(user 'which format')"
  same openai "$(texts <<<"$output")"
  run --separate-stderr client ask anthropic "$(user 'which format')" "{$tools]}" "$(user x)"
  same "$(printf "invalid_request_error: model-server: no rule for turn 0: '%s'\n" 'which format' hi x)" "$output"

  same 'model system prompt tools both openai null null null' "$(logged .rule | paste -sd ' ')"
}

@test "looks at tool calls, results, turns, use and flags" {
  serve <<'END'
[{"when": {"called": "a", "result~": "found (\\d+)"}, "answer": [{"tool": "b", "input": {"n": "${1:int}", "s": "${1}"}}]},
 {"when": {"called": "b", "results": "found 7"}, "answer": "b after a", "set": "seen"},
 {"when": {"user": "again", "need": ["seen", "!done"], "turns": {"min": 2}, "first": "go"}, "answer": "1st", "set": ["done", "-seen"]},
 {"when": {"user": "again", "need": "done", "used": {"max": 1}}, "answer": "2nd and 3rd"},
 {"when": {"turns": 0}, "answer": [{"tool": "a"}]},
 {"answer": "else"}]
END
  export ANSWER_a='found 7'

  for format in anthropic openai; do
    rm -f history
    run client talk "$format" --tools a,b --history history go
    same $'a {}\nb {"n": 7, "s": "7"}\nb after a' "$output"
    for _ in 1 2 3 4; do client talk "$format" --tools a,b --history history again; done >said
    same '1st,2nd and 3rd,2nd and 3rd,else' "$(paste -sd , said)"
  done
}

@test "fills in groups, variables and long texts" {
  export WEATHER=rain
  serve <<'END'
[{"when": {"user~": "(?P<one>\\w+) (\\w+)( never)?", "system~": "(S)"},
  "answer": "${1} ${one} ${2} ${3|none} ${4} ${WEATHER} ${NOWHERE|dry} $${1} ${repeat:3:ab}"}]
END

  run --separate-stderr client ask openai \
    '{"messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "hello world"}]}'

  same 'hello hello world none S rain dry ${1} ababab' "$(texts <<<"$output")"
}

@test "gives the usage and the stop reason that the script wants" {
  serve <<'END'
[{"answer": "cut", "stop_reason": "max_tokens", "usage": {"input": 10, "output": 20, "cache_read": 300, "cache_written": 4000}}]
END

  run --separate-stderr client ask anthropic '{}'
  same '["max_tokens",10,20,300,4000]' "$(jq -c '[.stop_reason, (.usage | .input_tokens, .output_tokens,
    .cache_read_input_tokens, .cache_creation_input_tokens)]' <<<"$output")"
  run --separate-stderr client ask openai '{}'
  same '["length",4310,20,4330,300]' "$(jq -c '[.choices[0].finish_reason, (.usage | .prompt_tokens,
    .completion_tokens, .total_tokens, .prompt_tokens_details.cached_tokens)]' <<<"$output")"
}

@test "hands over arguments that are no JSON as the model wrote them" {
  serve <<<'[{"answer": [{"tool": "bash", "raw": "{\"command\": "}]}]'

  run --separate-stderr client ask openai '{}'
  same '{"command": ' "$(jq -j '.choices[0].message.tool_calls[0].function.arguments' <<<"$output")"
  run --separate-stderr client ask anthropic '{"stream": true}'
  same '{"command": ' "$(sed -n 's/^data: //p' <<<"$output" | jq -j '.delta.partial_json // empty')"
}

@test "plays steps one after the other, and a repeated request gets the same answer again" {
  serve <<'END'
[{"when": {"user": "summarise"}, "answer": "a summary"},
 {"when": {"user": "once", "used": 0}, "answer": "the first time"},
 {"when": {"user": "begin"}, "steps": [[{"tool": "a"}], [{"tool": "a"}, {"tool": "b"}], "third", "fourth"]},
 {"answer": "after all steps"}]
END

  for format in anthropic openai; do
    rm -f history
    client talk "$format" --tools a,b --history history begin >said
    cp history three
    client talk "$format" --tools a,b --history history summarise >>said
    client talk "$format" --tools a,b --history history more >>said
    client talk "$format" --tools a,b --history history more >>said
    same 'a {},a {},b {},third,a summary,fourth,after all steps' "$(paste -sd , said)"

    # The answer was lost: the same turns again, with the same ids.
    jq -c 'del(.[3:])' three >history
    ANSWER_a=other client talk "$format" --tools a,b --history history >said
    same 'a {},b {},third' "$(paste -sd , said)"
    same "$(jq -c '.[3].calls' three)" "$(jq -c '.[3].calls' history)"
    # It died in the middle of a tool: other results, the same step.
    jq -c 'del(.[5:]) | .[4].results |= map_values("interrupted")' three >history
    same third "$(client talk "$format" --tools a,b --history history)"

    # More messages arrived before the retry.
    client talk "$format" --tools a,b --history history two >said
    jq -c 'del(.[-1]) | .[-1].text = "two and more"' history >more
    client talk "$format" --tools a,b --history more >>said
    same 'fourth fourth' "$(paste -sd ' ' said)"

    run --separate-stderr client ask "$format" "$(user once)" "$(user once)"
    same $'the first time\nthe first time' "$(texts <<<"$output")"
  done
  same '0 1 2 null 3 null' "$(logged 'select(.format == "openai") | .step' | head -n 6 | paste -sd ' ')"
}

@test "knows a conversation again after its history was cut" {
  serve <<<'[{"when": {"first": "begin"}, "steps": ["1st", "2nd", "3rd", [{"tool": "a"}], "5th"]}, {"answer": "unknown"}]'
  who='You are teammate '\''x'\'' in team '\''t'\''.'

  for format in anthropic openai; do
    rm -f history
    for text in begin two; do client talk "$format" --system "$who" --history history "$text"; done >said
    echo "[{\"text\": \"What was said. Remember: $who\", \"results\": {}}]" >history
    client talk "$format" --system "$who"$'\nThe board.' --tools a --history history >>said
    client talk "$format" --system "$who" --tools a --history history four >>said
    same '1st,2nd,3rd,a {},5th' "$(paste -sd , said)"
  done
  client talk openai --system "You are teammate 'y' in team 't'." 'Remember: You are y' >said
  same unknown "$(cat said)"
}

@test "knows a conversation and its step by a tool call that is left of it" {
  serve <<<'[{"when": {"first": "begin"}, "steps": [[{"tool": "a"}], [{"tool": "a"}], "3rd"]}, {"answer": "unknown"}]'

  for format in anthropic openai; do
    rm -f history
    client talk "$format" --tools a --history history begin >/dev/null
    jq -c '[{text: "What was said.", results: {}}, .[3], .[4]]' history >cut
    same 3rd "$(client talk "$format" --tools a --history cut)"
  done
}

@test "steps that can begin again do so whenever their condition holds" {
  serve <<'END'
[{"when": {"user~": "task (\\d)"}, "again": true,
  "steps": [[{"tool": "a", "input": {"of": "${1}"}}], "did half of ${1}", "did ${1}"]}]
END

  # The second task is dropped for the third.
  for text in 'task 1' 'go on' 'task 2' 'task 3' 'go on'; do
    client talk openai --tools a --history history "$text"
  done >said

  same 'a {"of": "1"},did half of 1,did 1,a {"of": "2"},did half of 2,a {"of": "3"},did half of 3,did 3' \
    "$(paste -sd , said)"
}

@test "a step that was refused is not spent" {
  serve <<'END'
[{"when": {"first": "begin"}, "steps": ["1st", {"answer": "2nd", "fault": {"too_long": true, "times": 1}}, "3rd"]}]
END
  client talk openai --system 'You are x.' --history history begin
  run client talk openai --system 'You are x.' --history history two
  same 1 "$status"

  run client talk openai --system 'You are x.' 'What was said. Remember: You are x.'

  same 2nd "$output"
}

@test "fails with a status as often as it is told to, and then answers" {
  serve <<'END'
[{"when": {"user": "limit"}, "answer": "hi", "fault": {"status": 429, "retry_after": 2, "times": 2}},
 {"when": {"user": "down"}, "answer": "hi", "fault": {"status": 500}},
 {"when": {"user": "busy"}, "answer": "hi", "fault": {"status": 529, "message": "Too much"}},
 {"when": {"user": "long"}, "answer": "hi", "fault": "too_long"}]
END
  limit=$(user limit) down=$(user down) busy=$(user busy) long=$(user long)

  run --separate-stderr client ask anthropic "$limit" "$limit" "$limit" "$limit" "$down" "$busy" "$long"
  same $'429 retry-after 2\n429 retry-after 2\n200\n200\n500\n529\n400' "$stderr"
  same 'rate_limit_error api_error overloaded_error invalid_request_error' \
    "$(sed -n 's/^\([a-z_]*\):.*/\1/p' <<<"$output" | uniq | paste -sd ' ')"
  grep -qxF 'invalid_request_error: prompt is too long: 200001 tokens > 200000 maximum' <<<"$output"
  run --separate-stderr client ask openai "$limit" "$limit" "$limit" "$down" "$long"
  same $'429 retry-after 2\n429 retry-after 2\n200\n500\n400' "$stderr"
  grep -qxF 'requests: Rate limit reached. Please try again later. (rate_limit_exceeded)' <<<"$output"
  grep -qxF "invalid_request_error: This model's maximum context length is 200000 tokens. However, your messages resulted in \
200001 tokens. Please reduce the length of the messages. (messages, context_length_exceeded)" <<<"$output"
}

@test "refuses a request that is longer than its window" {
  serve <<<'{"context": 50, "rules": [{"answer": "short enough"}]}'
  long=$(user "$(printf 'x%.0s' {1..300})")

  run --separate-stderr client ask anthropic '{}' "$long"
  same $'200\n400' "$stderr"
  grep -qxE 'invalid_request_error: prompt is too long: 8[0-9] tokens > 50 maximum' <<<"$output"
  run --separate-stderr client ask openai "$long"
  same 400 "$stderr"
}

@test "breaks off a stream after some events or bytes, or a body in the middle" {
  serve <<'END'
[{"when": {"user": "events"}, "answer": "hello to all of you", "fault": {"cut": 4, "times": 1}},
 {"when": {"user": "bytes"}, "answer": "hello", "fault": {"cut": {"bytes": 100}}},
 {"when": {"user": "reset"}, "answer": "hello", "fault": {"cut": {"events": 2, "how": "reset"}}},
 {"when": {"user": "end"}, "answer": "hello", "fault": {"cut": {"events": 2, "how": "end"}}}]
END
  stream() { user "$1" | jq -c '.stream = true'; }

  for format in anthropic openai; do
    run --separate-stderr client ask "$format" "$(stream events)"
    same 1 "$status"
    same $'200\nbroken' "$stderr"
    same 4 "$(grep -c '^data: ' <<<"$output")"
    run --separate-stderr client ask "$format" "$(stream events)"
    as_expected 0 "$output" 200
    same 'hello to all of you' "$(streamed <<<"$output")"
    run --separate-stderr client ask "$format" "$(stream bytes)"
    same 1 "$status"
    same 100 "${#output}"
    run --separate-stderr client ask "$format" "$(stream reset)"
    same 1 "$status"
    run --separate-stderr client ask "$format" "$(stream end)"
    as_expected 0 "$output" 200
    same 2 "$(grep -c '^data: ' <<<"$output")"
    run --separate-stderr client ask "$format" "$(user bytes)"
    same 1 "$status"
    same 100 "${#output}"
  done
}

@test "closes at once, hangs, is slow, and writes in small pieces" {
  serve <<'END'
[{"when": {"user": "close"}, "answer": "hi", "fault": "close"},
 {"when": {"user": "hang"}, "answer": "hi", "fault": {"hang": true, "times": 1}},
 {"when": {"user": "stall"}, "answer": "hi", "fault": {"hang": 2}},
 {"when": {"user": "slow"}, "answer": "hi", "fault": {"slow": 0.2}},
 {"when": {"user": "split"}, "answer": "höö", "fault": {"split": 1}}]
END
  stream() { user "$1" | jq -c '.stream = true'; }

  for format in anthropic openai; do
    run --separate-stderr client ask "$format" "$(stream close)"
    as_expected 1 '' broken
    SILENCE=0.3 run --separate-stderr client ask "$format" "$(stream hang)"
    as_expected 2 '' silence
    run --separate-stderr client ask "$format" "$(stream hang)"
    same 200 "$stderr"
    SILENCE=2 run --separate-stderr client ask "$format" "$(stream stall)"
    same 2 "$status"
    same 2 "$(grep -c '^data: ' <<<"$output")"
    SILENCE=0.1 run --separate-stderr client ask "$format" "$(stream slow)"
    same 2 "$status"
    SILENCE=5 run --separate-stderr client ask "$format" "$(stream slow)" "$(stream split)"
    same $'hi\nhöö' "$(streamed <<<"$output")"
  done
}

@test "spoils a stream with broken JSON, an error in it, or its size" {
  serve <<'END'
[{"when": {"user": "malformed"}, "answer": "hello to all of you", "fault": "malformed"},
 {"when": {"user": "error"}, "answer": "hello to all of you", "fault": {"stream_error": 3}},
 {"when": {"user": "huge"}, "answer": "the end", "fault": {"huge": 1000000}}]
END
  stream() { user "$1" | jq -c '.stream = true'; }
  # Events whose data is not JSON.
  broken() { sed -n 's/^data: \({.*\)/\1/p' | while IFS= read -r data; do jq . <<<"$data" >/dev/null 2>&1 || echo "$data"; done; }

  for format in anthropic openai; do
    run --separate-stderr client ask "$format" "$(stream malformed)"
    same '0 200' "$status $stderr"
    same 1 "$(broken <<<"$output" | wc -l)"
    run --separate-stderr client ask "$format" "$(user malformed)"
    same '0 200' "$status $stderr"
    run jq . <<<"$output"
    [ "$status" -ne 0 ]
    run --separate-stderr client ask "$format" "$(stream error)"
    same 4 "$(grep -c '^data: ' <<<"$output")"
    same true "$(sed -n 's/^data: //p' <<<"$output" | tail -n 1 | jq 'has("error")')"
    run --separate-stderr client ask "$format" "$(stream huge)"
    same 1000007 "$(streamed <<<"$output" | tr -d '\n' | wc -c)"
  done
}

@test "a rule that only spoils does so for each request and lets the others answer" {
  serve <<'END'
[{"name": "break", "fault": {"cut": 2, "times": 1, "each": true}},
 {"steps": [[{"tool": "a"}], "second"]}]
END

  for format in anthropic openai; do
    rm -f history
    run client talk "$format" --tools a --history history begin
    same '1 broken the answer broke off' "$status $output"
    run client talk "$format" --tools a --history history begin
    same 1 "$status"
    same 'a {}' "${lines[0]}"
    run client talk "$format" --tools a --history history
    as_expected 0 second "$stderr"
  done
}

@test "logs a line for each request before it answers" {
  serve <<<'[{"name": "greet", "when": {"user": "hi"}, "answer": "hello", "fault": {"status": 500, "times": 1}}]'

  client ask anthropic '{}' '{}' '{"max_tokens": null}' >/dev/null 2>&1

  same '["anthropic","/v1/messages","right","greet",500,"Internal server error",{"status":500,"times":1}]
["anthropic","/v1/messages","right","greet",200,null,null]
["anthropic","/v1/messages","right",null,400,"max_tokens: Field required",null]' \
    "$(logged '[.format, .path, .key, .rule, .status, .error, .fault] | tojson')"
  same 'hi application/json true' \
    "$(logged '"\(.body.messages[0].content) \(.headers["content-type"]) \(.time > 1e9)"' | uniq)"
  same '' "$(logged '.headers["x-api-key"] // empty')"
}

@test "serves 30 streams at once" {
  serve <<<'[{"when": {"user~": "number (\\d+)"}, "answer": "number ${1}.", "fault": {"hang": 4}}]'

  # No stream ends; each is read while all others are open.
  run --separate-stderr "$PYTHON" -c '
import http.client, json, sys
connections = [http.client.HTTPConnection(sys.argv[1], timeout=20) for _ in range(30)]
headers = {"x-api-key": "test-key", "anthropic-version": "2023-06-01", "content-type": "application/json"}
for number, connection in enumerate(connections):
    messages = [{"role": "user", "content": f"number {number}"}]
    body = {"model": "m", "max_tokens": 9, "stream": True, "messages": messages}
    connection.request("POST", "/v1/messages", json.dumps(body), headers)
for number, connection in enumerate(connections):
    answer = connection.getresponse()
    while f"number {number}.".encode() not in answer.readline():
        pass
print("all heard")' "${URL#http://}"

  as_expected 0 'all heard' ''
}

@test "the script of the migration leads a team from REST to GraphQL in both formats" {
  lead=bash,read_file,write_file,edit_file,TaskCreate,TaskUpdate,TaskList,SendMessage,Task,FinishTeam
  mate=bash,read_file,write_file,edit_file,TaskCreate,TaskUpdate,TaskList,SendMessage,SubmitPlan
  # teammate NAME TASK: what it says and does for a task.
  teammate() {
    client talk "$format" --system "You are teammate '$1' in team 'move', role '$1'." --tools "$mate" \
      --history "$format-$1" "$2"
  }
  serve <"$PROJECT/tests/models/graphql.json"

  for format in anthropic openai; do
    printf '%s\n' 'GET /users' 'GET /posts' 'POST /posts' 'GET /comments' >routes.txt
    echo 'const users = await fetch("/users");' >app.js
    lead() { client talk "$format" --system "You are the lead of team 'move'." --tools "$lead" --history "$format-lead" "$1"; }

    lead 'Move the app from REST to GraphQL' >said
    same 'TaskCreate TaskCreate TaskCreate TaskCreate Task Task Task' "$(grep -o '^Task[A-Za-z]* ' said | xargs)"
    same '[null,[1],[2],[3]]' "$(sed -n 's/^TaskCreate //p' said | jq -sc 'map(.blockedBy)')"
    same 'move analyst analyst,move backend backend,move frontend frontend' \
      "$(sed -n 's/^Task //p' said | jq -r '"\(.team_name) \(.name) \(.role)"' | paste -sd ,)"

    for name in analyst backend frontend; do
      same 'I am ready, and wait for what comes.' "$(teammate $name 'Take your tasks from the board.')"
    done
    teammate analyst 'Your task is #1: Analyze REST endpoints' >>did
    teammate backend 'Your task is #2: Design GraphQL schema' >>did
    teammate backend 'Your task is #3: Implement resolvers' >>did
    teammate frontend 'Your task is #4: Update frontend' >>did
    same 'GET /comments GET /posts GET /users POST /posts' "$(xargs <endpoints.txt)"
    same 'type Query { comments: [String] posts: [String] users: [String] }' "$(xargs <schema.graphql)"
    same 3 "$(grep -c 'get("/' resolvers.js)"
    same 'const users = await graphql("{ users }");' "$(cat app.js)"
    same 'lead lead user' "$(sed -n 's/^SendMessage //p' did | jq -r .recipient | paste -sd ' ')"

    same Noted. "$(lead '<teammate-message sender="analyst" type="message">done</teammate-message>')"
    ANSWER_TaskList='#4 [pending] Update frontend' lead '[All Idle] All agents are idle.' >said
    same 'Some tasks are open. I wait for the team.' "$(tail -n 1 said)"
    ANSWER_TaskList='#4 [completed] Update frontend' lead '[All Idle] All agents are idle.' >said
    same 'FinishTeam' "$(grep -o '^FinishTeam' said)"
    same 'The migration from REST to GraphQL is done.' "$(tail -n 1 said)"
    rm -f did endpoints.txt schema.graphql resolvers.js
  done
  same '' "$(logged 'select(.status != 200) | .error')"
}

# gemini METHOD BODY [CURL OPTION…]
gemini() {
  curl -sS "$URL/v1beta/models/gemini-9:$1" -H 'content-type: application/json' -H "x-goog-api-key: ${KEY:-test-key}" -d "$2" "${@:3}"
}

@test "speaks Gemini: texts, tool calls and their results, streamed or not" {
  serve <<'END'
[{"when": {"format": "gemini", "model": "gemini-9", "system": "Be brief", "user": "look", "tool": "ls"},
  "answer": [{"text": "I look."}, {"tool": "ls", "input": {"path": "."}}]},
 {"when": {"called": "ls", "result": "a.txt"}, "answer": "One file.", "usage": {"input": 7, "output": 3}}]
END
  local first tools='[{"functionDeclarations": [{"name": "ls"}]}]' system='{"parts": [{"text": "Be brief"}]}'
  first=$(gemini generateContent "{\"contents\": [{\"role\": \"user\", \"parts\": [{\"text\": \"look\"}]}],
    \"tools\": $tools, \"systemInstruction\": $system}")

  same '[{"text":"I look."},{"functionCall":{"name":"ls","args":{"path":"."}}}]' \
    "$(jq -c '.candidates[0].content.parts' <<<"$first")"
  same STOP "$(jq -r '.candidates[0].finishReason' <<<"$first")"
  run gemini streamGenerateContent "{\"contents\": [{\"role\": \"user\", \"parts\": [{\"text\": \"look\"}]},
    $(jq -c '.candidates[0].content' <<<"$first"), {\"role\": \"user\", \"parts\": [{\"functionResponse\":
    {\"name\": \"ls\", \"response\": {\"output\": \"a.txt\"}}}]}], \"tools\": $tools}"
  same 'One file.' "$(sed -n 's/^data: //p' <<<"$output" | tr -d '\r' | jq -rj '.candidates[0].content.parts[].text')"
  same '7 3' "$(sed -n 's/^data: //p' <<<"$output" | tr -d '\r' | jq -r '.usageMetadata | "\(.promptTokenCount) \(.candidatesTokenCount)"' | tail -n 1)"
}

@test "refuses what Gemini refuses: a wrong key, no contents, calls without results, another method" {
  serve <<<'[{"answer": "yes"}]'
  local hi='{"role": "user", "parts": [{"text": "hi"}]}'

  same '400 INVALID_ARGUMENT' "$(KEY=other gemini generateContent "{\"contents\": [$hi]}" |
    jq -r '.error | "\(.code) \(.status)"')"
  same '* GenerateContentRequest.contents: contents is not specified' "$(gemini generateContent '{}' | jq -r .error.message)"
  gemini generateContent "{\"contents\": [$hi, {\"role\": \"model\", \"parts\": [{\"functionCall\": {\"name\": \"ls\"}}]}, $hi]}" |
    grep -q 'number of function response parts is equal'
  same '404 NOT_FOUND' "$(gemini embedContent "{\"contents\": [$hi]}" | jq -r '.error | "\(.code) \(.status)"')"
}
