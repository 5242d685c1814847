// Whole changes of tasks: hooks, the change, the event log, and the messages to members.
//
// Commands, teammates and the tools of models change tasks only by these functions, so a failure has the same meaning
// everywhere. A function throws if nothing changed. If something fails after the change, the function returns, and
// `trouble` describes the failure. The change stands then, and the caller must not repeat it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/store/board.h"
#include "libteam/store/mail.h"

namespace team {

struct TaskUpdate {
  Changed changed;
  // One sentence that begins with "the change is made, but" or "it is done, but"; empty if all went well.
  std::string trouble;
};

struct TaskCreation {
  std::vector<TaskId> ids;  // in the order of the drafts
  std::string trouble;
};

class TaskOperations {
 public:
  // A board without a team has no mail: then both pointers are null. Everything outlives this.
  TaskOperations(Board& board, const Mail* mail, const Team* team, const Actor& actor)
      : board_(board), mail_(mail), team_(team), actor_(actor) {}

  // Changes a task. Tells the owners of tasks that became ready, and the new owner of an assigned task. Throws the
  // errors of Board::change(); unknown only if nobody can tell whether the task has changed.
  TaskUpdate update(TaskId id, const TaskChange& change) const;
  TaskUpdate complete(TaskId id, const std::optional<std::string>& result) const;
  TaskUpdate fail(TaskId id, const std::string& reason) const;
  // Back to pending; with `owner` it stays assigned to that member.
  TaskUpdate release(TaskId id, const std::string& reason, const std::optional<std::string>& owner) const;
  // Ends a landing (Board::end_landing) and tells the owners of tasks that became free.
  TaskUpdate end_landing(TaskId id, const Receipt& landing, bool landed) const;
  // Tells the owners of tasks that became ready by a landing of another process. They are on the board anyway, so a
  // failure does not matter.
  void tell_of_landed(const Changed& landed) const;
  // Makes all tasks or none. Tells the owners of assigned tasks.
  TaskCreation create(std::vector<Draft> drafts) const;

 private:
  Changed look_again(TaskId id, const TaskChange& change, const Error& error) const;
  bool announces() const;
  std::string tell(const Task& task, const char* type, const std::string& text) const;
  void tell_of_freed(const Changed& changed, std::vector<std::string>& troubles) const;
  void tell_of_assigned(const Task& task, std::vector<std::string>& troubles) const;

  Board& board_;
  const Mail* mail_;
  const Team* team_;
  const Actor& actor_;
};

}  // namespace team
