// Waits until a team has ended, for a caller that does not intervene.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/store/team_session.h"
#include "libteam/system/signals.h"

namespace team {

struct TeamEnd {
  enum class Kind {
    over,         // every task has ended, or none can progress
    too_late,     // the deadline passed
    interrupted,  // by `signal`
  };
  Kind kind = Kind::over;
  int signal = 0;
};

// True if no running member has work or is about to get some.
bool is_still(const TeamSession& session);

// Blocks until all teammates idle or have ended and no running member has work. `report` gets a line for each change of
// a task.
TeamEnd await_end(TeamSession& session, const Deadline& deadline, const Signals& signals,
                  const std::function<void(std::string_view)>& report);

// Throws paused if tasks are missing and a budget of the team or of a member is used up.
void check_budgets(const TeamSession& session, const std::vector<std::string>& missing);

// One line for each task that is not completed, with the reason. Empty if all are completed.
std::vector<std::string> what_is_missing(const TeamSession& session);

}  // namespace team
