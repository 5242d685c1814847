// Opens boards in files, and gives the folders behind a board to callers that watch them.
#include "libteam/record/settings.h"
#include "libteam/store/board.h"
#include "libteam/store/files/file_board.h"
#include "libteam/store/files/file_board_team.h"
#include "libteam/store/files/roster.h"
#include "libteam/system/watch.h"

namespace team {

Board open_board(const Root& root, const Team* team, double lock_timeout, Missing missing,
                 std::shared_ptr<const Folder> team_folder) {
  const Durability durability = durability_of(team);
  const std::string path = team != nullptr ? team->board : kDefaultBoard;
  auto folder = missing == Missing::make ? root.make_store(path, durability) : root.find_store(path);
  if (!folder) fail(Code::not_found, "no board '{}' in '{}'; task-create makes one", path, root.path());
  BoardRules rules;
  rules.has_file = [&root](const std::string& file) { return root.folder().has(file); };
  FileBoard::Record record;
  auto members = std::make_shared<BoardTeam>();
  if (team != nullptr) {
    rules.per_member = static_cast<std::int64_t>(number_setting(*team, "tasks.perMember"));
    rules.most_tasks = static_cast<std::int64_t>(number_setting(*team, "tasks.max"));
    rules.lease = number_setting(*team, "tasks.lease");
    if (!team_folder) team_folder = Roster(root, lock_timeout).shared_folder_of(team->name);
    const auto in_files = std::make_shared<FileBoardTeam>(root, *team, lock_timeout, std::move(team_folder));
    record = [in_files](const EventOrigin& origin, const std::vector<Event>& events) {
      return in_files->record(origin, events);
    };
    members = in_files;
  }
  return {std::make_shared<FileBoard>(root, path, std::move(*folder), durability, lock_timeout, std::move(record)),
          std::move(members), std::move(rules)};
}

const Folder& Board::folder() const { return dynamic_cast<const FileBoard&>(*engine_).folder(); }

void Board::watch(Watch& watch) const { watch.add(folder()); }

const std::shared_ptr<const Folder>& Board::team_folder() const {
  static const std::shared_ptr<const Folder> kNone;
  const auto* in_files = dynamic_cast<const FileBoardTeam*>(team_.get());
  return in_files != nullptr ? in_files->folder() : kNone;
}

}  // namespace team
