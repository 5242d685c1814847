// Changes of the metadata of a task.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/record/task.h"

namespace team {

// The same as set_metadata() for each key in turn, in time proportional to the keys.
void set_all_metadata(Task& task, const std::vector<std::pair<std::string, std::optional<std::string>>>& values);

}  // namespace team
