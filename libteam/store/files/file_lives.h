// The lives of a team as files in its folder.
//
//   NAME.alive          locked by the process of the member for its whole life; the kernel unlocks it
//   NAME.json           the state of the member, replaced whole
//   .all_idle           marks an idle period
//   .lookout-ROLE.lock  locked by the lookout of a role; .deputy-ROLE.lock by its deputy
//   model-slots/        see file_call_slots.h
//
// See file_local_files.h for the outputs of processes and tools.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libteam/store/files/file_local_files.h"
#include "libteam/store/life.h"
#include "libteam/system/file.h"

namespace team {

class FileLives : public LifeEngine {
 public:
  explicit FileLives(std::shared_ptr<const Folder> team) : team_(std::move(team)), local_files_(team_) {}

  Life life_of(const std::string& member) const override;
  std::optional<MemberState> state_of(const std::string& member) const override;
  bool has_begun(const std::string& member) const override;
  std::optional<int> process_of(const std::string& member) const override;
  bool is_process_of(int pid, const std::string& member) const override;
  bool is_ending(const std::string& member) const override;

  std::unique_ptr<HeldLife> take(const std::string& member) const override;
  void forget(const std::string& member) const override;

  void exclusively(double seconds, const std::function<void()>& step) const override;
  bool is_idle_period() const override;
  void begin_idle_period() const override;
  void end_idle_period() const override;

  std::unique_ptr<Duty> duty(Post post, const std::optional<std::string>& role) const override;
  std::unique_ptr<CallSlots> call_slots() const override;

  const LocalFiles& local_files() const override { return local_files_; }

  const std::shared_ptr<const Folder>& folder() const { return team_; }

 private:
  void put_state(const std::string& member, const MemberState& state) const override;

  std::shared_ptr<const Folder> team_;
  FileLocalFiles local_files_;
};

// Reads NAME.json. None if there is none. Throws corrupt, or permission_denied if others can write to it.
std::optional<MemberState> state_of(const Folder& team_folder, const std::string& member);

}  // namespace team
