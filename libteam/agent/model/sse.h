// Reads server-sent events from a body that arrives in pieces.
//
// A piece may end anywhere, even inside a line end or a character. An event without the final blank line is dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace team {

struct ServerEvent {
  std::string type;  // empty if it has none
  std::string data;  // its lines, joined by newlines
};

class EventReader {
 public:
  using Hear = std::function<void(const ServerEvent& event)>;
  // `hear` gets each event that has data. feed() passes on its exceptions.
  EventReader(Hear hear, std::size_t most_bytes) : hear_(std::move(hear)), most_bytes_(most_bytes) {}

  // Throws ModelError::final once an event is larger than `most_bytes`.
  void feed(std::string_view piece);

 private:
  void end_line();
  void end_event();

  Hear hear_;
  std::size_t most_bytes_;
  std::string line_;
  ServerEvent event_;
  bool has_data_ = false;
  bool after_return_ = false;  // a CR ended the last line: a following LF belongs to it
  bool at_start_ = true;
};

}  // namespace team
