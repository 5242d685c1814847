// How an event looks.
#pragma once

#include <string>
#include <thread>

#include "libteam/cli/console.h"
#include "libteam/cli/context.h"
#include "libteam/record/event.h"
#include "libteam/store/event_log.h"
#include "libteam/system/bell.h"

namespace team {

// With --json the envelope as it is; else seq, time, agent, type and what it was about.
void print_event(Context& context, const Envelope& envelope);

// Prints the envelopes of a team's events as they come, on a thread of its own. A reader that goes away is no error.
class EventPrinter {
 public:
  // From now on. `console` outlives this.
  EventPrinter(Folder folder, double lock_timeout, const Console& console);
  EventPrinter(const EventPrinter&) = delete;
  EventPrinter& operator=(const EventPrinter&) = delete;
  // When all that has happened is printed.
  ~EventPrinter();

 private:
  void print();

  Folder folder_;
  EventLog log_;
  const Console& console_;
  std::int64_t last_;
  Bell end_;
  std::thread thread_;
};

}  // namespace team
