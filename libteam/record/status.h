// A team at a glance, as a value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/record/usage.h"

namespace team {

struct MemberStatus {
  std::string name;
  std::optional<std::string> role;
  // What it wrote itself (active, idle, …) while it lives and after an orderly end; "dead" if that end was none;
  // "running" if it has written nothing; "lead"; "-" if it was never run by us.
  std::string state;
  std::optional<double> since;  // and why, and in which process
  std::string reason;
  std::optional<std::int64_t> pid;
  std::optional<std::string> pane;
  std::optional<TaskId> task;
  std::string subject;  // of that task
  std::optional<std::string> model;
  Usage usage;                 // in all its lives
  std::optional<double> cost;  // in US dollars; none if nobody knows what the model costs
};

std::string to_line(const MemberStatus& member);

struct BoardStatus {
  std::size_t total = 0, ready = 0, blocked = 0, in_progress = 0, completed = 0, failed = 0;
  std::vector<TaskId> failed_tasks, blocked_tasks;
};

struct TeamStatus {
  std::string team, lead, board;
  std::vector<MemberStatus> members;
  BoardStatus tasks;
  Usage usage;                 // of all members together
  std::optional<double> cost;  // none if that of one who used something is not known
};

std::string to_line(const TeamStatus& status);

}  // namespace team
