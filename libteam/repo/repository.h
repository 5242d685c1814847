// The repository that holds the root of a store, and the branches that teamkit owns in it.
//
// Nothing here changes the checkout, the index, the stash or the HEAD of a person.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/task.h"
#include "libteam/repo/git.h"
#include "libteam/system/file.h"

namespace team {

class Repository {
 public:
  // None if the root is in no repository. Throws permission_denied for a repository of another user, invalid_state for
  // a repository that cannot have branches named team/... and task/....
  static std::optional<Repository> find(const std::string& root);
  // The same, but throws not_found.
  static Repository open(const std::string& root);

  // Where its objects and refs are: the same for all its worktrees.
  const std::string& common() const { return common_; }
  // The path of the root from the top of its checkout: "", or "sub/folder/".
  const std::string& prefix() const { return prefix_; }
  // Calls without a working tree.
  Git git() const { return Git::on(common_); }

  // The commit that a name means in the checkout of the root, such as HEAD; none if there is no such commit.
  std::optional<std::string> head(const std::string& name) const;
  // A folder for our locks and indexes, in the common folder. It is made if it is missing.
  Folder own_folder() const;
  // Lets git ignore these folders beneath the root, unless the repository has files of them.
  void exclude(const std::vector<std::string>& folders) const;

 private:
  Repository(std::string root, std::string common, std::string prefix)
      : root_(std::move(root)), common_(std::move(common)), prefix_(std::move(prefix)) {}
  void check() const;

  std::string root_, common_, prefix_;
};

// The branch of all landed work of a team, and of the last snapshot of a task.
std::string line_name(const std::string& team);
std::string task_branch(const std::string& team, TaskId id);
// "refs/heads/" in front of it.
std::string ref_of(const std::string& branch);

}  // namespace team
