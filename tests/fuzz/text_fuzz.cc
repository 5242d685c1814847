// Texts: for any bytes, text in a file is UTF-8, text on a terminal cannot control it, and cut text fits.

#include "libteam/base/columns.h"
#include "libteam/base/name.h"
#include "libteam/base/number.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

#include <cmath>
#include <filesystem>

#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/task.h"
#include "libteam/record/usage.h"
#include "libteam/report/xml.h"
#include "libteam/system/file.h"
#include "libteam/system/id.h"
#include "libteam/system/temporary.h"
#include "libteam/view/top_table.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

void check_repair(std::string_view text) {
  const std::string repaired = repair_utf8(text);
  REQUIRE(fuzz::is_utf8(repaired) && repaired.find('\0') == std::string::npos);
  REQUIRE(repair_utf8(repaired) == repaired && repaired.size() <= 3 * text.size());
  if (fuzz::is_utf8(text) && text.find('\0') == std::string_view::npos) REQUIRE(repaired == text);
  for (std::size_t cut = repaired.size() > 16 ? repaired.size() - 16 : 0; cut <= repaired.size(); ++cut) {
    const std::string_view front = std::string_view(repaired).substr(0, cut);
    const std::size_t whole = whole_characters(front);
    REQUIRE(whole <= cut && cut - whole <= 3 && fuzz::is_utf8(front.substr(0, whole)));
  }
}

void check_for_terminal(std::string_view text) {
  const std::string line = one_line(text);
  REQUIRE(fuzz::is_safe_for_terminal(line) && one_line(line) == line);
  const std::string shown = printable(text);
  REQUIRE(fuzz::is_safe_for_terminal(shown, "\n\t") && printable(shown) == shown);
  const std::string first = first_line(text);
  REQUIRE(first.find_first_of("\r\n") == std::string::npos);
  const std::string xml = to_xml(text);
  REQUIRE(xml.find_first_of("<>\"") == std::string::npos && fuzz::is_safe_for_terminal(xml));
}

void check_cuts(std::string_view text, std::size_t most) {
  constexpr std::string_view kEllipsis = "…";
  const auto is_begin = [&](std::string cut) {
    if (cut.ends_with(kEllipsis)) cut.resize(cut.size() - kEllipsis.size());
    return text.starts_with(cut);
  };
  const std::string characters = cut_characters(text, most);
  REQUIRE(count_characters(characters) <= most && (text.starts_with(characters) || is_begin(characters)));
  if (count_characters(text) <= most) REQUIRE(characters == text);
  const std::string line = one_line(text);
  const std::string narrow = cut_columns(line, most);
  REQUIRE(columns(narrow) <= most && fuzz::is_utf8(narrow));
  if (columns(line) <= most) REQUIRE(narrow == line);
  REQUIRE(columns(fit(text, most)) == most);
}

void check_wrapping(const std::string& text, std::size_t width) {
  const auto without_blanks = [](std::string_view part) {
    std::string kept;
    for (const char c : part) {
      if (c != ' ') kept += c;
    }
    return kept;
  };
  std::string all;
  for (const std::string& line : wrap(text, width)) {
    REQUIRE(columns(line) <= std::max<std::size_t>(2, width) && fuzz::is_safe_for_terminal(line));
    all += line;
  }
  std::string whole;
  for (const std::string& part : split(text, '\n')) whole += one_line(part);
  REQUIRE(without_blanks(all) == without_blanks(whole));
}

void check_values(std::string_view text) {
  if (is_name(text)) {
    REQUIRE(text.size() <= 64 && text.find_first_of("/.\\ \n") == std::string_view::npos && same_name(text, text));
  }
  if (is_id(text)) REQUIRE(text.size() == 26 && is_name(text));
  if (const auto number = parse_integer(text)) REQUIRE(std::to_string(*number) == text && *number >= 0);
  if (const auto seconds = parse_seconds(text)) {
    REQUIRE(std::isfinite(*seconds) && *seconds >= 0);
    REQUIRE(!describe_seconds(*seconds).empty());
  }
  if (const auto status = parse_status(text)) REQUIRE(name_of(*status) == text);
  if (is_inner_path(text) && text.find('\0') == std::string_view::npos) {
    const auto path = std::filesystem::path(text).lexically_normal();
    REQUIRE(path.is_relative() && (path.empty() || *path.begin() != ".."));
  }
  if (is_temporary(text)) REQUIRE(text.starts_with('.'));
  const Usage usage = parse_usage(text);
  REQUIRE(total(usage) >= 0 && !describe_count(total(usage)).empty());
  REQUIRE(nearest(text.substr(0, 64), {"subject", "status", "owner", "role"}).size() <= 3);
  std::size_t length = 0;
  for (const std::string& part : split(text, ',')) length += part.size() + 1;
  REQUIRE(length == text.size() + 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const std::size_t width = source.byte();
  const std::string_view text = source.rest();
  check_repair(text);
  check_for_terminal(text);
  check_cuts(text, width);
  check_wrapping(repair_utf8(text), width);
  check_values(text);
  return 0;
}
