// Waiting for changes in memory. It reports every change of the store as `everything`: the caller looks for itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libteam/store/memory/memory_mailbox.h"
#include "libteam/store/watcher.h"

namespace team {

class MemoryWatcher : public Watcher {
 public:
  explicit MemoryWatcher(std::shared_ptr<const MemoryChanges> changes);

  void begin(const Board& board) override;
  void begin(const Board& board, const LifeEngine& lives) override;
  void clear() override;
  void watch_tasks() override {}
  void watch_team() override {}
  void watch_configuration() override {}
  void watch_quotas() override {}
  void watch_life(const std::string&) override {}
  void watch_inbox(const std::string&) override {}
  void watch_own_inbox(const std::string&) override {}
  void wake_on(int fd) override { descriptors_.push_back(fd); }
  void wake_at(std::int64_t boot_ns) override { wake_at_ = boot_ns; }
  void look_every(double) override {}
  bool is_told() const override { return true; }
  TeamChanges wait(const Deadline& deadline) override;
  void await_removal() override {}

 private:
  bool is_woken() const;

  std::shared_ptr<const MemoryChanges> changes_;
  std::int64_t seen_;
  std::vector<int> descriptors_;
  std::int64_t wake_at_ = 0;
};

}  // namespace team
