// TEAM_TRACE: one line for each lock, wait, changed file and child, for people who look for the cause of a problem.
//
// "1" writes to stderr, an absolute path appends to that file; anything else is off. A line is "TIME PID WHAT", written
// at once, so that many processes can share a file. No line has contents: no text of a task or message, no value of an
// option, and no secret (libteam/base/secrets.h).
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace team {

// Reads the environment once. Callers check this before they build a line, so that a trace that is off costs nothing.
bool is_tracing();

// Writes the line if is_tracing(). A failure is ignored. Keeps errno.
void trace_line(std::string_view what);

template <class... Args>
void trace(fmt::format_string<Args...> what, Args&&... args) {
  if (is_tracing()) trace_line(fmt::format(what, std::forward<Args>(args)...));
}

// Milliseconds since a moment of boot_ns().
std::int64_t ms_since(std::int64_t start_ns);

}  // namespace team
