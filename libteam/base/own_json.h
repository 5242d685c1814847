// JSON that this program wrote or has checked: parts of records.
#pragma once

#include <string_view>

#include "libteam/base/json.h"

namespace team {

// Takes time in proportion to the text. The parser of nlohmann compares each key of an object with all others, and a
// person or an agent may have put 100,000 keys into a task.
Json parse_own(std::string_view text);

}  // namespace team
