// What was said between a model and us, in a form that no provider owns.
//
// A conversation is a list of turns, the user's and the model's alternating; each turn is a list of parts. Every tool
// call of a model's turn is answered by a tool result in the turn that follows it.
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
  enum class Kind { text, tool_call, tool_result };
  Kind kind = Kind::text;
  std::string text;       // of a text; of a result its content
  std::string id;         // of a call and of its result
  std::string name;       // of the tool
  std::string arguments;  // of a call: a JSON object, as text, as the model wrote it (it may be broken)
  bool is_error = false;  // of a result
};

struct Turn {
  enum class Role { user, model };
  Role role = Role::user;
  std::vector<Part> parts;
};

// A turn as one JSON object, and back; throws corrupt. For the transcript and for digests: the same turn, the same
// text.
std::string to_line(const Turn& turn);
Turn parse_turn(std::string_view line, std::string_view where);
// The same for a document; large texts become those of the turn without a copy.
Turn take_turn(Json&& json, std::string_view where);
// Moves a string out of a document. What a parser reserved for a small one and did not use is given back; in a large
// one that is memory which was never touched.
std::string take_text(Json& string);

}  // namespace team
