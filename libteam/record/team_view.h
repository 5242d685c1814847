// What somebody who watches a team sees at one moment, as a value: members, board, what happened lately.
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
  std::optional<Request> plan;  // that waits for an answer
  std::size_t number = 0;       // its place in the team
};

// What a task is to somebody who watches: in the order in which it is worth a look.
enum class TaskState { running, failed, broken, ready, blocked, done };

std::string_view name_of(TaskState posture);

struct ViewTask {
  TaskId id = 0;
  TaskState posture = TaskState::ready;
};

struct LogEntry {
  std::int64_t seq = 0;
  double timestamp = 0;
  std::string agent;
  std::string type;  // of the event; "says" and "calls" for text and tools of a model
  std::string text;
  std::string speech;  // which message of a model it belongs to, if it is a piece of one
  std::string line;    // of the log, cut if it is long
};

// None for what tells a person nothing: the beginnings and ends of pieces.
std::optional<LogEntry> happening_of(const Envelope& envelope);

struct TeamView {
  std::string team, lead;
  std::vector<ViewMember> members;
  std::unordered_map<TaskId, Task> board;
  std::map<TaskId, std::string> broken;  // tasks whose files cannot be read, and why
  std::vector<ViewTask> tasks;           // all of them, in order
  std::map<TaskState, std::size_t> counts;
  std::deque<LogEntry> events;  // the last ones, oldest first
  std::size_t letters = 0;      // unread, for the one who watches
  std::string reader;           // who that is
  // What one of the members said and did lately, if somebody wants to see it.
  std::string speaker, speech;

  const ViewMember* find_member(std::string_view name) const;
  const Task* find_task(TaskId id) const;
};

// Puts members and tasks in their order: those that need somebody first. After each change of them.
void arrange(TeamView& scene);
// The same where no task has changed, which costs less.
void arrange_members(TeamView& scene);

// Adds one; a piece of a speech goes on where the one before it ended. At most `most` are kept.
void add(TeamView& scene, LogEntry happening, std::size_t most);

// Why a task is not done, in a few words: what it waits for and who is on it, why it failed. Empty if nothing is to be
// said.
std::string why(const TeamView& scene, const ViewTask& task);

// Since when a task is what it is.
std::optional<double> since(const Task& task);

}  // namespace team
