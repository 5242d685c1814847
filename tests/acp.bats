# Agents that speak the Agent Client Protocol as teammates: sessions, turns, usage and failures. Their permissions are in
# acp-permissions.bats. The agent is tests/acp-agent.
load helper
load mail
load teammates
load acp

@test "does a task: the text after the last tool call is the result, and its tokens count" {
  a_team $'Count|do: say I look.\ndo: use read look\ndo: say 42'

  run --separate-stderr bob --once --acp "$(agent)"

  same 0 "$status"
  same '["completed","bob","allowed look42",1]' "$(jq -c '[.status, .owner, .result, .attempts]' .tasks/1.json)"
  same '{"input":100,"output":20,"cache_read":0,"cache_written":0}' "$(state_of bob '.usage | tojson')"
  grep -q '^used	input	100$' <(team-status)
  nothing_left
}

@test "keeps one agent and one session for all pieces of work" {
  a_team 'One|do: say a' 'Two|do: remember'

  bob --until-done --acp "$(agent)" 2>err

  same 1 "$(agents | wc -l)"
  same 1 "$(asked 'select(.method == "session/new") | 1' | wc -l)"
  grep -q '^1 before' <(field 2 result)
}

@test "reports text, tool calls and their results as events" {
  a_team $'Look|do: say Hello\ndo: use fetch page\ndo: say .'

  bob --once --acp "$(agent)" 2>err

  same 'Helloallowed page.' "$(events TEXT_MESSAGE_CONTENT .delta | tr -d '\n')"
  same page "$(events TOOL_CALL_START .tool_call_name)"
  same '{"what":"page"}' "$(events TOOL_CALL_ARGS .delta)"
  same 'false' "$(events TOOL_CALL_RESULT .is_error)"
  same 100 "$(events TEXT_MESSAGE_END '.usage.input // empty' | tail -1)"
  same 'done' "$(events STEP_FINISHED .outcome)"
}

@test "reads the usage of gemini, and adds up a cost of the session" {
  a_team $'One|do: cost 0.5\ndo: say a' $'Two|do: cost 0.75\ndo: say b'

  bob --until-done --acp "$(agent --fault quota)" 2>err

  same '{"input":140,"output":14,"usd":0.75}' "$(state_of bob '.usage | {input, output, usd} | tojson')"
}

@test "gives the agent the work folder, no files and no terminals, and the variables of the team" {
  a_team $'Env|do: env TEAM_MEMBER'

  bob --once --acp "$(agent)" 2>err

  same bob "$(field 1 result)"
  same "[\"$PWD\"]" "$(asked 'select(.method == "session/new") | [.params.cwd]')"
  same '{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false}' \
    "$(asked 'select(.method == "initialize") | .params.clientCapabilities')"
}

@test "hands the tools of the team over: team-mcp with the root, the team and the member" {
  [ -x "$BIN/team-mcp" ] || skip 'team-mcp is not built'
  a_team $'Servers|do: servers'

  bob --once --acp "$(agent)" 2>err

  same "team $BIN/team-mcp -C $PWD -t alpha bob" "$(field 1 result |
    jq -r '.[0] | [.name, .command] + .args + [.env[] | select(.name == "TEAM_MEMBER").value] | join(" ")')"
}

@test "loads the session again after a restart, whether the replay comes early or late" {
  for fault in '' '--fault late-replay'; do
    rm -rf .teams .tasks agent.log sessions
    a_team 'One|do: say first' 'Two|do: remember'

    bob --once --acp "$(agent "$fault")" 2>err
    # shellcheck disable=SC2016
    bob --once --acp "$(agent "$fault")" 2>err

    same 1 "$(asked 'select(.method == "session/load") | 1' | wc -l)"
    same '1 before, last: What you say at the end becomes the result of the task: a few lines on what you did.' \
      "$(field 2 result)"
  done
}

