// Waiting for a team to come to an end, as somebody does who started it and will not look in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/store/team_session.h"
#include "libteam/system/process.h"

namespace team {

struct TeamEnd {
  enum class Kind {
    over,         // every task has ended, or none can move any more
    too_late,     // the deadline passed
    interrupted,  // by `signal`
  };
  Kind kind = Kind::over;
  int signal = 0;
};

// Whether nothing is left that one who runs could do or is about to do.
bool is_still(const TeamSession& session);

// Blocks until all teammates idle or have ended and nothing is left that one who runs could do. `report` is told what
// happens to the tasks meanwhile, a line each.
TeamEnd await_end(TeamSession& session, const Deadline& deadline, const Signals& signals,
                  const std::function<void(std::string_view)>& report);

// Why not every task is completed: a line for each that is not. Empty: all are.
std::vector<std::string> what_is_missing(const TeamSession& session);

}  // namespace team
