// Stops teammates with a handshake: request, response with the same id, exit. If that fails and the caller insists,
// kills their processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/store/team_session.h"

namespace team {

struct Stopped {
  enum class Kind {
    agreed,       // and has ended
    not_running,  // nothing to do
    refused,      // still runs; `reason` says why
    silent,       // did not answer or end in time; it may still do so
    killed,
  };
  std::string name;
  Kind kind = Kind::agreed;
  std::string reason;
};

enum class Insist { no, yes };

// Sends a request to all, and waits at most `seconds` for answers and exits. If the caller insists, it then kills the
// ones that still run, with their child processes, and gives their tasks back. The result has each name once, in the
// order of `names`. Throws permission_denied unless the caller is the lead or the user, not_found for a name that is no
// member.
//
// If `interrupt` (a descriptor, or -1) becomes readable, stops waiting, and kills nobody.
std::vector<Stopped> stop_teammates(const TeamSession& session, const std::vector<std::string>& names, double seconds,
                                    Insist insist, int interrupt = -1);

// True if it still runs.
bool runs_on(const Stopped& stopped);

std::string_view name_of(Stopped::Kind kind);
// One line about a teammate, for people.
std::string describe(const Stopped& stopped);

// The names of the running teammates, without the lead.
std::vector<std::string> running_teammates(const TeamSession& session);

}  // namespace team
