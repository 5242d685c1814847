// How long messages are kept for a reader that acknowledges them later: on the boot clock of one boot, like a lease.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace team {

struct Hold {
  std::string boot;
  double until = 0;
  std::optional<std::string> run;  // which life of the reader holds them
};

Hold parse_hold(std::string_view text, std::string_view file);
std::string to_file(const Hold& hold);

}  // namespace team
