// One variable of the environment.
#pragma once

#include <optional>
#include <string>

namespace team {

// An empty variable counts as unset.
std::optional<std::string> environment_variable(const char* name);

}  // namespace team
