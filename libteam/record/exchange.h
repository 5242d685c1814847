// The number of messages between two agents since the user last wrote to either of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace team {

struct Exchange {
  std::string from, to;
  std::int64_t count = 0;
  bool told = false;  // the user was told of the pause
};

struct Exchanges {
  std::vector<Exchange> all;

  Exchange& between(const std::string& from, const std::string& to);
  // Resets the counts of a member after a message of the user. Returns false if there were none.
  bool forget(const std::string& member);
};

Exchanges parse_exchanges(std::string_view text, std::string_view file);
std::string to_file(const Exchanges& exchanges);

}  // namespace team
