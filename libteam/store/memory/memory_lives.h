// The lives of a team in the memory of one process. A life ends with its object, so a test can let a member die.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "libteam/store/life.h"
#include "libteam/store/memory/memory_mailbox.h"

namespace team {

class MemoryLives : public LifeEngine {
 public:
  explicit MemoryLives(std::shared_ptr<MemoryChanges> changes);

  // For tests: as if the member had run and died with this state, or without a state.
  void set_dead(const std::string& member, const std::optional<MemberState>& state) const;
  // The team was removed: its lives go on, but nobody sees them.
  void remove() const;

  Life life_of(const std::string& member) const override;
  std::optional<MemberState> state_of(const std::string& member) const override;
  bool has_begun(const std::string& member) const override { return state_of(member).has_value(); }
  std::optional<int> process_of(const std::string& member) const override;
  bool is_process_of(int pid, const std::string& member) const override { return process_of(member) == pid; }
  bool is_ending(const std::string&) const override { return false; }

  std::unique_ptr<HeldLife> take(const std::string& member) const override;
  void forget(const std::string& member) const override;

  void exclusively(double seconds, const std::function<void()>& step) const override;
  bool is_idle_period() const override;
  void begin_idle_period() const override;
  void end_idle_period() const override;

  std::unique_ptr<Duty> duty(Post post, const std::optional<std::string>& role) const override;
  std::unique_ptr<CallSlots> call_slots() const override;

  // They throw invalid_state: memory has no descriptors and no paths.
  const LocalFiles& local_files() const override;

  struct Shared;
  const std::shared_ptr<Shared>& shared() const { return state_; }

 private:
  void put_state(const std::string& member, const MemberState& state) const override;

  std::shared_ptr<Shared> state_;
};

}  // namespace team
