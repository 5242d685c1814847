#include "libteam/cli/shown_messages.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/record/task.h"

namespace team {

namespace {

namespace fs = std::filesystem;

fs::path folder_of_hooks() {
  const auto state = environment_variable("XDG_STATE_HOME");
  if (state && state->starts_with('/')) return fs::path(*state) / "teamkit/shown";
  const auto home = environment_variable("HOME");
  if (!home || !home->starts_with('/')) fail(Code::io, "neither XDG_STATE_HOME nor HOME is set");
  return fs::path(*home) / ".local/state/teamkit/shown";
}

}  // namespace

ShownMessages::ShownMessages(const std::string& root, const std::string& team, const std::string& member) {
  const fs::path folder = folder_of_hooks();
  std::error_code error;
  fs::create_directories(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  if (error) fail(Code::io, "cannot make '{}': {}", folder.string(), error.message());
  path_ = (folder / fmt::format("{:016x}-{}-{}", hash_name(root), team, member)).string();
}

bool ShownMessages::try_own() {
  lock_ = Fd(::open((path_ + ".bell").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_) fail_errno("cannot open", path_ + ".bell");
  return ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
}

// One write appends whole lines, so that two hooks at once do not mix.
void ShownMessages::add(const std::string& run, const std::vector<std::string>& ids) const {
  if (ids.empty()) return;
  std::string lines;
  for (const std::string& id : ids) lines += run + " " + id + "\n";
  const Fd fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!fd || !write_all(fd.get(), lines)) fail_errno("cannot write", path_);
}

// Of two hooks at once, one gets the file.
std::vector<std::string> ShownMessages::take(const std::string& run) const {
  const std::string mine = fmt::format("{}.{}", path_, ::getpid());
  std::vector<std::string> ids;
  if (std::rename(path_.c_str(), mine.c_str()) != 0) return ids;
  std::ifstream file(mine);
  std::string owner, id;
  while (file >> owner >> id) {
    if (owner == run) ids.push_back(id);
  }
  ::unlink(mine.c_str());
  return ids;
}

}  // namespace team
