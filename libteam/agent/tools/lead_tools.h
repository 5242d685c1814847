// Tools of the lead: it starts others, answers their plans, reads skills and ends the run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libteam/agent/life/spawn.h"
#include "libteam/agent/tools/background.h"
#include "libteam/agent/tools/tool.h"
#include "libteam/agent/tools/turn_state.h"
#include "libteam/record/model_choice.h"
#include "libteam/store/team_session.h"

namespace team {

// How the lead starts others.
struct Recruiting {
  SpawnMode mode = SpawnMode::background;
  ModelChoice model;  // the lead's own: for a role that says nothing of what it runs
  Keys secrets;       // for those who need them
  std::function<void(std::string_view)> warn;
};

// Task, TaskOutput, TaskStop, Skill, TeamCreate, TeamDelete, ApprovePlan, FinishTeam. All but `recruiting` outlive the
// tools.
void add_lead_tools(Toolbox& tools, TeamSession& session, Background& background, TurnState& turn,
                    const Recruiting& recruiting);

}  // namespace team
