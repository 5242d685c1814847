// Decides about a landing that a killed process left: whether the branch of a repository has moved.
//
// The board knows no repository. It asks a judge when it finds a task with a landing, outside of any transaction.
#pragma once

#include <functional>

#include "libteam/record/receipt.h"

namespace team {

class LandingJudge {
 public:
  LandingJudge() = default;
  LandingJudge(const LandingJudge&) = delete;
  LandingJudge& operator=(const LandingJudge&) = delete;
  virtual ~LandingJudge() = default;

  // Waits until no process lands on the line of this landing. Then calls `decide`, with true if the line has the
  // commit, while none can land. Throws again if that takes too long, and the errors of the repository.
  virtual void judge(const Receipt& landing, const std::function<void(bool landed)>& decide) const = 0;
};

}  // namespace team
