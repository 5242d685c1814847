// The state that all parts of a teammate share: its member state, its end, and its retries.
//
// The state file says what the member does. A failure to write it does not stop the work. An operation that must not be
// lost is retried until the system accepts it (persist).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/step_order.h"
#include "libteam/agent/life/teammate_options.h"
#include "libteam/agent/life/wakeups.h"
#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/store/presence.h"
#include "libteam/store/team_session.h"
#include "libteam/system/signals.h"

namespace team {

class MemberLife {
 public:
  struct Ending {
    std::string reason;
    int status = 0;
    State state = State::shutdown;
    bool resumable = false;
  };

  // `session`, `driver`, `signals` and `audience` outlive this. The constructor changes nothing.
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
  // The tree that it works in; null without one.
  const MemberTree* tree() const { return options_.tree; }
  // Readable when a signal has arrived, for calls that wait for something else.
  int signal_fd() const { return signals_.fd(); }
  StepOrder& order() const { return options_.order != nullptr ? *options_.order : free_order(); }
  // After take_name().
  Presence& presence() { return *presence_; }
  State state() const { return presence_->now().state; }

  // Takes the alive lock of the member. Throws conflict if a teammate of that name is running.
  void take_name();
  // Writes the state and tells all observers.
  void become(State state, const std::string& reason, std::optional<TaskId> task = std::nullopt);
  void note(const std::string& line) const { audience_.note(line); }
  // Adds events to the log; a failure is only noted.
  void record(const std::vector<Event>& events) const;

  bool has_ended() const { return ending_.has_value(); }
  // Valid after the end was decided.
  const Ending& ending() const { return *ending_; }
  void end(Ending ending) { ending_ = std::move(ending); }
  // Ends this run because of the outcome. It can be started again.
  void end_with(const Outcome& outcome, State state);
  // Ends this run if a signal has arrived; then returns true.
  bool end_on_signal();

  // Reads the current team. If its folder was removed, waits for it to come back; throws not_found after that.
  void refresh();
  // Waits at most a minute for a removed board to come back.
  void await_board();
  // Repeats the call until the system accepts it or this run ends. Throws errors that a retry cannot solve.
  void persist(const std::function<void()>& call);
  // Pauses before a failed call is repeated. The pause grows until reset_pause().
  void wait_after(const Error& error);
  void reset_pause() { pause_ = 1; }

  // The time at which idling ends this run. It counts from the first call after restart_idle_time().
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
