// How an event looks.
#pragma once

#include <optional>
#include <string>
#include <thread>

#include "libteam/cli/context.h"
#include "libteam/record/event.h"
#include "libteam/store/event_log.h"
#include "libteam/system/bell.h"

namespace team {

// With --json the envelope as it is; else seq, time, agent, type and what it was about.
void print_event(Context& context, const Envelope& envelope);

// What somebody who waits wants to hear of an event; none for most of them.
std::optional<std::string> news_of(const Envelope& envelope);

// Visits the events of a team as they come, on a thread of its own.
class EventFollower {
 public:
  // From now on, until `visit` gives false.
  EventFollower(Folder folder, double lock_timeout, EventLog::Visit visit);
  EventFollower(const EventFollower&) = delete;
  EventFollower& operator=(const EventFollower&) = delete;
  // When all that has happened was visited.
  ~EventFollower();

 private:
  void follow();

  Folder folder_;
  EventLog log_;
  EventLog::Visit visit_;
  std::int64_t last_;
  Bell end_;
  std::thread thread_;
};

}  // namespace team
