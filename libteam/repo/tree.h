// A tree: a checkout of its own for one member, or for checks.
//
// It is a clone that shares the objects of the main repository. Not a worktree: worktrees share the stash, the
// configuration and the hooks of a person. One process at a time uses a tree; callers see to that.
#pragma once

#include <optional>
#include <string>

#include "libteam/repo/repository.h"

namespace team {

class Tree {
 public:
  // `top` is its folder. `repository` outlives this.
  Tree(const Repository& repository, std::string top);

  const std::string& top() const { return top_; }
  bool exists() const;
  // False for a new clone, which has no files yet.
  bool is_checked_out() const;
  // Makes the clone if it is missing. A killed process leaves none, or all of it.
  void make() const;
  // A new attempt: the files of `base`, and the branch `branch` at it, without anything that an earlier one left.
  // Ignored files stay, such as objects of a build. `work` is a commit whose files the attempt goes on with.
  void begin(const std::string& branch, const std::string& base, const std::optional<std::string>& work) const;
  // Exactly the files of this commit, for a check. With Ignored::remove also without ignored files.
  enum class Ignored { keep, remove };
  void show(const std::string& commit, Ignored ignored) const;

 private:
  void try_to_begin(const std::string& branch, const std::string& base, const std::optional<std::string>& work) const;
  void clear_up() const;
  Git git() const;

  const Repository& repository_;
  std::string top_;
};

}  // namespace team
