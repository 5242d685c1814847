// task-graph - draw which task waits for which

#include "libteam/cli/command.h"
#include "libteam/cli/graph_drawing.h"
#include "libteam/cli/graph_reading.h"

namespace {

struct Options {
  std::vector<team::TaskId> tasks;
  bool dot = false;
  bool mermaid = false;
  bool svg = false;
};

team::Exit draw(team::Context& context, const Options& options) {
  const team::BoardView& view = context.board().view();
  for (const team::TaskId id : options.tasks) view.get(id);
  const team::TaskGraph whole = team::read_graph(view);
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
