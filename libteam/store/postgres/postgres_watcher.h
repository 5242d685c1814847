// Waits for changes of a board and its team in PostgreSQL.
//
// The writers announce their changes. Nobody announces the death of a process: a watched life is noticed by a lock that
// this watcher queues for and gets when the process ends.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/store/postgres/advisory_lock.h"
#include "libteam/store/postgres/change_listener.h"
#include "libteam/store/watcher.h"

namespace team {

class PostgresWatcher : public Watcher {
 public:
  explicit PostgresWatcher(std::shared_ptr<const Database> database) : database_(std::move(database)) {}

  void begin(const Board& board) override;
  void begin(const Board& board, const LifeEngine& lives) override;
  void clear() override;

  void watch_tasks() override;
  void watch_team() override;
  void watch_configuration() override;
  void watch_quotas() override;
  void watch_life(const std::string& member) override;
  void watch_inbox(const std::string& member) override;
  void watch_own_inbox(const std::string& member) override { watch_inbox(member); }

  void wake_on(int fd) override { descriptors_.push_back(fd); }
  void wake_at(std::int64_t boot_ns) override { wake_at_ = boot_ns; }
  void look_every(double) override {}
  bool is_told() const override { return true; }

  TeamChanges wait(const Deadline& deadline) override;
  void await_removal() override {}

 private:
  void listen();
  void add_topic(const std::string& topic, TeamChanges& changes) const;
  void add_ended_lives(TeamChanges& changes);

  std::shared_ptr<const Database> database_;
  std::unique_ptr<ChangeListener> listener_;  // null until there is a topic
  std::int64_t board_ = 0, team_ = 0;         // 0: none
  bool wants_tasks_ = false, wants_team_ = false, wants_configuration_ = false, wants_quotas_ = false;
  std::vector<std::string> inboxes_;
  std::map<std::string, AdvisoryLock> lives_;  // by member
  std::vector<int> descriptors_;
  std::int64_t wake_at_ = 0;
};

}  // namespace team
