// Saves a whole team to an archive, and loads it.
//
//   teamkit.json     the format, the team, its board, the time and the version of teamkit
//   board/N.json     the unchanged tasks, also broken ones, and `.highwatermark`
//   team/...         the folder of the team: configuration, mail, requests, transcripts, events, hooks
//
// An archive has no locks, caches or temporary files. It has an empty `NAME.alive` for each member that ever ran, so
// the member counts as dead in the loaded team.
//
// A snapshot shows one moment. It is taken under the locks of the team, its board and all inboxes. It goes into a file
// without a name first, so that no lock is held while the archive is written to a pipe. A team is loaded whole or not
// at all. It is unpacked in a temporary folder. Then its tasks take their place as a batch, and the team takes its
// place by one rename. If the process dies between these two steps, it leaves a board without a team. Another load of
// the same archive finds its own tasks there and continues.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/team.h"
#include "libteam/store/files/root.h"

namespace team {

// Called for each entry that cannot be part of an archive, such as a link or a socket.
using LeftOut = std::function<void(const std::string& what)>;

// Saves into a file, which is replaced whole (0600), or into a fifo or device. Throws not_found if the team, its board
// or the folder of the file is missing, again if it timed out waiting for a lock.
void save_team(const Root& root, const Team& team, const std::string& file, double lock_timeout,
               const LeftOut& left_out);
// The same in pieces, until `give` returns false.
void stream_team(const Root& root, const Team& team, double lock_timeout, const LeftOut& left_out,
                 const std::function<bool(std::string_view piece)>& give);

// Values that replace those of the archive.
struct LoadChoice {
  std::optional<std::string> name, board;
};

// Loads a team from a file, or from stdin if `file` is "-"; returns its name. Throws corrupt if the file is not an
// archive of a team, conflict if there is such a team or the board has other tasks; not_found, usage, again.
std::string load_team(const Root& root, const std::string& file, const LoadChoice& choice, double lock_timeout);

}  // namespace team
