// The dependency graph of a board, which can be walked in both directions.
//
// A value made from one snapshot of a board. Files that a person edited may contain errors that the board refuses.
// Missing blockers then are nodes of their own. Cycles are kept, so callers that walk the graph must mark visited
// nodes.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/task.h"

namespace team {

// The part of a task that pictures and reports show.
struct GraphTask {
  enum class Kind { task, missing, broken };  // a missing or broken task has only an id

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
  // Positions in nodes(), in order of id.
  std::vector<std::size_t> blockers;
  std::vector<std::size_t> dependents;
};

// Neither missing nor broken.
inline bool is_on_board(const GraphNode& node) { return node.task.kind == GraphTask::Kind::task; }

// A deque, because a vector that grows would need twice the memory for a large board.
using GraphNodes = std::deque<GraphNode>;

class TaskGraph {
 public:
  // Links the nodes, and adds a missing node for each unknown blocker.
  explicit TaskGraph(GraphNodes unlinked);
  explicit TaskGraph(std::vector<GraphTask> tasks);

  // In order of id.
  const GraphNodes& nodes() const { return nodes_; }

  std::optional<std::size_t> place_of(TaskId id) const;

  // Marks a missing node whose file exists and cannot be read.
  void mark_broken(TaskId id);

  // The subgraph of these tasks and their direct and indirect blockers. Unknown ids are ignored.
  TaskGraph upstream_of(const std::vector<TaskId>& ids) const;

  // The blockers that are not completed; none for a task that has ended.
  std::vector<TaskId> open_blockers(const GraphNode& node) const;

  // Start nodes: all nodes can be reached from them by going from blocker to dependent. They are the nodes without a
  // blocker, then one node of each cycle that cannot be reached from these.
  std::vector<std::size_t> starts() const;

 private:
  void sort();
  std::size_t one_of_a_cycle_above(std::size_t place) const;

  GraphNodes nodes_;
};

}  // namespace team
