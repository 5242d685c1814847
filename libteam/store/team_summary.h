// The members of a team in few words, for a model.
//
// For each member a line with its role, its state and the reason of that. For a lead also how long it is in that state,
// its last words, and its plans and questions that have no answer yet. What members wrote is on one line and in quotes
// that it cannot close. The caller escapes the text (base/markup.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/event_log.h"
#include "libteam/store/team_engine.h"

namespace team {

enum class MemberDetail { states, all };
std::string summarize_members(const TeamEngine& engine, const Team& team, MemberDetail detail);

// A message to the user with a question that the user has not answered: its sender got no message of the user since.
struct OpenQuestion {
  std::string from;
  std::string text;  // on one line; the beginning of a long message
};

// In the last `most_lines` events, the newest first. A message that ends with a question mark, or has one before a
// blank, asks something.
std::vector<OpenQuestion> open_questions(const EventLog& events, std::size_t most_lines);

// True if a text asks something.
bool asks(std::string_view text);

}  // namespace team
