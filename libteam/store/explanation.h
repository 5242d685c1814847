// Why a task cannot be done, in the words of task-why(1).
#pragma once

#include <string>

#include "libteam/record/task.h"
#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/engine.h"

namespace team {

// The reason why the task waits. If its blocker waits too, also the task at which the chain of blockers ends.
// `team` may be null. Takes no lock.
std::string explain_chain(const Board& board, const Engine& engine, const Team* team, TaskId id);

}  // namespace team
