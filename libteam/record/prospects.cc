#include "libteam/record/prospects.h"

#include <unordered_map>

namespace team {

std::unordered_set<TaskId> able_to_end(const std::map<TaskId, OpenTask>& open) {
  std::unordered_map<TaskId, std::size_t> waits;  // the number of blockers that are not yet known to end
  std::unordered_map<TaskId, std::vector<TaskId>> dependents;
  std::vector<TaskId> due;
  for (const auto& [id, task] : open) {
    if (task.status == Status::in_progress || (task.blockers.empty() && !task.is_stranded)) {
      due.push_back(id);
      continue;
    }
    waits[id] = task.blockers.size() + (task.is_stranded ? 1 : 0);
    for (const TaskId blocker : task.blockers) dependents[blocker].push_back(id);
  }
  std::unordered_set<TaskId> able;
  while (!due.empty()) {
    const TaskId id = due.back();
    due.pop_back();
    if (!able.insert(id).second) continue;
    for (const TaskId dependent : dependents[id]) {
      if (--waits[dependent] == 0) due.push_back(dependent);
    }
  }
  return able;
}

}  // namespace team
