#include "libteam/agent/life/step_order.h"

namespace team {

void StepOrder::diverge(const std::string& reason) { throw ReplayEnded(reason); }

StepOrder& free_order() {
  static StepOrder order;
  return order;
}

}  // namespace team
