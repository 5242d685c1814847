// Notes on a request, with which two requests can be compared and their difference described.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libteam/agent/model/provider.h"

namespace team {

struct RequestNotes {
  struct OfTurn {
    std::string digest;
    std::string says;  // the beginning of the turn
    std::size_t bytes = 0;
  };
  std::string digest;
  std::string system;   // the whole text
  std::string present;  // the same
  std::string tools;    // a digest
  std::vector<OfTurn> turns;
};
RequestNotes notes_on(const ModelRequest& request);
// Describes in one line how `now` differs from the recorded request.
std::string difference(const RequestNotes& recorded, const RequestNotes& now);

}  // namespace team
