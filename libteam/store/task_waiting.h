// Waiting for tasks: until one can be claimed, until some have ended. See waiter.h for what all waits guarantee.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/waiter.h"

namespace team {

// Claims the next ready task; while an owner is dying, waits for its end (at most a second).
std::optional<Changed> claim_next_or_settle(Board& board, const Actor& actor);

// The same, but waits until a task is ready. Throws what Board::claim_next() does.
struct ClaimEnd {
  std::optional<Changed> claimed;  // with done
  WaitEnd end;
};
ClaimEnd wait_next(Board& board, const Engine& engine, const Team* team, const Actor& actor, const WaitRules& rules);

// What is told to one who waits for tasks.
struct TaskVisits {
  std::function<void(const Task&)> ended;
  BoardView::Report broken;
};
// Waits until all of `ids` have ended, and visits each when it has. Throws not_found if one does not exist or goes,
// corrupt if one is broken. Hopeless once those that are left cannot end.
WaitEnd wait_ended(Board& board, const Engine& engine, const Team* team, const std::vector<TaskId>& ids,
                   const WaitRules& rules, const TaskVisits& visits);
// The same for all that are there now; one that goes is not waited for, a broken one is reported and passed over.
WaitEnd wait_all_ended(Board& board, const Engine& engine, const Team* team, const WaitRules& rules,
                       const TaskVisits& visits);

}  // namespace team
