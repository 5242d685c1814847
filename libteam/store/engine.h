// A whole store: its teams, and everything that is opened by the name of a team.
//
// Code above store/ knows a store only by this class, and gets it from cli/context.h. The parts are interfaces too:
// TeamEngine (team_engine.h), Board (over board_engine.h), LifeEngine (life.h), Watcher (watcher.h). The engine
// outlives all of them.
//
// Several threads may use an engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/team.h"
#include "libteam/store/board.h"
#include "libteam/store/landing_judge.h"
#include "libteam/store/life.h"
#include "libteam/store/server_mark.h"
#include "libteam/store/team_engine.h"
#include "libteam/store/watcher.h"

namespace team {

// A reference of the store to one of its teams. If the team is removed and made again, the old handle still refers to
// the removed one.
class TeamHandle {
 public:
  virtual ~TeamHandle() = default;
};

struct FoundTeam {
  Team team;
  std::shared_ptr<const TeamHandle> handle;
};

// How to treat a missing store or board.
enum class Missing { refuse, make };

class Engine {
 public:
  using Handle = std::shared_ptr<const TeamHandle>;

  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // Where the store is, for people and for child processes: the root of the project.
  virtual const std::string& place() const = 0;
  // The rule by which the store was found, for people.
  virtual const std::string& rule() const = 0;
  // The places of other stores that the search passed and that are not used.
  virtual std::vector<std::string> strays() const = 0;
  // Whether the project of the user has this file; `path` is relative to the root.
  virtual bool has_project_file(const std::string& path) const = 0;
  // The number of seconds that a change waits for others. Then it throws again.
  virtual double lock_timeout() const = 0;

  // All teams, sorted.
  virtual std::vector<std::string> names() const = 0;
  // Throws not_found with similar names, corrupt for a broken configuration.
  virtual FoundTeam find_team(const std::string& name) const = 0;
  Team get(const std::string& name) const { return find_team(name).team; }
  // Names the current configuration: another value after each change. Throws not_found.
  virtual std::string version_of(const std::string& team) const = 0;
  // Lets `edit` change the configuration; returns the new one. See TeamEngine::change().
  virtual Team change(const std::string& name, const std::function<void(Team&)>& edit) const = 0;
  // Creates a team that this user trusts. Throws conflict if the name is taken, also in another case, and usage if the
  // name is not allowed. If the trust cannot be recorded, the team is created without it, and `untrusted` is called
  // with the reason.
  virtual void create(const Team& team, const std::function<void(const Error&)>& untrusted) const = 0;
  // Throws conflict while a member runs.
  virtual void remove(const std::string& name) const = 0;

  // Throws permission_denied unless this user has created or accepted the team. `what` would run commands of the store.
  virtual void require_trust(const FoundTeam& found, std::string_view what) const = 0;
  // Withdraws the trust in a team. Returns false if there was none.
  virtual bool forget_trust(const std::string& team) const = 0;

  // Opens a team, or the board of a team; without a team, the default board. A caller that has just found the team
  // passes its handle, else null, and the store searches for the team. Throws not_found; a missing board is made if
  // `missing` says so.
  virtual std::shared_ptr<const TeamEngine> open_team(const Team& team, const Handle& handle) const = 0;
  virtual Board open_board(const Team* team, Missing missing, const Handle& handle) const = 0;
  std::shared_ptr<const TeamEngine> open_team(const Team& team) const { return open_team(team, nullptr); }
  Board open_board(const Team* team, Missing missing) const { return open_board(team, missing, nullptr); }
  // False if the board of the team was removed.
  virtual bool has_board(const Team& team) const = 0;

  // The lives of a team. Throws not_found.
  virtual std::shared_ptr<const LifeEngine> open_lives(const std::string& team) const = 0;
  Life life_of(const std::string& team, const std::string& member) const { return open_lives(team)->life_of(member); }

  // Throws conflict if a server runs on this store.
  virtual std::unique_ptr<const ServerMark> take_server_mark() const = 0;
  // The description that the running server published; none if no server runs or if it is just starting.
  virtual std::optional<std::string> running_server() const = 0;

  // The new watcher watches nothing yet.
  virtual std::unique_ptr<Watcher> make_watcher() const = 0;

  // For boards that are opened from now on. Call it before other threads use the engine.
  void set_landing_judge(std::shared_ptr<const LandingJudge> judge) { judge_ = std::move(judge); }

 protected:
  const std::shared_ptr<const LandingJudge>& landing_judge() const { return judge_; }

 private:
  std::shared_ptr<const LandingJudge> judge_;
};

}  // namespace team
