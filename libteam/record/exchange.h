// The rounds of messages between two agents since something last happened that lets them go on.
//
// A round is a message and an answer to it. Messages in one direction are no rounds, however many there are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace team {

struct Exchange {
  std::string one, other;  // the two agents, in the order of their names
  std::int64_t rounds = 0;
  std::string opener = {};  // the agent whose message has no answer yet; empty: none
  std::int64_t since = 0;   // the last event before the count began
  bool told = false;        // the user was told of the pause

  enum class Step { opened, answered, repeated };
  // Counts a message of this sender.
  Step count(const std::string& sender);
  // The message was not sent after all.
  void take_back(const std::string& sender, Step step);
};

struct Exchanges {
  std::vector<Exchange> all;

  // Adds the pair if it is new; its count then begins after event `last`.
  Exchange& between(const std::string& one, const std::string& other, std::int64_t last);
  // Null if nothing was counted between them.
  Exchange* find(const std::string& one, const std::string& other);
  // Resets the counts of a member after a message of the user. Returns false if there were none.
  bool forget(const std::string& member);
};

// Counts of an older form, of messages in one direction, are ignored.
Exchanges parse_exchanges(std::string_view text, std::string_view file);
std::string to_file(const Exchanges& exchanges);

// "ann and bob sent 5 rounds without progress"
std::string describe(const Exchange& exchange);

}  // namespace team
