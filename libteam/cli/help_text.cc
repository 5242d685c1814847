#include "libteam/cli/help_text.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "libteam/base/columns.h"
#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::size_t kHelpColumns = 80;

// Lines of whole words with at most so many columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t most) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && columns(lines.back()) + 1 + columns(word) > most) lines.emplace_back();
    if (!lines.back().empty()) lines.back().push_back(' ');
    lines.back() += word;
  }
  return lines;
}

std::string shown_value(const OptionEntry& entry) {
  return entry.value_optional ? fmt::format("[{}]", entry.value) : std::string(entry.value);
}

// "-t, --team TEAM"; long names stand below each other.
std::string shown_names(const OptionEntry& entry) {
  if (entry.operand) return std::string(entry.names);
  std::string names = join(split(entry.names, ','), ", ");
  if (names.starts_with("--")) names = "    " + names;
  return entry.value.empty() ? names : names + " " + shown_value(entry);
}

}  // namespace

std::string help_text(const OptionTable& table) {
  std::string text =
      fmt::format("usage: {}{}{}\n{}.\n", table.name, table.usage.empty() ? "" : " ", table.usage, table.purpose);
  text[text.find('\n') + 1] = static_cast<char>(std::toupper(table.purpose[0]));
  std::vector<std::pair<std::string, std::string_view>> rows;
  std::size_t width = 0;
  for (const OptionEntry& entry : table.entries) {
    rows.emplace_back(shown_names(entry), entry.help);
    width = std::max(width, rows.back().first.size());
  }
  text += "\n";
  for (const auto& [left, right] : rows) {
    const auto lines = wrapped(right, kHelpColumns - width - 4);
    text += fmt::format("  {:<{}}  {}\n", left, width, join(lines, fmt::format("\n{:{}}", "", width + 4)));
  }
  if (!table.examples.empty()) text += "\nexamples:\n";
  for (const std::string& example : table.examples) text += "  " + example + "\n";
  return text;
}

std::string option_lines(const OptionTable& table) {
  std::string text = fmt::format("{}\t\t{}\n", table.name, table.purpose);
  for (const OptionEntry& entry : table.entries) {
    const std::string value = entry.operand ? std::string(entry.names) : shown_value(entry);
    text += fmt::format("{}\t{}\t{}\n", entry.names, value, entry.help);
  }
  return text;
}

}  // namespace team
