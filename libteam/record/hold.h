// The deadline until which delivered messages wait for their acknowledgement. Like a lease, it counts on the boot clock
// and is valid for one boot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace team {

struct Hold {
  std::string boot;
  double until = 0;
  std::optional<std::string> run;  // the run of the reader that holds them
};

Hold parse_hold(std::string_view text, std::string_view file);
std::string to_file(const Hold& hold);

}  // namespace team
