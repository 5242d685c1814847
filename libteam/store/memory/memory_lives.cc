#include "libteam/store/memory/memory_lives.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/store/local_files.h"
#include "libteam/store/watcher.h"
#include "libteam/system/event_fd.h"

namespace team {

struct MemoryLives::Shared {
  struct Entry {
    bool is_running = false;
    std::optional<MemberState> state;
  };

  std::shared_ptr<MemoryChanges> changes;
  std::timed_mutex turn;  // of exclusively()
  std::mutex mutex;       // of all below
  bool is_removed = false;
  std::map<std::string, Entry> members;  // that ever ran
  bool is_idle_period = false;
  std::map<std::string, std::vector<const EventFd*>> queues;  // of each duty; the first one has it
  std::int64_t calls = 0;
  double paused_until = 0;
};

namespace {

using Shared = MemoryLives::Shared;

class NoLocalFiles : public LocalFiles {
 public:
  Fd open_output(const std::string& member) const override {
    fail(Code::invalid_state, "a store in memory runs no process for {}", member);
  }
  std::string read_output(const std::string&, std::size_t) const override { return {}; }
  std::string outputs_path() const override { fail(Code::invalid_state, "a store in memory has no folder"); }
};

void begin_life(Shared& state, const std::string& member) {
  const std::lock_guard lock(state.mutex);
  auto& entry = state.members[member];
  if (entry.is_running) fail(Code::conflict, "{} is running already, as pid {}", member, ::getpid());
  entry.is_running = true;
}

void end_life(Shared& state, const std::string& member) {
  {
    const std::lock_guard lock(state.mutex);
    state.members[member].is_running = false;
  }
  state.changes->announce();
}

class MemoryLife : public HeldLife {
 public:
  MemoryLife(std::shared_ptr<Shared> state, std::string member)
      : state_(std::move(state)), member_(std::move(member)), before_(state_->members[member_].state) {}
  MemoryLife(const MemoryLife&) = delete;
  MemoryLife& operator=(const MemoryLife&) = delete;
  ~MemoryLife() override { end_life(*state_, member_); }

  const std::optional<MemberState>& before() const override { return before_; }
  void write(const MemberState& state) override {
    {
      const std::lock_guard lock(state_->mutex);
      state_->members[member_].state = state;
    }
    state_->changes->announce();
  }
  bool is_in_place() const override {
    const std::lock_guard lock(state_->mutex);
    return !state_->is_removed;
  }
  void move_to(const LifeEngine& team) override;

 private:
  std::shared_ptr<Shared> state_;
  std::string member_;
  std::optional<MemberState> before_;
};

class QueuedDuty : public Duty {
 public:
  QueuedDuty(std::shared_ptr<Shared> state, std::string name) : state_(std::move(state)), name_(std::move(name)) {}
  QueuedDuty(const QueuedDuty&) = delete;
  QueuedDuty& operator=(const QueuedDuty&) = delete;
  ~QueuedDuty() override { leave(); }

  bool take() override {
    const std::lock_guard lock(state_->mutex);
    auto& queue = state_->queues[name_];
    if (queue.empty()) queue.push_back(&has_come_);
    return queue.front() == &has_come_;
  }
  bool take_or_queue() override {
    const std::lock_guard lock(state_->mutex);
    auto& queue = state_->queues[name_];
    if (std::find(queue.begin(), queue.end(), &has_come_) == queue.end()) queue.push_back(&has_come_);
    return queue.front() == &has_come_;
  }
  void wake(Watcher& watcher) const override { watcher.wake_on(has_come_.fd()); }
  void leave() override {
    const std::lock_guard lock(state_->mutex);
    auto& queue = state_->queues[name_];
    const bool had_it = !queue.empty() && queue.front() == &has_come_;
    std::erase(queue, &has_come_);
    if (had_it && !queue.empty()) queue.front()->ring();
  }

 private:
  std::shared_ptr<Shared> state_;
  std::string name_;
  EventFd has_come_;
};

class MemoryCallSlots : public CallSlots {
 public:
  explicit MemoryCallSlots(std::shared_ptr<Shared> state) : state_(std::move(state)) {}

