#include "libteam/base/markup.h"

#include <fmt/core.h>

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"

namespace team {

std::string escape_markup(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      default: safe += c;
    }
  }
  return repair_utf8(safe);
}

std::string escape_line(std::string_view text) { return escape_markup(one_line(text)); }

std::string quoted(std::string_view text) {
  std::string line = one_line(text);
  std::replace(line.begin(), line.end(), '"', '\'');
  return '"' + line + '"';
}

std::string quote_line(std::string_view text) { return escape_markup(quoted(text)); }

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}={}", name, quote_line(value));
}

std::string enclose(std::string_view tag, std::string_view attributes, std::string_view text) {
  return fmt::format("<{}{}>\n{}\n</{}>\n", tag, attributes, escape_markup(text), tag);
}

}  // namespace team
