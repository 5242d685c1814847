// The JSON parser: accepted text can be written and read again, and of valid JSON the parser refuses only three things.

#include "libteam/base/json.h"

#include <nlohmann/json.hpp>
#include <set>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

bool has_unique_keys(const Json& value) {
  std::set<std::string> keys;
  for (const auto& item : value.items()) {
    if (value.is_object() && !keys.insert(item.key()).second) return false;
    if (item.value().is_structured() && !has_unique_keys(item.value())) return false;
  }
  return true;
}

std::size_t count_keys(const std::string& text) {
  std::size_t count = 0;
  const auto each = [&](int, Json::parse_event_t event, Json&) {
    count += event == Json::parse_event_t::key ? 1 : 0;
    return true;
  };
  const Json ignored = Json::parse(text, each, false);
  return count;
}

void check_taken(const std::string& repaired, const Json& value) {
  REQUIRE(!fuzz::is_deeper_than(repaired, JsonLimits{}.depth));
  REQUIRE(Json::parse(repaired, nullptr, false) == value && has_unique_keys(value));
  const std::string line = dump_line(value);
  REQUIRE(fuzz::is_utf8(line) && line.find('\n') == std::string::npos);
  REQUIRE(count_keys(line) == count_keys(repaired));
  const Json again = parse_json(line, "again");
  REQUIRE(again == value && dump_line(again) == line);
  REQUIRE(parse_json(dump_indented(value), "again") == value);
}

// "x:LINE:COLUMN: reason": the position exists, and the text after it is not the cause.
void check_refused(const std::string& repaired, std::string_view what) {
  REQUIRE(what.starts_with("x:") && fuzz::is_safe_for_terminal(what));
  const auto parts = split(what, ':');
  REQUIRE(parts.size() >= 4);
  const auto line = parse_integer(parts[1]);
  const auto column = parse_integer(parts[2]);
  REQUIRE(line && column && *line >= 1 && *column >= 1);
  const auto lines = split(repaired, '\n');
  REQUIRE(static_cast<std::size_t>(*line) <= lines.size());
  REQUIRE(static_cast<std::size_t>(*column) <= lines[static_cast<std::size_t>(*line) - 1].size() + 1);
  if (!Json::accept(repaired)) return;
  const bool is_ours = what.find("duplicate key") != std::string_view::npos ||
                       what.find("is out of range") != std::string_view::npos ||
                       what.find("deeper than 64 levels") != std::string_view::npos;
  REQUIRE(is_ours);
  if (what.find("deeper than") != std::string_view::npos) REQUIRE(fuzz::is_deeper_than(repaired, JsonLimits{}.depth));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::text_of(bytes, size);
  const std::string repaired = repair_utf8(text);
  Json value;
  const auto error = fuzz::refusal([&] { value = parse_json(text, "x"); });
  if (error) {
    REQUIRE(error->code() == Code::corrupt);
    check_refused(repaired, error->what());
  } else {
    check_taken(repaired, value);
    if (size > 0) REQUIRE(fuzz::refusal([&] { parse_json(text, "x", {.bytes = size - 1}); }));
  }
  locate_key(text, "key", "x");
  return 0;
}
