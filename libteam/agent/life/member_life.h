// The life of a member as all parts of a teammate share it: its state, its end, and patience with the system.
//
// The file of its state says what the member does. A system that refuses to write it down does not keep the member from
// working; an operation that must not be lost is repeated until the system takes it (persist).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/teammate_options.h"
#include "libteam/agent/life/wakeups.h"
#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/store/files/presence.h"
#include "libteam/store/team_session.h"
#include "libteam/system/process.h"

namespace team {

class MemberLife {
 public:
  struct Ending {
    std::string reason;
    int status = 0;
    State state = State::shutdown;
    bool resumable = false;
  };

  // `session`, `driver`, `signals` and `audience` outlive this. Nothing happens yet.
  MemberLife(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals, Audience audience);
  MemberLife(const MemberLife&) = delete;
  MemberLife& operator=(const MemberLife&) = delete;

  TeamSession& session() { return session_; }
  const TeamSession& session() const { return session_; }
  const TeammateOptions& options() const { return options_; }
  Driver& driver() { return driver_; }
  const Audience& audience() const { return audience_; }
  const Actor& self() const { return session_.self(); }
  const Team& team() const { return session_.team(); }
  Wakeups& wakeups() { return wakeups_; }
  // After take_name().
  Presence& presence() { return *presence_; }
  State state() const { return presence_->now().state; }

  // Takes the life of the member. Throws conflict if one of that name lives already.
  void take_name();
  // Writes the state and tells everybody who watches.
  void become(State state, const std::string& reason, std::optional<TaskId> task = std::nullopt);
  void note(const std::string& line) const { audience_.note(line); }
  // Adds to the event log; a failure is only noted.
  void record(const std::vector<Event>& events) const;

  bool has_ended() const { return ending_.has_value(); }
  // After the end was decided.
  const Ending& ending() const { return *ending_; }
  void end(Ending ending) { ending_ = std::move(ending); }
  // The outcome of a piece of work ends it; it can be started again.
  void end_with(const Outcome& outcome, State state);
  // Ends it if a signal has come; true then.
  bool end_on_signal();

  // Reads the team as it is now. If its folder was removed, waits for it to come back; throws not_found if it does not.
  void refresh();
  // Waits for a removed board to come back, at most a minute.
  void await_board();
  // Calls until the system does not refuse any more, or this life ends. Throws every error that would come again.
  void persist(const std::function<void()>& call);
  // Waits a while before a call that failed is repeated; longer each time until reset_pause().
  void wait_after(const Error& error);
  void reset_pause() { pause_ = 1; }

  // When idling ends this life: the time counts from the first call after restart_idle_time().
  const Deadline& idle_end();
  void restart_idle_time() { idle_end_.reset(); }

 private:
  void return_to_team();
  void pause(const Deadline& deadline);

  TeamSession& session_;
  TeammateOptions options_;
  Driver& driver_;
  const Signals& signals_;
  Audience audience_;
  std::optional<Presence> presence_;
  Wakeups wakeups_;
  std::optional<Ending> ending_;
  std::optional<Deadline> idle_end_;
  double pause_ = 1;
};

}  // namespace team
