// A store in files: the folders `.teams` and `.tasks` of a root.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libteam/store/engine.h"
#include "libteam/store/files/root.h"
#include "libteam/store/files/roster.h"

namespace team {

class FileEngine : public Engine {
 public:
  FileEngine(Root root, double lock_timeout);

  // For commands whose subject is the files themselves.
  const Root& root() const { return root_; }
  const Roster& roster() const { return roster_; }

  const std::string& place() const override { return root_.path(); }
  const std::string& rule() const override { return root_.rule(); }
  std::vector<std::string> strays() const override { return root_.strays(); }
  bool has_project_file(const std::string& path) const override { return root_.folder().has(path); }
  double lock_timeout() const override { return roster_.lock_timeout(); }

  std::vector<std::string> names() const override { return roster_.names(); }
  FoundTeam find_team(const std::string& name) const override;
  std::string version_of(const std::string& team) const override { return roster_.version_of(team); }
  Team change(const std::string& name, const std::function<void(Team&)>& edit) const override;
  void create(const Team& team, const std::function<void(const Error&)>& untrusted) const override;
  void remove(const std::string& name) const override { roster_.remove(name); }

  void require_trust(const FoundTeam& found, std::string_view what) const override;
  bool forget_trust(const std::string& team) const override;

  using Engine::open_board;
  using Engine::open_team;
  std::shared_ptr<const TeamEngine> open_team(const Team& team, const Handle& handle) const override;
  Board open_board(const Team* team, Missing missing, const Handle& handle) const override;
  bool has_board(const Team& team) const override { return root_.find_store(team.board).has_value(); }

  std::shared_ptr<const LifeEngine> open_lives(const std::string& team) const override;
  std::unique_ptr<const ServerMark> take_server_mark() const override;
  std::optional<std::string> running_server() const override;
  std::unique_ptr<Watcher> make_watcher() const override;

 private:
  const Root root_;
  const Roster roster_;
};

// Opens the store that Root::find() finds. If there is none, throws not_found; with Missing::make, uses the place that
// Root::find_or_here() gives.
std::unique_ptr<Engine> open_engine(const RootChoice& choice, Missing missing, double lock_timeout);

// For commands and tools whose subject is the files themselves. Throws std::bad_cast for a store of another kind.
const FileEngine& in_files(const Engine& engine);

}  // namespace team
