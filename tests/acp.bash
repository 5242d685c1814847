# For tests of agents that speak the Agent Client Protocol. Load it after teammates.bash.

# agent [OPTION…]: the command of the stand-in agent; its log is agent.log, its conversations are in sessions/.
agent() { echo "exec $PROJECT/tests/acp-agent --log $PWD/agent.log --store $PWD/sessions $*"; }

# bob OPTION…: a teammate with the stand-in agent, in the foreground.
bob() { timeout 30 teammate-run bob "$@"; }

# a_team [TASK…]: alpha, with these tasks: "SUBJECT" or "SUBJECT|DESCRIPTION".
a_team() {
  local one
  team-create alpha
  for one in "$@"; do task-create "${one%%|*}" --description "${one#*|}"; done
} >/dev/null

# asked FILTER: of each message that the agent got.
asked() { [ ! -e agent.log ] || jq -rc "$1" agent.log; }

# asked_for METHOD [NUMBER]: the agent got that request so often (1).
asked_for() { [ "$(asked "select(.method == \"$1\") | 1" | wc -l)" -ge "${2:-1}" ]; }

# agents: the pids of all agents that were started.
agents() { asked '.started // empty'; }

events() { team-log --type "$1" --json | jq -r ".event | $2"; }

# noted: the notes of the teammate on stderr, without the times.
noted() { sed -E 's/^[0-9:]{8} //' <<<"$stderr"; }

# permission FILTER: of the permissions that wait for an answer.
permission() { plan-list --json 2>/dev/null | jq -r "select(.kind == \"permission\" and .status == \"pending\") | $1"; }

there_is_a_permission() { [ -n "$(permission .id)" ]; }
