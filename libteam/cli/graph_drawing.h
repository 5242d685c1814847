// The dependency graph of a board as a picture: for a terminal, for graphviz, for Mermaid, for a browser.
//
// All four are complete for an empty graph and for one with cycles and missing blockers; no subject can break out of
// its label. The same graph gives the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/cli/output.h"
#include "libteam/record/graph.h"

namespace team {

// A tree of lines: below each task those that wait for it. A task is drawn once with all that waits for it; wherever
// else it belongs only its id stands, so the lines are as many as dependencies and starts, and some more for what would
// stand too far right. Cut to the width of a terminal.
void draw_tree(Output& out, const TaskGraph& graph);

// The language of dot(1).
void draw_dot(Output& out, const TaskGraph& graph);

// A Mermaid flowchart.
void draw_mermaid(Output& out, const TaskGraph& graph);

// A self-contained SVG element with a legend. `path` is marked: tasks of which each waits for the one before. `style`
// is CSS that comes along; the colours of the elements are attributes, which it can replace.
void draw_svg(Output& out, const TaskGraph& graph, const std::vector<TaskId>& path, std::string_view style);

}  // namespace team
