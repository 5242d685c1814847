// The panes of team-top as tables, and the lines above them.
#pragma once

#include <vector>

#include "libteam/record/team_view.h"
#include "libteam/report/picture.h"
#include "libteam/view/top_table.h"

namespace team {

// The widths from which more columns, and two panes side by side, are shown.
inline constexpr std::size_t kWide = 120;

// The visible rows.
struct Range {
  std::size_t first = 0, end = 0;
};

TopTable table_of_members(const TeamView& snapshot, Range range, std::size_t width, double now);
TopTable table_of_tasks(const TeamView& snapshot, Range range, double now);
TopTable table_of_events(const TeamView& snapshot, Range range, std::size_t width);

// The team and its board in numbers; one row or two.
std::vector<Row> draw_heads(const TeamView& snapshot, std::size_t rows, std::size_t width, double now);

}  // namespace team
