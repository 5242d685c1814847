// A message between members, as a value and as one line of an inbox.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/record/task.h"

namespace team {

struct Message {
  std::string id;  // sorts by time; empty in a line that another program appended
  std::string type = "message";
  std::string sender;
  std::string recipient;
  std::string content;  // only the beginning if body_size is set
  std::string summary;
  double timestamp = 0;
  std::optional<std::string> request_id;
  std::optional<std::string> reply_to;
  std::optional<bool> approve;
  std::optional<std::string> feedback;
  std::optional<TaskId> task;  // that a plan is for
  bool interrupt = false;      // stops a running call of the recipient
  bool automatic = false;      // the words of a program or model that was not asked to send them; see RFC 3834
  std::int64_t body_size = 0;  // if not 0, the content is in a file of its own, named after the id
  std::string extra = "{}";    // unknown keys, as a JSON object
};

// True for a type that a member may send. Only `system` sends the other types.
bool is_sendable(std::string_view type);
bool is_message_type(std::string_view type);
// True for a type whose messages need no content.
bool may_be_empty(std::string_view type);

// The first line, cut to 80 characters.
std::string summarize(std::string_view content);

// Throws corrupt. `recipient` is the owner of the inbox.
Message parse_message(std::string_view line, std::string_view recipient, std::string_view where);
std::string to_line(const Message& message);

// The parts of the line before and after the content, for a content that is too large for memory.
struct SplitLine {
  std::string before, after;
};
SplitLine to_split_line(const Message& message);
// Escapes a piece of text for a JSON string.
std::string escape_json(std::string_view piece);

// A line of NAME_rejected.jsonl, with its newline.
std::string rejection_line(std::string_view line, std::string_view reason, double timestamp);

struct MessageFilter {
  std::optional<std::string> from, type, reply_to, id;
  bool any() const { return from || type || reply_to || id; }
  bool fits(const Message& message) const;
};

}  // namespace team
