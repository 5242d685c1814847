// Ending teammates: the handshake (request, response with the same id, exit), and where that fails and the caller
// insists, the end of their processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libteam/store/team_session.h"

namespace team {

struct Stopped {
  enum class Kind {
    agreed,       // and has ended
    not_running,  // nothing was to be done
    refused,      // and runs on; `reason` says why
    silent,       // has not answered, or not ended, in time; it may still do so
    killed,
  };
  std::string name;
  Kind kind = Kind::agreed;
  std::string reason;
};

enum class Insist { no, yes };

// Asks all of them, waits for their answers and their ends, at most `seconds`; then, if the caller insists, kills those
// that still run, with all that they have started, and puts back what they held. In the order of `names`, each once.
std::vector<Stopped> stop_teammates(const TeamSession& session, const std::vector<std::string>& names, double seconds,
                                    Insist insist);

// Whether it has not ended.
bool runs_on(const Stopped& stopped);

std::string_view name_of(Stopped::Kind kind);
// One line about each, for people.
std::string describe(const Stopped& stopped);

// The names of those who run, without the lead.
std::vector<std::string> running_teammates(const TeamSession& session);

}  // namespace team
