// Something that happened, as one line of the event log.
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

// Up to here every reader of JSON keeps whole numbers apart. A line with a larger one is somebody else's.
inline constexpr std::int64_t kLargestSequence = std::int64_t{1} << 53;

struct Event {
  std::string type;     // TASK_CLAIMED, MESSAGE_SENT, …
  std::string details;  // its other keys, as a JSON object
};

// Who it happened to or who did it.
struct EventOrigin {
  std::string team;
  std::string agent;
  std::optional<std::string> role;
  std::optional<std::string> run;
};

// Where in the log events stand: the number of the first, and when they were written.
struct Logged {
  std::int64_t first = 0;
  double timestamp = 0;
};

// The envelope of teamkit-files(5), without the newline. Without a number it has not happened yet.
std::string to_envelope(std::optional<std::int64_t> seq, double timestamp, const EventOrigin& origin,
                        const Event& event);

// What a reader needs of a line; throws corrupt.
struct Envelope {
  std::int64_t seq = 0;
  double timestamp = 0;
  std::string agent;
  std::string type;
  std::string details;  // the event object without its type
  std::string line;     // as it stands
};
Envelope parse_envelope(std::string_view line, std::string_view where);
// None for a line that is no envelope: somebody has edited the log.
std::optional<Envelope> find_envelope(std::string_view line);

// The sequence number at the start of an envelope, without parsing the rest; none if it is no envelope.
std::optional<std::int64_t> sequence_of(std::string_view line);

Event task_event(std::string type, const Task& task);
// What a change did: from and to for each field that differs.
Event task_change_event(const Task& before, const Task& after);
Event message_event(std::string type, const Message& message);
// The same with all there is to know, for those who may refuse what is about to happen: the task (whose id is null
// until it has one), or the text of a message and the task that it is about.
Event with_task(Event event, const Task& task);
Event with_text(Event event, const std::string& text, std::optional<TaskId> task);
// Any other: names and texts.
Event make_event(std::string type, const std::vector<std::pair<std::string, std::string>>& details);

// What an event was about, in one line for people: the task, the message, the rest as key=value.
std::string describe(const Envelope& envelope);

// One text of an event's details; empty if it has none.
std::string detail(const Envelope& envelope, const char* key);

}  // namespace team
