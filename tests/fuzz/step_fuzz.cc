// Steps of a recorded team: an accepted line is the same when it is written and read again, and can be described.

#include "libteam/record/step.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Step step;
  if (!fuzz::is_accepted([&] { step = parse_step(fuzz::text_of(bytes, size), "order.jsonl:1"); })) return 0;
  const std::string line = to_line(step);
  REQUIRE(line.find('\n') == std::string::npos && fuzz::is_utf8(line));
  REQUIRE(to_line(parse_step(line, "order.jsonl:1")) == line);
  REQUIRE(describe(step).find('\n') == std::string::npos && !describe(step).empty());
  return 0;
}
