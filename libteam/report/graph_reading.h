// Reads a board as a graph, for the commands that draw it.
#pragma once

#include <functional>

#include "libteam/record/graph.h"
#include "libteam/store/board_view.h"

namespace team {

// Reads all tasks once and calls `visit` for each. A broken file gives a warning and a broken node, not a missing one.
TaskGraph read_graph(const BoardView& view, const std::function<void(const Task& task)>& visit = {});

}  // namespace team
