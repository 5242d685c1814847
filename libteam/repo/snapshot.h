// A snapshot: the files of a tree as one commit, on the branch of its task.
//
// It is taken with the git folder of the main repository and an index of our own. The git folder in the tree belongs to
// the agent, and git would run the programs that its configuration names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libteam/repo/repository.h"

namespace team {

struct SnapshotRequest {
  std::string tree;   // the top of the tree
  std::string index;  // a file; it makes the next snapshot faster
  std::string base;   // the parent
  std::string branch;
  std::string message;
  Author author;
  std::optional<std::string> deliverable;  // added even if git ignores it; relative to the top
  std::int64_t largest_file = 0;           // bytes; 0: no limit
};

struct Snapshot {
  std::string commit;  // the base if nothing was changed
  bool is_changed = false;
  // Why the snapshot cannot land. There is none then, or the branch has it for the next attempt.
  std::optional<std::string> refusal;
};

// The caller is the only process that works in the tree.
Snapshot take_snapshot(const Repository& repository, const SnapshotRequest& request);

}  // namespace team
