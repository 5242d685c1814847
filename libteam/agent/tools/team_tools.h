// Tools with which a model works with others: the board, messages, plans.
//
// Each does what the command of that kind does, as the member that the model is, with that member's rights.
#pragma once

#include "libteam/agent/tools/tool.h"
#include "libteam/agent/tools/turn_state.h"
#include "libteam/store/team_session.h"

namespace team {

// TaskCreate, TaskUpdate, TaskList, SendMessage, SubmitPlan; for a lead also TaskGet. `session` and `turn` outlive the
// tools.
void add_team_tools(Toolbox& tools, TeamSession& session, TurnState& turn);

}  // namespace team
