// The team of a board in files: its members, their lives, its event log and its hooks.
//
// The log and the hooks are opened for one change only: in a long life the team may be made anew, and hooks may come
// and go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/store/board_team.h"
#include "libteam/store/files/root.h"

namespace team {

class Board;

class FileBoardTeam : public BoardTeam {
 public:
  // `folder` is the folder of the team. The root outlives this.
  FileBoardTeam(const Root& root, const Team& team, double lock_timeout, std::shared_ptr<const Folder> folder);
  ~FileBoardTeam() override;

  std::string name() const override { return team_; }
  const std::vector<std::string>& members() const override { return members_; }
  Life life_of(const std::string& member) const override { return life_of_(member); }
  std::shared_ptr<const LifeEngine> lives() const override;
  void ask(const EventOrigin& origin, const std::string& hook, const Events& events) override;
  void tell(const std::vector<RecordedEvents>& recorded) override;
  BoardEngine::Place reopen() override;

  // Writes events into the log: for the board, under its lock. Throws unknown.
  Logged record(const EventOrigin& origin, const std::vector<Event>& events);

  const std::shared_ptr<const Folder>& folder() const { return folder_; }

 private:
  struct Opened;
  void open();

  const Root& root_;
  std::string team_;
  std::vector<std::string> members_;
  double hook_seconds_;
  double lock_timeout_;
  std::shared_ptr<const Folder> folder_;
  std::function<Life(const std::string& member)> life_of_;
  std::shared_ptr<const Folder> first_;  // for the first change: it was opened just now
  std::unique_ptr<Opened> opened_;
};

// The folder of the team of a board in files; null without a team.
std::shared_ptr<const Folder> team_folder_of(const Board& board);

}  // namespace team
