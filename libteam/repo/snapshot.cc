#include "libteam/repo/snapshot.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

namespace team {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 10;

std::string list_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> named;
  for (const std::string& path : paths) {
    if (named.size() == kMostNamed) {
      named.push_back(fmt::format("and {} more", paths.size() - kMostNamed));
      break;
    }
    named.push_back(one_line(path));
  }
  return join(named, ", ");
}

class Taking {
 public:
  Taking(const Repository& repository, const SnapshotRequest& request)
      : repository_(repository),
        request_(request),
        git_(Git::on(repository.common(), request.tree, request.index)
                 .with_author(request.author)
                 .with_time_limit(600)) {}

  Snapshot take() {
    begin_index();
    if (auto refusal = find_large_files()) return {request_.base, false, std::move(refusal)};
    if (auto refusal = add()) return {request_.base, false, std::move(refusal)};
    const std::string tree = git_.line({"write-tree"});
    if (tree == git_.line({"rev-parse", "--verify", request_.base + "^{tree}"})) return {request_.base, false, {}};
    read_changes(tree);
    if (!links_.empty()) {
      return {request_.base, false,
              fmt::format("a repository inside the tree cannot land: {}; remove its folder .git or the folder",
                          list_paths(links_))};
    }
    Snapshot snapshot;
    snapshot.is_changed = true;
    std::string commit = git_.run({"commit-tree", tree, "-p", request_.base, "-F", "-"}, request_.message);
    if (commit.ends_with('\n')) commit.pop_back();
    snapshot.commit = commit;
    git_.run({"update-ref", ref_of(request_.branch), commit});
    if (const auto marked = find_markers(commit); !marked.empty()) {
      snapshot.refusal = fmt::format("conflict markers are left in {}", list_paths(marked));
    }
    return snapshot;
  }

 private:
  // The index of the last snapshot knows which files have not changed since. Any index will do.
  void begin_index() {
    ::unlink(fmt::format("{}.lock", request_.index).c_str());  // of a killed git: nobody else works here
    if (git_.ask({"read-tree", "-m", request_.base}).status == 0) return;
    ::unlink(request_.index.c_str());
    git_.run({"read-tree", request_.base});
  }

  // Before git copies them into the repository.
  std::optional<std::string> find_large_files() {
    if (request_.largest_file <= 0) return std::nullopt;
    std::vector<std::string> large;
    auto changed = split_records(git_.run({"ls-files", "-z", "-o", "-m", "--exclude-standard"}));
    if (request_.deliverable) changed.push_back(*request_.deliverable);
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const std::string& path : changed) {
      struct stat status;
      if (::lstat((request_.tree + "/" + path).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
      if (status.st_size > request_.largest_file) large.push_back(path);
    }
    if (large.empty()) return std::nullopt;
    return fmt::format("larger than {} bytes (git.largestFile): {}", request_.largest_file, list_paths(large));
  }

  std::optional<std::string> add() {
    const auto answer = git_.ask({"add", "-A"});
    if (answer.status != 0) {
      // git refuses a repository without a commit.
      const auto nested = find_nested();
      if (nested.empty()) fail(Code::io, "git add in '{}': {}", one_line(request_.tree), answer.error);
      return fmt::format("a repository inside the tree cannot land: {}; remove its folder .git or the folder",
                         list_paths(nested));
    }
    struct stat status;
    const auto& deliverable = request_.deliverable;
    const bool is_there = deliverable && ::lstat((request_.tree + "/" + *deliverable).c_str(), &status) == 0;
    if (is_there) git_.run({"add", "-f", "--", ":(literal)" + *deliverable});
    return std::nullopt;
  }

  std::vector<std::string> find_nested() const {
    std::vector<std::string> nested;
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (auto entry = fs::recursive_directory_iterator(request_.tree, options, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (entry->path().filename() != ".git") continue;
      entry.disable_recursion_pending();
      const fs::path owner = entry->path().parent_path().lexically_relative(request_.tree);
      if (owner != ".") nested.push_back(owner);
    }
    return nested;
  }

  // ":100644 160000 <old> <new> M" and the path.
  void read_changes(const std::string& tree) {
    const auto records = split_records(git_.run({"diff-tree", "-r", "-z", "--no-renames", request_.base, tree}));
    for (std::size_t i = 0; i + 1 < records.size(); i += 2) {
      const auto words = split(records[i], ' ');
      if (words.size() < 5) fail(Code::io, "git diff-tree: cannot read its answer");
      if (words[1] == "160000") links_.push_back(records[i + 1]);
      else if (words[1] != "000000") changed_.push_back(records[i + 1]);
    }
  }

  // The markers that a merge of ours wrote have the name of a commit behind them.
  std::vector<std::string> find_markers(const std::string& commit) const {
    constexpr std::size_t kMostPaths = 500;
    std::vector<std::string> marked;
    for (std::size_t i = 0; i < changed_.size(); i += kMostPaths) {
      Git::Words words = {"grep", "-z", "-l", "-I", "-E", "-e", "^(<<<<<<<|>>>>>>>) [0-9a-f]{40}", commit, "--"};
      for (std::size_t j = i; j < std::min(i + kMostPaths, changed_.size()); ++j) {
        words.push_back(":(top,literal)" + changed_[j]);
      }
      const auto answer = git_.ask(words);
      if (answer.status > 1) fail(Code::io, "git grep: {}", answer.error);
      for (const std::string& name : split_records(answer.out)) marked.push_back(name.substr(commit.size() + 1));
    }
    return marked;
  }

  const Repository& repository_;
  const SnapshotRequest& request_;
  Git git_;
  std::vector<std::string> links_, changed_;
};

}  // namespace

Snapshot take_snapshot(const Repository& repository, const SnapshotRequest& request) {
  return Taking(repository, request).take();
}

}  // namespace team
