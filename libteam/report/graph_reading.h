// Reads a board as a graph, for pictures of it.
#pragma once

#include <functional>

#include "libteam/record/graph.h"
#include "libteam/store/board_view.h"

namespace team {

// Reads all tasks once and calls `visit` for each, if it is set. A broken file is reported and gives a broken node, not
// a missing one.
TaskGraph read_graph(const BoardView& view, const std::function<void(const Task& task)>& visit,
                     const BoardView::Report& broken);

}  // namespace team
