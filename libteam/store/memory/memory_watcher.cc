#include "libteam/store/memory/memory_watcher.h"

#include <algorithm>

#include "libteam/system/event_fd.h"

namespace team {

MemoryWatcher::MemoryWatcher(std::shared_ptr<const MemoryChanges> changes)
    : changes_(std::move(changes)), seen_(changes_->count()) {}

void MemoryWatcher::begin(const Board&) { clear(); }

void MemoryWatcher::begin(const Board&, const LifeEngine&) { clear(); }

void MemoryWatcher::clear() {
  seen_ = changes_->count();
  descriptors_.clear();
  wake_at_ = 0;
}

bool MemoryWatcher::is_woken() const {
  if (wake_at_ != 0 && boot_ns() >= wake_at_) return true;
  return std::any_of(descriptors_.begin(), descriptors_.end(), can_be_read);
}

TeamChanges MemoryWatcher::wait(const Deadline& deadline) {
  constexpr double kLook = 0.02;  // descriptors and times are looked at so often
  while (true) {
    TeamChanges changes;
    changes.woken = is_woken();
    const std::int64_t now = changes_->count();
    changes.everything = now != seen_;
    seen_ = now;
    changes.any = changes.woken || changes.everything;
    if (changes.any || deadline.passed()) return changes;
    changes_->wait(seen_, kLook);
  }
}

}  // namespace team
