#include "libteam/report/xml.h"

#include "libteam/base/terminal_text.h"

namespace team {

std::string escape_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped.push_back(c);
    }
  }
  return escaped;
}

std::string to_xml(std::string_view text) { return escape_xml(one_line(text)); }

}  // namespace team
