// Wakes an idle teammate: on mail, on changes of the board or the team, on signals, and at the end of a lease.
//
// Idle members elect one lookout per role, so that a new task wakes one process instead of hundreds. The lookout
// watches the whole team and board. Its deputy watches the board too, and acts if the lookout, which may be stopped,
// does not. The others watch their own mailbox and queue for the place of the deputy.
//
// A teammate watches only while it waits: a busy team changes all the time, and every watch makes each change more
// expensive. After watch() or doze() it must look once more; from then on it misses nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/teammate_options.h"
#include "libteam/base/clock.h"
#include "libteam/store/life.h"
#include "libteam/store/presence.h"
#include "libteam/store/team_session.h"
#include "libteam/store/watcher.h"
#include "libteam/system/signals.h"

namespace team {

class Wakeups {
 public:
  // All outlive this.
  Wakeups(TeamSession& session, const TeammateOptions& options, Driver& driver, const Signals& signals);

  // Call it first, once the member has its alive lock. `presence` outlives this.
  void begin(const Presence& presence);

  bool is_watching() const { return is_watching_; }
  // Watches the team and the board, unless it already does.
  void watch_all();
  // Watches as an idle member: as the lookout, as its deputy, or only its own mail.
  void doze();
  // Watches as a member that pauses: its mail, the configuration and the ledger of quotas; and wakes at this time.
  void pause_until(const std::optional<double>& until);
  bool is_pausing() const { return is_watching_ && pauses_; }
  // Stops watching, and lets others be the lookout.
  void stop();
  // The team was removed and made again: stops watching the old one and leaves its queues.
  void leave_team();

  // The next sleep ends at the latest after so many seconds.
  void look_in(double seconds) { look_again_ = Deadline::in(seconds); }
  void look_at_latest_in(double seconds) { look_again_ = look_again_.or_in(seconds); }

  // Tasks that are missing may have been removed only for a moment.
  void doubt_board();
  // True while missing tasks may come back; the next sleep ends when that is over.
  bool is_board_in_doubt();

  // Before sleep(), if there is a board. The lookout wakes members that doze and own ready tasks. A member that claims
  // tasks wakes when a lease ends.
  void prepare_to_sleep();
  // Sleeps until something may concern this member, or until `end`: then it returns false.
  bool sleep(const Deadline& end);
  // The same for a member that watches all and waits for the answer to a request.
  void sleep_until_news();
  // Sleeps until the deadline or any change. True if the configuration of the team was written.
  bool sleep_until_configured(const Deadline& deadline);
  // Sleeps until the deadline or a signal.
  void sleep_until_signal(const Deadline& deadline) const;

  // For a thread that watches the mail during the work. The check returns true if a pending message must interrupt a
  // running call of a model.
  std::unique_ptr<Watcher> watch_mail() const;
  std::function<bool()> urgent_mail_check() const;

 private:
  void begin_watch();
  void watch_everything();
  void queue();
  void watch_descriptors();
  void watch_leases();
  void wake_owners() const;
  void put_watch_away();
  bool concerns_me(const TeamChanges& changes);
  bool ends_doze(const TeamChanges& changes);

  TeamSession& session_;
  const TeammateOptions& options_;
  Driver& driver_;
  const Signals& signals_;
  const Presence* presence_ = nullptr;
  std::unique_ptr<Watcher> watcher_;  // reused by the next watch
  bool is_watching_ = false;
  std::unique_ptr<Duty> lookout_, deputy_;
  std::optional<std::string> duty_role_;  // of both
  bool dozes_ = false;                    // watches only its own mail; another member is the lookout
  bool pauses_ = false;
  bool is_deputy_ = false;
  bool is_alerted_ = false;  // as deputy: looks at the board soon
  std::int64_t board_seen_ = 0;
  Deadline look_again_ = Deadline::never();
  std::optional<Deadline> doubt_;
};

}  // namespace team
