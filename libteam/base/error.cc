#include "libteam/base/error.h"

#include <cerrno>
#include <cstring>

namespace team {

std::string_view name_of(Code code) {
  switch (code) {
    case Code::no: return "no";
    case Code::usage: return "usage";
    case Code::not_found: return "not_found";
    case Code::conflict: return "conflict";
    case Code::blocked: return "blocked";
    case Code::busy: return "busy";
    case Code::permission_denied: return "permission_denied";
    case Code::invalid_state: return "invalid_state";
    case Code::corrupt: return "corrupt";
    case Code::paused: return "paused";
    case Code::unavailable: return "unavailable";
    case Code::io: return "io";
    case Code::again: return "again";
    case Code::unknown: return "unknown";
  }
  return "unknown";
}

void fail_errno(std::string_view what, std::string_view subject, Code code) {
  const int reason = errno;
  fail(code, "{} '{}': {}", what, subject, std::strerror(reason));
}

}  // namespace team
