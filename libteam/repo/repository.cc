#include "libteam/repo/repository.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"

namespace team {

namespace {

constexpr const char* kOwnFolder = "teamkit";
constexpr std::size_t kLargestExclude = 1 << 20;

}  // namespace

std::string line_name(const std::string& team) { return "team/" + team; }

std::string task_branch(const std::string& team, TaskId id) { return fmt::format("task/{}/{}", team, id); }

std::string ref_of(const std::string& branch) { return "refs/heads/" + branch; }

std::optional<Repository> Repository::find(const std::string& root) {
  const std::string absolute = std::filesystem::absolute(root).lexically_normal();
  const Git git(absolute);
  const auto common = git.ask({"rev-parse", "--path-format=absolute", "--git-common-dir"});
  if (common.status != 0) return std::nullopt;
  std::string folder = common.out;
  if (folder.ends_with('\n')) folder.pop_back();
  // Empty in a bare repository too.
  const auto prefix = git.ask({"rev-parse", "--show-prefix"});
  std::string inside = prefix.status == 0 ? prefix.out : "";
  if (inside.ends_with('\n')) inside.pop_back();
  Repository repository(absolute, folder, inside);
  repository.check();
  return repository;
}

Repository Repository::open(const std::string& root) {
  auto found = find(root);
  if (!found) fail(Code::not_found, "'{}' is in no git repository: 'git init' makes one", one_line(root));
  return std::move(*found);
}

void Repository::check() const {
  struct stat status;
  if (::stat(common_.c_str(), &status) != 0) fail(Code::io, "cannot open '{}'", one_line(common_));
  if (status.st_uid != ::geteuid()) {
    fail(Code::permission_denied, "the repository '{}' belongs to another user", one_line(common_));
  }
  // git cannot have a branch and a folder of branches of the same name.
  for (const char* branch : {"team", "task"}) {
    if (!git().find_commit(ref_of(branch))) continue;
    fail(Code::invalid_state, "the repository '{}' has a branch '{}': rename it, since teamkit needs branches {}/...",
         one_line(common_), branch, branch);
  }
}

std::optional<std::string> Repository::head(const std::string& name) const { return Git(root_).find_commit(name); }

void Repository::exclude(const std::vector<std::string>& folders) const {
  const auto info = Folder::find(common_)->make_beneath("info", Durability::process);
  const Lock held = Lock::acquire(own_folder(), "exclude", 60);
  const auto before = info.read("exclude", kLargestExclude);
  std::string text = before ? before->text : "";
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  const std::size_t size = text.size();
  for (const std::string& folder : folders) {
    const std::string line = fmt::format("/{}{}/\n", prefix_, folder);
    if (("\n" + text).find("\n" + line) != std::string::npos) continue;
    const auto tracked = Git(root_).ask({"ls-files", "-z", "--", ":(literal)" + folder});
    if (tracked.status == 0 && tracked.out.empty()) text += line;
  }
  if (text.size() != size) replace_file(info, "exclude", text, Durability::process);
}

Folder Repository::own_folder() const {
  const auto common = Folder::find(common_);
  if (!common) fail(Code::not_found, "no repository in '{}'", one_line(common_));
  return common->make_beneath(kOwnFolder, Durability::process);
}

}  // namespace team
