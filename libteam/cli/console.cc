#include "libteam/cli/console.h"

#include <unistd.h>

#include <cstdlib>

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/system/file.h"

namespace team {

Console::Console() {
  const char* plain = std::getenv("NO_COLOR");
  colour_ = ::isatty(STDERR_FILENO) == 1 && (plain == nullptr || *plain == '\0');
}

void Console::note(std::string_view line) const {
  const std::string text = fmt::format("{} {}", clock_time(now()), one_line(line));
  const char* start = is_open_.exchange(false) ? "\n" : "";
  write_all(STDERR_FILENO, colour_ ? fmt::format("{}\x1b[2m{}\x1b[0m\n", start, text) : start + text + "\n");
}

bool Console::out(std::string_view text) const { return write_all(STDOUT_FILENO, text); }

bool Console::json(std::string_view line) const {
  const std::string text = fmt::format("{}\n", line);
  return write_all(STDOUT_FILENO, ::isatty(STDOUT_FILENO) == 1 ? escape_for_terminal(text) : text);
}

void Console::err(std::string_view text) const {
  if (text.empty()) return;
  is_open_ = text.back() != '\n';
  write_all(STDERR_FILENO, text);
}

}  // namespace team
