#include "libteam/store/postgres/postgres_team.h"

namespace team {

namespace {

constexpr std::int64_t kWindow = 500;  // events that are read at once

}  // namespace

PostgresEventLog::PostgresEventLog(std::shared_ptr<const Database> database, std::int64_t team)
    : database_(std::move(database)), team_(team) {}

Logged PostgresEventLog::append(const EventOrigin& origin, const std::vector<Event>& events) const {
  Logged logged;
  database_->transact([&](Transaction& transaction) { logged = transaction.append(team_, origin, events); });
  return logged;
}

std::int64_t PostgresEventLog::last_sequence() const {
  const Rows rows = database_->ask("select seq from teams where no = $1", {sql(team_)});
  return rows.empty() ? 0 : rows.number(0, 0);
}

void PostgresEventLog::each_after(std::int64_t seq, const Visit& visit) const {
  while (true) {
    const Rows rows = database_->ask("select body from events where team = $1 and seq > $2 order by seq limit $3",
                                     {sql(team_), sql(seq), sql(kWindow)});
    for (int row = 0; row < rows.count(); ++row) {
      if (!visit(rows.text(row, 0))) return;
    }
    if (rows.count() < kWindow) return;
    seq += rows.count();
  }
}

bool PostgresEventLog::follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
                              int waker) const {
  std::vector<int> descriptors;
  for (const int fd : {reader, waker}) {
    if (fd >= 0) descriptors.push_back(fd);
  }
  bool goes_on = true;
  const auto done = [&] {
    each_after(seq, [&](std::string_view line) {
      ++seq;
      return goes_on = visit(line);
    });
    return !goes_on || enough();
  };
  return wait_for_topic(database_, team_, fmt::format("events {}", team_), Deadline::never(), descriptors, done) ==
         Mailbox::Waited::arrived;
}

void PostgresEventLog::each_backward(const Visit& visit) const {
  std::int64_t before = last_sequence() + 1;
  while (before > 1) {
    const Rows rows = database_->ask("select body from events where team = $1 and seq < $2 order by seq desc limit $3",
                                     {sql(team_), sql(before), sql(kWindow)});
    for (int row = 0; row < rows.count(); ++row) {
      if (!visit(rows.text(row, 0))) return;
    }
    if (rows.count() < kWindow) return;
    before -= rows.count();
  }
}

class PostgresTeam::TeamStep : public TeamTransaction {
 public:
  TeamStep(const PostgresTeam& team, Transaction& transaction) : team_(team), transaction_(transaction) {
    transaction_.lock_team(team_.number_);
  }

  std::optional<Request> find(const std::string& id) override { return team_.find_request(id); }
  bool insert(const Request& request) override {
    announce();
    return transaction_
               .ask("insert into requests (team, id, pending, body) values ($1, $2, $3, $4) on conflict do nothing",
                    values_of(request))
               .changed() == 1;
  }
  void put(const Request& request) override {
    announce();
    transaction_.later(
        "insert into requests (team, id, pending, body) values ($1, $2, $3, $4)"
        " on conflict (team, id) do update set pending = excluded.pending, body = excluded.body",
        values_of(request));
  }

  Exchanges exchanges() override { return team_.exchanges(); }
  void put(const Exchanges& exchanges) override { put("exchanges", to_file(exchanges)); }
  Quotas quotas() override { return team_.quotas(); }
  void put(const Quotas& quotas) override {
    put("quotas", to_file(quotas));
    transaction_.announce(fmt::format("quotas {}", team_.number_));
  }

 private:
  SqlValues values_of(const Request& request) const {
    return {sql(team_.number_), request.id, sql(request.status == RequestStatus::pending), to_file(request)};
  }
  void put(const char* column, std::string text) {
    transaction_.later(fmt::format("update teams set {} = $2 where no = $1", column),
                       {sql(team_.number_), std::move(text)});
  }
  void announce() { transaction_.announce(fmt::format("requests {}", team_.number_)); }

