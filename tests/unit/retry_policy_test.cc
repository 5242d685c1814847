// Retries of model calls, and how the calls of a team share the limits of the service.
#include "libteam/agent/model/retry_policy.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/store/files/file_call_slots.h"
#include "libteam/system/new_file.h"
#include "tests/unit/check.h"

using namespace team;
using Kind = ModelError::Kind;

namespace {

constexpr RetryPolicy kQuick = {.tries = 4, .seconds = 5, .first_pause = 0.01, .longest_pause = 0.02};

// Fails with each of these errors in turn, then answers.
class Scripted : public Provider {
 public:
  Scripted(std::vector<ModelError> errors, int& asked) : errors_(std::move(errors)), asked_(asked) {}
  ModelAnswer ask(const ModelRequest&, int, const Hear& hear) override {
    hear("word ");
    if (static_cast<std::size_t>(asked_) < errors_.size())
      throw ModelError(errors_[static_cast<std::size_t>(asked_++)]);
    ++asked_;
    return {};
  }

 private:
  std::vector<ModelError> errors_;
  int& asked_;
};

struct Asked {
  int times = 0;
  std::string heard;
  std::vector<Delay> delays;
  std::optional<Kind> kind;
  std::string error;
  double seconds = 0;
};

Asked ask(const std::vector<ModelError>& errors, const RetryPolicy& rules = kQuick,
          std::optional<ModelSlots> slots = std::nullopt, int interrupt = -1) {
  Asked asked;
  RetryingProvider provider(std::make_unique<Scripted>(errors, asked.times), rules, std::move(slots),
                            [&](const Delay& delay) { asked.delays.push_back(delay); });
  const std::int64_t began = boot_ns();
  try {
    provider.ask({}, interrupt, [&](std::string_view text) { asked.heard += text; });
  } catch (const ModelError& error) {
    asked.kind = error.kind();
    asked.error = error.what();
  }
  asked.seconds = static_cast<double>(boot_ns() - began) / 1e9;
  return asked;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    char pattern[] = "/tmp/teamkit-patience-XXXXXX";
    path_ = ::mkdtemp(pattern);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  Folder folder() const { return *Folder::find(path_); }
  ModelSlots slots(std::int64_t limit) const {
    return ModelSlots(std::make_shared<FileCallSlots>(folder()), [limit] { return limit; });
  }

 private:
  std::string path_;
};

const ModelError kPassing(Kind::passing, "broken");

void retries() {
  const Asked third = ask({kPassing, ModelError(Kind::limited, "too much")});
  CHECK(third.times == 3 && !third.kind && third.heard == "word word word ");
  CHECK(third.delays.size() == 2 && third.delays[0].is_void);
  CHECK(third.delays[0].reason.starts_with("broken; again in "));
  const Asked never = ask({kPassing, kPassing, kPassing, ModelError(Kind::limited, "too much"), kPassing});
  CHECK(never.times == 4 && never.kind == Kind::limited && never.error == "gave up after 4 tries: too much");
  for (const Kind kind : {Kind::final, Kind::window_full, Kind::interrupted}) {
    const Asked once = ask({ModelError(kind, "no")});
    CHECK(once.times == 1 && once.kind == kind && once.error == "no" && once.delays.empty());
  }
  CHECK(ask({kPassing}, {.tries = 1, .seconds = 5}).error == "broken");
}

void pauses() {
  const Asked told = ask({ModelError(Kind::passing, "busy", 0.2)});
  CHECK(told.times == 2 && told.seconds >= 0.2 && told.delays[0].seconds >= 0.2);
  // The service asks for a longer pause than the policy allows.
  const Asked late = ask({ModelError(Kind::limited, "busy", 3600)});
  CHECK(late.times == 1 && late.kind == Kind::limited && late.delays.empty());
  const Asked short_time =
      ask(std::vector(20, kPassing), {.tries = 20, .seconds = 0.2, .first_pause = 0.1, .longest_pause = 0.1});
  CHECK(short_time.times > 1 && short_time.times < 20);
  // Pauses are random and grow.
  double first = 0;
  double fourth = 0;
  for (int i = 0; i < 20; ++i) {
    const Asked asked = ask(std::vector(4, kPassing), {.tries = 5, .seconds = 5, .first_pause = 0.001});
    CHECK(asked.delays.size() == 4 && asked.delays[0].seconds <= 0.001 && asked.delays[3].seconds <= 0.008);
    first += asked.delays[0].seconds;
    fourth += asked.delays[3].seconds;
  }
  CHECK(fourth > 2 * first);
}

// A readable descriptor.
Fd readable() {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  ::close(ends[1]);
  return Fd(ends[0]);
}

void interruptions() {
  const Fd told = readable();
  const Asked asked = ask({ModelError(Kind::passing, "busy", 3)}, kQuick, std::nullopt, told.get());
  CHECK(asked.kind == Kind::interrupted && asked.times == 1 && asked.seconds < 2);
  const TemporaryFolder temporary;
  const auto held = temporary.slots(1).take(-1, [](const Delay&) {});
  const Asked waiting = ask({}, kQuick, temporary.slots(1), told.get());
  CHECK(waiting.kind == Kind::interrupted && waiting.times == 0);
  const TemporaryFolder slow;
  slow.slots(1).slow_down(100);
  const Asked slowed = ask({}, kQuick, slow.slots(1), told.get());
  CHECK(slowed.kind == Kind::interrupted && slowed.times == 0 && slowed.delays.size() == 1);
}

struct Counts {
  std::atomic<int> running, most, calls;
};

Counts& shared_counts() {
  void* memory = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *new (memory) Counts{};
}

class Counting : public Provider {
 public:
  explicit Counting(Counts& counts) : counts_(counts) {}
  ModelAnswer ask(const ModelRequest&, int, const Hear&) override {
    const int running = ++counts_.running;
    for (int most = counts_.most; most < running && !counts_.most.compare_exchange_weak(most, running);) continue;
    ::usleep(3000);  // long enough to overlap with others
    --counts_.running;
    ++counts_.calls;
    return {};
  }

