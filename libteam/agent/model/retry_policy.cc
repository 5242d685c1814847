#include "libteam/agent/model/retry_policy.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <cmath>

#include "libteam/base/clock.h"
#include "libteam/base/time_text.h"
#include "libteam/system/file.h"
#include "libteam/system/random.h"

namespace team {

namespace {

using Kind = ModelError::Kind;

// A later time comes from a clock that was wrong.
constexpr double kLongestSlowDown = 900;

// From 0 to 1.
double random_share() { return std::ldexp(static_cast<double>(random_number() >> 11), -53); }

void check(int interrupt) {
  pollfd waiting{interrupt, POLLIN, 0};
  if (interrupt >= 0 && ::poll(&waiting, 1, 0) > 0) throw ModelError(Kind::interrupted, "interrupted");
}

void wait(double seconds, int interrupt) {
  const Deadline deadline = Deadline::in(seconds);
  while (!deadline.passed()) {
    pollfd waiting{interrupt, POLLIN, 0};
    ::poll(&waiting, 1, deadline.left_ms());
    check(interrupt);
  }
}

std::string describe_pause(double seconds) {
  return seconds < 10 ? fmt::format("{:.1f} s", seconds) : describe_seconds(seconds);
}

}  // namespace

ModelSlots::ModelSlots(std::shared_ptr<const CallSlots> slots, std::function<std::int64_t()> limit)
    : slots_(std::move(slots)), limit_(std::move(limit)) {}

ModelSlots::Slot ModelSlots::take(int interrupt, const Note& note) const {
  while (true) {
    if (const double seconds = seconds_to_wait(); seconds > 0) {
      constexpr double kWorthNoting = 0.5;
      if (seconds >= kWorthNoting) {
        note({fmt::format("the service is overloaded: no call for {}", describe_pause(seconds)), seconds, false});
      }
      // Members do not retry all at the same moment.
      constexpr double kSpread = 0.2;
      wait(seconds * (1 + kSpread * random_share()), interrupt);
      continue;
    }
    Slot slot = take_any(interrupt, note);
    // The service may have refused other calls while we waited.
    if (seconds_to_wait() <= 0) return slot;
  }
}

ModelSlots::Slot ModelSlots::take_any(int interrupt, const Note& note) const {
  std::unique_ptr<CallSlots::Queue> queue;
  while (true) {
    check(interrupt);
    const std::int64_t count = limit_();  // it may change while we wait
    if (count <= 0) return {};
    if (Slot slot = slots_->try_take(count)) return slot;
    if (!queue) {
      // Try once more after the queue was joined: no freed slot in between is missed.
      queue = slots_->queue(interrupt);
      note({fmt::format("waiting: as many calls as may run at once ({}) are running", count), 0, false});
      continue;
    }
    queue->wait();
  }
}

double ModelSlots::seconds_to_wait() const {
  const double seconds = slots_->paused_until() - now();
  return seconds > 0 && seconds <= kLongestSlowDown ? seconds : 0;
}

void ModelSlots::slow_down(double seconds) const {
  try {
    seconds = std::min(seconds, kLongestSlowDown);
    if (seconds <= seconds_to_wait()) return;
    slots_->pause_until(now() + seconds);
  } catch (const Error&) {
    // The service itself will tell the others.
  }
}

RetryingProvider::RetryingProvider(std::unique_ptr<Provider> inner, const RetryPolicy& rules,
                                   std::optional<ModelSlots> slots, ModelSlots::Note note)
    : inner_(std::move(inner)), rules_(rules), slots_(std::move(slots)), note_(std::move(note)) {}

ModelAnswer RetryingProvider::ask(const ModelRequest& request, int interrupt, const Hear& hear) {
  Deadline end = Deadline::never();
  for (int attempt = 1;; ++attempt) {
    bool heard = false;
    try {
      const ModelSlots::Slot slot = slots_ ? slots_->take(interrupt, note_) : ModelSlots::Slot();
      ModelAnswer answer = inner_->ask(request, interrupt, [&](std::string_view text) {
        heard = true;
        if (hear) hear(text);
      });
      has_answered_ = true;
      return answer;
    } catch (const ModelError& error) {
      // An address that never answered is probably wrong: no retry helps.
      const bool may_come_back = error.kind() == Kind::unreachable && has_answered_;
      if (error.kind() != Kind::unreachable && error.kind() != Kind::interrupted) has_answered_ = true;
      if (error.kind() != Kind::passing && error.kind() != Kind::limited && !may_come_back) throw;
      if (attempt == 1) end = Deadline::in(rules_.seconds);
      const double most = std::min(rules_.longest_pause, std::ldexp(rules_.first_pause, attempt - 1));
      // A usage limit: no call of anybody with this quota helps before its end.
      const bool is_long = error.kind() == Kind::limited && error.retry_after().value_or(0) > rules_.long_wait;
      if (is_long) throw;
      if (slots_ && error.kind() == Kind::limited) slots_->slow_down(error.retry_after().value_or(most));
      const double pause = error.retry_after().value_or(0) + random_share() * most;
      if (attempt >= rules_.tries || pause * 1000 > end.left_ms()) {
        if (attempt == 1) throw;
        throw ModelError(error.kind(), fmt::format("gave up after {} tries: {}", attempt, error.what()),
                         error.retry_after());
      }
      note_({fmt::format("{}; again in {}", error.what(), describe_pause(pause)), pause, heard});
      wait(pause, interrupt);
    }
  }
}

}  // namespace team
