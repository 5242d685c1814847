// The output of a long-running command: its own notes on stderr, the output of its work on stdout and stderr,
// unbuffered.
#pragma once

#include <atomic>
#include <string_view>

namespace team {

class Console {
 public:
  Console();

  // Writes one line with the time in front, faint on a terminal. Starts a new line if the last output did not end with
  // a newline.
  void note(std::string_view line) const;
  // Writes text unchanged. False if the reader went away, which is not a reason to stop.
  bool out(std::string_view text) const;
  // Writes one JSON object as a line; escapes control characters on a terminal.
  bool json(std::string_view line) const;
  void err(std::string_view text) const;

 private:
  bool colour_;
  mutable std::atomic<bool> is_open_ = false;  // a line on stderr is unfinished
};

}  // namespace team
