// A team at a glance, as a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/task.h"

namespace team {

struct MemberStatus {
  std::string name;
  std::optional<std::string> role;
  std::string state;  // lead, running, dead or "-": not run by us
  std::optional<TaskId> task;
  std::string subject;  // of that task
};

struct BoardStatus {
  std::size_t total = 0, ready = 0, blocked = 0, in_progress = 0, completed = 0, failed = 0;
  std::vector<TaskId> failed_tasks, blocked_tasks;
};

struct TeamStatus {
  std::string team, lead, board;
  std::vector<MemberStatus> members;
  BoardStatus tasks;
};

std::string to_line(const TeamStatus& status);

}  // namespace team
