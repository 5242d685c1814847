// Waiting for changes of a board and its team, told in terms of the team: tasks, lives, mail, events.
//
// A watcher reports every change that happens after its topic was added, so a caller that adds its topics, looks, and
// then waits misses nothing. It may also report a topic that did not change. Where a store cannot report changes,
// wait() returns `everything` from time to time, and the caller looks for itself.
//
// A board and its team may be removed and made again while somebody watches them. The watcher then reports
// `everything`; the caller opens them anew (Board::reopen) and calls begin().
//
// Only the thread that waits uses a watcher.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/record/task.h"

namespace team {

class Board;
class LifeEngine;

struct TeamChanges {
  bool any = false;         // false: the deadline passed
  bool everything = false;  // anything may have changed; the topics below do not tell
  bool untold = false;      // nothing was reported: it is only time to look
  bool woken = false;       // by wake_on() or wake_at()
  bool removed = false;     // something is gone that only goes with a deleted task or with the whole store

  bool team = false;    // the configuration
  bool events = false;  // the event log
  std::vector<TaskId> tasks = {};
  // Names of members:
  std::vector<std::string> lives = {};    // a process began or ends; its life may last for another moment
  std::vector<std::string> states = {};   // the state was written
  std::vector<std::string> inboxes = {};  // new messages came, or some were taken
  std::vector<std::string> mail = {};     // the number of unread messages may be another one
  std::vector<std::string> outputs = {};  // the output of a detached process grew

  bool has_topics() const {
    return team || events || !tasks.empty() || !lives.empty() || !states.empty() || !mail.empty() || !outputs.empty();
  }
};

class Watcher {
 public:
  virtual ~Watcher() = default;

  // Forgets all topics, descriptors and times. The topics that follow are those of this board and of its team, as
  // `board` has them open now.
  virtual void begin(const Board& board) = 0;
  // The same with the team that `lives` belongs to: a member may have moved to a new team before its board is back.
  virtual void begin(const Board& board, const LifeEngine& lives) = 0;
  // The same without new topics: watching nothing costs nothing. To keep a watcher for later is cheaper than to make
  // another one.
  virtual void clear() = 0;

  // The topics. Each may be added while another one is watched.
  virtual void watch_tasks() = 0;
  // Everything of the team. Makes each change in the team a little more expensive.
  virtual void watch_team() = 0;
  virtual void watch_configuration() = 0;
  // The end of a life that runs now.
  virtual void watch_life(const std::string& member) = 0;
  // New messages to one member. The caller may look into the mailbox meanwhile.
  virtual void watch_inbox(const std::string& member) = 0;
  // The same at the least expense, for one of hundreds of idle members: nothing else in the team wakes it but
  // Mailbox::nudge(), as `everything`. The caller does not look into the mailbox meanwhile.
  virtual void watch_own_inbox(const std::string& member) = 0;

  // Also wakes when something can be read from `fd`; several can be named.
  virtual void wake_on(int fd) = 0;
  // Also wakes at this moment of the boot clock (nanoseconds), such as the end of a lease; 0: never. There is one.
  virtual void wake_at(std::int64_t boot_ns) = 0;
  // Where the store cannot report changes: wait() returns at the latest after so many seconds (2 if nobody says).
  virtual void look_every(double seconds) = 0;

  // True if the store reports changes to this watcher; false: it tells `everything` from time to time.
  virtual bool is_told() const = 0;

  // Blocks until a topic changed, something else woke it, or the deadline passed.
  virtual TeamChanges wait(const Deadline& deadline) = 0;
  // After `removed`: blocks until nothing was removed for a moment, at most some seconds. Somebody may be removing the
  // whole store, and must not find that it is written to meanwhile.
  virtual void await_removal() = 0;
};

}  // namespace team
