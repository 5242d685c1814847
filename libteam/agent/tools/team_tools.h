// Tools for team work: the board, messages, plans.
//
// Each does the same as the command of that kind. It acts as the model's member, with the rights of that member.
#pragma once

#include "libteam/agent/tools/tool.h"
#include "libteam/agent/tools/turn_state.h"
#include "libteam/store/team_session.h"

namespace team {

// TaskCreate, TaskUpdate, TaskList, SendMessage, SubmitPlan; for a lead also TaskGet. `session` and `turn` outlive the
// tools.
void add_team_tools(Toolbox& tools, TeamSession& session, TurnState& turn);

}  // namespace team
