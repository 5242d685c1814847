#include "libteam/report/graph_reading.h"

namespace team {

TaskGraph read_graph(const BoardView& view, const std::function<void(const Task& task)>& visit,
                     const BoardView::Report& report_broken) {
  GraphNodes nodes;
  std::vector<TaskId> broken;
  view.each(
      {}, BoardView::Detail::open_blockers,
      [&](const SeenTask& seen) {
        const Task& task = seen.task;
        if (visit) visit(task);
        nodes.push_back({{.id = task.id,
                          .status = task.status,
                          .subject = task.subject,
                          .owner = task.owner,
                          .blocked_by = task.blocked_by,
                          .created_at = task.created_at,
                          .claimed_at = task.claimed_at},
                         {},
                         {}});
      },
      [&](TaskId id, const Error& error) {
        report_broken(id, error);
        broken.push_back(id);
      });
  TaskGraph graph(std::move(nodes));
  for (const TaskId id : broken) graph.mark_broken(id);
  return graph;
}

}  // namespace team
