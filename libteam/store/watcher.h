// Waits for changes of a board and its team, and reports them as topics: tasks, lives, mail, events.
//
// A watcher reports every change after its topic was added. So a caller that adds its topics, looks, and then waits
// misses no change. A watcher may also report a topic that did not change. If a store cannot report changes, wait()
// returns `everything` from time to time, and the caller must look.
//
// A board and its team may be removed and made again while they are watched. The watcher then reports `everything`. The
// caller opens them again (Board::reopen) and calls begin().
//
// One thread uses a watcher.
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
  bool untold = false;      // the store cannot report changes, and it is time to look
  bool woken = false;       // by wake_on() or wake_at()
  bool removed = false;     // a task was deleted, or the store is being removed

  bool team = false;    // the configuration
  bool events = false;  // the event log
  bool quotas = false;  // the ledger of quotas
  std::vector<TaskId> tasks = {};
  // Names of members:
  std::vector<std::string> lives = {};    // a process started or ends; its life may last for another moment
  std::vector<std::string> states = {};   // the state was written
  std::vector<std::string> inboxes = {};  // new messages came, or some were taken
  std::vector<std::string> mail = {};     // the number of unread messages may be another one
  std::vector<std::string> outputs = {};  // the output of a detached process grew

  bool has_topics() const {
    return team || events || quotas || !tasks.empty() || !lives.empty() || !states.empty() || !mail.empty() ||
           !outputs.empty();
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
  // Forgets the same, and watches nothing. A watcher without topics costs nothing, and less than a new one later.
  virtual void clear() = 0;

  // The topics. Each may be added while another one is watched.
  virtual void watch_tasks() = 0;
  // All topics of the team. Each change in the team then costs its writer a little more.
  virtual void watch_team() = 0;
  virtual void watch_configuration() = 0;
  // The ledger of quotas. Its changes come as `everything` if nothing else of the team is watched.
  virtual void watch_quotas() = 0;
  // The end of a life that runs now.
  virtual void watch_life(const std::string& member) = 0;
  // New messages to one member. The caller may look into the mailbox meanwhile.
  virtual void watch_inbox(const std::string& member) = 0;
  // The same at the lowest cost, for one of hundreds of idle members. Apart from messages, only Mailbox::nudge() wakes
  // it, with `everything`. The caller must not look into the mailbox meanwhile.
  virtual void watch_own_inbox(const std::string& member) = 0;

  // Also wakes when something can be read from `fd`; several can be named.
  virtual void wake_on(int fd) = 0;
  // Also wakes at this moment of the boot clock (nanoseconds), such as the end of a lease; 0: never. There is one.
  virtual void wake_at(std::int64_t boot_ns) = 0;
  // Where the store cannot report changes: wait() returns at the latest after so many seconds (2 if nobody says).
  virtual void look_every(double seconds) = 0;

  // True if the store reports changes. If not, wait() returns `everything` from time to time.
  virtual bool is_told() const = 0;

  // Blocks until a topic changed, something else woke it, or the deadline passed.
  virtual TeamChanges wait(const Deadline& deadline) = 0;
  // After `removed`: blocks until no more files are removed, at most some seconds. A process that removes the whole
  // store would fail if others wrote to the store meanwhile.
  virtual void await_removal() = 0;
};

}  // namespace team
