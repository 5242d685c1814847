// The tree of one teammate: where it works, how each task begins there, and how its work is kept and lands.
//
// The caller has the life of the member, so no other process works in the tree.
#pragma once

#include <optional>
#include <string>

#include "libteam/repo/gates.h"
#include "libteam/repo/tree.h"

namespace team {

// The variable that names the top of the tree, for the programs of the teammate.
inline constexpr const char* kTreeVariable = "TEAM_TREE";

class MemberTree {
 public:
  // Throws if the root is in no repository, or in one that cannot be used. Makes the folder of the tree, empty, so that
  // it can be the current folder.
  explicit MemberTree(const TeamSession& session);
  MemberTree(const MemberTree&) = delete;
  MemberTree& operator=(const MemberTree&) = delete;

  const std::string& top() const { return tree_.top(); }
  // The folder to work in: the place of the root in the tree.
  std::string folder() const;

  // Makes the tree, with the files of the line. For a member that has just begun its life.
  void prepare(const TeamSession& session) const;
  struct Begun {
    std::string base;
    std::string about;  // for the prompt
  };
  // Begins an attempt at the task: the board gets its base, the tree its files.
  Begun begin(const TeamSession& session, const Task& task) const;
  // Keeps the work of the attempt, for the landing or the next attempt. Call it whenever a piece of work on the task
  // has ended.
  Snapshot keep(const TeamSession& session, const Task& task, const std::string& base) const;
  // The gates and the landing.
  Finished finish(const TeamSession& session, const Snapshot& snapshot, const FinishedWork& work) const {
    return finish_in_tree(session, repository_, snapshot, work);
  }
  // False while a person has checked out the line.
  bool is_line_free(const TeamSession& session) const {
    return !Line(repository_, session.team().name).checked_out_in().has_value();
  }

 private:
  std::optional<std::string> find_kept_work(const Task& task, const std::string& branch) const;
  std::string describe_conflict(const std::string& both) const;

  Repository repository_;
  Tree tree_;
};

}  // namespace team
