// One member's mail.
//
//   NAME_inbox.jsonl       messages not yet taken, appended under NAME_inbox.lock; other programs may do the same
//   NAME_backlog.jsonl     the older part of them, once somebody took only some; NAME_backlog.pos says from where on
//   NAME_taken.jsonl       taken by a reader and not yet acknowledged; -2, -3, … for further readers at the same time
//   NAME_taken.jsonl.hold  says that these wait for team-ack, and until when
//   NAME_rejected.jsonl    lines that are no messages, with the reason
//   bodies/ID              the content of a large message
//
// Taking is a rename or, of a part, a copy followed by a step forward; nothing is ever rewritten to remove its first
// line. A reader keeps a lock on what it took until it acknowledges: if it dies, the lock is gone and the next reader
// gets the same messages with the same ids. So each message comes at least once, and twice only after a death.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/record/message.h"
#include "libteam/system/file.h"

namespace team {

class Mailbox;
class Watch;

// Messages that a reader holds. What is not acknowledged when this goes is delivered again.
class Batch {
 public:
  Batch(Batch&&) = default;

  const std::vector<Message>& messages() const { return messages_; }
  // Whether nothing else was there when they were taken.
  bool is_all() const { return is_all_; }
  // They have reached the reader: now they are gone from the mailbox.
  void acknowledge();
  // They stay until team-ack names them, or until `seconds` have passed: then they are delivered again. Said before
  // they are shown, so that team-ack finds them at once.
  void hold(double seconds, const std::optional<std::string>& run);
  // The reader did not get them after all.
  void release();

 private:
  friend class Mailbox;
  Batch(const Mailbox& mailbox, std::string slot, Fd lock, std::vector<Message> messages);

  const Mailbox* mailbox_;
  std::string slot_;
  Fd lock_;
  std::vector<Message> messages_;
  bool is_all_ = false;
};

// In the folder of a team: the contents of large messages. A sender keeps a lock on the content until its messages are
// delivered: content without a lock belongs to a message in a mailbox, or to none.
inline constexpr const char* kBodiesFolder = "bodies";
// Those of none: their sender died before it delivered, or their reader after it had acknowledged. Throws again if
// a mailbox is locked for so long.
std::vector<std::string> lost_bodies(const Folder& team_folder, double lock_timeout);
// Removes them, and what senders that died have left; not while somebody is at a mailbox.
void sweep_bodies(const Folder& team_folder);

enum class MessageState { pending, delivered, gone };

class Mailbox {
 public:
  // In the folder of a team, which must outlive this. `owner` is a valid name.
  Mailbox(const Folder& folder, std::string owner, Durability durability, double lock_timeout);

  // Appends one line for each; all or none.
  void append(const std::vector<Message>& messages) const;

  // The oldest messages that fit, `most` at the most (and some hundred at a time); none if there are none. `run` is
  // which life of the owner asks: what an earlier one held comes again.
  std::optional<Batch> take(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run) const;
  // The same without taking them.
  void peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
            const std::function<void(const Message&)>& visit) const;
  // Acknowledges held ones; all of `ids` or none, and then throws not_found.
  std::vector<Message> acknowledge(const std::vector<std::string>& ids) const;

  MessageState state_of(const std::string& id) const;
  // Blocks until `arrived`, which is asked whenever something may have come and when nobody reads from the pipe behind
  // `reader` any more; until the deadline; or until the folder of the team is no longer in its place.
  enum class Waited { arrived, too_late, moved };
  Waited wait(const Deadline& deadline, int reader, const std::function<bool()>& arrived) const;

  // For one of many: wakes whenever somebody comes to this mailbox, to put something in or to look, and has_new() says
  // then whether something lies there. What happens to others in the same folder wakes it not.
  void watch(Watch& watch) const;
  bool has_new() const;
  // Wakes who watches in that way (`all`), without a message.
  void nudge() const;

  // Whether the content of a large message is there, and then that content in pieces.
  bool has_body(const Message& message) const;
  void each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const;

 private:
  friend class Batch;
  struct Slot;
  std::string file(std::string_view what) const;
  std::string slot_name(int number) const;
  std::vector<Slot> slots() const;
  bool is_held(const Slot& slot, const std::optional<std::string>& run) const;
  bool waits_for_ack(const Slot& slot) const;
  void rewrite_slot(const Slot& slot, const std::vector<Message>& messages) const;
  void merge_held() const;
  void put_together(const std::vector<Slot>& slots) const;
  std::optional<Batch> take_whole(std::size_t most, std::int64_t others) const;
  using Parse = std::function<std::optional<Message>(const std::string& line)>;
  std::vector<std::string> abandoned(const std::vector<Slot>& all, const std::optional<std::string>& run) const;
  std::vector<Message> read_slots(const std::vector<std::string>& slots, const Parse& parse,
                                  std::set<std::string> seen) const;
  std::vector<Message> taken_only(const std::vector<std::string>& slots, const Parse& parse) const;
  std::int64_t return_abandoned(const std::optional<std::string>& run) const;
  // Messages that are about to be taken, and the step that takes them out of where they were.
  struct Portion {
    std::vector<Message> messages;
    std::function<void()> commit;
  };
  Portion find_oldest(std::size_t most) const;
  Portion find_fitting(const MessageFilter& filter, std::size_t most) const;
  Batch put_into_slot(std::vector<Message> messages, std::int64_t others) const;
  std::string free_slot() const;
  std::optional<Message> parse_or_reject(const std::string& line) const;
  void sync_rejected() const;
  void replace_backlog(std::string_view text) const;
  off_t backlog_position(const Fd& backlog) const;
  void set_backlog_position(const Fd& backlog, off_t position) const;
  void each_line(const std::function<void(const std::string& line)>& visit) const;
  void remove_slot(const std::string& slot) const;
  void drop_bodies(const std::vector<Message>& messages) const;

  const Folder& folder_;
  std::string owner_;
  Durability durability_;
  double lock_timeout_;
  mutable bool set_aside_ = false;  // a line that was rejected is not yet synced
};

}  // namespace team
