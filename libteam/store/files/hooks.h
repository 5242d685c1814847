// Hooks as executables in `.teams/<team>/hooks/`, as git has them.
//
// A hook that does not end in time is killed, with all that it started. Commands that a hook runs run no hooks. A file
// that is not executable counts as missing. A hook that others could have written, or whose team this user has not
// trusted, never runs (permission_denied): the descriptor that is checked is the one that is executed. Without the
// folder each question is one system call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/team.h"
#include "libteam/store/files/root.h"
#include "libteam/store/hooks.h"
#include "libteam/system/file.h"

namespace team {

class FileHooks : public Hooks {
 public:
  // In the folder of a team; both folders must outlive this. `seconds` is the time limit of one hook; 0: none.
  FileHooks(const Folder& folder, const Root& root, std::string team, double seconds);

  bool any() const override;
  bool has(const std::string& name) const override;
  std::optional<std::string> refusal(const std::string& name, const EventOrigin& origin,
                                     const Event& event) const override;
  void tell(const EventOrigin& origin, const std::vector<Event>& events, const Logged& logged) const override;

 private:
  struct Found {
    Fd file;
    std::string path;  // the whole path, for people
  };
  std::optional<Found> find(const std::string& name) const;
  void check_folders(const Folder& hooks) const;
  std::optional<std::string> run(const Found& hook, const std::string& name, const EventOrigin& origin,
                                 const std::string& envelope) const;
  void note_failure(const std::string& name, const std::string& reason) const;

  const Folder& folder_;
  const Root& root_;
  std::string team_;
  double seconds_;
};

// The time limit that a team has set; the default where its setting is broken, of which team-fsck tells.
double hook_seconds(const Team& team);

}  // namespace team
