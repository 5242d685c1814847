// A whole store in the memory of one process: the model that other stores are compared with.
//
// It is exact, but it has no hooks, no trust marks and no files of a project.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libteam/store/engine.h"
#include "libteam/store/memory/memory_board.h"
#include "libteam/store/memory/memory_team.h"

namespace team {

class MemoryEngine : public Engine {
 public:
  MemoryEngine() = default;

  const std::string& place() const override { return place_; }
  const std::string& rule() const override { return place_; }
  std::vector<std::string> strays() const override { return {}; }
  bool has_project_file(const std::string&) const override { return false; }
  double lock_timeout() const override { return 5; }

  std::vector<std::string> names() const override;
  FoundTeam find_team(const std::string& name) const override;
  std::string version_of(const std::string& team) const override { return team_of(team)->version(); }
  Team change(const std::string& name, const std::function<void(Team&)>& edit) const override;
  void create(const Team& team, const std::function<void(const Error&)>& untrusted) const override;
  void remove(const std::string& name) const override;

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

  // The team itself, for tests. Throws not_found.
  std::shared_ptr<const MemoryTeam> team_of(const std::string& name) const;

 private:
  struct Server {
    std::mutex mutex;
    bool runs = false;
    std::optional<std::string> description;
  };
  class Mark;
  class MembersOfBoard;

  std::string place_ = "memory";
  std::shared_ptr<MemoryChanges> changes_ = std::make_shared<MemoryChanges>();
  std::shared_ptr<Server> server_ = std::make_shared<Server>();
  mutable std::mutex mutex_;  // of all below
  mutable std::int64_t made_ = 0;
  mutable std::map<std::string, std::shared_ptr<const MemoryTeam>> teams_;
  mutable std::map<std::string, std::shared_ptr<MemoryTasks>> boards_;  // by path
};

}  // namespace team
