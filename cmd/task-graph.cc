// task-graph - draw which task waits for which

#include "libteam/cli/command.h"
#include "libteam/cli/graph_drawing.h"
#include "libteam/cli/task_output.h"

namespace {

struct Options {
  std::vector<team::TaskId> tasks;
  bool dot = false;
  bool mermaid = false;
  bool svg = false;
};

team::TaskGraph read(const team::BoardView& view) {
  std::vector<team::GraphTask> tasks;
  std::vector<team::TaskId> broken;  // no task, but what waits for one does not wait for something missing
  view.each(
      {}, team::BoardView::Detail::open_blockers,
      [&](const team::SeenTask& seen) {
        const team::Task& task = seen.task;
        tasks.push_back({.id = task.id,
                         .status = task.status,
                         .subject = task.subject,
                         .owner = task.owner,
                         .blocked_by = task.blocked_by});
      },
      [&](team::TaskId id, const team::Error& error) {
        team::warn_of_broken(id, error);
        broken.push_back(id);
      });
  team::TaskGraph graph(std::move(tasks));
  for (const team::TaskId id : broken) graph.mark_broken(id);
  return graph;
}

team::Exit draw(team::Context& context, const Options& options) {
  const team::BoardView& view = context.board().view();
  for (const team::TaskId id : options.tasks) view.get(id);
  const team::TaskGraph whole = read(view);
  const team::TaskGraph graph = options.tasks.empty() ? whole : whole.upstream_of(options.tasks);
  if (options.dot) context.out().text(to_dot(graph));
  else if (options.mermaid) context.out().text(to_mermaid(graph));
  else if (options.svg) context.out().text(to_svg(graph));
  else draw_tree(context.out(), graph);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  team::Command command("task-graph", "draw which task waits for which", "[options] [ID ...]");
  command.operand("[ID...]", options.tasks, "only these and all they wait for; none: the whole board");
  command.flag("--dot", options.dot, "print the language of graphviz, for dot(1)");
  command.flag("--mermaid", options.mermaid, "print a Mermaid flowchart");
  command.flag("--svg", options.svg, "print an SVG picture");
  command.at_most_one({"--dot", "--mermaid", "--svg"});
  command.takes_team();
  command.example("task-graph 7");
  command.example("task-graph --svg >board.svg");
  return command.run(argc, argv, [&](team::Context& context) { return draw(context, options); });
}
