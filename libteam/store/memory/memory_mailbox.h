// One member's mail in the memory of one process: the model that other engines are compared with.
//
// Exact but for one freedom that the interface leaves: a batch has all messages that match, up to its limit.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libteam/store/mailbox.h"

namespace team {

// The contents of large messages, by id.
struct MemoryBodies {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const std::string>> contents;
};

// Wakes threads that wait for a change of the team.
class MemoryChanges {
 public:
  void announce();
  // Waits until announce() was called after `seen` was read, or the time has passed. Returns the new count.
  std::int64_t count() const;
  void wait(std::int64_t seen, double seconds) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::int64_t count_ = 0;
};

// Calls `done` after each change of the team until it returns true (arrived) or the deadline passes. A descriptor that
// wakes a caller is not watched: `done` is called at least every 50 ms.
Mailbox::Waited wait_for_changes(const MemoryChanges& changes, const Deadline& deadline,
                                 const std::function<bool()>& done);

class MemoryMailbox : public Mailbox {
 public:
  MemoryMailbox(std::string owner, std::shared_ptr<MemoryBodies> bodies, std::shared_ptr<MemoryChanges> changes);

  void append(const std::vector<Message>& messages) const override;
  std::unique_ptr<Batch> take(const MessageFilter& filter, std::size_t most,
                              const std::optional<std::string>& run) const override;
  void peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
            const std::function<void(const Message&)>& visit) const override;
  std::vector<Message> acknowledge(const std::vector<std::string>& ids) const override;
  MessageState state_of(const std::string& id) const override;
  Waited wait(const Deadline& deadline, int reader, const std::function<bool()>& arrived) const override;
  bool has_new() const override;
  void nudge() const override;
  bool has_body(const Message& message) const override;
  void each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const override;

 private:
  friend class MemoryBatch;
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace team
