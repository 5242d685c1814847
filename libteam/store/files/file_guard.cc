#include "libteam/store/files/file_guard.h"

#include "libteam/store/files/roster.h"

namespace team {

Lock lock_project_files(const Root& root, double lock_timeout) {
  const auto teams = root.find_store(kTeamsFolder);
  if (!teams) fail(Code::not_found, "no {} in '{}'", kTeamsFolder, root.path());
  return Lock::acquire(*teams, ".files.lock", lock_timeout);
}

std::vector<std::string> boards_of(const Root& root, double lock_timeout) {
  std::vector<std::string> boards = {kDefaultBoard};
  const Roster roster(root, lock_timeout);
  for (const std::string& name : roster.names()) {
    try {
      boards.push_back(roster.get(name).board);
    } catch (const Error&) {
      continue;  // deleted since it was listed, or broken; team-fsck reports it
    }
  }
  return boards;
}

}  // namespace team
