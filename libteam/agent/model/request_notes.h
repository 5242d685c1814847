// Notes on a request: enough to tell whether another request is the same, and where it differs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libteam/agent/model/provider.h"

namespace team {

struct RequestNotes {
  struct OfTurn {
    std::string digest;
    std::string says;  // the beginning
    std::size_t bytes = 0;
  };
  std::string digest;
  std::string system;  // as it is
  std::string tools;   // their digest
  std::vector<OfTurn> turns;
};
RequestNotes notes_on(const ModelRequest& request);
// Describes in one line how `now` differs from the recorded request.
std::string difference(const RequestNotes& recorded, const RequestNotes& now);

}  // namespace team
