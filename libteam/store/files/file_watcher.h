// A watcher of folders. Only this class turns the name of a changed file into a topic.
//
// It watches the folder of the board for all tasks, and the folder of the team for all of its topics. For a life, the
// configuration or the inbox of an idle member it watches one file, so that a busy team does not wake this watcher.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libteam/store/files/mailbox.h"
#include "libteam/store/watcher.h"
#include "libteam/system/watch.h"

namespace team {

// The topics that belong to changed files, by their names in the folder of a team or of a board.
TeamChanges topics_of(const std::vector<std::string>& names);

class FileWatcher : public Watcher {
 public:
  void begin(const Board& board) override;
  void begin(const Board& board, const LifeEngine& lives) override;
  // The same for a team alone; `team` may be null.
  void begin(std::shared_ptr<const Folder> team);
  void clear() override;

  void watch_tasks() override;
  void watch_team() override;
  void watch_configuration() override;
  void watch_quotas() override;
  void watch_life(const std::string& member) override;
  void watch_inbox(const std::string& member) override;
  void watch_own_inbox(const std::string& member) override;

  void wake_on(int fd) override;
  void wake_at(std::int64_t boot_ns) override;
  void look_every(double seconds) override { watch_.look_every(seconds); }
  bool is_told() const override;

  TeamChanges wait(const Deadline& deadline) override;
  void await_removal() override;

 private:
  void add_topic();
  TeamChanges translate(const Changes& changes) const;
  bool is_wanted(const TeamChanges& changes) const;
  bool has_shrunk(const Changes& changes, const TeamChanges& topics) const;

  Watch watch_;
  const Folder* board_ = nullptr;  // while topics are added
  std::string board_path_;
  std::shared_ptr<const Folder> team_;
  bool is_clear_ = true;
  bool has_topics_ = false;
  bool wants_tasks_ = false, wants_team_ = false, wants_configuration_ = false, wants_lives_ = false;
  std::optional<std::string> inbox_;  // of this member
  std::optional<FileMailbox> own_inbox_;
};

}  // namespace team
