// Patience with a model: what failed for now is tried again, and the calls of a team share what the service allows.
//
// On disk, in a folder that the members of a team share: a file for each call that may run at once, locked as long as
// it runs, so that the slot of one who died is free; and `until`, the time before which nobody calls because the
// service said that it was too much. No lock is held while somebody waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libteam/agent/model/provider.h"
#include "libteam/system/file.h"

namespace team {

// A call that does not go on for a while.
struct Delay {
  std::string reason;    // for people
  double seconds = 0;    // at least; 0 if nobody knows
  bool is_void = false;  // what was heard of the answer does not count: it will come again from its beginning
};

class ModelSlots {
 public:
  using Note = std::function<void(const Delay& delay)>;
  // `limit` says how many calls may run at once, 0: any number. It is asked again for each.
  ModelSlots(Folder folder, std::function<std::int64_t()> limit);

  class Slot {
   public:
    Slot() = default;  // where there is no limit
    Slot(Fd lock, Fd bell) : bell_(std::move(bell)), lock_(std::move(lock)) {}

   private:
    // Open for writing: that it closes, even by the death of the process, wakes those who watch the folder. The lock
    // goes first.
    Fd bell_;
    Fd lock_;
  };
  // Blocks until a call may begin. Throws ModelError::interrupted as soon as `interrupt` can be read from.
  Slot take(int interrupt, const Note& note) const;

  // Nobody begins a call for so many seconds (15 minutes at most). A disk that refuses is no reason to fail.
  void slow_down(double seconds) const;

 private:
  Slot take_any(int interrupt, const Note& note) const;
  double seconds_to_wait() const;

  Folder folder_;
  std::function<std::int64_t()> limit_;
};

struct RetryPolicy {
  int tries = 8;
  double seconds = 600;  // for all tries after the first
  double first_pause = 1;
  double longest_pause = 60;
};

class RetryingProvider : public Provider {
 public:
  // `note` is told of each delay, before it.
  RetryingProvider(std::unique_ptr<Provider> inner, const RetryPolicy& rules, std::optional<ModelSlots> slots,
                   ModelSlots::Note note);

  // Tries again what is passing or limited, after a random pause that grows, or when the service says; throws the last
  // error, as what it is, when the rules are exhausted. Everything else comes out at once.
  ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) override;

 private:
  std::unique_ptr<Provider> inner_;
  RetryPolicy rules_;
  std::optional<ModelSlots> slots_;
  ModelSlots::Note note_;
};

}  // namespace team
