#include "libteam/store/files/file_guard.h"

#include "libteam/store/files/file_engine.h"

namespace team {

Lock lock_project_files(const Engine& engine) {
  const auto teams = in_files(engine).root().find_store(kTeamsFolder);
  if (!teams) fail(Code::not_found, "no {} in '{}'", kTeamsFolder, engine.place());
  return Lock::acquire(*teams, ".files.lock", engine.lock_timeout());
}

std::vector<std::string> boards_of(const Engine& engine) {
  std::vector<std::string> boards = {kDefaultBoard};
  for (const std::string& name : engine.names()) {
    try {
      boards.push_back(engine.get(name).board);
    } catch (const Error&) {
      continue;  // deleted since it was listed, or broken; team-fsck reports it
    }
  }
  return boards;
}

const Folder& project_folder(const Engine& engine) { return in_files(engine).root().folder(); }

}  // namespace team
