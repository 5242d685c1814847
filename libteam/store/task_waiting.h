// Waits until a task can be claimed, or until tasks have ended. waiter.h has the guarantees of all waits.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "libteam/store/board.h"
#include "libteam/store/engine.h"
#include "libteam/store/waiter.h"

namespace team {

// Claims the next ready task, if there is one. If the process of an owner is being killed, waits for its end (at most a
// second), because its task is then ready.
std::optional<Changed> claim_next_or_settle(Board& board, const Actor& actor);

// The same, but waits until a task is ready. Throws the errors of Board::claim_next().
struct ClaimEnd {
  std::optional<Changed> claimed;  // with done
  WaitEnd end;
};
ClaimEnd wait_next(Board& board, const Engine& engine, const Team* team, const Actor& actor, const WaitRules& rules);

// The callbacks of a wait for tasks.
struct TaskVisits {
  std::function<void(const Task&)> ended;
  BoardView::Report broken;
};
// Waits until all tasks of `ids` have ended, and visits each task when it ends. Throws not_found if a task does not
// exist or is deleted, corrupt if its file is broken. The wait is hopeless if the remaining tasks cannot end.
WaitEnd wait_ended(Board& board, const Engine& engine, const Team* team, const std::vector<TaskId>& ids,
                   const WaitRules& rules, const TaskVisits& visits);
// The same for all tasks of the board. Deleted tasks count as ended. Broken files are reported and skipped.
WaitEnd wait_all_ended(Board& board, const Engine& engine, const Team* team, const WaitRules& rules,
                       const TaskVisits& visits);

}  // namespace team