@test "begins a new session if the agent does not know the old one, or cannot load any" {
  for fault in lost noload; do
    rm -rf .teams .tasks agent.log sessions
    a_team 'One|do: say first' 'Two|do: remember'
    bob --once --acp "$(agent)" 2>err

    bob --once --acp "$(agent)" 2>err
    sed -i "s/\"command\": \"[^\"]*\"/&/" .teams/alpha/bob.json
    task-create 'Three' --description 'do: remember' >/dev/null
    # The same command: the fault comes by a file.
    rm -rf sessions
    bob --once --acp "$(agent)" 2>err

    same '0 before, last: -' "$(field 3 result)"
    same 2 "$(asked 'select(.method == "session/new") | 1' | wc -l)"
  done
}

@test "a session of another command is not loaded" {
  a_team 'One|do: say first' 'Two|do: remember'
  bob --once --acp "$(agent)" 2>err

  bob --once --acp "$(agent --fault options)" 2>err

  same 0 "$(asked 'select(.method == "session/load") | 1' | wc -l)"
}

@test "after kill -9 of the teammate nothing is left, and the next life resumes task and session" {
  a_team $'Long|do: once begun spawn\ndo: remember'
  start_teammate bob --once --acp "$(agent)"
  wait_until test -e begun
  wait_until asked_for session/prompt

  kill_teammate bob

  wait_until nothing_left 2>/dev/null
  bob --once --acp "$(agent)" 2>err
  same completed "$(field 1 status)"
  grep -q '^1 before' <(field 1 result)
  same 1 "$(asked 'select(.method == "session/load") | 1' | wc -l)"
  nothing_left
}

@test "an agent that dies in a turn is started again with its session: the turn counts as an attempt" {
  a_team $'Die|do: once died die\ndo: remember'

  run --separate-stderr bob --until-done --acp "$(agent)"

  same 0 "$status"
  same '["completed",2]' "$(jq -c '[.status, .attempts]' .tasks/1.json)"
  grep -q 'attempt 1 of 3: the agent ended with exit status 9' <<<"$stderr"
  same 1 "$(asked 'select(.method == "session/load") | 1' | wc -l)"
  nothing_left
}

@test "an agent that was killed while it idled is started again with its session" {
  a_team 'One|do: say a'
  start_idle bob --acp "$(agent)"
  kill -KILL "$(agents)"
  wait_until gone "$(agents)"

  task-create 'Two' --description 'do: remember' >/dev/null

  wait_until task_is 2 completed
  grep -q '^1 before' <(field 2 result)
}

@test "failed turns are failed attempts, with what the agent said as the reason" {
  a_team 'Error|do: fail model answered 400' 'Empty|do: think hm' $'Null|do: usage null\ndo: say API Error: 400 bad request' \
    $'Cut|do: say half\ndo: stop max_tokens' $'Refused|do: say I will not\ndo: stop refusal'

  run --separate-stderr bob --until-done --retries 0 --acp "$(agent)"

  same 'Internal error: model answered 400' "$(field 1 error)"
  same 'the agent gave an empty answer' "$(field 2 error)"
  same 'API Error: 400 bad request' "$(field 3 error)"
  same 'the answer was cut at the longest answer of the model: half' "$(field 4 error)"
  same 'the model refused: I will not' "$(field 5 error)"
  same 'failed failed failed failed failed' "$(jq -rs 'map(.status) | join(" ")' .tasks/{1,2,3,4,5}.json)"
}

@test "a usage limit pauses the teammate: no attempt is lost" {
  local text=$'do: fail You\'ve hit your usage limit. Try again at 11:59 PM.'
  a_team "Limit|$text"

  start_teammate bob --acp "$(agent)"

  wait_until state_is bob paused
  same '["pending",0]' "$(jq -c '[.status, .attempts]' .tasks/1.json)"
  grep -q 'usage limit' <(team-quota)
}

