// task-graph - draw the dependency graph of the tasks

#include "libteam/cli/command.h"
#include "libteam/cli/task_output.h"
#include "libteam/report/graph_drawing.h"
#include "libteam/report/graph_reading.h"
#include "libteam/report/xml.h"

namespace {

struct Options {
  std::vector<team::TaskId> tasks;
  bool dot = false;
  bool mermaid = false;
  bool svg = false;
};

team::Exit draw(team::Context& context, const Options& options) {
  const team::BoardView& view = context.session().view();
  for (const team::TaskId id : options.tasks) view.get(id);
  team::TaskGraph graph = team::read_graph(view, {}, team::warn_of_broken);
  if (!options.tasks.empty()) graph = graph.upstream_of(options.tasks);
  team::Output& out = context.out();
  if (options.dot) {
    draw_dot(out, graph);
  } else if (options.mermaid) {
    draw_mermaid(out, graph);
  } else if (options.svg) {
    out.text(team::kXmlProlog);
    out.text(draw_svg(graph, {}, ""));
  } else {
    draw_tree(out, graph);
  }
  return team::Exit::done;
}

}  // namespace

int task_graph(int argc, char** argv) {
  Options options;
  team::Command command("task-graph", "draw the dependency graph of the tasks", "[options] [ID ...]");
  command.operand("[ID...]", options.tasks, "only these and their blockers; none: the whole board");
  command.flag("--dot", options.dot, "print a graph for dot(1)");
  command.flag("--mermaid", options.mermaid, "print a Mermaid flowchart");
  command.flag("--svg", options.svg, "print an SVG picture");
  command.at_most_one({"--dot", "--mermaid", "--svg"});
  command.takes_team();
  command.example("task-graph 7");
  command.example("task-graph --svg >board.svg");
  return command.run(argc, argv, [&](team::Context& context) { return draw(context, options); });
}
