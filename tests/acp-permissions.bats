# The permissions of agents that speak the Agent Client Protocol: rules, requests to the lead, and the phase of plans.
load helper
load mail
load teammates
load acp

# said: all the text of the agents.
said() { events TEXT_MESSAGE_CONTENT .delta | tr -d '\n'; }

@test "allows everything without rules, and chooses the option that holds once" {
  a_team $'Write|do: write f\ndo: run g'

  bob --once --acp "$(agent)" 2>err

  same 'wrote fwrote g' "$(said)"
  [ -e f ] && [ -e g ]
  same 'yes yes' "$(asked '.chosen.optionId // empty' | paste -sd ' ')"
}

@test "takes the option for ever only if there is no other" {
  a_team $'Write|do: write f'

  bob --once --acp "$(agent --fault always)" 2>err

  same forever "$(asked '.chosen.optionId // empty')"
}

@test "rejects by the rules of the role: the file is not written" {
  a_team $'Write|do: write f\ndo: run g\ndo: use delete h\ndo: use move i\ndo: use fetch j\ndo: use search k\ndo: use odd l'

  run --separate-stderr bob --once --acp "$(agent)" \
    --permissions edit=reject,execute=reject,delete=reject,fetch=reject,other=reject

  same 'rejected frejected grejected hallowed irejected jallowed krejected l' "$(said)"
  [ ! -e f ] && [ ! -e g ]
  grep -q '^rejected edit: write f$' <(noted)
}

@test "asks the lead: the request is shown wherever plans are, and its approval lets the agent go on" {
  a_team $'Write|do: write f\ndo: say .'
  start_teammate bob --acp "$(agent)" --permissions edit=ask
  wait_until there_is_a_permission
  local id
  id=$(permission .id)

  same "$id	pending	bob	1	Permission to edit: write f" "$(plan-list)"
  same plan_pending "$(state_of bob .state)"
  grep -q "^plan	$id	bob	#1	.*	Permission to edit: write f$" <(team-status)
  same permission_request "$(team-recv --as lead --peek --json | jq -r .type)"
  [ ! -e f ]

  run --separate-stderr plan-approve "$id"
  same 0 "$status"
  wait_until task_is 1 completed
  [ -e f ]
  same 'wrote f.' "$(field 1 result)"
  same 'PERMISSION_APPROVED PERMISSION_REQUESTED' "$(team-log --json | jq -r .event.type | grep PERMISSION | sort | paste -sd ' ')"
  same 0 "$(team-recv --as bob --peek 2>/dev/null | wc -l)"
  same 'approved' "$(plan-list --all --json | jq -r .status)"
}

@test "a rejected permission: the file is not written" {
  a_team $'Write|do: run f\ndo: say .'
  start_teammate bob --acp "$(agent)" --permissions ask
  wait_until there_is_a_permission

  plan-reject "$(permission .id)" --feedback 'not now' >/dev/null

  wait_until task_is 1 completed
  [ ! -e f ]
  same 'rejected f.' "$(field 1 result)"
}

@test "team-batch and team-mcp list a permission and answer it" {
  a_team $'Write|do: write f\ndo: write g\ndo: say .'
  start_teammate bob --acp "$(agent)" --permissions edit=ask
  wait_until there_is_a_permission
  local id
  id=$(permission .id)

  same "permission $id" "$(team-batch <<<'{"op":"plan-list"}' | jq -r '.. | objects | select(.kind?) | .kind + " " + .id')"
  team-batch <<<'{"op":"plan-approve","request":"'"$id"'"}' >answer
  wait_until test -e f
  wait_until there_is_a_permission
  other() { [ "$(permission .id)" != "$id" ]; }
  wait_until other
  id=$(permission .id)
  ask_mcp() {
    printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' \
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan","arguments":'"$1"'}}' | team-mcp --as lead |
      jq -r 'select(.id == 1).result.content[0].text'
  }
  [[ $(ask_mcp '{"action":"list"}') == '<permission id="'"$id"'" from="bob"'* ]]
  same "The permission $id is rejected." "$(ask_mcp '{"action":"reject","id":"'"$id"'"}')"

  wait_until task_is 1 completed
  [ ! -e g ]
}