@test "an agent that is silent for model.silence is a failed attempt; one whose tool runs is not" {
  a_team 'Silent|do: say hm'
  team-config model.silence 1 >/dev/null

  run --separate-stderr bob --once --retries 0 --acp "$(agent --fault mute)"

  same 1 "$status"
  same 'the agent was silent for 1 s (model.silence)' "$(field 1 error)"
  same 1 "$(asked 'select(.method == "session/cancel") | 1' | wc -l)"
  nothing_left
}

@test "an agent that does not answer initialize is killed after model.silence" {
  a_team 'Silent|do: say hm'
  team-config model.silence 1 >/dev/null

  run --separate-stderr bob --once --retries 0 --acp "$(agent --fault slow-start)"

  same 'initialize: no answer for 1 s' "$(field 1 error)"
  nothing_left
}

@test "the time limit cancels the turn, and the session goes on" {
  a_team $'Long|do: once begun wait\ndo: remember'

  run --separate-stderr bob --until-done --time-limit 1 --acp "$(agent)"

  same 0 "$status"
  grep -q 'attempt 1 of 3: not done within 1 s' <<<"$stderr"
  same 1 "$(agents | wc -l)"
  grep -q '^1 before' <(field 1 result)
}

@test "an agent that ignores the cancellation is killed with all that it started, within 3 s" {
  a_team $'Long|do: once begun spawn\ndo: say done'

  run --separate-stderr bob --until-done --time-limit 1 --acp "$(agent --fault deaf)"

  same 0 "$status"
  same 2 "$(agents | wc -l)"
  nothing_left
}

@test "mail waits for the end of the turn, and is the next prompt" {
  a_team $'Hold|do: once begun wait\ndo: say done'
  start_teammate bob --acp "$(agent)" --time-limit 60
  wait_until asked_for session/prompt
  wait_until test -e begun

  team-send bob 'hello'
  team-send bob 'stop that' --interrupt

  wait_until task_is 1 completed
  same 0 "$(team-recv --as bob --peek 2>/dev/null | wc -l)"
  # The interruption cancelled the turn and was the next prompt, with the mail before it; never two prompts at once.
  same 'session/prompt session/cancel session/prompt' \
    "$(asked 'select(.method | . == "session/prompt" or . == "session/cancel")? | .method' | head -3 | paste -sd ' ')"
  asked 'select(.method == "session/prompt") | .params.prompt[0].text' | grep -q 'stop that'
}

@test "answers messages: what the agent says goes to the sender" {
  a_team
  start_idle bob --acp "$(agent)"

  team-send bob 'do: say I am well'

  wait_until has_mail user
  same 'I am well' "$(team-recv --json | jq -r .content)"
}

has_mail() { [ "$(team-recv --as "$1" --peek 2>/dev/null | wc -l)" -gt 0 ]; }

@test "messages whose turn fails are tried again, then the sender is told" {
  a_team
  start_idle bob --acp "$(agent)" --retries 1

  team-send bob 'do: fail nothing works'

  wait_until has_mail user
  grep -q 'bob could not work on "do: fail nothing works": Internal error: nothing works' <(team-recv --json | jq -r .content)
  same 2 "$(asked 'select(.method == "session/prompt") | 1' | wc -l)"
}

@test "a shutdown request in a turn cancels it and gives the task back" {
  a_team 'Hold|do: wait'
  start_teammate bob --acp "$(agent)"
  wait_until asked_for session/prompt

  run teammate-stop bob --timeout 10

  same 0 "$status"
  teammate_ended bob 0
  same pending "$(field 1 status)"
  same 1 "$(asked 'select(.method == "session/cancel") | 1' | wc -l)"
  nothing_left
}

@test "Ctrl-C cancels the turn and ends the teammate; the second one does not wait" {
  a_team 'Hold|do: wait'
  start_teammate bob --acp "$(agent --fault deaf)"
  wait_until asked_for session/prompt

  kill -INT "${TEAMMATE[bob]}"
  wait_until asked_for session/cancel
  kill -INT "${TEAMMATE[bob]}"

  teammate_ended bob 130
  same pending "$(field 1 status)"
  nothing_left
}

