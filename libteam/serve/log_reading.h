// Parts of the event log as JSON: messages, the events of a member, what a task brought about.
#pragma once

#include <string>

#include "libteam/record/task.h"
#include "libteam/serve/http.h"
#include "libteam/store/event_log.h"

namespace team {

// A reader of the past gives up after this many events, so that a request ends in time.
inline constexpr std::size_t kMostEventsRead = 200'000;

// The last envelopes, oldest first. Query: before, limit, member, task.
std::string event_list_json(const EventLog& log, const WebRequest& request);

// The last sent messages, oldest first. Query: before, limit, with.
std::string message_list_json(const EventLog& log, const WebRequest& request);

std::string task_output_json(const EventLog& log, const Task& task);

}  // namespace team
