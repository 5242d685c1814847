#include "libteam/record/graph.h"

#include <algorithm>
#include <set>

namespace team {

namespace {

enum class Way { to_blockers, to_dependents };

// Marks `from` and all nodes that can be reached from it.
void spread(const GraphNodes& nodes, std::size_t from, Way way, std::vector<bool>& reached) {
  std::vector<std::size_t> todo = {from};
  reached[from] = true;
  while (!todo.empty()) {
    const GraphNode& node = nodes[todo.back()];
    todo.pop_back();
    for (const std::size_t next : way == Way::to_blockers ? node.blockers : node.dependents) {
      if (reached[next]) continue;
      reached[next] = true;
      todo.push_back(next);
    }
  }
}

}  // namespace

TaskGraph::TaskGraph(GraphNodes unlinked) : nodes_(std::move(unlinked)) {
  sort();
  std::set<TaskId> missing;
  for (const GraphNode& node : nodes_) {
    for (const TaskId blocker : node.task.blocked_by) {
      if (!place_of(blocker)) missing.insert(blocker);
    }
  }
  for (const TaskId id : missing) {
    GraphNode& node = nodes_.emplace_back();
    node.task.id = id;
    node.task.kind = GraphTask::Kind::missing;
  }
  sort();
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    for (const TaskId id : nodes_[place].task.blocked_by) {
      const std::size_t blocker = *place_of(id);
      nodes_[place].blockers.push_back(blocker);
      nodes_[blocker].dependents.push_back(place);
    }
    std::sort(nodes_[place].blockers.begin(), nodes_[place].blockers.end());
  }
}

TaskGraph::TaskGraph(std::vector<GraphTask> tasks)
    : TaskGraph([&] {
        GraphNodes nodes;
        for (GraphTask& task : tasks) nodes.push_back({std::move(task), {}, {}});
        return nodes;
      }()) {}

void TaskGraph::sort() {
  std::sort(nodes_.begin(), nodes_.end(), [](const GraphNode& a, const GraphNode& b) { return a.task.id < b.task.id; });
}

std::optional<std::size_t> TaskGraph::place_of(TaskId id) const {
  const auto found = std::lower_bound(nodes_.begin(), nodes_.end(), id,
                                      [](const GraphNode& node, TaskId wanted) { return node.task.id < wanted; });
  if (found == nodes_.end() || found->task.id != id) return std::nullopt;
  return static_cast<std::size_t>(found - nodes_.begin());
}

void TaskGraph::mark_broken(TaskId id) {
  if (const auto place = place_of(id)) nodes_[*place].task.kind = GraphTask::Kind::broken;
}

TaskGraph TaskGraph::upstream_of(const std::vector<TaskId>& ids) const {
  std::vector<bool> wanted(nodes_.size());
  for (const TaskId id : ids) {
    const auto place = place_of(id);
    if (place && !wanted[*place]) spread(nodes_, *place, Way::to_blockers, wanted);
  }
  GraphNodes unlinked;
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    if (wanted[place]) unlinked.push_back({nodes_[place].task, {}, {}});
  }
  return TaskGraph(std::move(unlinked));
}

std::vector<TaskId> TaskGraph::open_blockers(const GraphNode& node) const {
  std::vector<TaskId> open;
  if (has_ended(node.task.status)) return open;
  for (const std::size_t place : node.blockers) {
    if (nodes_[place].task.status != Status::completed) open.push_back(nodes_[place].task.id);
  }
  return open;
}

std::vector<std::size_t> TaskGraph::starts() const {
  std::vector<std::size_t> starts;
  std::vector<bool> reached(nodes_.size());
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    if (!nodes_[place].blockers.empty()) continue;
    starts.push_back(place);
    spread(nodes_, place, Way::to_dependents, reached);
  }
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    if (reached[place]) continue;
    starts.push_back(one_of_a_cycle_above(place));
    spread(nodes_, starts.back(), Way::to_dependents, reached);
  }
  return starts;
}

// For a node that cannot be reached from any start: all nodes above it have blockers, so a walk upward ends in a cycle.
std::size_t TaskGraph::one_of_a_cycle_above(std::size_t place) const {
  std::set<std::size_t> passed;
  while (passed.insert(place).second) place = nodes_[place].blockers.front();
  std::size_t smallest = place;
  for (std::size_t at = nodes_[place].blockers.front(); at != place; at = nodes_[at].blockers.front()) {
    smallest = std::min(smallest, at);
  }
  return smallest;
}

}  // namespace team
