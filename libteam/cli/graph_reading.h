// A board as a graph, for the commands that draw it.
#pragma once

#include <functional>

#include "libteam/record/graph.h"
#include "libteam/store/board_view.h"

namespace team {

// One look at all tasks, each of which `visit` sees too. A broken file is a warning and a broken node: what waits for
// it does not wait for something missing.
TaskGraph read_graph(const BoardView& view, const std::function<void(const Task& task)>& visit = {});

}  // namespace team
