// What a command shows that runs for long: what it does on stderr, what its work says on stdout and stderr, at once.
#pragma once

#include <atomic>
#include <string_view>

namespace team {

class Console {
 public:
  Console();

  // One line with the time in front, faint on a terminal; begins a new one if what was said last did not end.
  void note(std::string_view line) const;
  // As it is. A reader that went away is no reason to stop; false if it did.
  bool out(std::string_view text) const;
  // One JSON object as a line; what would control a terminal is escaped there.
  bool json(std::string_view line) const;
  void err(std::string_view text) const;

 private:
  bool colour_;
  mutable std::atomic<bool> is_open_ = false;  // the line on stderr
};

}  // namespace team
