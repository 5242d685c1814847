// Where the store is: the folder that holds `.teams/` and `.tasks/`, found as git finds `.git`.
//
// Code above store/ builds no paths. Paths for people come from here as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/system/file.h"

namespace team {

struct RootChoice {
  std::optional<std::string> directory;    // -C
  std::optional<std::string> environment;  // TEAM_ROOT
  bool allows_network = false;             // --allow-netfs
};

class Root {
 public:
  // The folder that -C or TEAM_ROOT name, else the nearest upward with a store, else the one of the main worktree.
  // Throws not_found.
  static Root find(const RootChoice& choice);
  // The same, but where there is none yet: the folder that was named, or the current one.
  static Root find_or_here(const RootChoice& choice);

  const std::string& path() const { return path_; }
  // By which rule it was found, for people.
  const std::string& rule() const { return rule_; }
  // Other stores that lie on the way and are not used.
  std::vector<std::string> strays() const;
  const Folder& folder() const { return folder_; }

  // A folder of the store. Refuses (permission_denied) one that leads out of the root, belongs to another user, is
  // writable for others or is reached by a link of another user.
  std::optional<Folder> find_store(const std::string& path) const;
  // The same, made where it is missing. Refuses (permission_denied) the first folder of a store on a network file
  // system, unless the choice allows it.
  Folder make_store(const std::string& path, Durability durability) const;

 private:
  Root(Folder folder, std::string path, std::string rule);
  void refuse_network(const std::string& path) const;
  static std::optional<Root> look(const RootChoice& choice);

  Folder folder_;
  std::string path_;
  std::string rule_;
  bool allows_network_ = false;
};

}  // namespace team
