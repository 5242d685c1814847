// The layout of a graph from left to right: the positions of its boxes and the routes of its lines.
//
// A task stands one column to the right of its rightmost blocker. The order within a column is chosen so that few lines
// cross. A line bends only between columns and passes a column in a lane of its own, so it never crosses a box; lines
// that leave the same box share lanes. Tasks without links stand in rows below the rest.
// The same graph gives the same layout. 500 tasks take some milliseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "libteam/record/graph.h"

namespace team {

struct LayoutSizes {
  double box_width = 0;
  double box_height = 0;
  double box_gap = 0;     // between boxes of one column
  double lane_gap = 0;    // between a lane and its neighbours
  double column_gap = 0;  // at least; wider where lines are steep
};

struct Point {
  double x = 0;
  double y = 0;
};

struct GraphLine {
  std::vector<Point> points;    // neighbours of unlike y are in different columns
  bool has_tip = false;         // the last point touches the box of a dependent
  bool closes_a_cycle = false;  // runs from right to left
  // Positions of the linked nodes. Without a `right` this is a lane that several lines of `left` share.
  std::size_t left = 0;
  std::optional<std::size_t> right;
};

struct GraphLayout {
  std::vector<Point> boxes;  // upper left corners, as TaskGraph::nodes()
  std::vector<GraphLine> lines;
  std::vector<std::size_t> loops;  // positions of tasks that block themselves
  double width = 0;
  double height = 0;
};

// The points from the right edge of a blocker's box to the left edge of its dependent's box; none if no line links them
// in this direction.
std::vector<Point> route(const GraphLayout& layout, std::size_t blocker, std::size_t dependent);

GraphLayout lay_out(const TaskGraph& graph, const LayoutSizes& sizes);

}  // namespace team
