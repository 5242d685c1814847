// The slots of model calls as files in a folder that the members of a team share.
//
//   N      locked by the process that makes a call, for as long as the call takes
//   until  the time before which no call begins
#pragma once

#include <memory>

#include "libteam/store/call_slots.h"
#include "libteam/system/file.h"

namespace team {

class FileCallSlots : public CallSlots {
 public:
  explicit FileCallSlots(Folder folder) : folder_(std::move(folder)) {}

  std::unique_ptr<Slot> try_take(std::int64_t count) const override;
  std::unique_ptr<Queue> queue(int interrupt) const override;
  double paused_until() const override;
  void pause_until(double time) const override;

 private:
  Folder folder_;
};

}  // namespace team
