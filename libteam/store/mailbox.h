// The mail of one member: a queue of messages, each delivered at least once.
//
// A reader takes a batch and acknowledges it after it used the messages. If the reader dies or drops the batch, the
// next reader gets the messages, with the same ids and in the same order. Only in this case is a message delivered
// twice. Any number of processes may append; up to eight readers may have batches at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/record/message.h"

namespace team {

// Messages that a reader has taken, oldest first. The destructor gives back messages that were neither acknowledged nor
// held.
class Batch {
 public:
  virtual ~Batch() = default;

  virtual const std::vector<Message>& messages() const = 0;
  // If true, no other message was waiting when these were taken. If false, there may have been one.
  virtual bool is_all() const = 0;
  // Removes the messages from the mailbox.
  virtual void acknowledge() = 0;
  // Keeps the messages until Mailbox::acknowledge() names them. After `seconds` they are delivered again. Call it
  // before the messages are shown, so that their reader can name them at once. Held batches that follow each other
  // directly become one batch, with the time limit and run of the last one.
  virtual void hold(double seconds, const std::optional<std::string>& run) = 0;
  // Undoes hold(): the messages did not reach their reader.
  virtual void release() = 0;
};

enum class MessageState { pending, delivered, gone };

class Mailbox {
 public:
  virtual ~Mailbox() = default;

  // Appends all messages or none. Throws again if the mailbox is not free in time.
  virtual void append(const std::vector<Message>& messages) const = 0;

  // Takes the oldest messages that match, at least one and at most `most`; null if none matches. A batch may end
  // before the last match (at some hundred messages), so a caller that wants all of them takes again. `run` names the
  // run of the owner that asks: messages that another run holds are given back first. Throws again if eight readers
  // have batches already, or if the mailbox is not free in time. The batch may outlive this.
  virtual std::unique_ptr<Batch> take(const MessageFilter& filter, std::size_t most,
                                      const std::optional<std::string>& run) const = 0;
  // Visits the messages that take() would give, and leaves them.
  virtual void peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
                    const std::function<void(const Message&)>& visit) const = 0;
  // Removes held messages and returns them. If one of `ids` is not held, it removes none and throws not_found.
  virtual std::vector<Message> acknowledge(const std::vector<std::string>& ids) const = 0;

  virtual MessageState state_of(const std::string& id) const = 0;

  // Blocks until `arrived` returns true, the deadline passes, or the team is removed. It calls `arrived` first, then
  // whenever a message may have come, and when the pipe behind the descriptor `reader` has lost its reader (-1: none).
  enum class Waited { arrived, too_late, moved };
  virtual Waited wait(const Deadline& deadline, int reader, const std::function<bool()>& arrived) const = 0;

  // True if messages came since the last unfiltered take(); false if no message waits.
  virtual bool has_new() const = 0;
  // Wakes an owner that waits for this mailbox, without a message.
  virtual void nudge() const = 0;

  // True if the content of a large message (Message::body_size) is there.
  virtual bool has_body(const Message& message) const = 0;
  // Visits that content in pieces, which end between characters; nothing if it is missing.
  virtual void each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const = 0;
};

}  // namespace team
