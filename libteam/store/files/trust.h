// The teams that this user lets run programs: marks outside every store, as git's safe.directory.
//
// A store can come with a checkout or an archive. Its hooks, role commands, prompts, addresses and start arguments are
// then somebody else's. A team runs nothing until this user has made or accepted it. The mark of a team names the root,
// the team, and the inode and birth time of the team's folder. So a copy, a moved project or a new folder needs a new
// mark. The device is not part of it, because some file systems get another number at every boot.
//
// `${XDG_STATE_HOME:-$HOME/.local/state}/teamkit/trusted` has one line per team: inode, birth time in nanoseconds, team
// and root, separated by tabs. It is replaced whole under `trusted.lock` beside it, which is the last lock in the order
// of locks. Readers take no lock. The file keeps at most 1,000 marks; marks of teams that are gone, then the oldest,
// are dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/team.h"
#include "libteam/store/files/root.h"
#include "libteam/store/files/roster.h"
#include "libteam/system/file.h"

namespace team {

struct TrustMark {
  std::string root;  // without links
  std::string team;
  std::uint64_t inode = 0;
  std::int64_t born = 0;  // nanoseconds; 0 where the file system does not tell
};

// The reason why the team is not trusted, with the way out, in one line; none if it is trusted. TEAM_TRUST=1 in the
// environment trusts every team.
std::optional<std::string> find_distrust(const Root& root, const std::string& team, const Folder& folder);
// Throws permission_denied if the team is not trusted. `what` is what does not run, for the message.
void require_trust(const Root& root, const std::string& team, const Folder& folder, std::string_view what);

// Thrown if this user has no folder for marks: HOME is not set, not there, read-only or another user's.
class NoPlaceForMarks : public Error {
 public:
  using Error::Error;
};

// Puts the mark of a team, whose folder may not have its name yet. Throws NoPlaceForMarks, io, or again if the lock is
// not free in time.
void trust_team(const Root& root, const std::string& team, const Folder& folder, double lock_timeout);
// Creates a team with its mark, so that nobody sees it without. If this user has no place for marks, the team has none
// and `unmarked` is called. Throws as Roster::create() does.
void create_trusted(const Root& root, const Roster& roster, const Team& team, double lock_timeout,
                    const std::function<void(const NoPlaceForMarks&)>& unmarked);
// Removes the mark of a team. False if there was none.
bool forget_team(const Root& root, const std::string& team, double lock_timeout);
// Removes the marks of all teams that are gone or were made anew; gives them.
std::vector<TrustMark> prune_marks(double lock_timeout);

// All marks, oldest first.
std::vector<TrustMark> trust_marks();
// Whether the marked team is there (current), another folder has its place (replaced), or none has (gone).
enum class MarkState { current, replaced, gone };
MarkState state_of(const TrustMark& mark);
std::string_view name_of(MarkState state);

}  // namespace team
