// The tasks that a teammate holds: how it gets them, whether they are still its own, how they end.
//
// The board decides who holds a task. A program or the lead may change a task at any time, so every part of a life asks
// is_mine() before it acts on one.
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

// A task that a teammate holds, or what its prompt asks: then there is no task.
struct Job {
  std::optional<Task> task = {};
  bool assigned = false;  // to this member, before it was claimed
  std::optional<PlanAnswer> plan = {};
  bool left = false;  // begun in an earlier life

  std::optional<TaskId> id() const { return task ? std::optional(task->id) : std::nullopt; }
};

inline constexpr const char* kPromptTitle = "the prompt";
// For people: "task 3".
std::string title_of(const Job& job);

class HeldTasks {
 public:
  // `life` outlives this.
  explicit HeldTasks(MemberLife& life) : life_(life) {}

  // Takes over what the last life held, unless another task was asked for or the member takes none by itself: then it
  // is given back. Plans for it that wait for an answer are withdrawn.
  void recover();
  // Claims a task to be worked on first. Throws what Board::change() throws.
  void claim(TaskId id);
  // The next ready task. None if there is none, or if it already holds others, which next() then returns.
  std::optional<Job> claim_next();

  bool empty() const { return waiting_.empty(); }
  // The first one that is held and was not worked on; there must be one.
  Job next();
  // The one of this id; none if the member does not hold it.
  std::optional<Job> take(TaskId id);

  // True if this run of the member still owns the task.
  bool is_mine(const Job& job) const;
  bool has_status(const Job& job, Status status) const;

  // All wait until the system does not refuse them any more.
  void complete(const Task& task, const std::string& result);
  void fail(const Task& task, const std::string& reason);
  void put_back(const Job& job, const std::string& reason);
  // Gives back everything that is held: for a life that could not begin, and for one that ends.
  void put_back_claimed(const std::string& reason);
  void put_back_all(const std::string& reason);

  // The approval that this job already has: its task was given back for another attempt, and nobody has touched it
  // since. It is told once.
  std::optional<PlanAnswer> take_approval(const Job& job);

 private:
  void find_left_tasks();
  void note_trouble(const TaskUpdate& update) const;

  MemberLife& life_;
  std::deque<Job> waiting_;  // of --task, or from its last life
  std::optional<std::pair<Task, PlanAnswer>> approved_;
};

}  // namespace team
