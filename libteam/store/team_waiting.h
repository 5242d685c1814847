// Waiting for the members of a team. See waiter.h for what all waits guarantee.
#pragma once

#include <string>

#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/waiter.h"

namespace team {

// Waits until the member idles. Hopeless if it ran and does not run any more, or leaves the team.
WaitEnd wait_idle(Board& board, const Engine& engine, const std::string& team, const std::string& member,
                  const WaitRules& rules);
// Waits until all teammates that run idle and nothing is ready. Hopeless if some ran and none runs any more.
WaitEnd wait_all_idle(Board& board, const Engine& engine, const std::string& team, const WaitRules& rules);

}  // namespace team
