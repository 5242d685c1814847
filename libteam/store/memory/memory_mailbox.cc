#include "libteam/store/memory/memory_mailbox.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

constexpr std::size_t kMostReaders = 8;
constexpr std::size_t kMostAtOnce = 500;

double seconds_since_boot() { return static_cast<double>(boot_ns()) / 1e9; }

// Messages that a reader took and did not acknowledge.
struct Slot {
  std::int64_t number = 0;  // names it; a higher one was taken later
  std::vector<Message> messages;
  bool busy = true;  // its batch exists
  struct Hold {
    double until = 0;
    std::optional<std::string> run;
  };
  std::optional<Hold> hold;

  bool is_held_for(const std::optional<std::string>& run) const {
    return hold && seconds_since_boot() < hold->until && (!run || !hold->run || run == hold->run);
  }
  bool is_abandoned_for(const std::optional<std::string>& run) const { return !busy && !is_held_for(run); }
};

}  // namespace

void MemoryChanges::announce() {
  {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  changed_.notify_all();
}

std::int64_t MemoryChanges::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void MemoryChanges::wait(std::int64_t seen, double seconds) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return count_ != seen; });
}

Mailbox::Waited wait_for_changes(const MemoryChanges& changes, const Deadline& deadline,
                                 const std::function<bool()>& done) {
  constexpr double kLook = 0.05;
  while (true) {
    const std::int64_t seen = changes.count();
    if (done()) return Mailbox::Waited::arrived;
    if (deadline.passed()) return Mailbox::Waited::too_late;
    changes.wait(seen, kLook);
  }
}

struct MemoryMailbox::State {
  std::string owner;
  std::shared_ptr<MemoryBodies> bodies;
  std::shared_ptr<MemoryChanges> changes;
  std::mutex mutex;  // of all below
  std::vector<Message> queue;
  std::list<Slot> slots;  // in the order in which they were taken
  std::int64_t next_number = 1;
  bool has_new = false;

  Slot* find(std::int64_t number) {
    const auto found = std::ranges::find(slots, number, &Slot::number);
    return found != slots.end() ? &*found : nullptr;
  }
  void remove(std::int64_t number) {
    slots.remove_if([&](const Slot& slot) { return slot.number == number; });
  }
  void remove_bodies(const std::vector<Message>& messages) const {
    const std::lock_guard lock(bodies->mutex);
    for (const Message& message : messages) {
      if (message.body_size > 0) bodies->contents.erase(message.id);
    }
  }
  // The messages that come before the queue for this run.
  std::vector<Message> abandoned_for(const std::optional<std::string>& run) const {
    std::vector<Message> messages;
    for (const Slot& slot : slots) {
      if (!slot.is_abandoned_for(run)) continue;
      messages.insert(messages.end(), slot.messages.begin(), slot.messages.end());
    }
    return messages;
  }
  void return_abandoned(const std::optional<std::string>& run) {
    const auto messages = abandoned_for(run);
    queue.insert(queue.begin(), messages.begin(), messages.end());
    slots.remove_if([&](const Slot& slot) { return slot.is_abandoned_for(run); });
  }
  // Held slots that follow each other become one, with the hold and the place of the last.
  void merge_held() {
    for (auto slot = slots.begin(); slot != slots.end(); ++slot) {
      const auto next = std::next(slot);
      if (next == slots.end()) break;
      if (slot->busy || !slot->hold || next->busy || !next->hold) continue;
      next->messages.insert(next->messages.begin(), slot->messages.begin(), slot->messages.end());
      slot->messages.clear();
    }
    slots.remove_if([](const Slot& slot) { return slot.messages.empty(); });
  }
};

class MemoryBatch : public Batch {
 public:
  using State = MemoryMailbox::State;
  MemoryBatch(std::shared_ptr<State> state, std::int64_t slot, std::vector<Message> messages, bool is_all)
      : state_(std::move(state)), slot_(slot), messages_(std::move(messages)), is_all_(is_all) {}
  MemoryBatch(const MemoryBatch&) = delete;
  MemoryBatch& operator=(const MemoryBatch&) = delete;
  ~MemoryBatch() override {
    change([](Slot& slot) { slot.busy = false; });
  }

  const std::vector<Message>& messages() const override { return messages_; }
  bool is_all() const override { return is_all_; }
  void acknowledge() override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->remove(slot_);
      state_->remove_bodies(messages_);
    }
    state_->changes->announce();
  }
  void hold(double seconds, const std::optional<std::string>& run) override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->merge_held();
    }
    change([&](Slot& slot) { slot.hold = {seconds_since_boot() + seconds, run}; });
  }
  void release() override {
    change([](Slot& slot) { slot.hold.reset(); });
  }

 private:
  template <class Change>
  void change(Change change) const {
    {
      const std::lock_guard lock(state_->mutex);
      if (Slot* slot = state_->find(slot_)) change(*slot);
    }
    state_->changes->announce();
  }

  std::shared_ptr<State> state_;
  std::int64_t slot_;
  std::vector<Message> messages_;
  bool is_all_;
};

