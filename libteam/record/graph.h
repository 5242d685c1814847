// Which task waits for which, as a graph that can be walked both ways.
//
// A value made from one look at a board. Files that a person edited may hold what the board refuses: blockers that do
// not exist are nodes of their own, and cycles are kept as they are, so who walks must remember the way.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/task.h"

namespace team {

// What pictures and reports tell of a task.
struct GraphTask {
  enum class Kind { task, missing, broken };  // missing and broken ones have an id and nothing else

  TaskId id = 0;
  Kind kind = Kind::task;
  Status status = Status::pending;
  std::string subject;
  std::optional<std::string> owner;
  std::vector<TaskId> blocked_by;
  double created_at = 0;
  std::optional<double> claimed_at;
};

struct GraphNode {
  GraphTask task;
  // Places in nodes(), in order of id.
  std::vector<std::size_t> blockers;
  std::vector<std::size_t> dependents;
};

// Neither missing nor broken.
inline bool is_on_board(const GraphNode& node) { return node.task.kind == GraphTask::Kind::task; }

// A deque: to copy a large board as it grows would take twice the memory.
using GraphNodes = std::deque<GraphNode>;

class TaskGraph {
 public:
  // Links them, and adds a missing one for each blocker that is not among them.
  explicit TaskGraph(GraphNodes unlinked);
  explicit TaskGraph(std::vector<GraphTask> tasks);

  // In order of id.
  const GraphNodes& nodes() const { return nodes_; }

  std::optional<std::size_t> place_of(TaskId id) const;

  // For a missing one whose file is there and cannot be read.
  void mark_broken(TaskId id);

  // Only these and all they wait for, directly or not. Ids that are not here are passed over.
  TaskGraph upstream_of(const std::vector<TaskId>& ids) const;

  // The blockers that are not completed; none for a task that has ended, which waits no more.
  std::vector<TaskId> open_blockers(const GraphNode& node) const;

  // Where to start so that going from blocker to dependent reaches every node: those without a blocker, then one of
  // each cycle that none of them leads to.
  std::vector<std::size_t> starts() const;

 private:
  void sort();
  std::size_t one_of_a_cycle_above(std::size_t place) const;

  GraphNodes nodes_;
};

}  // namespace team
