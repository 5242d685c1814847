// Waits for members of a team. waiter.h has the guarantees of all waits.
#pragma once

#include <string>

#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/waiter.h"

namespace team {

// Waits until the member is idle. The wait is hopeless if the member has died or has left the team.
WaitEnd wait_idle(Board& board, const Engine& engine, const std::string& team, const std::string& member,
                  const WaitRules& rules);
// Waits until all running teammates are idle and no task is ready. The wait is hopeless if all teammates have died.
WaitEnd wait_all_idle(Board& board, const Engine& engine, const std::string& team, const WaitRules& rules);

}  // namespace team
