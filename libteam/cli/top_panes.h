// The panes of team-top as tables, and the lines above them.
#pragma once

#include <vector>

#include "libteam/cli/picture.h"
#include "libteam/cli/top_table.h"
#include "libteam/record/scene.h"

namespace team {

// Columns from which there is room for more, and for two panes side by side.
inline constexpr std::size_t kWide = 120;

// Which rows are in sight.
struct Range {
  std::size_t first = 0, end = 0;
};

TopTable table_of_members(const Scene& scene, Range range, std::size_t width, double now);
TopTable table_of_tasks(const Scene& scene, Range range, double now);
TopTable table_of_events(const Scene& scene, Range range, std::size_t width);

// The team and its board in numbers; one row or two.
std::vector<Row> draw_heads(const Scene& scene, std::size_t rows, std::size_t width, double now);

}  // namespace team
