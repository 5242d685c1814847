# For tests of a lead and its team. The model is the scripted server; it recognizes the lead by the tool FinishTeam,
# which nobody else has. Load it last, in place of models.bash.
load models

unset TEAM_MODEL TEAM_PROVIDER TEAM_BASE_URL ANTHROPIC_BASE_URL OPENAI_BASE_URL
unset TMUX TMUX_PANE CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS ENABLE_AGENT_TEAMS

# lead [ARGUMENT…]: team-run, for team alpha.
lead() {
  timeout 60 team-run --model claude-x --base-url "$URL" -t alpha "$@" </dev/null
}

# start_lead [ARGUMENT…]: the same in the background; its output is in lead.out and lead.err.
start_lead() {
  env --default-signal=HUP team-run --model claude-x --base-url "$URL" -t alpha "$@" >lead.out 2>lead.err </dev/null 3>&- &
  TEAMMATE[lead]=$!
}

# lead_says ANSWER… [-- ANSWER…]: a model that gives these answers to the lead in order. It gives the answers after --
# as soon as all teammates are idle, and then "Over.". All other models say "Done.". Rules on stdin come first.
lead_says() {
  local answers=() idle=()
  while (($#)) && [ "$1" != -- ]; do answers+=("$1") && shift; done
  (($# == 0)) || idle=("${@:2}")
  if [ -t 0 ]; then : >rules; else cat >rules; fi
  start_model < <(jq -nc --slurpfile rules rules --slurpfile answers <(printf '%s\n' "${answers[@]}") \
    --slurpfile idle <(printf '%s\n' "${idle[@]}") '
    $rules + [if $idle == [] then empty else
                {name: "idle", when: {tool: "FinishTeam", user: "[All Idle]"}, steps: $idle} end,
              {name: "lead", when: {tool: "FinishTeam"}, steps: $answers},
              {name: "over", when: {tool: "FinishTeam"}, answer: "Over."},
              {name: "others", answer: "Done."}]')
}

# call TOOL [INPUT]: an answer that calls it.
call() {
  jq -nc --arg tool "$1" --argjson input "${2-null}" '[{tool: $tool, input: ($input // {})}]'
}

# finish SUMMARY: the same for FinishTeam.
finish() {
  call FinishTeam "$(jq -nc --arg summary "$1" '{summary: $summary}')"
}

# gave TOOL: the results of its calls, from the events.
gave() {
  jq -rs --arg tool "$1" '
    [.[].event | select(.tool_call_name == $tool).tool_call_id] as $calls
    | .[].event | select(.type == "TOOL_CALL_RESULT" and IN(.tool_call_id; $calls[]))
    | (if .is_error then "error: " else "" end) + .content' .teams/alpha/events.jsonl
}

# events FILTER: of the team's log, by jq.
events() {
  jq -r "$1" .teams/alpha/events.jsonl
}

# heard_by_lead: all texts in the last request to its model.
heard_by_lead() {
  asked 'select(.body.tools | any(.name == "FinishTeam")) | [said] | @json' | tail -1 | jq -r '.[]'
}

# system_of NAME: the last system prompt of a teammate's, or of the lead.
system_of() {
  asked 'system | @json' |
    grep -F -e "You are '$1'" -e "You are teammate '$1'" | tail -1 | jq -r .
}

nobody_runs() {
  same '' "$(teammate-list -t alpha --json | jq -r 'select(.pid).name')"
}

DONE=$(call FinishTeam '{"summary": "All is well."}')
ALL_IDLE=$(call bash '{"command": "team-wait all-idle --timeout 20"}')
START_BOB=$(call Task '{"name": "bob", "prompt": "Begin."}')
BUILD_IT=$(call TaskCreate '{"subject": "Build it"}')
BOB_BUILDS_IT=$(call TaskCreate '{"subject": "Build it", "owner": "bob"}')
TAKE_IT=$(call TaskUpdate '{"taskId": 1, "status": "in_progress"}')
