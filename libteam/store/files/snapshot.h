// A whole team as one archive, and back.
//
//   teamkit.json     what this is: the format, the team, its board, when it was saved and by which version
//   board/N.json     the tasks as they are, broken ones too, and `.highwatermark`
//   team/...         all of the team's folder: configuration, mail, requests, transcripts, events, hooks
//
// Locks, caches and files on their way in stay behind. `NAME.alive` is there, empty: in the loaded team that member
// ran once and does not any more.
//
// A snapshot is of one moment: it is taken under the locks of the team, its board and all inboxes, and written into a
// file that has no name, so that no lock is held while the archive goes over a pipe. A team is loaded whole or not at
// all: it is unpacked out of sight, then its tasks take their place as a batch does, then the team by one rename. Who
// dies in between leaves a board of no team; the same load again finds its own tasks there and goes on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/record/team.h"
#include "libteam/store/files/root.h"

namespace team {

// Told of each entry that cannot be part of an archive: a link, a socket.
using LeftOut = std::function<void(const std::string& what)>;

// Into a file of the user's, which is replaced whole (0600), or into a fifo or device. Throws not_found if the team,
// its board or the folder of the file is missing, again if a lock is not had in time.
void save_team(const Root& root, const Team& team, const std::string& file, double lock_timeout,
               const LeftOut& left_out);
// The same in pieces, until `give` says that it has enough.
void stream_team(const Root& root, const Team& team, double lock_timeout, const LeftOut& left_out,
                 const std::function<bool(std::string_view piece)>& give);

// What is to be other than in the archive.
struct LoadChoice {
  std::optional<std::string> name, board;
};

// From a file of the user's, "-" for stdin; gives the name of the team. Throws corrupt for what is no archive of a
// team, conflict if there is such a team or the board has other tasks, not_found, usage, again.
std::string load_team(const Root& root, const std::string& file, const LoadChoice& choice, double lock_timeout);

}  // namespace team
