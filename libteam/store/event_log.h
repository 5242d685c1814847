// The events of a team, in order: one envelope (teamkit-files(5)) each.
//
// The numbers of the events count from 1 without gaps, whatever number of processes append. A reader needs no lock and
// sees every event that was appended before it began.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/event.h"

namespace team {

class EventLog {
 public:
  virtual ~EventLog() = default;

  // Appends all events together, or none.
  virtual Logged append(const EventOrigin& origin, const std::vector<Event>& events) const = 0;

  // Appends events of a change that others can see already. The change stands if this fails, so a failure is unknown.
  Logged record(const EventOrigin& origin, const std::vector<Event>& events) const {
    try {
      return append(origin, events);
    } catch (const Error& error) {
      if (error.code() != Code::io && error.code() != Code::again && error.code() != Code::corrupt) throw;
      fail(Code::unknown, "it is done, but not in the log: {}", error.what());
    }
  }

  // The name of the log in messages.
  virtual std::string place() const = 0;
  // The number of the last event; 0 if there is none.
  virtual std::int64_t last_sequence() const = 0;

  // Visits the envelopes after event `seq`, in order, until `visit` returns false.
  using Visit = std::function<bool(std::string_view line)>;
  virtual void each_after(std::int64_t seq, const Visit& visit) const = 0;
  // Does the same, and then visits each new envelope until `enough` returns true. It calls `enough` after new events,
  // when the pipe behind the descriptor `reader` has lost its reader, and when `waker` can be read (-1: none). Returns
  // false if it ended because the team was removed.
  virtual bool follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
                      int waker = -1) const = 0;
  // Visits the envelopes from the last one back, until `visit` returns false.
  virtual void each_backward(const Visit& visit) const = 0;
};

}  // namespace team
