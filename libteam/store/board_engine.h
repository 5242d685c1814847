// The storage of a board.
//
// A change is a transaction, and one transaction runs at a time. Readers outside of it do not block: they see either
// the old contents of a task or the new contents. The changes are durable when transact() returns, unless the team
// chose less durability. The rules of tasks are not here but in store/board.h.
//
// A person with an editor changes tasks without a transaction. Such a change is never overwritten.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

  // None if there is no such task; throws corrupt for a task that cannot be read.
  virtual std::optional<Task> find(TaskId id) = 0;
  virtual bool exists(TaskId id) = 0;
  virtual std::int64_t count() = 0;
  // No task waits for an id above this one.
  virtual TaskId highest_blocker() = 0;

  // The best task that this member may take: its own first, then those without an owner; by priority, then id. None if
  // no task is ready for it. If a person edited a file and so made a task ready, a thorough search finds the task
  // within a second. A quick search may find it later.
  enum class Search { quick, thorough };
  virtual std::optional<Task> first_ready(const std::string& member, const std::optional<std::string>& role,
                                          Search search) = 0;
  // Whether a ready task is assigned to this member, as far as the engine can tell without reading tasks.
  virtual bool has_ready_of(const std::string& member) = 0;
  // In the order of ids, as far as the engine can tell without reading tasks.
  virtual std::vector<RunningTask> running() = 0;
  // The blockers of a task that are not completed, in the order of the task.
  virtual std::vector<TaskId> open_blockers(const Task& task) = 0;
  // Tasks that are not completed and name `id` among their blockers. A task that cannot be read may be among them.
  virtual std::vector<TaskId> waiting_for(TaskId id) = 0;
  // Whether `target` is one of `from`, or one of them waits for it, directly or not.
  virtual bool reaches(const std::vector<TaskId>& from, TaskId target) = 0;

  // Replaces a task that find() or first_ready() returned in this transaction; throws std::out_of_range for another
  // one. Returns the other tasks that became ready by it, in the order of ids.
  virtual std::vector<TaskId> put(const Task& task) = 0;
  virtual void remove(TaskId id) = 0;
  // Writes events into the log of the board's team, in the order of the changes. Does nothing without a team. Throws
  // unknown if the log cannot be written, because the change stands.
  virtual Logged record(const EventOrigin& origin, const std::vector<Event>& events) = 0;
};

// What a transaction needs up to date: the whole board, or only the tasks that it reads by id.
enum class BoardScope { board, one_task };

// New tasks. Either all of them are made, or none. The engine may write a large number of tasks while others use the
// board; it then calls `check` again before the tasks become visible.
struct Insertion {
  std::size_t count = 0;  // at least 1
  BoardScope scope = BoardScope::board;
  // Makes the tasks, `count` of them, with ids from `first` on. May be called several times.
  std::function<std::vector<Task>(TaskId first)> make;
  // Throws if the tasks may not come to the board.
  std::function<void(BoardTransaction&, const std::vector<Task>&)> check;
  // Called in the transaction in which they became visible.
  std::function<void(BoardTransaction&, const std::vector<Task>&)> inserted;
};

class BoardEngine {
 public:
  virtual ~BoardEngine() = default;

  using Step = std::function<void(BoardTransaction&)>;
  // Runs `step` as one transaction, and runs it again if a person edited a task meanwhile. If `step` throws, its
  // earlier puts stay, and the error is passed on. A failure of the system after a put is unknown. Throws again if the
  // board is locked for too long.
  virtual void transact(BoardScope scope, const Step& step) = 0;
  // Never gives an id twice, but uses the ids of refused tasks again.
  virtual void insert(const Insertion& insertion) = 0;

  // Reading outside a transaction never waits for a writer.
  //
  // None if there is no such task; throws corrupt for a task that cannot be read.
  virtual std::optional<Task> find(TaskId id) const = 0;
  // All tasks, in order.
  virtual std::vector<TaskId> ids() const = 0;
  // All tasks that name `id` among their blockers, in order. Other tasks may be among them.
  virtual std::vector<TaskId> dependents(TaskId id) const = 0;
  // Completes the batch of a writer that died after its decision, unless another process is writing.
  virtual void settle() const = 0;
  // Each change by a transaction gives another number. For callers that cannot watch the board.
  virtual std::int64_t version() const = 0;
  // Where a program can read the task; empty if it cannot.
  virtual std::string path_of(TaskId id) const = 0;
  // The name of the board in messages.
  virtual std::string path() const = 0;

  // A board may be removed and made again while it is in use. reopen() opens the new board. If there is none, the old
  // board stays open.
  enum class Place { same, another, missing };
  virtual bool is_in_place() const = 0;
  virtual Place reopen() = 0;
};

}  // namespace team
