#include "libteam/base/own_json.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace team {

Json parse_own(std::string_view text) { return parse_json(text, "record", {.bytes = SIZE_MAX}); }

}  // namespace team
