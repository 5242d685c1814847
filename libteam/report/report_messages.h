// The messages of a report as a table with one line per message. An arrow runs from the column of the sender to the
// column of the recipient. With too many members for columns, the line names them instead.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/history.h"

namespace team {

// Draws the last 500 messages, with a note if there are more.
std::string draw_messages(const std::vector<Sent>& messages);

}  // namespace team