  const PostgresTeam& team_;
  Transaction& transaction_;
};

PostgresTeam::PostgresTeam(std::shared_ptr<const Database> database, std::int64_t number, std::string name,
                           std::shared_ptr<const LocalFiles> files)
    : database_(std::move(database)),
      number_(number),
      name_(std::move(name)),
      events_(database_, number_),
      lives_(database_, number_, std::move(files)) {}

void PostgresTeam::fail_removed() const { fail(Code::not_found, "no team '{}'", name_); }

Team PostgresTeam::configuration() const {
  const auto text = column("config");
  if (!text) fail_removed();
  return parse_team(*text, name_, "the configuration of " + name_);
}

Team PostgresTeam::change(const std::function<void(Team&)>& edit) const {
  std::optional<Team> changed;
  database_->transact([&](Transaction& transaction) {
    transaction.lock_team(number_);
    Team team = configuration();
    edit(team);
    transaction.later("update teams set config = $2, version = version + 1 where no = $1",
                      {sql(number_), to_file(team)});
    transaction.announce(fmt::format("config {}", number_));
    changed = std::move(team);
  });
  return std::move(*changed);
}

std::string PostgresTeam::version() const {
  const auto version = column("version");
  if (!version) fail_removed();
  return fmt::format("{} {}", number_, *version);
}

const Mailbox& PostgresTeam::mailbox(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  return mailboxes_.try_emplace(owner, database_, number_, owner).first->second;
}

std::unique_ptr<BodyWriter> PostgresTeam::write_body() const {
  return std::make_unique<PostgresBodyWriter>(database_, number_);
}

void PostgresTeam::transact(const Step& step) const {
  database_->transact([&](Transaction& transaction) {
    TeamStep running(*this, transaction);
    step(running);
  });
}

std::optional<Request> PostgresTeam::find_request(const std::string& id) const {
  const Rows rows = database_->ask("select body from requests where team = $1 and id = $2", {sql(number_), id});
  if (rows.empty()) return std::nullopt;
  return parse_request(rows.text(0, 0), "request " + id);
}

std::vector<Request> PostgresTeam::requests(const char* condition, const Report& broken) const {
  const Rows rows = database_->ask(
      fmt::format("select id, body from requests where team = $1 and {} order by id", condition), {sql(number_)});
  std::vector<Request> found;
  for (int row = 0; row < rows.count(); ++row) {
    try {
      found.push_back(parse_request(rows.text(row, 1), "request " + rows.text(row, 0)));
    } catch (const Error& error) {
      broken(error);
    }
  }
  return found;
}

std::vector<Request> PostgresTeam::pending_requests(const Report& broken) const { return requests("pending", broken); }
std::vector<Request> PostgresTeam::all_requests(const Report& broken) const { return requests("true", broken); }

void PostgresTeam::remove_request(const std::string& id) const {
  database_->transact([&](Transaction& transaction) {
    transaction.later("delete from requests where team = $1 and id = $2", {sql(number_), id});
    transaction.announce(fmt::format("requests {}", number_));
  });
}

std::optional<std::string> PostgresTeam::column(const char* name) const {
  const Rows rows = database_->ask(fmt::format("select {} from teams where no = $1", name), {sql(number_)});
  return rows.empty() ? std::nullopt : rows.text_or_none(0, 0);
}

bool PostgresTeam::has(const char* name) const { return column(name).has_value(); }

Exchanges PostgresTeam::exchanges() const {
  const auto text = column("exchanges");
  return text ? parse_exchanges(*text, "the exchanges of " + name_) : Exchanges{};
}

Quotas PostgresTeam::quotas() const {
  const auto text = column("quotas");
  return text ? parse_quotas(*text, "the quotas of " + name_) : Quotas{};
}

Mailbox::Waited PostgresTeam::wait(const Deadline& deadline, const std::function<bool()>& done) const {
  return wait_for_topic(database_, number_, "", deadline, {}, done);
}

}  // namespace team
