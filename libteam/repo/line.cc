#include "libteam/repo/line.h"

#include <sys/stat.h>
#include <unistd.h>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

constexpr double kSecondsUntilStale = 1;

// Seconds since the file was written; none if there is no such file.
std::optional<double> age_of(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return now() - (static_cast<double>(status.st_mtim.tv_sec) + static_cast<double>(status.st_mtim.tv_nsec) / 1e9);
}

}  // namespace

Line::Line(const Repository& repository, const std::string& team)
    : repository_(repository), team_(team), name_(line_name(team)), ref_(ref_of(name_)) {}

std::optional<std::string> Line::tip() const { return repository_.git().find_commit(ref_); }

std::string Line::begin(const std::string& start) const {
  if (const auto there = tip()) return *there;
  const auto commit = repository_.head(start.empty() ? "HEAD" : start);
  if (!commit && start.empty()) {
    fail(Code::invalid_state, "the repository has no commit yet: 'git commit' makes the first one");
  }
  if (!commit) fail(Code::invalid_state, "git.base is '{}', which is no commit of the repository", one_line(start));
  const Lock held = lock(60);
  if (const auto there = tip()) return *there;
  remove_stale_lock();
  repository_.git().run({"update-ref", ref_, *commit, std::string(commit->size(), '0')});
  return *commit;
}

bool Line::has(const std::string& commit) const {
  const Git git = repository_.git();
  const auto answer = git.ask({"merge-base", "--is-ancestor", commit, ref_});
  if (answer.status == 0) return true;
  if (answer.status == 1) return false;
  // One of the two does not exist: a commit that is not there cannot have landed.
  if (git.ask({"cat-file", "-e", commit}).status != 0 || !tip()) return false;
  fail(Code::io, "git merge-base in '{}': {}", one_line(repository_.common()), answer.error);
}

std::optional<std::string> Line::checked_out_in() const {
  std::string folder;
  for (const std::string& record : split_records(repository_.git().run({"worktree", "list", "--porcelain", "-z"}))) {
    constexpr std::string_view kFolder = "worktree ";
    if (record.starts_with(kFolder)) folder = record.substr(kFolder.size());
    if (record == "branch " + ref_) return folder;
  }
  return std::nullopt;
}

Lock Line::lock(double seconds) const {
  return Lock::acquire(repository_.own_folder(), fmt::format("{}.landing", team_), seconds);
}

// A git that was killed leaves the lock file of its ref. No git of ours runs, since we hold the lock of the line. The
// git of a person needs a moment only.
void Line::remove_stale_lock() const {
  const std::string path = fmt::format("{}/{}.lock", repository_.common(), ref_);
  while (const auto age = age_of(path)) {
    if (*age >= kSecondsUntilStale || *age < 0) {
      ::unlink(path.c_str());
      return;
    }
    sleep_until(Deadline::in(kSecondsUntilStale - *age));
  }
}

bool Line::move(const std::string& to, const std::string& from, Durability durability) const {
  remove_stale_lock();
  const auto answer = repository_.git().ask({"update-ref", ref_, to, from});
  if (answer.status != 0 && tip() == to) return true;
  if (answer.status != 0 && tip() != from) return false;
  if (answer.status != 0) fail(Code::io, "git update-ref {}: {}", name_, answer.error);
  if (durability != Durability::power) return true;
  // git syncs the file and not its folder.
  after_change([&] {
    const auto common = Folder::find(repository_.common());
    if (!common) return;
    if (const auto folder = common->find_beneath(ref_.substr(0, ref_.rfind('/')))) folder->sync();
  });
  return true;
}

}  // namespace team
