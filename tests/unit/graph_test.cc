// Task graphs: reachability, and layouts without overlaps.
#include "libteam/record/graph.h"

#include <algorithm>
#include <random>
#include <set>

#include "libteam/record/graph_layout.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

constexpr LayoutSizes kSizes = {.box_width = 100, .box_height = 40, .box_gap = 10, .lane_gap = 6, .column_gap = 30};

GraphTask task(TaskId id, std::vector<TaskId> blocked_by, Status status = Status::pending) {
  GraphTask task;
  task.id = id;
  task.status = status;
  task.blocked_by = std::move(blocked_by);
  return task;
}

std::vector<TaskId> ids(const TaskGraph& graph) {
  std::vector<TaskId> found;
  for (const GraphNode& node : graph.nodes()) found.push_back(node.task.id);
  return found;
}

void reachability() {
  TaskGraph graph({task(3, {1, 9}), task(1, {}, Status::completed), task(2, {1}), task(4, {3})});
  CHECK(ids(graph) == (std::vector<TaskId>{1, 2, 3, 4, 9}));
  CHECK(graph.nodes()[4].task.kind == GraphTask::Kind::missing);
  graph.mark_broken(9);
  graph.mark_broken(7);
  CHECK(graph.nodes()[4].task.kind == GraphTask::Kind::broken);
  CHECK(graph.open_blockers(graph.nodes()[2]) == std::vector<TaskId>{9});
  CHECK(graph.open_blockers(graph.nodes()[0]).empty());
  CHECK(ids(graph.upstream_of({4})) == (std::vector<TaskId>{1, 3, 4, 9}));
  CHECK(ids(graph.upstream_of({2, 2, 1, 5, 77})) == (std::vector<TaskId>{1, 2}));
  CHECK(ids(graph.upstream_of({})).empty());
}

// Two cycles, one of which leads to the other, and a task that blocks itself.
void cycles() {
  const TaskGraph graph({task(1, {2}), task(2, {1}), task(3, {4, 2}), task(4, {3}), task(5, {5})});
  CHECK(graph.starts() == (std::vector<std::size_t>{0, 4}));
  const GraphLayout layout = lay_out(graph, kSizes);
  CHECK(layout.loops == std::vector<std::size_t>{4});
  CHECK(std::count_if(layout.lines.begin(), layout.lines.end(),
                      [](const GraphLine& line) { return line.closes_a_cycle; }) == 2);
  CHECK(route(layout, 0, 1).size() == 2);
  CHECK(route(layout, 1, 0).empty());
  CHECK(route(layout, 0, 4).empty());
}

bool overlap(const Point& one, const Point& other) {
  return one.x < other.x + kSizes.box_width && other.x < one.x + kSizes.box_width &&
         one.y < other.y + kSizes.box_height && other.y < one.y + kSizes.box_height;
}

// True if a line runs through the inside of a box. A line is level within a column.
bool runs_through(const Point& from, const Point& to, const Point& box) {
  const double left = std::min(from.x, to.x), right = std::max(from.x, to.x);
  return from.y == to.y && left < box.x + kSizes.box_width && right > box.x && from.y > box.y &&
         from.y < box.y + kSizes.box_height;
}

void check_layout(const TaskGraph& graph) {
  const GraphLayout layout = lay_out(graph, kSizes);
  const auto& nodes = graph.nodes();
  bool apart = true, inside = true, linked = true, free = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Point& box = layout.boxes[i];
    inside = inside && box.x >= 0 && box.y > -0.001 && box.x + kSizes.box_width <= layout.width + 0.001 &&
             box.y + kSizes.box_height <= layout.height + 0.001;
    for (std::size_t j = 0; j < i; ++j) apart = apart && !overlap(box, layout.boxes[j]);
    for (const std::size_t dependent : nodes[i].dependents) {
      const auto points = route(layout, i, dependent);
      linked = linked && points.size() >= 2 && points.front().x == box.x + kSizes.box_width &&
               points.back().x == layout.boxes[dependent].x;
      for (std::size_t p = 1; p < points.size(); ++p) {
        for (const Point& other : layout.boxes) free = free && !runs_through(points[p - 1], points[p], other);
      }
    }
  }
  CHECK(apart);
  CHECK(inside);
  CHECK(linked);
  CHECK(free);
}

void layouts() {
  check_layout(TaskGraph(GraphNodes()));
  check_layout(TaskGraph({task(1, {}), task(2, {}), task(3, {})}));
  // The first graph has crossings in any order, the second only in the order of the ids.
  check_layout(TaskGraph({task(1, {}), task(2, {}), task(3, {}), task(4, {1, 2, 3}), task(5, {1, 2, 3})}));
  check_layout(TaskGraph({task(1, {}), task(2, {}), task(3, {1, 2}), task(4, {1}), task(5, {2}), task(6, {4, 3})}));
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    std::vector<GraphTask> tasks;
    const int count = 2 + round;
    for (int id = 1; id <= count; ++id) {
      std::set<TaskId> blockers;
      const int links = id > 1 ? static_cast<int>(random() % 3) : 0;
      for (int i = 0; i < links; ++i) blockers.insert(1 + static_cast<TaskId>(random()) % (id - 1));
      tasks.push_back(task(id, {blockers.begin(), blockers.end()}));
    }
    check_layout(TaskGraph(std::move(tasks)));
  }
}

}  // namespace

int main() {
  reachability();
  cycles();
  layouts();
  return test::report();
}
