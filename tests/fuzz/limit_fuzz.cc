// The output of programs: for any bytes, a reset time lies ahead, a reason is one line, and counts do not depend on how
// the bytes arrive.

#include "libteam/base/time_zone.h"
#include "libteam/base/utf8.h"
#include "libteam/record/program_usage.h"
#include "libteam/record/reset_time.h"
#include "libteam/record/usage_limit.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

constexpr double kNow = 1'795'014'896;
constexpr double kMonth = 35 * 86'400;

void check_moment(const std::optional<double>& until) {
  if (until) REQUIRE(*until > kNow && *until <= kNow + kMonth);
}

void check_reason(const std::string& reason) {
  REQUIRE(reason.find('\n') == std::string::npos && count_characters(reason) <= 200);
  REQUIRE(fuzz::is_safe_for_terminal(reason));
}

std::string count(std::string_view text, std::size_t length) {
  ProgramUsage reader;
  for (std::size_t at = 0; at < text.size(); at += length) {
    reader.read_out(text.substr(at, length));
    reader.read_err(text.substr(at, length));
  }
  std::string counted = to_json_text(reader.usage());
  return counted + reader.model().value_or("-") + reader.answer().value_or("-");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = fuzz::text_of(bytes, size);
  check_moment(find_reset_time(text, kNow));
  const auto offset = offset_by_rule(text, kNow);
  if (offset) REQUIRE(*offset >= -25 * 3600 && *offset <= 26 * 3600);
  const std::size_t half = size / 2;
  for (const int status : {0, 1, 75}) {
    const auto limit = find_usage_limit(status, text.substr(0, half), text.substr(half), {}, kNow);
    if (status == 75) REQUIRE(limit.has_value());
    if (!limit) continue;
    check_moment(limit->until);
    check_reason(limit->reason);
  }
  check_reason(most_useful_line(text.substr(0, half), text.substr(half)));
  REQUIRE(count(text, 3) == count(text, size + 1));
  return 0;
}
