#include "libteam/store/files/root.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/filesystem.h"

namespace team {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCurrentFolder = "current folder";
constexpr const char* kUpward = "upward from current folder";

// Where it may be that we are not let in, such as above us, there is none for us then.
enum class Entry { expected, doubtful };

// True for an entry of another user in a folder where others can write, such as /tmp: anybody can put a store there,
// above the folders of everybody else.
bool is_planted(const fs::path& folder, const struct stat& entry) {
  struct stat around {};
  if (is_own_or_roots(entry.st_uid) || ::stat(folder.c_str(), &around) != 0) return false;
  return (around.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

bool has_store(const fs::path& folder, Entry entry = Entry::doubtful) {
  for (const char* name : {layout::kTeams, layout::kDefaultBoard}) {
    const fs::path path = folder / name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0) {
      if (entry == Entry::doubtful && is_planted(folder, status)) continue;
      return true;
    }
    const bool is_shut_out = entry == Entry::doubtful && errno == EACCES;
    if (errno != ENOENT && errno != ENOTDIR && !is_shut_out) {
      fail(Code::io, "cannot look at '{}': {}", path.string(), std::strerror(errno));
    }
  }
  return false;
}

// The first line of a file of git. Empty if there is none, or if another user could have written it. Otherwise that
// user could choose the store of our commands. Git makes these files with the umask, so group bits say nothing here.
std::string first_line_of(const fs::path& file) {
  constexpr std::size_t kMost = 8192;
  const auto folder = Folder::find(file.parent_path().string());
  const auto contents = folder ? folder->read(file.filename().string(), kMost) : std::nullopt;
  if (!contents || !is_own_or_roots(contents->owner) || (contents->mode & S_IWOTH) != 0) return {};
  return first_line(contents->text);
}

// The main worktree of the linked one that `start` lies in; empty if it lies in none. A linked worktree has a file
// `.git` that says "gitdir: MAIN/.git/worktrees/NAME", and there `commondir` leads to MAIN/.git.
fs::path main_worktree(const fs::path& start) {
  for (fs::path folder = start;; folder = folder.parent_path()) {
    std::error_code ignored;
    const auto status = fs::symlink_status(folder / ".git", ignored);
    if (fs::is_regular_file(status)) {
      constexpr std::string_view kPrefix = "gitdir: ";
      const std::string line = first_line_of(folder / ".git");
      if (!line.starts_with(kPrefix)) return {};
      const fs::path git_folder = folder / line.substr(kPrefix.size());
      const std::string common = first_line_of(git_folder / "commondir");
      if (common.empty()) return {};
      const fs::path main = fs::weakly_canonical(git_folder / common, ignored);
      return main.filename() == ".git" ? main.parent_path() : fs::path();
    }
    if (fs::exists(status) || folder == folder.parent_path()) return {};
  }
}

fs::path current_folder() {
  std::error_code error;
  fs::path here = fs::current_path(error);
  if (error) fail(Code::io, "cannot tell the current folder: {}", error.message());
  return here;
}

fs::path absolute_path(const std::string& path) {
  if (path.empty()) fail(Code::usage, "the name of the root is empty");
  std::error_code error;
  fs::path absolute = fs::absolute(path, error);
  if (error) fail(Code::io, "cannot tell where '{}' is: {}", path, error.message());
  return absolute.lexically_normal();
}

// Messages say ".tasks/3.json" where that is true from here, and the whole path elsewhere.
Folder open_root(const fs::path& path, const fs::path& current = {}) {
  std::error_code ignored;
  const bool here = path == current || fs::equivalent(path, ".", ignored);
  auto folder = Folder::find(here ? "." : path.string());
  if (!folder) fail(Code::not_found, "no such folder '{}'", path.string());
  return std::move(*folder);
}

}  // namespace

Root::Root(Folder folder, std::string path, std::string rule)
    : folder_(std::move(folder)), path_(std::move(path)), rule_(std::move(rule)) {}

std::optional<Root> Root::look(const RootChoice& choice) {
  const auto& named = choice.directory ? choice.directory : choice.environment;
  if (named) {
    const fs::path path = absolute_path(*named);
    Folder folder = open_root(path);
    if (!has_store(path, Entry::expected)) return std::nullopt;
    return Root(std::move(folder), path.string(), choice.directory ? "-C" : "TEAM_ROOT");
  }
  const fs::path here = current_folder();
  for (fs::path folder = here;; folder = folder.parent_path()) {
    if (has_store(folder, folder == here ? Entry::expected : Entry::doubtful)) {
      return Root(open_root(folder, here), folder.string(), folder == here ? kCurrentFolder : kUpward);
    }
    if (folder == folder.parent_path()) break;
  }
  const fs::path main = main_worktree(here);
  if (main.empty() || !has_store(main)) return std::nullopt;
  return Root(open_root(main), main.string(), "main worktree");
}

std::vector<std::string> Root::strays() const {
  if (rule_ != kCurrentFolder && rule_ != kUpward) return {};
  std::vector<std::string> found;
  for (fs::path folder = path_; folder != folder.parent_path();) {
    folder = folder.parent_path();
    if (has_store(folder)) found.push_back(folder.string());
  }
  const fs::path main = main_worktree(current_folder());
  const bool seen = main == path_ || std::find(found.begin(), found.end(), main.string()) != found.end();
  if (!main.empty() && has_store(main) && !seen) found.push_back(main.string());
  return found;
}

Root Root::find(const RootChoice& choice) {
  if (auto root = look(choice)) return std::move(*root);
  const auto& named = choice.directory ? choice.directory : choice.environment;
  if (named) fail(Code::not_found, "no {} or {} in '{}'", layout::kTeams, layout::kDefaultBoard, *named);
  fail(Code::not_found, "no {} or {} here or in any folder above; team-create or task-create makes one", layout::kTeams,
       layout::kDefaultBoard);
}

Root Root::find_or_here(const RootChoice& choice) {
  if (auto root = look(choice)) return std::move(*root);
  const auto& named = choice.directory ? choice.directory : choice.environment;
  const fs::path path = named ? absolute_path(*named) : current_folder();
  Root root(open_root(path), path.string(), choice.directory ? "-C" : named ? "TEAM_ROOT" : kCurrentFolder);
  root.allows_network_ = choice.allows_network;
  return root;
}

std::optional<Folder> Root::find_store(const std::string& path) const {
  auto folder = folder_.find_through_links(path);
  if (!folder) return std::nullopt;
  const std::string reason = folder->distrust();
  if (!reason.empty()) fail(Code::permission_denied, "'{}' is not to be trusted: {}", folder->path(), reason);
  return folder;
}

void Root::refuse_network(const std::string& path) const {
  // A store that is there was allowed when it was made.
  if (allows_network_ || has_store(path_)) return;
  const std::string_view kind = network_filesystem(folder_.filesystem());
  if (kind.empty()) return;
  fail(Code::permission_denied,
       "cannot make '{}' on {}: its locks may fail or not hold between machines, and nothing tells of changes; use a "
       "local disk, or --allow-netfs",
       folder_.path_of(path), kind);
}

Folder Root::make_store(const std::string& path, Durability durability) const {
  if (auto folder = find_store(path)) return std::move(*folder);
  refuse_network(path);
  return folder_.make_beneath(path, durability);
}

}  // namespace team
