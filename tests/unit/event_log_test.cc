// The event log in files: a reader that starts anywhere gets exactly the events after its number.
#include "libteam/store/files/event_log.h"

#include <cstdlib>
#include <random>

#include "tests/unit/check.h"
#include "tests/unit/store.h"

using namespace team;

namespace {

constexpr std::int64_t kEvents = 3000;

// Numbers after `seq`, as the log tells them.
std::vector<std::int64_t> numbers_after(const EventLog& log, std::int64_t seq, std::size_t most) {
  std::vector<std::int64_t> numbers;
  log.each_after(seq, [&](std::string_view line) {
    numbers.push_back(sequence_of(line).value_or(-1));
    return numbers.size() < most;
  });
  return numbers;
}

void fill(const EventLog& log, std::minstd_rand& random) {
  for (std::int64_t i = 0; i < kEvents; i += 10) {
    std::vector<Event> events;
    // Some lines are longer than a window of the search.
    for (int k = 0; k < 10; ++k) {
      const std::size_t length = random() % 50 == 0 ? 20'000 : random() % 300;
      events.push_back(make_event("RUN_ERROR", {{"message", std::string(length, 'x') + "\n{\"seq\":7,"}}));
    }
    log.append({"alpha", "ann", std::nullopt, std::nullopt}, events);
  }
}

void check_all_starts(const EventLog& log) {
  CHECK(log.last_sequence() == kEvents);
  for (std::int64_t seq = 0; seq <= kEvents + 3; seq += seq < 20 || seq > kEvents - 20 ? 1 : 7) {
    const auto numbers = numbers_after(log, seq, 5);
    bool right = numbers.size() == static_cast<std::size_t>(std::clamp<std::int64_t>(kEvents - seq, 0, 5));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      right = right && numbers[i] == seq + 1 + static_cast<std::int64_t>(i);
    CHECK(right);
  }
  CHECK(numbers_after(log, 0, kEvents + 1).size() == kEvents);
}

void starts_anywhere(const char* rotate_at) {
  ::setenv("TEAM_EVENTS_ROTATE", rotate_at, 1);
  const test::TestStore store;
  const auto team = store.engine.open_team(store.team);
  std::minstd_rand random(7);
  fill(team->events(), random);
  check_all_starts(team->events());
}

// Lines that teamkit did not write are passed over wherever the search lands.
void edited_log() {
  ::setenv("TEAM_EVENTS_ROTATE", "10000000", 1);
  const test::TestStore store;
  const auto team = store.engine.open_team(store.team);
  std::minstd_rand random(8);
  fill(team->events(), random);
  const std::string text = store.text_of(".teams/alpha/events.jsonl");
  std::string edited;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start) + 1;
    edited += text.substr(start, end - start);
    if (random() % 3 == 0) edited += random() % 2 == 0 ? "# a note\n" : "{\"seq\":x,\n\n";
    start = end;
  }
  store.put(".teams/alpha/events.jsonl", edited);
  check_all_starts(team->events());
}

}  // namespace

int main() {
  starts_anywhere("10000000");
  starts_anywhere("100000");
  starts_anywhere("3000");
  edited_log();
  return test::report();
}