  std::unique_ptr<Slot> try_take(std::int64_t count) const override {
    const std::lock_guard lock(state_->mutex);
    if (state_->calls >= count) return nullptr;
    ++state_->calls;
    return std::make_unique<Taken>(state_);
  }
  std::unique_ptr<Queue> queue(int) const override { return std::make_unique<Waiting>(state_); }
  double paused_until() const override {
    const std::lock_guard lock(state_->mutex);
    return state_->paused_until;
  }
  void pause_until(double time) const override {
    const std::lock_guard lock(state_->mutex);
    state_->paused_until = time;
  }

 private:
  struct Taken : Slot {
    explicit Taken(std::shared_ptr<Shared> given) : state(std::move(given)) {}
    ~Taken() override {
      {
        const std::lock_guard lock(state->mutex);
        --state->calls;
      }
      state->changes->announce();
    }
    std::shared_ptr<Shared> state;
  };
  struct Waiting : Queue {
    explicit Waiting(const std::shared_ptr<Shared>& given) : state(given), seen(given->changes->count()) {}
    void wait() override {
      constexpr double kLook = 0.05;  // the descriptor is not watched
      state->changes->wait(seen, kLook);
      seen = state->changes->count();
    }
    std::shared_ptr<Shared> state;
    std::int64_t seen;
  };

  std::shared_ptr<Shared> state_;
};

}  // namespace

MemoryLives::MemoryLives(std::shared_ptr<MemoryChanges> changes) : state_(std::make_shared<Shared>()) {
  state_->changes = std::move(changes);
}

void MemoryLives::set_dead(const std::string& member, const std::optional<MemberState>& state) const {
  {
    const std::lock_guard lock(state_->mutex);
    state_->members[member] = {false, state};
  }
  state_->changes->announce();
}

void MemoryLives::remove() const {
  const std::lock_guard lock(state_->mutex);
  state_->is_removed = true;
}

Life MemoryLives::life_of(const std::string& member) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->members.find(member);
  if (found == state_->members.end()) return Life::unknown;
  return found->second.is_running ? Life::running : Life::dead;
}

std::optional<MemberState> MemoryLives::state_of(const std::string& member) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->members.find(member);
  return found != state_->members.end() ? found->second.state : std::nullopt;
}

void MemoryLives::put_state(const std::string& member, const MemberState& state) const {
  {
    const std::lock_guard lock(state_->mutex);
    state_->members[member].state = state;
  }
  state_->changes->announce();
}

std::optional<int> MemoryLives::process_of(const std::string& member) const {
  return life_of(member) == Life::running ? std::optional(::getpid()) : std::nullopt;
}

std::unique_ptr<HeldLife> MemoryLives::take(const std::string& member) const {
  begin_life(*state_, member);
  return std::make_unique<MemoryLife>(state_, member);
}

void MemoryLife::move_to(const LifeEngine& team) {
  const auto state = dynamic_cast<const MemoryLives&>(team).shared();
  begin_life(*state, member_);
  end_life(*state_, member_);
  state_ = state;
}

void MemoryLives::forget(const std::string& member) const {
  const std::lock_guard lock(state_->mutex);
  state_->members.erase(member);
}

void MemoryLives::exclusively(double seconds, const std::function<void()>& step) const {
  const std::unique_lock turn(state_->turn, std::chrono::duration<double>(seconds));
  if (!turn) fail(Code::again, "timed out waiting for the other members of the team");
  step();
}

bool MemoryLives::is_idle_period() const {
  const std::lock_guard lock(state_->mutex);
  return state_->is_idle_period;
}

void MemoryLives::begin_idle_period() const {
  const std::lock_guard lock(state_->mutex);
  state_->is_idle_period = true;
}

void MemoryLives::end_idle_period() const {
  const std::lock_guard lock(state_->mutex);
  state_->is_idle_period = false;
}

std::unique_ptr<Duty> MemoryLives::duty(Post post, const std::optional<std::string>& role) const {
  const char* name = post == Post::lookout ? "lookout" : "deputy";
  return std::make_unique<QueuedDuty>(state_, fmt::format("{} {}", name, role.value_or("")));
}

std::unique_ptr<CallSlots> MemoryLives::call_slots() const { return std::make_unique<MemoryCallSlots>(state_); }

const LocalFiles& MemoryLives::local_files() const {
  static const NoLocalFiles none;
  return none;
}

}  // namespace team
