#include "libteam/cli/graph_reading.h"

#include "libteam/cli/task_output.h"

namespace team {

TaskGraph read_graph(const BoardView& view, const std::function<void(const Task& task)>& visit) {
  std::vector<GraphTask> tasks;
  std::vector<TaskId> broken;
  view.each(
      {}, BoardView::Detail::open_blockers,
      [&](const SeenTask& seen) {
        const Task& task = seen.task;
        if (visit) visit(task);
        tasks.push_back({.id = task.id,
                         .status = task.status,
                         .subject = task.subject,
                         .owner = task.owner,
                         .blocked_by = task.blocked_by});
      },
      [&](TaskId id, const Error& error) {
        warn_of_broken(id, error);
        broken.push_back(id);
      });
  TaskGraph graph(std::move(tasks));
  for (const TaskId id : broken) graph.mark_broken(id);
  return graph;
}

}  // namespace team
