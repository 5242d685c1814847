// A conversation with a model, in a form that does not depend on a provider.
//
// A conversation is a list of turns. Turns of the user and of the model alternate, and each turn is a list of parts.
// Every tool call in a turn of the model has a tool result in the next turn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/record/usage.h"

namespace team {

struct Part {
  // Reasoning is opaque: the service that gave it gets it back verbatim, and nobody else gets it.
  enum class Kind { text, tool_call, tool_result, reasoning };
  Kind kind = Kind::text;
  std::string text;       // of a text, or the content of a result
  std::string id;         // of a call and of its result; of reasoning: the model that gave it
  std::string name;       // of the tool; of reasoning: the wire format
  std::string arguments;  // of a call: JSON as the model wrote it, which may be malformed; of reasoning: its JSON
  bool is_error = false;  // of a result
};

struct Turn {
  enum class Role { user, model };
  Role role = Role::user;
  std::vector<Part> parts;
};

// Converts a turn to one JSON object, and back; throws corrupt. Equal turns give equal text, so the transcript and
// digests can use it.
std::string to_line(const Turn& turn);
Turn parse_turn(std::string_view line, std::string_view where);
// The same for a parsed document. Moves large texts into the turn instead of copying them.
Turn take_turn(Json&& json, std::string_view where);
// Moves a string out of a document. Frees the unused capacity of a small string. The unused capacity of a large one was
// never touched, so it costs no memory.
std::string take_text(Json& string);

}  // namespace team
