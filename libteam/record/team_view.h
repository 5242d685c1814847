// A snapshot of a team for a screen, as a value: members, tasks and recent events.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/request.h"
#include "libteam/record/status.h"
#include "libteam/record/task.h"

namespace team {

struct ViewMember {
  MemberStatus status;
  std::optional<Request> plan;  // a plan without an answer
  std::size_t number = 0;       // its position in the team
};

// The state of a task on the screen, in the order of the list.
enum class TaskState { running, failed, broken, ready, blocked, done };

std::string_view name_of(TaskState state);

struct ViewTask {
  TaskId id = 0;
  TaskState state = TaskState::ready;
};

struct LogEntry {
  std::int64_t seq = 0;
  double timestamp = 0;
  std::string agent;
  std::string type;  // the type of the event; "says" and "calls" for texts and tool calls of a model
  std::string text;
  std::string speech;  // the id of the message or tool call of a model that this is a piece of
  std::string line;    // the line of the log, cut if it is long
};

// None for events without text for people, such as the start and the end of a message of a model.
std::optional<LogEntry> log_entry_of(const Envelope& envelope);

struct TeamView {
  std::string team, lead;
  std::vector<ViewMember> members;
  std::unordered_map<TaskId, Task> board;
  std::map<TaskId, std::string> broken;  // tasks whose files cannot be read, with the reason
  std::vector<ViewTask> tasks;           // all tasks, in the order of the list
  std::map<TaskState, std::size_t> counts;
  std::deque<LogEntry> events;  // the latest events, oldest first
  std::size_t unread = 0;       // messages in the mailbox of the reader
  std::string reader;           // the member, or the user, in front of the screen
  // The member whose output is shown, and its latest output; empty if none is shown.
  std::string speaker, speech;

  const ViewMember* find_member(std::string_view name) const;
  const Task* find_task(TaskId id) const;
};

// Sorts members and tasks: first those that need attention. Call it after each change of either.
void arrange(TeamView& view);
// The cheaper form for changes that leave all tasks as they are.
void arrange_members(TeamView& view);

// Adds an entry. If it continues the message or tool call of the last entry, its text is appended there instead. Keeps
// at most `most` entries.
void add(TeamView& view, LogEntry entry, std::size_t most);

// Why a task is not completed, in a few words: its open blockers and their owners, or why it failed. May be empty.
std::string why(const TeamView& view, const ViewTask& task);

// The time of the last change of a task's status.
std::optional<double> since(const Task& task);

}  // namespace team
