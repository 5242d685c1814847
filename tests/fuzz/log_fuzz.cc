// A log that was edited by hand: the numbers only increase for a reader, the next event gets the next number, and
// existing lines stay.

#include "libteam/store/files/event_log.h"

#include <filesystem>
#include <vector>

#include "libteam/store/digest.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

std::vector<std::int64_t> numbers_in(const EventLog& log) {
  std::vector<std::int64_t> numbers;
  log.each_after(0, [&](std::string_view line) {
    numbers.push_back(sequence_of(line).value());
    return true;
  });
  return numbers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string path = fuzz::scratch() + "/team";
  fuzz::make_empty(path);
  // The part before a zero byte is an earlier, rotated file.
  fuzz::Source source(fuzz::text_of(bytes, size));
  const bool has_aside = source.rest().find('\0') != std::string_view::npos;
  if (has_aside) fuzz::put_file(path + "/events-1.jsonl", source.piece());
  const std::string current(source.rest());
  fuzz::put_file(path + "/events.jsonl", current);
  const auto folder = Folder::find(path);
  const FileEventLog log(*folder, 1);

  const auto before = numbers_in(log);
  for (std::size_t i = 1; i < before.size(); ++i) REQUIRE(before[i] > before[i - 1]);
  std::size_t backward = 0;
  log.each_backward([&](std::string_view) { return ++backward < 100000; });
  Team team;
  team.name = "alpha";
  team.members = {{"lead", {}, 0, false, "{}"}};
  digest_for(log, team, "bob");

  const std::int64_t last = log.last_sequence();
  REQUIRE(last >= 0);
  Logged logged;
  const auto error = fuzz::refusal([&] {
    logged = log.append({"alpha", "ann", {}, {}}, {make_event("NOTE", {{"text", "x"}})});
  });
  if (error) {
    REQUIRE(error->code() == Code::corrupt && fuzz::get_file(path + "/events.jsonl") == current);
    return 0;
  }
  REQUIRE(logged.first == last + 1 && log.last_sequence() == logged.first);
  const std::string whole = current.substr(0, current.rfind('\n') + 1);
  const std::string after = fuzz::get_file(path + "/events.jsonl").value();
  REQUIRE(after.starts_with(whole) && sequence_of(after.substr(whole.size())) == logged.first);
  return 0;
}
