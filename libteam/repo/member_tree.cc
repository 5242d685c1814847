#include "libteam/repo/member_tree.h"

#include <cmath>
#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/markup.h"
#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/file_guard.h"

namespace team {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSubjects = 30;
constexpr std::size_t kMostOfDiff = 16 * 1024;  // characters

std::string line_of(Git::Answer answer) {
  if (answer.out.ends_with('\n')) answer.out.pop_back();
  return std::move(answer.out);
}

}  // namespace

MemberTree::MemberTree(const TeamSession& session)
    : repository_(Repository::open(session.engine().place())),
      tree_(repository_, trees_of(session.engine(), session.team(), repository_) + "/" + session.self().name) {
  std::error_code error;
  fs::create_directories(folder(), error);
  if (error) fail(Code::io, "cannot make '{}': {}", folder(), error.message());
}

std::string MemberTree::folder() const {
  const std::string& inside = repository_.prefix();
  return inside.empty() ? top() : fmt::format("{}/{}", top(), inside.substr(0, inside.size() - 1));
}

void MemberTree::prepare(const TeamSession& session) const {
  const Line line(repository_, session.team().name);
  const std::string tip = line.begin(setting(session.team(), "git.base"));
  repository_.exclude(store_folders_of(session.engine()));
  tree_.make();
  if (!tree_.is_checked_out()) tree_.show(tip, Tree::Ignored::keep);
  fs::create_directories(folder());
}

// The last snapshot of the task. A branch that is older than the task belongs to another task of this number.
std::optional<std::string> MemberTree::find_kept_work(const Task& task, const std::string& branch) const {
  const Git git = repository_.git();
  const auto commit = git.find_commit(ref_of(branch));
  if (!commit) return std::nullopt;
  const auto made = parse_integer(line_of(git.ask({"log", "-1", "--format=%ct", *commit, "--"})));
  return made && static_cast<double>(*made) >= std::floor(task.created_at) ? commit : std::nullopt;
}

std::string MemberTree::describe_conflict(const std::string& both) const {
  const Git git = repository_.git();
  const std::string landed = git.run({"log", "--first-parent", fmt::format("--max-count={}", kMostSubjects),
                                      "--format=%s", fmt::format("{}^2..{}^1", both, both), "--"});
  const std::string own = git.run({"diff", "--no-ext-diff", "--no-textconv", both + "^2^1", both + "^2", "--"});
  const std::string shown = cut_characters(repair_utf8(own), kMostOfDiff);
  std::string text =
      "\nYour work on this task conflicts with work that landed meanwhile. The files in your folder are the landed "
      "files with your changes merged in. Where both changed the same lines, the files have conflict markers. Resolve "
      "them and keep the intent of both sides; no marker may be left.\n";
  text += enclose("landed_since", "", landed);
  text += enclose("your_change", "", shown);
  if (shown.size() != own.size()) text += "The diff is cut.\n";
  return text;
}

MemberTree::Begun MemberTree::begin(const TeamSession& session, const Task& task) const {
  const std::string branch = task_branch(session.team().name, task.id);
  const Git git = repository_.git();
  std::string text =
      "\nYou work in your own checkout of the repository. What you change there lands when the task is "
      "complete; there is no need to commit.\n";
  std::optional<std::string> kept = find_kept_work(task, branch);
  std::string base;
  if (kept) {
    base = git.line({"rev-parse", "--verify", *kept + "^1"});
    text += git.find_commit(*kept + "^2") ? describe_conflict(*kept)
                                          : "\nThe files have the changes of the last attempt at this task.\n";
  } else {
    base = Line(repository_, session.team().name).begin(setting(session.team(), "git.base"));
  }
  session.board().begin_work(task.id, base, session.self());
  tree_.begin(branch, base, kept);
  fs::create_directories(folder());
  return {base, text};
}

Snapshot MemberTree::keep(const TeamSession& session, const Task& task, const std::string& base) const {
  const Team& team = session.team();
  const Actor& self = session.self();
  SnapshotRequest request;
  request.tree = top();
  request.index = repository_.own_folder().path_of(fmt::format("{}.{}.index", team.name, self.name));
  request.base = base;
  request.branch = task_branch(team.name, task.id);
  request.message = commit_message(task, self);
  request.author = author_of(self.name, team.name);
  if (task.deliverable) request.deliverable = repository_.prefix() + *task.deliverable;
  request.largest_file = static_cast<std::int64_t>(number_setting(team, "git.largestFile"));
  return take_snapshot(repository_, request);
}

}  // namespace team
