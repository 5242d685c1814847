// An event: one change, recorded as one line of the event log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/record/message.h"
#include "libteam/record/task.h"

namespace team {

// The largest integer that every JSON reader represents exactly. teamkit writes no larger sequence number.
inline constexpr std::int64_t kLargestSequence = std::int64_t{1} << 53;

struct Event {
  std::string type;     // TASK_CLAIMED, MESSAGE_SENT, …
  std::string details;  // the other keys, as a JSON object
};

// The member that an event belongs to.
struct EventOrigin {
  std::string team;
  std::string agent;
  std::optional<std::string> role;
  std::optional<std::string> run;
};

// The position of appended events in the log: the number of the first event, and the time of the append.
struct Logged {
  std::int64_t first = 0;
  double timestamp = 0;
};

// The envelope of teamkit-files(5), without the newline. An event without a number is only proposed, for a hook.
std::string to_envelope(std::optional<std::int64_t> seq, double timestamp, const EventOrigin& origin,
                        const Event& event);

// A parsed line of the log.
struct Envelope {
  std::int64_t seq = 0;
  double timestamp = 0;
  std::string agent;
  std::string type;
  std::string details;  // the event object without its type
  std::string line;     // the unchanged line
  std::optional<std::string> role, run;
};
// Throws corrupt.
Envelope parse_envelope(std::string_view line, std::string_view where);
// None if the line is not an envelope, because somebody edited the log.
std::optional<Envelope> find_envelope(std::string_view line);

// The sequence number at the start of an envelope, without parsing the rest; none if the line is not an envelope.
std::optional<std::int64_t> sequence_of(std::string_view line);

Event task_event(std::string type, const Task& task);
// The event of a change, with the old and the new value of each changed field.
Event task_change_event(const Task& before, const Task& after);
Event message_event(std::string type, const Message& message);
// The same event with all details, for a hook that may refuse the change. with_task() adds the whole task; its id is
// null before its creation. with_text() adds the text of a message and its task.
Event with_task(Event event, const Task& task);
Event with_text(Event event, const std::string& text, std::optional<TaskId> task);
// Any other event, with text values.
Event make_event(std::string type, const std::vector<std::pair<std::string, std::string>>& details);

// Describes an event in one line for people: its task, its message, or its details as key=value.
std::string describe(const Envelope& envelope);

// The string value of a detail; empty if there is none.
std::string detail(const Envelope& envelope, const char* key);

}  // namespace team
