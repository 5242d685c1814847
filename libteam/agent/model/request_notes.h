// Notes on a request, with which two requests can be compared and their difference described.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/model/provider.h"

namespace team {

struct RequestNotes {
  struct OfTurn {
    std::string digest;
    std::string says;   // the beginning of the turn
    std::string shape;  // the calls and results in it, without their texts
    std::size_t bytes = 0;
  };
  std::string digest;
  std::string system;   // the whole text, with "." for the current folder
  std::string present;  // the same
  std::string tools;    // a digest
  std::vector<OfTurn> turns;
};
RequestNotes notes_on(const ModelRequest& request);
// Describes in one line how the calls and results of `now`, or the first lines of the conversation, differ from the
// recorded ones; none if they do not. Other texts may differ: results contain times and ids, and the state of a team
// depends on the moment.
std::optional<std::string> difference_in_shape(const RequestNotes& recorded, const RequestNotes& now);
// Describes in one line how `now` differs from the recorded request.
std::string difference(const RequestNotes& recorded, const RequestNotes& now);

}  // namespace team