 private:
  Counts& counts_;
};

void slots() {
  const TemporaryFolder temporary;
  Counts& counts = shared_counts();
  std::vector<pid_t> children;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      RetryingProvider provider(std::make_unique<Counting>(counts), kQuick, temporary.slots(3), [](const Delay&) {});
      for (int call = 0; call < 10; ++call) provider.ask({}, -1, {});
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  CHECK(counts.calls == 100 && counts.most == 3);
  // Without a limit there are no files.
  const TemporaryFolder unlimited;
  CHECK(ask({}, kQuick, unlimited.slots(0)).times == 1);
  bool empty = true;
  unlimited.folder().each_name([&](const char*) { empty = false; });
  CHECK(empty);
}

void dead_holders() {
  const TemporaryFolder temporary;
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t holder = ::fork();
  if (holder == 0) {
    const auto slot = temporary.slots(1).take(-1, [](const Delay&) {});
    if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char held = 0;
  CHECK(::read(ends[0], &held, 1) == 1);
  // The holder is killed while we wait. Polling would take a second.
  pid_t killer = -1;
  const std::int64_t began = boot_ns();
  const auto slot = temporary.slots(1).take(-1, [&](const Delay& delay) {
    CHECK(delay.reason.starts_with("waiting: "));
    killer = ::fork();
    if (killer != 0) return;
    ::usleep(100'000);
    ::kill(holder, SIGKILL);
    ::_exit(0);
  });
  CHECK(killer > 0 && boot_ns() - began < 900'000'000);
  ::waitpid(killer, nullptr, 0);
  ::waitpid(holder, nullptr, 0);
}

void rate_limits() {
  // One call is rate-limited, with or without a time; another call waits, too.
  for (const std::optional<double> time : {std::optional(0.3), std::optional<double>()}) {
    const TemporaryFolder temporary;
    const ModelError limited(Kind::limited, "too much", time);
    CHECK(ask({limited}, {.tries = 1, .first_pause = 0.3}, temporary.slots(2)).kind == Kind::limited);
    const Asked other = ask({}, kQuick, temporary.slots(2));
    CHECK(other.times == 1 && other.seconds > 0.2);
  }
  // A transient error does not affect other calls.
  const TemporaryFolder temporary;
  ask({ModelError(Kind::passing, "broken", 0.5)}, {.tries = 1}, temporary.slots(2));
  CHECK(!temporary.folder().has("until"));
  // A later end is not shortened.
  temporary.slots(2).slow_down(0.4);
  temporary.slots(2).slow_down(0.1);
  CHECK(ask({}, kQuick, temporary.slots(2)).seconds > 0.3);
  // A time that makes no sense is ignored.
  const Fd interrupt = readable();
  const auto is_slowed = [&](const std::string& until) {
    replace_file(temporary.folder(), "until", until, Durability::process);
    return !ask({}, kQuick, temporary.slots(2), interrupt.get()).delays.empty();
  };
  CHECK(is_slowed(fmt::format("{:.6f}", now() + 100)));
  CHECK(!is_slowed(fmt::format("{:.6f}", now() - 100)));
  CHECK(!is_slowed("99999999999") && !is_slowed("soon") && !is_slowed(""));
}

}  // namespace

int main() {
  retries();
  pauses();
  interruptions();
  slots();
  dead_holders();
  rate_limits();
  return test::report();
}
