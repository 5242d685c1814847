// How many messages two agents have sent each other since the user last said something to either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace team {

struct Exchange {
  std::string from, to;
  std::int64_t count = 0;
  bool told = false;  // the user knows that it is paused
};

struct Exchanges {
  std::vector<Exchange> all;

  Exchange& between(const std::string& from, const std::string& to);
  // The user spoke to this member: what it exchanges with anybody starts anew. False if there was nothing to forget.
  bool forget(const std::string& member);
};

Exchanges parse_exchanges(std::string_view text, std::string_view file);
std::string to_file(const Exchanges& exchanges);

}  // namespace team
