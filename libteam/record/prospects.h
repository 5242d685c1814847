// Which open tasks can still end.
//
// A task in progress can. A pending task can if somebody may take it and each of its blockers is completed or can still
// end. All others need a decision first: they stand behind a failed, missing or broken task, behind one that nobody may
// take, or in a cycle.
#pragma once

#include <map>
#include <unordered_set>
#include <vector>

#include "libteam/record/task.h"

namespace team {

// A task that has not ended.
struct OpenTask {
  Status status = Status::pending;
  std::vector<TaskId> blockers = {};  // those that are not completed
  bool is_stranded = false;           // only a member that is gone may take it
};

// Takes time in proportion to the tasks and their blockers, whatever their order.
std::unordered_set<TaskId> able_to_end(const std::map<TaskId, OpenTask>& open);

}  // namespace team
