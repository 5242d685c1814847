// The order of the steps of a team, for recordings and replays.
//
// A step is something a member does that other members can notice, or that depends on what others did: it takes mail,
// claims a task, calls a tool. This class lets every step happen at once. StepRecorder also writes down the order, and
// StepReplayer enforces it. Steps inside of another step of the same member are a part of that one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "libteam/record/step.h"
#include "libteam/store/board.h"
#include "libteam/store/mailbox.h"

namespace team {

class StepOrder {
 public:
  using Kind = Step::Kind;
  using Act = std::function<void()>;
  // now: the answer is no if the turn of this member has not come. at_turn: waits for the turn.
  enum class Look { now, at_turn };

  virtual ~StepOrder() = default;

  // The life of this member has begun, and others can see it.
  virtual void begin() {}
  // Runs a step that ends soon.
  virtual void run(Kind /*kind*/, const std::string& /*name*/, const Act& act) { act(); }
  // Runs a call of a tool that may take long or that waits for others.
  virtual void run_long(const std::string& /*name*/, const Act& act) { act(); }
  // Looks for something that others may have caused: `find` returns its name, or none. True if the member notices it.
  using Find = std::function<std::optional<std::string>()>;
  virtual bool notice(Kind /*kind*/, Look /*look*/, const Find& find) { return find().has_value(); }
  // False if the next step of this member is another one.
  virtual bool may(Kind /*kind*/) { return true; }
  // As Mailbox::take().
  virtual std::unique_ptr<Batch> take_mail(const Mailbox& mailbox, std::size_t most,
                                           const std::optional<std::string>& run, Look /*look*/) {
    return mailbox.take({}, most, run);
  }
  // `claim` gets the task to claim; none means the next ready one.
  using Claim = std::function<std::optional<Changed>(std::optional<TaskId> task)>;
  virtual std::optional<Changed> claim_next(const Claim& claim) { return claim({}); }

  virtual bool is_replay() const { return false; }
  // True if the order has no further step of this member.
  virtual bool is_over() { return true; }
  // For the model of this member, in a replay. first_call() is the number of recorded calls before this life.
  // translate() replaces recorded ids by those of this run.
  virtual std::size_t first_call() const { return 0; }
  virtual std::string translate(std::string text) const { return text; }
  // True if a signal has ended the replay.
  virtual bool is_abandoned() const { return false; }
  // Ends the replay for all members: throws ReplayEnded.
  [[noreturn]] virtual void diverge(const std::string& reason);
};

// The replay has ended early. It is no Error: nothing that handles the errors of a step may go on after it.
class ReplayEnded : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  static constexpr int kStatus = 69;  // EX_UNAVAILABLE of sysexits
};

// For members that are neither recorded nor replayed.
StepOrder& free_order();

}  // namespace team
