#include "libteam/store/postgres/postgres_engine.h"

#include <utility>

#include "libteam/base/name.h"
#include "libteam/store/postgres/advisory_lock.h"
#include "libteam/store/postgres/postgres_board.h"
#include "libteam/store/postgres/postgres_watcher.h"
#include "libteam/store/team_names.h"

namespace team {

namespace {

constexpr std::int64_t kServer = 1;

class PostgresHandle : public TeamHandle {
 public:
  explicit PostgresHandle(std::shared_ptr<const PostgresTeam> found) : team(std::move(found)) {}
  const std::shared_ptr<const PostgresTeam> team;
};

class Mark : public ServerMark {
 public:
  Mark(std::shared_ptr<const Database> database, AdvisoryLock lock)
      : database_(std::move(database)), lock_(std::move(lock)) {
    database_->ask("delete from servers");
  }
  void publish(const std::string& description) const override {
    database_->transact([&](Transaction& transaction) {
      transaction.later("delete from servers");
      transaction.later("insert into servers (description) values ($1)", {description});
    });
  }

 private:
  std::shared_ptr<const Database> database_;
  AdvisoryLock lock_;
};

}  // namespace

// The team of a board.
class PostgresEngine::MembersOfBoard : public BoardTeam {
 public:
  MembersOfBoard(const PostgresEngine& engine, const Team& team, std::shared_ptr<const PostgresTeam> opened)
      : engine_(engine), name_(team.name), team_(std::move(opened)) {
    read_members(team);
  }

  std::string name() const override { return name_; }
  const std::vector<std::string>& members() const override { return members_; }
  Life life_of(const std::string& member) const override { return team_->lives().life_of(member); }
  std::shared_ptr<const LifeEngine> lives() const override { return {team_, &team_->lives()}; }
  void ask(const EventOrigin& origin, const std::string& hook, const Events& events) override {
    if (!team_->hooks().has(hook)) return;
    for (const Event& event : events()) team_->hooks().ask(hook, origin, event);
  }
  void tell(const std::vector<RecordedEvents>& recorded) override {
    for (const RecordedEvents& one : recorded) team_->hooks().tell(one.origin, one.events, one.logged);
  }
  BoardEngine::Place reopen() override {
    try {
      auto found = engine_.team_of(name_);
      read_members(found->configuration());
      const bool is_same = found->number() == team_->number();
      team_ = std::move(found);
      return is_same ? BoardEngine::Place::same : BoardEngine::Place::another;
    } catch (const Error& error) {
      if (error.code() != Code::not_found) throw;
      return BoardEngine::Place::missing;
    }
  }

 private:
  void read_members(const Team& team) {
    members_.clear();
    for (const Member& member : team.members) members_.push_back(member.name);
  }

  const PostgresEngine& engine_;
  std::string name_;
  std::vector<std::string> members_;
  std::shared_ptr<const PostgresTeam> team_;
};

PostgresEngine::PostgresEngine(std::shared_ptr<const Database> database, std::string place, std::string rule,
                               Local local)
    : database_(std::move(database)), place_(std::move(place)), rule_(std::move(rule)), local_(std::move(local)) {}

std::vector<std::string> PostgresEngine::names() const {
  const Rows rows = database_->ask("select name from teams order by name collate \"C\"");
  std::vector<std::string> names;
  for (int row = 0; row < rows.count(); ++row) names.push_back(rows.text(row, 0));
  return names;
}

std::shared_ptr<const PostgresTeam> PostgresEngine::team_of(const std::string& name) const {
  check_name("team", name);
  const Rows rows = database_->ask("select no from teams where name = $1", {name});
  if (rows.empty()) fail_unknown_team(name, names());
  return std::make_shared<const PostgresTeam>(database_, rows.number(0, 0), name, local_.files_of(name));
}

std::shared_ptr<const PostgresTeam> PostgresEngine::team_of(const std::string& name, const Handle& handle) const {
  return handle ? dynamic_cast<const PostgresHandle&>(*handle).team : team_of(name);
}

FoundTeam PostgresEngine::find_team(const std::string& name) const {
  auto team = team_of(name);
  return {team->configuration(), std::make_shared<const PostgresHandle>(team)};
}

Team PostgresEngine::change(const std::string& name, const std::function<void(Team&)>& edit) const {
  return team_of(name)->change(edit);
}

void PostgresEngine::create(const Team& team, const std::function<void(const Error&)>&) const {
  check_team_names(team);
  database_->transact([&](Transaction& transaction) {
    // One process at a time adds a team.
    transaction.later("lock table teams in share row exclusive mode");
    check_team_is_new(team.name, names());
    transaction.later("insert into boards (path) values ($1) on conflict do nothing", {team.board});
    transaction.later("insert into teams (name, config) values ($1, $2)", {team.name, to_file(team)});
  });
}

void PostgresEngine::remove(const std::string& name) const {
  const auto team = team_of(name);
  database_->transact([&](Transaction& transaction) {
    transaction.lock_team(team->number());
    for (const Member& member : team->configuration().members) {
      if (team->lives().life_of(member.name) == Life::running) {
        fail(Code::conflict, "{} of team {} is still running", member.name, name);
      }
    }
    transaction.later("delete from teams where no = $1", {sql(team->number())});
    transaction.announce(fmt::format("team {}", team->number()));
  });
}

std::shared_ptr<const TeamEngine> PostgresEngine::open_team(const Team& team, const Handle& handle) const {
  return team_of(team.name, handle);
}

bool PostgresEngine::has_board(const Team& team) const {
  return PostgresBoard::find_board(*database_, team.board).has_value();
}

Board PostgresEngine::open_board(const Team* team, Missing missing, const Handle& handle) const {
  const std::string path = team != nullptr ? team->board : Team{}.board;
  const auto number = missing == Missing::make ? std::optional(PostgresBoard::make_board(*database_, path))
                                               : PostgresBoard::find_board(*database_, path);
  if (!number) fail(Code::not_found, "no board '{}' in '{}'; task-create makes one", path, place());
  BoardRules rules = rules_of(team);
  rules.has_file = local_.has_file;
  rules.judge = landing_judge();
  auto members = std::make_shared<BoardTeam>();
  PostgresBoard::Record record;
  if (team != nullptr) {
    const auto opened = team_of(team->name, handle);
    members = std::make_shared<MembersOfBoard>(*this, *team, opened);
    record = [opened](Transaction& transaction, const EventOrigin& origin, const std::vector<Event>& events) {
      return transaction.append(opened->number(), origin, events);
    };
  }
  return {std::make_shared<PostgresBoard>(database_, path, *number, std::move(record)), std::move(members),
          std::move(rules)};
}

std::shared_ptr<const LifeEngine> PostgresEngine::open_lives(const std::string& team) const {
  const auto found = team_of(team);
  return {found, &found->lives()};
}

std::unique_ptr<const ServerMark> PostgresEngine::take_server_mark() const {
  AdvisoryLock lock(database_, {"servers", kServer});
  if (!lock.take()) fail(Code::conflict, "a server runs already in '{}'", place());
  return std::make_unique<const Mark>(database_, std::move(lock));
}

std::optional<std::string> PostgresEngine::running_server() const {
  const Rows rows =
      database_->ask("select description from servers where " + is_locked("servers", std::to_string(kServer)));
  return rows.empty() ? std::nullopt : std::optional(rows.text(0, 0));
}

std::unique_ptr<Watcher> PostgresEngine::make_watcher() const { return std::make_unique<PostgresWatcher>(database_); }

}  // namespace team
