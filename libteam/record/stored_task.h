// The stored fields of a task as one line of JSON, without the computed ones, which cost a search of the board.
#pragma once

#include <string>

#include "libteam/record/task.h"

namespace team {

std::string to_stored_line(const Task& task);

}  // namespace team
