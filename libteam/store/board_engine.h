// How a board is kept: the part of a store that knows tasks.
//
// A change is a transaction: the engine lets one of any number of processes into it at a time, and a reader that takes
// no part in it sees each task as it was or as it is. The rules of tasks (store/board.h) are written once, above this.
// What a transaction put is durable when transact() returns, as far as the durability of the team says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/event.h"
#include "libteam/record/task.h"

namespace team {

// A task in progress, in short: enough to decide whether its owner may be gone.
struct RunningTask {
  TaskId id;
  std::uint64_t owner;         // hash_name() of its owner
  std::int64_t lease_end = 0;  // nanoseconds of the boot clock, 0: never
};

class BoardTransaction {
 public:
  virtual ~BoardTransaction() = default;

  // Throws not_found, or corrupt for a task that cannot be read.
  virtual Task task(TaskId id) = 0;
  // None if there is no such task or it cannot be read.
  virtual std::optional<Task> task_if_whole(TaskId id) = 0;
  virtual bool exists(TaskId id) = 0;
  virtual std::int64_t count() = 0;
  // No task waits for an id above this one.
  virtual TaskId highest_blocker() = 0;

  // The best task that this member may take, as it is now: its own first, then those that nobody has; by priority, then
  // id. None if nothing is ready for it.
  virtual std::optional<Task> first_ready(const std::string& member, const std::optional<std::string>& role) = 0;
  // Whether a task is ready that is this member's already, as far as can be told without reading tasks.
  virtual bool has_ready_of(const std::string& member) = 0;
  virtual std::vector<RunningTask> running() = 0;
  // Of the blockers of a task those that are not completed.
  virtual std::vector<TaskId> open_blockers(const Task& task) = 0;
  // Tasks that are not completed and name `id` among their blockers. One that cannot be read may be among them.
  virtual std::vector<TaskId> waiting_for(TaskId id) = 0;
  // Whether `target` is one of `from`, or one of them waits for it, directly or not.
  virtual bool reaches(const std::vector<TaskId>& from, TaskId target) = 0;

  // Replaces a task that was read in this transaction; gives the tasks that became ready by it.
  virtual std::vector<TaskId> put(const Task& task) = 0;
  virtual void remove(TaskId id) = 0;
  // Writes events into the log of the board's team, in the order of the changes. Nothing without a team.
  virtual Logged record(const EventOrigin& origin, const std::vector<Event>& events) = 0;
};

// New tasks that all come or none. A large number of them may be written while others use the board: then `check` is
// asked again before they become visible.
struct Insertion {
  std::size_t count = 0;
  // The tasks, `count` of them, with ids from `first` on. May be called several times.
  std::function<std::vector<Task>(TaskId first)> make;
  // Throws if the tasks may not come to the board.
  std::function<void(BoardTransaction&, const std::vector<Task>&)> check;
  // Called in the transaction in which they became visible.
  std::function<void(BoardTransaction&, const std::vector<Task>&)> inserted;
};

class BoardEngine {
 public:
  virtual ~BoardEngine() = default;

  // How much of the board a transaction must have right besides the tasks that it reads by id.
  enum class Scope { board, one_task };
  using Step = std::function<void(BoardTransaction&)>;
  // Runs `step` as one transaction. If somebody who takes no part in transactions changed a task meanwhile (a person
  // with an editor), the step is run again. Throws again if the board is not free in time; what `step`
  // throws, as `unknown` if something was put by then.
  virtual void transact(Scope scope, const Step& step) = 0;
  virtual void insert(const Insertion& insertion) = 0;

  // Reading outside a transaction.
  //
  // None if there is no such task; throws corrupt for one that cannot be read.
  virtual std::optional<Task> find(TaskId id) const = 0;
  // All there are, in order.
  virtual std::vector<TaskId> ids() const = 0;
  // Completes what a writer that died has decided and not made visible.
  virtual void settle() const = 0;
  // Another number after each change made by transactions: for callers that are not told.
  virtual std::int64_t version() const = 0;
  // Where a program can read the task; what stands for the board in messages.
  virtual std::string path_of(TaskId id) const = 0;
  virtual std::string path() const = 0;

  // A board may be removed and made again while somebody uses it. reopen() opens the one that stands in its place now;
  // if none does, the old one stays open.
  enum class Place { same, another, missing };
  virtual bool is_in_place() const = 0;
  virtual Place reopen() = 0;
};

}  // namespace team
