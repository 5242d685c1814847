// The end of a team's run: nothing is open, everybody has gone home, and what was done is written down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/shutdown.h"
#include "libteam/store/team_session.h"

namespace team {

struct Finish {
  std::optional<std::string> summary = {};
  Insist insist = Insist::no;  // though tasks are open; teammates that do not end are killed
  double seconds = 60;         // for the teammates to end
};

// Throws invalid_state while tasks are open. Gives those that run on: if there are any, the team is not finished.
std::vector<Stopped> finish_team(TeamSession& session, const Finish& finish);

// The tasks that have not ended, a broken one counts as such.
std::vector<TaskId> open_tasks(const TeamSession& session);

}  // namespace team
