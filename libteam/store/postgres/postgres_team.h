// One team in PostgreSQL: its row, its requests and its event log. It has no hooks, which are programs on one machine.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "libteam/store/postgres/database.h"
#include "libteam/store/postgres/postgres_lives.h"
#include "libteam/store/postgres/postgres_mailbox.h"
#include "libteam/store/team_engine.h"

namespace team {

class PostgresEventLog : public EventLog {
 public:
  PostgresEventLog(std::shared_ptr<const Database> database, std::int64_t team);

  Logged append(const EventOrigin& origin, const std::vector<Event>& events) const override;
  std::string place() const override { return "the event log"; }
  std::int64_t last_sequence() const override;
  void each_after(std::int64_t seq, const Visit& visit) const override;
  bool follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
              int waker = -1) const override;
  void each_backward(const Visit& visit) const override;

 private:
  std::shared_ptr<const Database> database_;
  std::int64_t team_;
};

class WithoutHooks : public Hooks {
 public:
  bool any() const override { return false; }
  bool has(const std::string&) const override { return false; }
  std::optional<std::string> refusal(const std::string&, const EventOrigin&, const Event&) const override {
    return std::nullopt;
  }
  void tell(const EventOrigin&, const std::vector<Event>&, const Logged&) const override {}
};

class PostgresTeam : public TeamEngine {
 public:
  // `number` is that of the team's row. `files` may be null.
  PostgresTeam(std::shared_ptr<const Database> database, std::int64_t number, std::string name,
               std::shared_ptr<const LocalFiles> files);

  Team configuration() const override;
  Team change(const std::function<void(Team&)>& edit) const override;
  std::string version() const override;

  const PostgresLives& lives() const override { return lives_; }
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
  bool has_exchanges() const override { return has("exchanges"); }
  Quotas quotas() const override;
  bool has_quotas() const override { return has("quotas"); }

  Mailbox::Waited wait(const Deadline& deadline, const std::function<bool()>& done) const override;
  std::optional<std::string> shortage() const override { return std::nullopt; }

  std::int64_t number() const { return number_; }

 private:
  class TeamStep;
  bool has(const char* column) const;
  std::optional<std::string> column(const char* name) const;
  std::vector<Request> requests(const char* condition, const Report& broken) const;
  [[noreturn]] void fail_removed() const;

  std::shared_ptr<const Database> database_;
  std::int64_t number_;
  std::string name_;
  PostgresEventLog events_;
  PostgresLives lives_;
  WithoutHooks hooks_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, PostgresMailbox> mailboxes_;
};

}  // namespace team
