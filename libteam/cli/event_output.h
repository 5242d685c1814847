// Prints events.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "libteam/cli/console.h"
#include "libteam/cli/context.h"
#include "libteam/cli/progress.h"
#include "libteam/record/event.h"
#include "libteam/store/team_engine.h"
#include "libteam/system/event_fd.h"

namespace team {

// With --json the stored envelope; otherwise seq, time, agent, type and subject.
void print_event(Context& context, const Envelope& envelope);

// The progress line of an event for a waiting person; none for most events.
std::optional<std::string> news_of(const Envelope& envelope);

// Prints the events of a team for the user of a command that runs it. EventFollower calls print() on its thread.
class EventPrinter {
 public:
  // As JSON objects on stdout, or as news beside the progress line, without those of the member `self`. Both references
  // outlive this.
  enum class Form { json, news };
  EventPrinter(Form form, std::string self, const Console& console, Progress& progress);

  // False if the reader of the objects went away.
  bool print(std::string_view line);
  // Throws unknown if an object could not be written. A reader that went away is no error.
  void check() const;

 private:
  Form form_;
  std::string self_;
  const Console& console_;
  Progress& progress_;
  int error_number_ = 0;
};

// Follows the events of a team on a thread of its own.
class EventFollower {
 public:
  // Starts with the next event and ends when `visit` returns false. `open` opens the team. The thread calls it again
  // when the team was removed.
  using Open = std::function<std::shared_ptr<const TeamEngine>()>;
  EventFollower(Open open, EventLog::Visit visit);
  EventFollower(const EventFollower&) = delete;
  EventFollower& operator=(const EventFollower&) = delete;
  // Returns when all events so far were visited.
  ~EventFollower();

 private:
  void follow();
  void reopen();

  Open open_;
  std::shared_ptr<const TeamEngine> team_;
  EventLog::Visit visit_;
  std::int64_t last_;
  EventFd end_;
  std::thread thread_;
};

}  // namespace team
