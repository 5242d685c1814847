#include "libteam/store/files/file_lives.h"

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/store/board.h"
#include "libteam/store/files/file_call_slots.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/watcher.h"
#include "libteam/system/flock.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/lock_holder.h"
#include "libteam/system/new_file.h"
#include "libteam/system/queued_lock.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

LifeLock take_life(const Folder& folder, const std::string& member) {
  auto life = LifeLock::acquire(folder, layout::alive_file(member));
  if (life) return std::move(*life);
  const auto pid = holder_of(folder, layout::alive_file(member));
  fail(Code::conflict, "{} is running already{}", member, pid ? fmt::format(", as pid {}", *pid) : "");
}

class HeldFile : public HeldLife {
 public:
  HeldFile(std::shared_ptr<const Folder> team, const std::string& member)
      : team_(std::move(team)), member_(member), life_(take_life(*team_, member)) {
    if (const auto lock = Lock::try_acquire(*team_, layout::kLock)) sweep_temporaries(*team_);
    try {
      before_ = state_of(*team_, member);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;  // it only tells of the past
    }
  }

  const std::optional<MemberState>& before() const override { return before_; }
  void write(const MemberState& state) override {
    replace_file(*team_, layout::state_file(member_), to_file(state), Durability::process);
  }
  bool is_in_place() const override { return team_->is_in_place(); }
  void move_to(const LifeEngine& team) override {
    const auto& folder = static_cast<const FileLives&>(team).folder();
    LifeLock life = take_life(*folder, member_);
    team_ = folder;
    life_ = std::move(life);
  }

 private:
  std::shared_ptr<const Folder> team_;
  std::string member_;
  LifeLock life_;
  std::optional<MemberState> before_;
};

class LockedDuty : public Duty {
 public:
  LockedDuty(const Folder& folder, std::string name) : lock_(folder, std::move(name)) {}
  bool take() override { return lock_.take(); }
  bool take_or_queue() override { return lock_.take_or_wait(); }
  void wake(Watcher& watcher) const override { watcher.wake_on(lock_.fd()); }
  void leave() override { lock_.leave(); }

 private:
  QueuedLock lock_;
};

}  // namespace

std::optional<MemberState> state_of(const Folder& team_folder, const std::string& member) {
  const auto contents = team_folder.read(layout::state_file(member), JsonLimits{}.bytes);
  if (!contents) return std::nullopt;
  check_trusted(*contents, team_folder.path_of(layout::state_file(member)));  // it says how to start the member
  return parse_member_state(contents->text, team_folder.path_of(layout::state_file(member)));
}

Life FileLives::life_of(const std::string& member) const {
  switch (look_at_lock(*team_, layout::alive_file(member))) {
    case Held::yes: return Life::running;
    case Held::no: return Life::dead;
    case Held::no_file: return Life::unknown;
  }
  return Life::unknown;
}

std::optional<MemberState> FileLives::state_of(const std::string& member) const {
  return team::state_of(*team_, member);
}

bool FileLives::has_begun(const std::string& member) const { return team_->has(layout::state_file(member)); }

std::optional<int> FileLives::process_of(const std::string& member) const {
  return holder_of(*team_, layout::alive_file(member));
}

bool FileLives::is_process_of(int pid, const std::string& member) const {
  return holds_lock(pid, *team_, layout::alive_file(member));
}

bool FileLives::is_ending(const std::string& member) const {
  return is_about_to_be_free(*team_, layout::alive_file(member));
}

std::unique_ptr<HeldLife> FileLives::take(const std::string& member) const {
  return std::make_unique<HeldFile>(team_, member);
}

void FileLives::put_state(const std::string& member, const MemberState& state) const {
  replace_file(*team_, layout::state_file(member), to_file(state), Durability::process);
}

void FileLives::forget(const std::string& member) const {
  for (const std::string& file : {layout::alive_file(member), layout::state_file(member), layout::output_file(member)})
    team_->remove(file);
}

void FileLives::exclusively(double seconds, const std::function<void()>& step) const {
  const Lock lock = Lock::acquire(*team_, layout::kLock, seconds);
  step();
}

bool FileLives::is_idle_period() const { return team_->has(layout::kIdlePeriod); }

void FileLives::begin_idle_period() const {
  replace_file(*team_, layout::kIdlePeriod, fmt::format("{}\n", now()), Durability::process);
}

void FileLives::end_idle_period() const { team_->remove(layout::kIdlePeriod); }

std::unique_ptr<Duty> FileLives::duty(Post post, const std::optional<std::string>& role) const {
  const char* name = post == Post::lookout ? "lookout" : "deputy";
  return std::make_unique<LockedDuty>(*team_, layout::duty_lock(name, role));
}

std::unique_ptr<CallSlots> FileLives::call_slots() const {
  return std::make_unique<FileCallSlots>(team_->make_beneath(layout::kCallSlots, Durability::process));
}

}  // namespace team
