// Pictures of the dependency graph of a board: for a terminal, graphviz, Mermaid and a browser.
//
// All four handle an empty graph, cycles and missing blockers. No subject can break out of its label. The same graph
// gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/cli/output.h"
#include "libteam/record/graph.h"

namespace team {

// A tree of lines: each task with its dependents below it. A task is drawn once with its dependents; other places show
// only its id, so the number of lines grows with the dependencies. A branch that is too deep gets a tree of its own.
// Lines are cut to the width of a terminal.
void draw_tree(Output& out, const TaskGraph& graph);

// The language of dot(1).
void draw_dot(Output& out, const TaskGraph& graph);

// A Mermaid flowchart.
void draw_mermaid(Output& out, const TaskGraph& graph);

// Returns a self-contained SVG element with a legend. `path` is a chain of dependent tasks to highlight. `style` is CSS
// to embed; it can replace the colours, which are attributes of the elements.
std::string draw_svg(const TaskGraph& graph, const std::vector<TaskId>& path, std::string_view style);

}  // namespace team
