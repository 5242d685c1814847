// Tools of the lead: they start members, answer plans, read skills and end the run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "libteam/agent/life/spawn.h"
#include "libteam/agent/life/team_recording.h"
#include "libteam/agent/tools/background.h"
#include "libteam/agent/tools/tool.h"
#include "libteam/agent/tools/turn_state.h"
#include "libteam/record/model_choice.h"
#include "libteam/store/team_session.h"

namespace team {

// How the lead starts members.
struct Recruiting {
  SpawnMode mode = SpawnMode::background;
  ModelChoice model;  // the model of the lead, for roles that name none
  Keys secrets;       // for members that need them
  std::function<void(std::string_view)> warn;
  TeamRecording recording;
};

// Task, TaskOutput, TaskStop, Skill, TeamCreate, TeamDelete, StopTeammate, ApprovePlan, FinishTeam. All arguments but
// `recruiting` outlive the tools.
void add_lead_tools(Toolbox& tools, TeamSession& session, Background& background, TurnState& turn,
                    const Recruiting& recruiting);

}  // namespace team
