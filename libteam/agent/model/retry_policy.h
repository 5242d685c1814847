// Retries failed calls of a model, and limits the calls of a whole team.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libteam/agent/model/provider.h"
#include "libteam/store/call_slots.h"

namespace team {

// A delay of a call.
struct Delay {
  std::string reason;    // for people
  double seconds = 0;    // at least; 0 if unknown
  bool is_void = false;  // the part of the answer received so far is void: the answer starts again
};

class ModelSlots {
 public:
  using Note = std::function<void(const Delay& delay)>;
  // `limit` returns the number of calls that may run at once, 0 for no limit. It is called for each call.
  ModelSlots(std::shared_ptr<const CallSlots> slots, std::function<std::int64_t()> limit);

  using Slot = std::unique_ptr<CallSlots::Slot>;  // null for a team without a limit
  // Blocks until a call may begin. Throws ModelError::interrupted as soon as `interrupt` is readable.
  Slot take(int interrupt, const Note& note) const;

  // No member begins a call for this many seconds (at most 15 minutes). A failing disk is not an error here.
  void slow_down(double seconds) const;

 private:
  Slot take_any(int interrupt, const Note& note) const;
  double seconds_to_wait() const;

  std::shared_ptr<const CallSlots> slots_;
  std::function<std::int64_t()> limit_;
};

struct RetryPolicy {
  int tries = 8;
  double seconds = 600;  // for all tries after the first
  double first_pause = 1;
  double longest_pause = 60;
  double long_wait = 120;  // a service that demands more is not called again: its limit is for all who share the quota
};

class RetryingProvider : public Provider {
 public:
  // `note` is called before each delay.
  RetryingProvider(std::unique_ptr<Provider> inner, const RetryPolicy& rules, std::optional<ModelSlots> slots,
                   ModelSlots::Note note);

  // Retries `passing` and `limited` errors, and `unreachable` ones if the service has answered before, after a random
  // pause that grows or the pause that the service demands. Throws the last error when the policy allows no further
  // try. Throws other errors at once.
  ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) override;

 private:
  std::unique_ptr<Provider> inner_;
  RetryPolicy rules_;
  std::optional<ModelSlots> slots_;
  ModelSlots::Note note_;
  bool has_answered_ = false;  // the service, in any way
};

}  // namespace team
