#include "libteam/mcp/deliveries.h"

#include <algorithm>
#include <utility>

#include "libteam/base/error.h"

namespace team {

void McpDeliveries::add(std::unique_ptr<McpDelivery> delivery, std::uint64_t moment) {
  const std::lock_guard guard(mutex_);
  waiting_.push_back({std::move(delivery), moment});
}

void McpDeliveries::confirm_until(std::uint64_t moment) {
  std::vector<Waiting> due;
  {
    const std::lock_guard guard(mutex_);
    const auto later = std::stable_partition(waiting_.begin(), waiting_.end(),
                                             [&](const Waiting& one) { return one.moment > moment; });
    due.assign(std::make_move_iterator(later), std::make_move_iterator(waiting_.end()));
    waiting_.erase(later, waiting_.end());
  }
  for (Waiting& one : due) {
    try {
      one.delivery->confirm();
    } catch (const Error&) {
      // It comes again.
    }
  }
}

void McpDeliveries::take_back() {
  std::vector<Waiting> back;
  const std::lock_guard guard(mutex_);
  back.swap(waiting_);
}

}  // namespace team