@test "a command that does not exist ends the teammate" {
  a_team 'One|x'

  run --separate-stderr bob --acp /nowhere/agent

  same 127 "$status"
  same pending "$(field 1 status)"
  grep -q 'exit status 127' <<<"$stderr"
}

@test "a loop of equal tool calls is stopped, and the lead is told" {
  a_team 'Loop|do: repeat 50'
  start_teammate bob --acp "$(agent)"

  wait_until state_is bob paused

  grep -q 'bob was stopped in a loop' <(team-recv --as lead --json | jq -r .content)
  same 1 "$(asked 'select(.method == "session/cancel") | 1' | wc -l)"
}

@test "a budget that is used up in a turn cancels it" {
  a_team $'Dear|do: cost 3\ndo: wait'
  team-config budget.usd 2 >/dev/null
  start_teammate bob --acp "$(agent)"

  wait_until state_is bob paused
  same '["pending",0]' "$(jq -c '[.status, .attempts]' .tasks/1.json)"
}

@test "takes lines of megabytes, single bytes, and ids that are equal to ours" {
  a_team $'Big|do: big 6000000\ndo: use read ok\ndo: say fine'

  bob --once --acp "$(agent --fault ids)" 2>err
  same 'allowed okfine' "$(field 1 result)"
  task-create Small --description $'do: use read ok\ndo: say fine' >/dev/null
  bob --once --acp "$(agent --fault split --fault ids)" 2>err
  same 'allowed okfine' "$(field 2 result)"
}

@test "ignores lines that are no messages, and says so" {
  a_team 'One|do: say fine'

  run --separate-stderr bob --once --acp "$(agent --fault garbage)"

  same fine "$(field 1 result)"
  grep -q "ignored 'Loading…'" <<<"$stderr"
  grep -q '^a warning$' <<<"$stderr"
}

@test "an agent that goes on after its stdin was closed is ended with the teammate" {
  a_team 'One|do: say fine'

  bob --once --acp "$(agent --fault keeps-running)" 2>err

  same fine "$(field 1 result)"
  nothing_left
}

@test "team-up starts roles with an agent, teammate-spawn and Task too" {
  cat >team.json <<JSON
{"team": "alpha", "roles": {"coder": {"acp": "$(agent)", "permissions": {"execute": "reject"}}},
 "teammates": {"coder": 2}, "tasks": [{"subject": "One", "description": "do: say a"},
 {"subject": "Two", "description": "do: run f", "blockedBy": [1]}]}
JSON

  run --separate-stderr team-up team.json --wait --timeout 30

  same 0 "$status"
  same 'rejected f' "$(field 2 result)"
  [ ! -e f ]
  task-create Three --description 'do: say c' >/dev/null
  same coder-3 "$(teammate-spawn coder --once --mode background)"
  wait_until task_is 3 completed
}

@test "refuses wrong roles and options" {
  a_team
  run --separate-stderr bob --acp x --permissions 'edit=maybe'
  as_expected 2 '' "teammate-run: usage: --permissions: allow, reject or ask, or such a rule for kinds of tools (read, edit, delete, move, execute, fetch, other), not 'edit=maybe'"
  run --separate-stderr bob --exec x --permissions ask
  as_expected 2 '' 'teammate-run: usage: --permissions goes with --acp'
  run --separate-stderr bob --acp x --exec y
  same 2 "$status"
  jq '.roles = {"a": {"acp": "x", "permissions": {"edits": "ask"}}}' .teams/alpha/config.json >new && mv new .teams/alpha/config.json
  run --separate-stderr bob --role a
  same 9 "$status"
  grep -q "'permissions' must be allow, reject or ask" <<<"$stderr"
}
