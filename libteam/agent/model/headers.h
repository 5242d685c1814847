// Headers of an HTTP request or answer.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace team {

using Headers = std::vector<std::pair<std::string, std::string>>;  // names in lower case

}  // namespace team
