// What the user has to say about changes: executables in `.teams/<team>/hooks/`, as git has them.
//
// `hooks/<name>` is run before a change is made, with the event on stdin, and refuses it by an exit status that is not
// 0; `hooks/post-<name>` is run after it and cannot. Nobody who runs one holds a lock, so the world may change
// meanwhile: what a hook agreed to is checked again when it is done. One that is not over in time is ended, with all
// that it started. Commands that a hook runs run no hooks. One that is not executable counts as not there. A hook that
// others could have written, or whose team this user has not trusted, is never run (permission_denied). The descriptor
// that is checked is the one that is executed. Without the folder each question is one system call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/event.h"
#include "libteam/record/team.h"
#include "libteam/store/files/event_log.h"
#include "libteam/store/files/root.h"
#include "libteam/system/file.h"

namespace team {

class Hooks {
 public:
  // In the folder of a team; both folders must outlive this. `seconds` is the time limit of one hook; 0: none.
  Hooks(const Folder& folder, const Root& root, std::string team, double seconds);

  // False if no hook is to be run: there is no folder of them, or one is running us.
  bool any() const;
  // Whether there is one of this name. Throws permission_denied if it is not to be trusted.
  bool has(const std::string& name) const;

  // What hooks/<name> has against an event that has not happened yet, in one line; none if it agrees or is not there.
  std::optional<std::string> refusal(const std::string& name, const EventOrigin& origin, const Event& event) const;
  // The same, thrown as permission_denied.
  void ask(const std::string& name, const EventOrigin& origin, const Event& event) const;

  // Runs hooks/post-<name> for each of these, which have happened and stand in the log. Throws nothing: one that fails
  // is written down there as HOOK_FAILED, about which no hook is told.
  void tell(const EventOrigin& origin, const std::vector<Event>& events, const Logged& logged) const;

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
