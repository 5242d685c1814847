// How a command says no.
//
// Every refusal and every failure is an Error with a code of teamkit(7); it is thrown where it is found and caught
// once, in cli, where the code becomes the exit status and the text the one line on stderr.
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
  io = 74,
  again = 75,
  unknown = 76,
};

// The name that stands in messages and in `--json` errors.
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

// `what 'subject': reason of errno`, as io unless the caller knows that the change was visible already (unknown).
[[noreturn]] void fail_errno(std::string_view what, std::string_view subject, Code code = Code::io);

}  // namespace team
