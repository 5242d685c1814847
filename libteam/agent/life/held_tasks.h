// The tasks that a teammate holds: how it gets them, whether it still owns them, how they end.
//
// The board decides who holds a task. Programs and the lead may change a task at any time, so every part of a teammate
// calls is_mine() before it acts on a task.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "libteam/agent/life/member_life.h"
#include "libteam/agent/life/prompt.h"
#include "libteam/record/task.h"
#include "libteam/store/task_operations.h"

namespace team {

// A task that a teammate holds, or its prompt: then there is no task.
struct Job {
  std::optional<Task> task = {};
  bool assigned = false;  // it was assigned to this member before the claim
  std::optional<PlanAnswer> plan = {};
  bool left = false;                     // an earlier run began it
  std::optional<std::string> base = {};  // the commit that the attempt began with, in a tree
  std::string about_tree = {};           // for the prompt: what is in the tree

  std::optional<TaskId> id() const { return task ? std::optional(task->id) : std::nullopt; }
};

inline constexpr const char* kPromptTitle = "the prompt";
// For people: "task 3".
std::string title_of(const Job& job);
// For people and models: "attempt 2 of 3".
std::string describe_attempt(std::int64_t attempt, std::int64_t retries);

class HeldTasks {
 public:
  // `life` outlives this.
  explicit HeldTasks(MemberLife& life) : life_(life) {}

  // Takes over the tasks of the last run. Gives them back instead if another task was requested or the member claims
  // none by itself. Withdraws their pending plans.
  void recover();
  // Claims a task to work on first. Throws the errors of Board::change().
  void claim(TaskId id);
  // Claims the next ready task. None if there is none, or if the member already holds others, which next() then
  // returns.
  std::optional<Job> claim_next();

  bool empty() const { return waiting_.empty(); }
  // The first held task that was not worked on; there must be one.
  Job next();
  // The held task with this id; none if the member does not hold it.
  std::optional<Job> take(TaskId id);

  // True if this run of the member still owns the task.
  bool is_mine(const Job& job) const;
  bool has_status(const Job& job, Status status) const;

  // Each of these retries until the system accepts the change.
  void complete(const Task& task, const std::string& result);
  void note_completed(const Task& task, const TaskUpdate& update) const;
  void fail(const Task& task, const std::string& reason);
  enum class Attempt { counts, does_not_count };
  void put_back(const Job& job, const std::string& reason, Attempt attempt = Attempt::counts);
  // Gives all held tasks back, when a run ends or cannot begin.
  void put_back_claimed(const std::string& reason);
  void put_back_all(const std::string& reason);

  // The approval that this job already has: its task was given back for another attempt, and nobody has changed it
  // since. Returned only once.
  std::optional<PlanAnswer> take_approval(const Job& job);

 private:
  void find_left_tasks();
  void note_trouble(const TaskUpdate& update) const;

  MemberLife& life_;
  std::deque<Job> waiting_;  // from --task, or from the last run
  std::optional<std::pair<Task, PlanAnswer>> approved_;
};

}  // namespace team