@test "only the lead and the user answer a permission, and only once" {
  a_team $'Write|do: write f\ndo: wait'
  team-join ann >/dev/null
  start_teammate bob --acp "$(agent)" --permissions ask
  wait_until there_is_a_permission
  local id
  id=$(permission .id)

  run --separate-stderr plan-approve "$id" --as ann
  same 7 "$status"
  plan-approve "$id" --as lead >/dev/null
  run --separate-stderr plan-approve "$id"
  as_expected 8 '' "plan-approve: invalid_state: request $id is approved already"
}

@test "the time that a permission waits is not of the time limit" {
  a_team $'Write|do: write f\ndo: say .'
  team-config model.silence 1 >/dev/null
  start_teammate bob --acp "$(agent)" --permissions ask --time-limit 1
  wait_until there_is_a_permission
  read -rt 1.5 <> <(:) || true

  plan-approve "$(permission .id)" >/dev/null

  wait_until task_is 1 completed
  same 1 "$(field 1 attempts)"
}

@test "a cancelled turn withdraws its permissions and tells the agent" {
  a_team $'Write|do: write f'
  start_teammate bob --acp "$(agent)" --permissions ask
  wait_until there_is_a_permission

  teammate-stop bob --timeout 10 >/dev/null

  teammate_ended bob 0
  same '' "$(plan-list)"
  [ ! -e f ]
  same '{"outcome":{"outcome":"cancelled"}}' "$(asked 'select(.id == "q0") | .result')"
  nothing_left
}

@test "after kill -9 the next life withdraws the permissions of the last" {
  a_team $'Write|do: once asked write f\ndo: say done'
  start_teammate bob --acp "$(agent)" --permissions ask
  wait_until there_is_a_permission

  kill_teammate bob
  wait_until nothing_left 2>/dev/null
  bob --once --acp "$(agent)" 2>err

  same '' "$(plan-list)"
  same 'done' "$(field 1 result)"
  [ ! -e f ]
}

@test "in the phase of plans nothing is written by any route, and the agent is in its mode for plans" {
  a_team $'Write|do: mode\ndo: write f\ndo: run g\ndo: use delete h\ndo: use move i\ndo: use odd j\ndo: use read k\ndo: once planned say the plan'
  start_teammate bob --acp "$(agent)" --plan
  wait_until there_is_a_plan
  [ ! -e f ] && [ ! -e g ]
  same 'mode planrejected frejected grejected hrejected irejected jallowed kthe plan' "$(said)"
  same 'allowed kthe plan' "$(plan .content)"

  plan-approve "$(plan .id)" >/dev/null

  wait_until task_is 1 completed
  [ -e f ] && [ -e g ]
  grep -q 'mode default' <(said)
  same 'plan default' "$(asked 'select(.method == "session/set_mode") | .params.modeId' | paste -sd ' ')"
}

plan() { plan-list --json 2>/dev/null | jq -r "select(.kind == \"plan\" and .status == \"pending\") | $1"; }

there_is_a_plan() { [ -n "$(plan .id)" ]; }

@test "modes that are an option of the session are set too" {
  a_team $'Write|do: run g\ndo: say plan'
  start_teammate bob --acp "$(agent --fault options)" --plan
  wait_until there_is_a_plan

  [ ! -e g ]
  same '["mode","plan"]' "$(asked 'select(.method == "session/set_config_option") | .params | [.configId, .value]')"
}

@test "an agent without modes is only rejected, and that is said" {
  a_team $'Write|do: run g\ndo: say plan'
  start_teammate bob --acp "$(agent --fault nomodes)" --plan
  wait_until there_is_a_plan

  [ ! -e g ]
  grep -q 'the agent has no mode for plans' bob.err
}

@test "a plan that the agent gives to end its planning is the plan" {
  a_team $'Write|do: plan First look, then write.\ndo: say ?'
  start_teammate bob --acp "$(agent)" --plan
  wait_until there_is_a_plan

  same 'First look, then write.' "$(plan .content)"
}

@test "an agent that asks without having reported the call is answered all the same" {
  a_team $'Write|do: write f'

  run --separate-stderr bob --once --acp "$(agent --fault no-call)" --permissions edit=reject

  same 'rejected f' "$(field 1 result)"
  same 'write f' "$(events TOOL_CALL_START .tool_call_name)"
}
