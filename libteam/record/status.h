// A team at a glance, as a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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
  bool is_running = false;
  std::optional<double> since;  // and why
  std::string reason;
  std::optional<std::int64_t> pid;  // its process; none if that is not of our pid namespace
  std::optional<std::string> pane;
  std::optional<TaskId> task;
  std::string subject;  // of that task
  std::optional<std::string> model;
  Usage usage;                 // in all its lives
  std::optional<double> cost;  // in US dollars; none if nobody knows what the model costs
  std::size_t unread = 0;      // messages that wait for it
  std::string last_words;      // what it said last, to anybody or to nobody
};

std::string to_line(const MemberStatus& member);

// A task that is not done, and what there is to know about it.
struct TaskNote {
  enum class Kind { in_progress, ready, blocked, failed };
  TaskId id = 0;
  Kind kind = Kind::ready;
  std::optional<std::string> owner;
  std::string subject;
  std::string note;  // how long, for whom, by what and whom it is blocked, why it failed
};

struct BoardStatus {
  std::size_t total = 0, ready = 0, blocked = 0, in_progress = 0, completed = 0, failed = 0;
  std::vector<TaskId> failed_tasks, blocked_tasks;
  std::vector<TaskNote> notes;  // the first of each kind, in progress before ready before blocked before failed
};

// A plan that waits for an answer.
struct PlanNote {
  std::string id, from, to;
  std::optional<TaskId> task;
  std::string summary;
  double since = 0;
};

// Something that will not mend itself.
struct Warning {
  std::string kind;  // dead, role, paused, disk
  std::string text;
};

struct TeamStatus {
  std::string team, lead, board;
  std::vector<MemberStatus> members;
  BoardStatus tasks;
  Usage usage;                 // of all members together
  std::optional<double> cost;  // none if that of one who used something is not known
  std::vector<PlanNote> plans;
  std::vector<Warning> warnings;
};

std::string_view name_of(TaskNote::Kind kind);

std::string to_line(const TeamStatus& status);

// The same for the context of a model: what is worth knowing, at most 16 lines, nothing twice, no times of day.
std::vector<std::string> brief(const TeamStatus& status);

}  // namespace team