MemoryMailbox::MemoryMailbox(std::string owner, std::shared_ptr<MemoryBodies> bodies,
                             std::shared_ptr<MemoryChanges> changes)
    : state_(std::make_shared<State>()) {
  state_->owner = std::move(owner);
  state_->bodies = std::move(bodies);
  state_->changes = std::move(changes);
}

void MemoryMailbox::append(const std::vector<Message>& messages) const {
  {
    const std::lock_guard lock(state_->mutex);
    state_->queue.insert(state_->queue.end(), messages.begin(), messages.end());
    state_->has_new = true;
  }
  state_->changes->announce();
}

std::unique_ptr<Batch> MemoryMailbox::take(const MessageFilter& filter, std::size_t most,
                                           const std::optional<std::string>& run) const {
  const std::lock_guard lock(state_->mutex);
  state_->return_abandoned(run);
  if (!filter.any()) state_->has_new = false;
  std::vector<Message> taken, left;
  for (const Message& message : state_->queue) {
    const bool is_wanted = taken.size() < std::min(most, kMostAtOnce) && filter.fits(message);
    (is_wanted ? taken : left).push_back(message);
  }
  if (taken.empty()) return nullptr;
  if (state_->slots.size() >= kMostReaders) {
    fail(Code::again, "{} readers are at the inbox of {} already", kMostReaders, state_->owner);
  }
  state_->queue = std::move(left);
  const std::int64_t number = state_->next_number++;
  state_->slots.push_back({number, taken, true, std::nullopt});
  return std::make_unique<MemoryBatch>(state_, number, std::move(taken), state_->queue.empty());
}

void MemoryMailbox::peek(const MessageFilter& filter, std::size_t most, const std::optional<std::string>& run,
                         const std::function<void(const Message&)>& visit) const {
  std::vector<Message> waiting;
  {
    const std::lock_guard lock(state_->mutex);
    waiting = state_->abandoned_for(run);
    waiting.insert(waiting.end(), state_->queue.begin(), state_->queue.end());
  }
  std::size_t seen = 0;
  for (const Message& message : waiting) {
    if (seen < most && filter.fits(message)) ++seen, visit(message);
  }
}

std::vector<Message> MemoryMailbox::acknowledge(const std::vector<std::string>& ids) const {
  std::vector<Message> gone;
  {
    const std::lock_guard lock(state_->mutex);
    const std::set<std::string> named(ids.begin(), ids.end());
    std::set<std::string> found;
    for (const Slot& slot : state_->slots) {
      for (const Message& message : slot.messages) {
        if (slot.hold && named.contains(message.id)) found.insert(message.id);
      }
    }
    for (const std::string& id : ids) {
      if (!found.contains(id)) fail(Code::not_found, "{} holds no message '{}'", state_->owner, one_line(id));
    }
    for (Slot& slot : state_->slots) {
      if (!slot.hold) continue;
      const std::size_t before = gone.size();
      std::erase_if(slot.messages, [&](const Message& message) {
        if (!named.contains(message.id)) return false;
        gone.push_back(message);
        return true;
      });
      if (gone.size() > before) slot.busy = false;
    }
    state_->slots.remove_if([](const Slot& slot) { return slot.messages.empty(); });
    state_->remove_bodies(gone);
  }
  state_->changes->announce();
  return gone;
}

MessageState MemoryMailbox::state_of(const std::string& id) const {
  const std::lock_guard lock(state_->mutex);
  const auto is_in = [&](const std::vector<Message>& messages) {
    return std::ranges::find(messages, id, &Message::id) != messages.end();
  };
  if (is_in(state_->queue)) return MessageState::pending;
  const bool is_taken = std::ranges::any_of(state_->slots, [&](const Slot& slot) { return is_in(slot.messages); });
  return is_taken ? MessageState::delivered : MessageState::gone;
}

Mailbox::Waited MemoryMailbox::wait(const Deadline& deadline, int, const std::function<bool()>& arrived) const {
  return wait_for_changes(*state_->changes, deadline, arrived);
}

bool MemoryMailbox::has_new() const {
  const std::lock_guard lock(state_->mutex);
  return state_->has_new && !state_->queue.empty();
}

void MemoryMailbox::nudge() const { state_->changes->announce(); }

bool MemoryMailbox::has_body(const Message& message) const {
  const std::lock_guard lock(state_->bodies->mutex);
  return message.body_size > 0 && state_->bodies->contents.contains(message.id);
}

void MemoryMailbox::each_body_piece(const Message& message, const std::function<void(std::string_view)>& visit) const {
  std::shared_ptr<const std::string> content;
  {
    const std::lock_guard lock(state_->bodies->mutex);
    const auto found = state_->bodies->contents.find(message.id);
    if (found != state_->bodies->contents.end()) content = found->second;
  }
  if (content) visit(*content);
}

}  // namespace team
