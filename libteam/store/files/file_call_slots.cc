#include "libteam/store/files/file_call_slots.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/flock.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/random.h"
#include "libteam/system/temporary.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

constexpr std::int64_t kMostSlots = 1000;

class LockedSlot : public CallSlots::Slot {
 public:
  LockedSlot(Fd lock, Fd announcer) : announcer_(std::move(announcer)), lock_(std::move(lock)) {}

 private:
  // Open for writing: its end, even by the death of the process, wakes those who watch the folder. The lock goes first.
  Fd announcer_;
  Fd lock_;
};

class SlotWatch : public CallSlots::Queue {
 public:
  SlotWatch(const Folder& folder, int interrupt) : watch_(folder) { watch_.wake_on(interrupt); }

  void wait() override {
    constexpr double kLookAgain = 1;
    constexpr double kMoment = 0.02;  // a killed process may lose its lock after its end was announced
    const Changes changes = watch_.wait(Deadline::in(is_announced_ ? kMoment : kLookAgain));
    is_announced_ = changes.any && !changes.all;
  }

 private:
  Watch watch_;
  bool is_announced_ = false;
};

}  // namespace

std::unique_ptr<CallSlots::Slot> FileCallSlots::try_take(std::int64_t count) const {
  count = std::min(count, kMostSlots);
  const auto first = static_cast<std::int64_t>(random_number() % static_cast<std::uint64_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string name = layout::call_slot((first + i) % count + 1);
    // Read-only: to close the file of a slot that is taken must wake nobody.
    Fd fd = folder_.open(name, O_RDONLY | O_CREAT);
    if (lock_file(folder_, name, fd, LOCK_EX | LOCK_NB) == 0) {
      return std::make_unique<LockedSlot>(std::move(fd), folder_.open(name, O_RDWR));
    }
    if (errno != EWOULDBLOCK && errno != EINTR) fail_errno("cannot lock", folder_.path_of(name));
  }
  return nullptr;
}

std::unique_ptr<CallSlots::Queue> FileCallSlots::queue(int interrupt) const {
  return std::make_unique<SlotWatch>(folder_, interrupt);
}

double FileCallSlots::paused_until() const {
  constexpr std::size_t kMost = 4096;
  const auto contents = folder_.read(layout::kCallPause, kMost);
  return contents ? std::strtod(contents->text.c_str(), nullptr) : 0;
}

void FileCallSlots::pause_until(double time) const {
  sweep_temporaries(folder_);
  replace_file(folder_, layout::kCallPause, fmt::format("{:.6f}\n", time), Durability::process);
}

}  // namespace team
