// Records the order of the steps of a team in DIR/order.jsonl.
//
// While a team is recorded, its steps run one at a time. A step holds a lock in the folder from its beginning until its
// line is written, also while a hook runs. So the order of the lines is the order of the effects. Calls of tools that
// may take long do not hold the lock; they have a line for the start and one for the end.
#pragma once

#include <string>

#include "libteam/agent/life/step_order.h"
#include "libteam/system/file.h"
#include "libteam/system/lock.h"

namespace team {

class StepRecorder : public StepOrder {
 public:
  // `folder` must exist. Throws io.
  StepRecorder(const std::string& folder, std::string member);

  void begin() override;
  void run(Kind kind, const std::string& name, const Act& act) override;
  void run_long(const std::string& name, const Act& act) override;
  bool notice(Kind kind, Look look, const Find& find) override;
  std::unique_ptr<Batch> take_mail(const Mailbox& mailbox, std::size_t most, const std::optional<std::string>& run,
                                   Look look) override;
  std::optional<Changed> claim_next(const Claim& claim) override;

 private:
  class Turn;
  void write(Step step);

  Folder folder_;
  std::string member_;
  Fd file_;
  bool is_in_step_ = false;
};

}  // namespace team
