// Tools with which a model works with others: the board, messages, plans.
//
// Each does what the command of that kind does, as the member that the model is, with that member's rights.
#pragma once

#include "libteam/agent/life/workplace.h"
#include "libteam/agent/model/model_driver.h"
#include "libteam/agent/tools/tool.h"

namespace team {

// TaskCreate, TaskUpdate, TaskList, SendMessage, SubmitPlan; for a lead also TaskGet. `place` and `conduct` outlive the
// tools.
void add_team_tools(Toolbox& tools, Workplace& place, TurnState& conduct);

}  // namespace team
