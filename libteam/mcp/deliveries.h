// Deliveries that wait for the confirmation of their client: its next call of a tool.
//
// A client that calls again has read what it got before. A client that dies calls no more, and its deliveries are taken
// back: at least once. A call that was on its way when the delivery was sent confirms nothing.
//
// Several threads may use it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "libteam/mcp/features.h"

namespace team {

class McpDeliveries {
 public:
  // `moment` grows: a call that came later than it confirms the delivery.
  void add(std::unique_ptr<McpDelivery> delivery, std::uint64_t moment);
  // For a call of a tool that came at this moment. A delivery that cannot be confirmed is taken back.
  void confirm_until(std::uint64_t moment);
  // The client began anew: it may not have read what it got.
  void take_back();

 private:
  struct Waiting {
    std::unique_ptr<McpDelivery> delivery;
    std::uint64_t moment = 0;
  };
  std::mutex mutex_;
  std::vector<Waiting> waiting_;
};

}  // namespace team
