// A store in PostgreSQL: one schema of a database.
#pragma once

#include <memory>
#include <string>

#include "libteam/store/engine.h"
#include "libteam/store/postgres/database.h"
#include "libteam/store/postgres/postgres_team.h"

namespace team {

class PostgresEngine : public Engine {
 public:
  // What a store has on this machine: the files of each team (null if there is no place for them), and the project of
  // the user, in which tasks name their deliverables.
  struct Local {
    std::function<std::shared_ptr<const LocalFiles>(const std::string& team)> files_of;
    std::function<bool(const std::string& path)> has_file;
  };
  // `place` names the store for people, without a password.
  PostgresEngine(std::shared_ptr<const Database> database, std::string place, std::string rule, Local local);

  const std::string& place() const override { return place_; }
  const std::string& rule() const override { return rule_; }
  std::vector<std::string> strays() const override { return {}; }
  bool has_project_file(const std::string& path) const override { return local_.has_file(path); }
  double lock_timeout() const override { return database_->lock_timeout(); }

  std::vector<std::string> names() const override;
  FoundTeam find_team(const std::string& name) const override;
  std::string version_of(const std::string& team) const override { return team_of(team)->version(); }
  Team change(const std::string& name, const std::function<void(Team&)>& edit) const override;
  void create(const Team& team, const std::function<void(const Error&)>& untrusted) const override;
  void remove(const std::string& name) const override;

  // Who may write to the database decides what runs: there are no marks of trust.
  void require_trust(const FoundTeam&, std::string_view) const override {}
  bool forget_trust(const std::string&) const override { return false; }

  using Engine::open_board;
  using Engine::open_team;
  std::shared_ptr<const TeamEngine> open_team(const Team& team, const Handle& handle) const override;
  Board open_board(const Team* team, Missing missing, const Handle& handle) const override;
  bool has_board(const Team& team) const override;
  std::shared_ptr<const LifeEngine> open_lives(const std::string& team) const override;

  std::unique_ptr<const ServerMark> take_server_mark() const override;
  std::optional<std::string> running_server() const override;

  std::unique_ptr<Watcher> make_watcher() const override;

 private:
  class MembersOfBoard;
  std::shared_ptr<const PostgresTeam> team_of(const std::string& name) const;
  std::shared_ptr<const PostgresTeam> team_of(const std::string& name, const Handle& handle) const;

  std::shared_ptr<const Database> database_;
  std::string place_, rule_;
  Local local_;
};

}  // namespace team
