// Decides which open tasks can still end.
//
// A task in progress can end. A pending task can end if a member may claim it and each of its blockers is completed or
// can still end. All other tasks need a decision first: they wait for a failed, missing or broken task, for a task that
// no member may claim, or they are in a cycle.
#pragma once

#include <map>
#include <unordered_set>
#include <vector>

#include "libteam/record/task.h"

namespace team {

// A task that has not ended.
struct OpenTask {
  Status status = Status::pending;
  std::vector<TaskId> blockers = {};  // only open blockers
  bool is_stranded = false;           // only a member that is gone may claim it
};

// The time is proportional to the number of tasks and blockers, whatever their order.
std::unordered_set<TaskId> able_to_end(const std::map<TaskId, OpenTask>& open);

}  // namespace team
