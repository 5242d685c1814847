#include "libteam/store/files/file_engine.h"

#include <utility>

#include "libteam/store/files/file_board.h"
#include "libteam/store/files/file_board_team.h"
#include "libteam/store/files/file_lives.h"
#include "libteam/store/files/file_server_mark.h"
#include "libteam/store/files/file_team.h"
#include "libteam/store/files/file_watcher.h"
#include "libteam/store/files/trust.h"

namespace team {

namespace {

class FolderHandle : public TeamHandle {
 public:
  explicit FolderHandle(std::shared_ptr<const Folder> opened) : folder(std::move(opened)) {}
  const std::shared_ptr<const Folder> folder;
};

// Null without a handle.
std::shared_ptr<const Folder> folder_of(const Engine::Handle& handle) {
  return handle ? dynamic_cast<const FolderHandle&>(*handle).folder : nullptr;
}

}  // namespace

FileEngine::FileEngine(Root root, double lock_timeout) : root_(std::move(root)), roster_(root_, lock_timeout) {}

FoundTeam FileEngine::find_team(const std::string& name) const {
  auto [team, folder] = roster_.open(name);
  return {std::move(team), std::make_shared<const FolderHandle>(std::move(folder))};
}

Team FileEngine::change(const std::string& name, const std::function<void(Team&)>& edit) const {
  return roster_.change(name, edit);
}

void FileEngine::create(const Team& team, const std::function<void(const Error&)>& untrusted) const {
  create_trusted(root_, roster_, team, lock_timeout(), untrusted);
}

void FileEngine::require_trust(const FoundTeam& found, std::string_view what) const {
  team::require_trust(root_, found.team.name, *folder_of(found.handle), what);
}

bool FileEngine::forget_trust(const std::string& team) const { return forget_team(root_, team, lock_timeout()); }

std::shared_ptr<const TeamEngine> FileEngine::open_team(const Team& team, const Handle& handle) const {
  return team::open_team(root_, team, lock_timeout(), folder_of(handle));
}

Board FileEngine::open_board(const Team* team, Missing missing, const Handle& handle) const {
  const Durability durability = durability_of(team);
  const std::string path = team != nullptr ? team->board : layout::kDefaultBoard;
  auto folder = missing == Missing::make ? root_.make_store(path, durability) : root_.find_store(path);
  if (!folder) fail(Code::not_found, "no board '{}' in '{}'; task-create makes one", path, place());
  BoardRules rules = rules_of(team);
  rules.has_file = [this](const std::string& file) { return has_project_file(file); };
  rules.judge = landing_judge();
  FileBoard::Record record;
  auto members = std::make_shared<BoardTeam>();
  if (team != nullptr) {
    auto team_folder = handle ? folder_of(handle) : roster_.shared_folder_of(team->name);
    const auto in_files = std::make_shared<FileBoardTeam>(root_, *team, lock_timeout(), std::move(team_folder));
    record = [in_files](const EventOrigin& origin, const std::vector<Event>& events) {
      return in_files->record(origin, events);
    };
    members = in_files;
  }
  return {std::make_shared<FileBoard>(root_, path, std::move(*folder), durability, lock_timeout(), std::move(record)),
          std::move(members), std::move(rules)};
}

std::shared_ptr<const LifeEngine> FileEngine::open_lives(const std::string& team) const {
  return std::make_shared<FileLives>(roster_.shared_folder_of(team));
}

std::unique_ptr<const ServerMark> FileEngine::take_server_mark() const { return team::take_server_mark(root_); }

std::optional<std::string> FileEngine::running_server() const { return read_server_mark(root_); }

std::unique_ptr<Watcher> FileEngine::make_watcher() const { return std::make_unique<FileWatcher>(); }

std::unique_ptr<Engine> open_engine(const RootChoice& choice, Missing missing, double lock_timeout) {
  return std::make_unique<FileEngine>(missing == Missing::make ? Root::find_or_here(choice) : Root::find(choice),
                                      lock_timeout);
}

const FileEngine& in_files(const Engine& engine) { return dynamic_cast<const FileEngine&>(engine); }

}  // namespace team
