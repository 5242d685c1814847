#include "libteam/repo/tree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/new_file.h"
#include "libteam/system/program.h"

namespace team {

namespace {

namespace fs = std::filesystem;

constexpr double kSecondsToCheckOut = 1800;
constexpr std::size_t kLargestConfig = 1 << 20;
constexpr const char* kOurConfig = "teamkit-config";  // in the git folder: the configuration that the clone had

// Folders and files of a tree are for programs of the user, not for the store alone.
class MaskOfCaller {
 public:
  MaskOfCaller() : before_(::umask(inherited_mask())) {}
  MaskOfCaller(const MaskOfCaller&) = delete;
  MaskOfCaller& operator=(const MaskOfCaller&) = delete;
  ~MaskOfCaller() { ::umask(before_); }

 private:
  mode_t before_;
};

void make_folders(const std::string& path) {
  const MaskOfCaller mask;
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(Code::io, "cannot make '{}': {}", one_line(path), error.message());
}

}  // namespace

Tree::Tree(const Repository& repository, std::string top) : repository_(repository), top_(std::move(top)) {}

// By its name: if it is missing, git must not find the repository of a person around the tree.
Git Tree::git() const {
  const std::string folder = top_ + "/.git";
  return Git::on(folder, top_, folder + "/index").with_time_limit(kSecondsToCheckOut);
}

bool Tree::exists() const { return fs::exists(top_ + "/.git"); }

bool Tree::is_checked_out() const { return fs::exists(top_ + "/.git/index"); }

void Tree::make() const {
  if (exists()) return;
  make_folders(top_);
  // The git folder appears as a whole, by a rename.
  const fs::path top(top_);
  const std::string fresh = top.parent_path() / fmt::format(".{}.new", top.filename().string());
  fs::remove_all(fresh);
  Git(top.parent_path())
      .with_time_limit(kSecondsToCheckOut)
      .run({"clone", "-q", "--shared", "--no-checkout", "--no-tags", "--", repository_.common(), fresh});
  std::error_code error;
  fs::copy_file(fresh + "/.git/config", fmt::format("{}/.git/{}", fresh, kOurConfig), error);
  if (!error) fs::rename(fresh + "/.git", top_ + "/.git", error);
  fs::remove_all(fresh);
  if (error) fail(Code::io, "cannot make '{}': {}", one_line(top_), error.message());
}

// Of the last attempt: locks of killed gits, and settings, which could name programs for git to run.
void Tree::clear_up() const {
  const std::string folder = top_ + "/.git";
  for (const char* lock : {"index.lock", "HEAD.lock", "config.lock", "shallow.lock", "packed-refs.lock"}) {
    ::unlink(fmt::format("{}/{}", folder, lock).c_str());
  }
  const auto found = Folder::find(folder);
  if (!found) return;
  const auto ours = found->read(kOurConfig, kLargestConfig);
  const auto theirs = found->read("config", kLargestConfig);
  if (ours && (!theirs || theirs->text != ours->text)) replace_file(*found, "config", ours->text, Durability::process);
}

void Tree::begin(const std::string& branch, const std::string& base, const std::optional<std::string>& work) const {
  make();
  try {
    try_to_begin(branch, base, work);
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;
    // The agent may have damaged its git folder.
    fs::remove_all(top_ + "/.git");
    make();
    try_to_begin(branch, base, work);
  }
}

void Tree::try_to_begin(const std::string& branch, const std::string& base,
                        const std::optional<std::string>& work) const {
  clear_up();
  ::unlink(fmt::format("{}/.git/{}.lock", top_, ref_of(branch)).c_str());
  git().run({"checkout", "-q", "-f", "--no-track", "-B", branch, base, "--"});
  git().run({"clean", "-ffdq"});
  if (work) git().run({"read-tree", "-u", "-m", *work});
}

void Tree::show(const std::string& commit, Ignored ignored) const {
  make();
  clear_up();
  git().run({"reset", "-q", "--hard", commit, "--"});
  git().run({"clean", ignored == Ignored::remove ? "-xffdq" : "-ffdq"});
}

}  // namespace team
