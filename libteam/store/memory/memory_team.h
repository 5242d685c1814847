// One team in the memory of one process: the model that other engines are compared with. It has no hooks.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libteam/store/memory/memory_lives.h"
#include "libteam/store/memory/memory_mailbox.h"
#include "libteam/store/team_engine.h"

namespace team {

class MemoryEventLog : public EventLog {
 public:
  explicit MemoryEventLog(std::shared_ptr<MemoryChanges> changes) : changes_(std::move(changes)) {}

  Logged append(const EventOrigin& origin, const std::vector<Event>& events) const override;
  std::string place() const override { return "event log"; }
  std::int64_t last_sequence() const override;
  void each_after(std::int64_t seq, const Visit& visit) const override;
  bool follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
              int waker = -1) const override;
  void each_backward(const Visit& visit) const override;

 private:
  std::vector<std::string> copy() const;

  std::shared_ptr<MemoryChanges> changes_;
  mutable std::mutex mutex_;
  mutable std::vector<std::string> lines_;  // event N is lines_[N - 1]
};

class NoHooks : public Hooks {
 public:
  bool any() const override { return false; }
  bool has(const std::string&) const override { return false; }
  std::optional<std::string> refusal(const std::string&, const EventOrigin&, const Event&) const override {
    return std::nullopt;
  }
  void tell(const EventOrigin&, const std::vector<Event>&, const Logged&) const override {}
};

class MemoryTeam : public TeamEngine {
 public:
  // Waiting callers are woken by all announcements of `changes`. `number` tells teams of the same name apart.
  explicit MemoryTeam(Team team, std::shared_ptr<MemoryChanges> changes = std::make_shared<MemoryChanges>(),
                      std::int64_t number = 0);

  Team configuration() const override;
  Team change(const std::function<void(Team&)>& edit) const override;
  std::string version() const override;

  const MemoryLives& lives() const override { return lives_; }
  // From now on nobody finds this team: its functions throw not_found, and waiting callers return.
  void remove() const;

  const Mailbox& mailbox(const std::string& owner) const override;
  std::unique_ptr<BodyWriter> write_body() const override;
  const EventLog& events() const override { return events_; }
  const Hooks& hooks() const override { return hooks_; }

  void transact(const Step& step) const override;
  std::optional<Request> find_request(const std::string& id) const override;
  std::vector<Request> pending_requests(const Report& broken) const override;
  std::vector<Request> all_requests(const Report& broken) const override;
  void remove_request(const std::string& id) const override;
  Exchanges exchanges() const override;
  bool has_exchanges() const override;
  Quotas quotas() const override;
  bool has_quotas() const override;

  Mailbox::Waited wait(const Deadline& deadline, const std::function<bool()>& done) const override;
  std::optional<std::string> shortage() const override { return std::nullopt; }

 private:
  class Transaction;

  std::shared_ptr<MemoryChanges> changes_;
  std::shared_ptr<MemoryBodies> bodies_ = std::make_shared<MemoryBodies>();
  MemoryEventLog events_{changes_};
  MemoryLives lives_{changes_};
  NoHooks hooks_;
  mutable std::mutex transaction_;  // held for a whole transaction or change
  mutable std::mutex mutex_;        // of the rest, for a moment
  mutable bool is_removed_ = false;
  mutable Team team_;
  std::int64_t number_;
  mutable std::int64_t version_ = 1;
  mutable std::map<std::string, MemoryMailbox> mailboxes_;
  mutable std::map<std::string, Request> requests_;
  mutable std::optional<Exchanges> exchanges_;
  mutable std::optional<Quotas> quotas_;
};

}  // namespace team
