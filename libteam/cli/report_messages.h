// The messages of a report: a table with a line for each, and in it an arrow from the column of the sender to that of
// the recipient. Where there are too many to have a column each, their names stand there instead.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/history.h"

namespace team {

// The last 500, with a note if there are more.
std::string draw_messages(const std::vector<Sent>& messages);

}  // namespace team
