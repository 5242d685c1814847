// Ends the run of a team: no task is open, all teammates have ended, and the result is recorded.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/shutdown.h"
#include "libteam/store/team_session.h"

namespace team {

struct Finish {
  std::optional<std::string> summary = {};
  Insist insist = Insist::no;  // finishes even with open tasks, and kills teammates that do not end
  double seconds = 60;         // wait at most so long for the teammates to end
  int interrupt = -1;          // a descriptor: stops waiting when it becomes readable
};

// Throws invalid_state while tasks are open. Returns the teammates that still run: if there are any, the team is not
// finished.
std::vector<Stopped> finish_team(TeamSession& session, const Finish& finish);

// The tasks that have not ended. A broken task file counts as open.
std::vector<TaskId> open_tasks(const TeamSession& session);

}  // namespace team
