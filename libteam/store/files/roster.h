// The teams of a root: their configurations and their folders.
//
// `.teams/<team>/config.json` is replaced whole under `.teams/<team>/.lock`; teams come and go under `.teams/.lock`.
// Order of locks: `.teams/.lock`, a team's `.lock`, a board's `.lock`. Reading needs none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/life.h"
#include "libteam/record/team.h"
#include "libteam/store/durability.h"
#include "libteam/store/files/root.h"
#include "libteam/store/team_engine.h"

namespace team {

class Roster {
 public:
  Roster(const Root& root, double lock_timeout);
  const Root& root() const { return root_; }
  double lock_timeout() const { return lock_timeout_; }

  // All teams, sorted.
  std::vector<std::string> names() const;
  // Throws not_found with similar names.
  Team get(const std::string& name) const;
  // The same with the folder, for a caller that opens files in it.
  struct Opened {
    Team team;
    std::shared_ptr<const Folder> folder;
  };
  Opened open(const std::string& name) const;
  // Names the current configuration: another value after each change. Throws not_found.
  std::string version_of(const std::string& team) const;
  // For store/ only, and for callers that watch it. Throws not_found.
  Folder folder_of(const std::string& team) const;
  // The same for several users, which keep it as long as they like.
  std::shared_ptr<const Folder> shared_folder_of(const std::string& team) const;
  Life life_of(const std::string& team, const std::string& member) const;
  // The same as a function, for many questions about one team.
  std::function<Life(const std::string& member)> lives(const std::string& team) const;

  // Throws conflict if the name is taken, also in another case, and usage if it is not allowed. Calls `before_visible`
  // with the complete folder just before the folder gets its name.
  void create(const Team& team, const std::function<void(const Folder& folder)>& before_visible = nullptr) const;
  // Lets `edit` change the configuration; returns the new one.
  Team change(const std::string& name, const std::function<void(Team&)>& edit) const;
  // Throws conflict while a member lives.
  void remove(const std::string& name) const;

 private:
  void sweep_if_free() const;

  const Root& root_;
  double lock_timeout_;
};

// By the lock that the process of a member holds for its whole life.
Life life_of(const Folder& team_folder, const std::string& member);
std::function<Life(const std::string& member)> lives_in(std::shared_ptr<const Folder> folder);

// The leftovers of deleted teams in the folder of the teams: a team-delete was killed while it removed them. A caller
// that removes them holds the lock of the teams.
std::vector<std::string> deleted_teams(const Folder& teams);
void remove_deleted_team(const Folder& teams, const std::string& name);

}  // namespace team
