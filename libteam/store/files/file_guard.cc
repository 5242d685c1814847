#include "libteam/store/files/file_guard.h"

#include <filesystem>

#include "libteam/base/name.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/layout.h"

namespace team {

Lock lock_project_files(const Engine& engine) {
  const auto teams = in_files(engine).root().find_store(layout::kTeams);
  if (!teams) fail(Code::not_found, "no {} in '{}'", layout::kTeams, engine.place());
  return Lock::acquire(*teams, layout::kProjectFilesLock, engine.lock_timeout());
}

std::vector<std::string> store_folders_of(const Engine& engine) {
  std::vector<std::string> folders = {layout::kTeams, layout::kDefaultBoard};
  for (const std::string& name : engine.names()) {
    try {
      folders.push_back(engine.get(name).board);
    } catch (const Error&) {
      continue;  // deleted since it was listed, or broken; team-fsck reports it
    }
  }
  return folders;
}

bool is_store_folder(const std::string& name, const std::string& path) {
  std::error_code ignored;
  return same_name(name, layout::kTeams) || same_name(name, layout::kDefaultBoard) ||
         std::filesystem::exists(fmt::format("{}/{}", path, layout::kHighWatermark), ignored);
}

const Folder& project_folder(const Engine& engine) { return in_files(engine).root().folder(); }

}  // namespace team
