// Wakes an idle teammate: on mail, on changes of the board or the team, on signals, and at the end of a lease.
//
// Idle members elect one lookout per role, so that a new task wakes one process instead of hundreds. The lookout
// watches the whole team and board. Its deputy watches the board too, and acts if the lookout, which may be stopped,
// does not. The others watch their own mailbox and queue for the place of the deputy.
//
// A teammate watches only while it waits: the folders of a busy team change all the time, and every watch makes each
// change more expensive. After watch() or doze() it must look once more; from then on it misses nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/life/teammate_options.h"
#include "libteam/base/clock.h"
#include "libteam/store/files/presence.h"
#include "libteam/store/team_session.h"
#include "libteam/system/process.h"
#include "libteam/system/queued_lock.h"
#include "libteam/system/watch.h"

namespace team {

class Wakeups {
 public:
  // All outlive this.
  Wakeups(TeamSession& session, const TeammateOptions& options, Driver& driver, const Signals& signals);

  // Call it first, once the member has its alive lock. `presence` outlives this.
  void begin(const Presence& presence);

  bool is_watching() const { return watch_.has_value(); }
  // Watches the team and the board, unless it already does.
  void watch_all();
  // Watches as an idle member: as the lookout, as its deputy, or only its own mail.
  void doze();
  // Stops watching, and lets others be the lookout.
  void stop();
  // False if the folder of the team was removed, or replaced by another.
  bool is_team_in_place() const { return presence_->folder().is_in_place(); }
  // The team has a new folder: stops watching the old one and releases its locks.
  void leave_folder();

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

  // This file changes with each new message to this member; for CallInterrupter.
  std::string inbox_file() const;
  // True if a waiting message must interrupt a running call of a model. May be called from another thread.
  bool has_urgent_mail() const;

 private:
  void watch();
  void queue();
  void watch_descriptors();
  void watch_leases();
  void wake_owners() const;
  void put_watch_away();
  Watch take_watch();
  bool concerns_me(const Changes& changes);
  bool ends_doze(const Changes& changes);
  bool is_being_removed(const Changes& changes) const;
  void await_removal();

  TeamSession& session_;
  const TeammateOptions& options_;
  Driver& driver_;
  const Signals& signals_;
  const Presence* presence_ = nullptr;
  std::optional<Mailbox> door_;  // for has_urgent_mail(), from another thread
  std::optional<Watch> watch_;
  std::optional<Watch> put_away_;  // reused by the next watch
  std::optional<QueuedLock> lookout_, deputy_;
  bool dozes_ = false;  // watches only its own mail; another member is the lookout
  bool is_deputy_ = false;
  bool is_alerted_ = false;  // as deputy: looks at the board soon
  std::int64_t board_seen_ = 0;
  Deadline look_again_ = Deadline::never();
  std::optional<Deadline> doubt_;
};

}  // namespace team
