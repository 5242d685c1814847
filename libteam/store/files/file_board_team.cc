#include "libteam/store/files/file_board_team.h"

#include <utility>

#include "libteam/store/board.h"
#include "libteam/store/files/event_log.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/hooks.h"
#include "libteam/store/files/roster.h"

namespace team {

namespace {

std::vector<std::string> names_of(const Team& team) {
  std::vector<std::string> names;
  for (const Member& member : team.members) names.push_back(member.name);
  return names;
}

}  // namespace

struct FileBoardTeam::Opened {
  Opened(std::shared_ptr<const Folder> found, const FileBoardTeam& team)
      : folder(std::move(found)),
        log(*folder, team.lock_timeout_),
        hooks(*folder, team.root_, team.team_, team.hook_seconds_),
        hooked(hooks.any()) {}
  std::shared_ptr<const Folder> folder;
  FileEventLog log;
  FileHooks hooks;
  bool hooked;
};

FileBoardTeam::FileBoardTeam(const Root& root, const Team& team, double lock_timeout,
                             std::shared_ptr<const Folder> folder)
    : root_(root),
      team_(team.name),
      members_(names_of(team)),
      hook_seconds_(hook_seconds(team)),
      lock_timeout_(lock_timeout),
      folder_(std::move(folder)),
      life_of_(lives_in(folder_)),
      first_(folder_) {}

FileBoardTeam::~FileBoardTeam() = default;

void FileBoardTeam::open() {
  if (opened_) return;
  auto folder = std::exchange(first_, nullptr);
  if (!folder && folder_->is_in_place()) folder = folder_;
  if (!folder) folder = Roster(root_, lock_timeout_).shared_folder_of(team_);
  opened_ = std::make_unique<Opened>(std::move(folder), *this);
}

std::shared_ptr<const LifeEngine> FileBoardTeam::lives() const { return std::make_shared<FileLives>(folder_); }

void FileBoardTeam::ask(const EventOrigin& origin, const std::string& hook, const Events& events) {
  opened_.reset();
  open();
  if (!opened_->hooked || !opened_->hooks.has(hook)) return;
  for (const Event& event : events()) opened_->hooks.ask(hook, origin, event);
}

Logged FileBoardTeam::record(const EventOrigin& origin, const std::vector<Event>& events) {
  after_change([&] { open(); });
  return opened_->log.record(origin, events);
}

void FileBoardTeam::tell(const std::vector<RecordedEvents>& recorded) {
  if (opened_ && opened_->hooked) {
    for (const RecordedEvents& one : recorded) opened_->hooks.tell(one.origin, one.events, one.logged);
  }
  opened_.reset();
}

BoardEngine::Place FileBoardTeam::reopen() {
  try {
    auto [team, folder] = Roster(root_, lock_timeout_).open(team_);
    members_ = names_of(team);
    if (folder->inode() == folder_->inode()) return BoardEngine::Place::same;
    life_of_ = lives_in(folder);
    folder_ = std::move(folder);
    first_.reset();
    return BoardEngine::Place::another;
  } catch (const Error& error) {
    if (error.code() == Code::corrupt) return BoardEngine::Place::same;  // somebody edits the configuration
    if (error.code() != Code::not_found) throw;
    return BoardEngine::Place::missing;
  }
}

std::shared_ptr<const Folder> team_folder_of(const Board& board) {
  const auto* in_files = dynamic_cast<const FileBoardTeam*>(&board.team());
  return in_files != nullptr ? in_files->folder() : nullptr;
}

}  // namespace team
