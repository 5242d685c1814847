// Enforces the recorded order of the steps of a team.
//
// A member does its next recorded step when all steps before it are done, and nothing else meanwhile: mail that came
// earlier than in the recording waits. The replay ends for all members if a member is about to do something else than
// recorded, or if the member does nothing in its turn. A line then names the step.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libteam/agent/life/replay_progress.h"
#include "libteam/agent/life/step_order.h"
#include "libteam/base/clock.h"
#include "libteam/store/team_session.h"
#include "libteam/system/signals.h"
#include "libteam/system/watch.h"

namespace team {

class StepReplayer : public StepOrder {
 public:
  // Throws not_found without a recording, corrupt for a malformed one. `session` and `signals` outlive this.
  StepReplayer(const std::string& folder, const TeamSession& session, const Signals& signals);

  void begin() override;
  void run(Kind kind, const std::string& name, const Act& act) override;
  void run_long(const std::string& name, const Act& act) override;
  bool notice(Kind kind, Look look, const Find& find) override;
  bool may(Kind kind) override;
  std::unique_ptr<Batch> take_mail(const Mailbox& mailbox, std::size_t most, const std::optional<std::string>& run,
                                   Look look) override;
  std::optional<Changed> claim_next(const Claim& claim) override;
  bool is_replay() const override { return true; }
  bool is_over() override;
  std::size_t first_call() const override { return first_call_; }
  std::string translate(std::string text) const override;
  bool is_abandoned() const override { return is_abandoned_; }
  [[noreturn]] void diverge(const std::string& reason) override;

 private:
  static constexpr std::size_t kNone = SIZE_MAX;
  const std::string& self() const { return session_.self().name; }
  ReplayProgress::State read_progress() const;
  std::size_t next_own();
  bool is_free();
  std::string where(std::size_t step) const;
  [[noreturn]] void diverge_at(std::size_t step, const std::string& reason);
  // Waits until the step is the next one of the team; with Look::now it does not wait. False if it is not.
  bool comes_to(std::size_t step, Look look);
  bool awaits(std::size_t step, Look look, const std::function<bool()>& is_there, const std::string& missing);
  void check_patience();
  bool is_somebody_busy() const;
  void pause();
  void finish(std::size_t step);
  void do_own(Kind kind, const std::string& name, const Act& act);
  void send_for_user(std::size_t step);
  static bool has_all(const Mailbox& mailbox, const Step& step, const std::optional<std::string>& run);

  std::string path_;  // of the order
  const TeamSession& session_;
  const Signals& signals_;
  std::vector<Step> steps_;
  std::vector<std::size_t> lines_;  // of the steps
  std::vector<std::size_t> own_;    // indices of the steps of this member
  ReplayProgress progress_;
  Watch watch_;
  std::size_t next_ = 0;  // of the team, when it was last read
  Deadline patience_ = Deadline::never();
  std::size_t patience_for_ = kNone;  // the step that it is for
  std::size_t first_call_ = 0;
  std::size_t sent_for_ = kNone;            // the step whose messages of the user were sent
  std::map<std::string, std::string> ids_;  // of requests: recorded, and of this run
  bool is_in_step_ = false;
  bool is_abandoned_ = false;
};

}  // namespace team
