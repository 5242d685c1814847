// Server-sent events, read from a body that comes in pieces.
//
// The pieces may be cut anywhere, in the middle of a line end or of a character too. An event that is not finished by a
// blank line is none: who was cut off has said nothing.
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
  // `hear` gets each event that has data; what it throws comes out of feed().
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
  bool after_return_ = false;  // a CR ended the last line, so that a LF now belongs to it
  bool at_start_ = true;
};

}  // namespace team
