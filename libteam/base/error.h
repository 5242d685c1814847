// Errors and their codes.
//
// Every refusal and every failure is an Error with a code of teamkit(7). It is thrown where it is detected and caught
// once, in cli: the code becomes the exit status, the text becomes the line on stderr.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace team {

enum class Code {
  no = 1,
  usage = 2,
  not_found = 3,
  conflict = 4,
  blocked = 5,
  busy = 6,
  permission_denied = 7,
  invalid_state = 8,
  corrupt = 9,
  paused = 10,
  unavailable = 69,
  io = 74,
  again = 75,
  unknown = 76,
};

// The name for messages and `--json` errors.
std::string_view name_of(Code code);

class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

template <class... Args>
[[noreturn]] void fail(Code code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

// Throws `what 'subject': reason of errno`. The code is io, or unknown if the change was already visible.
[[noreturn]] void fail_errno(std::string_view what, std::string_view subject, Code code = Code::io);

// Runs a step after a visible change. A failure is then unknown, since "nothing changed" would be wrong.
template <class Call>
auto after_change(Call call) {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;
    fail(Code::unknown, "the change is made, but {}", error.what());
  }
}

}  // namespace team
