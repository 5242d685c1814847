// The status of a team, its members and its tasks, as a value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/quota.h"
#include "libteam/record/task.h"
#include "libteam/record/usage.h"

namespace team {

struct MemberStatus {
  std::string name;
  std::optional<std::string> role;
  // While it runs and after an orderly end, the state in its file (active, idle, …), or "running" before it has a
  // state. Otherwise "dead" if it was killed, "lead", or "-" if teamkit never ran it.
  std::string state;
  bool is_running = false;
  std::optional<double> since;      // the time of the last change of state
  std::string reason;               // of that change
  std::optional<double> until;      // the end of a pause, if its time is known
  std::optional<std::int64_t> pid;  // none if its process is in another pid namespace
  std::optional<std::string> pane;
  std::optional<TaskId> task;
  std::string subject;  // of that task
  std::optional<std::string> model;
  Usage usage;                 // the sum of all its runs
  std::optional<double> cost;  // in US dollars; none if the price of the model is unknown
  std::size_t unread = 0;      // messages in its mailbox
  std::string last_words;      // the last line that it wrote or sent
};

std::string to_line(const MemberStatus& member);

// An open or failed task, with an explanation.
struct TaskNote {
  enum class Kind { in_progress, ready, blocked, failed };
  TaskId id = 0;
  Kind kind = Kind::ready;
  std::optional<std::string> owner;
  std::string subject;
  std::string note;  // how long it is in progress, its role, its blockers and their owners, or why it failed
};

struct BoardStatus {
  std::size_t total = 0, ready = 0, blocked = 0, in_progress = 0, completed = 0, failed = 0;
  std::vector<TaskId> failed_tasks, blocked_tasks;
  std::vector<TaskNote> notes;  // the first tasks of each kind, in the order of Kind
};

// A plan that waits for an answer.
struct PlanNote {
  std::string id, from, to;
  std::optional<TaskId> task;
  std::string summary;
  double since = 0;
};

// A problem that needs an action of the user or the lead.
struct Warning {
  std::string kind;  // dead, role, paused, quota, budget, disk
  std::string text;
};

struct TeamStatus {
  std::string team, lead, board;
  std::vector<MemberStatus> members;
  BoardStatus tasks;
  Usage usage;                 // the sum of all members
  std::optional<double> cost;  // none if the cost of a member is unknown
  std::vector<PlanNote> plans;
  std::vector<Warning> warnings;
  std::vector<QuotaPause> quotas;  // the pauses in force
};

std::string_view name_of(TaskNote::Kind kind);

std::string to_line(const TeamStatus& status);

// A summary for the context of a model: at most 16 lines, without repetitions and times of day.
std::vector<std::string> brief(const TeamStatus& status);

}  // namespace team
