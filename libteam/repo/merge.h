// Merges two commits without a checkout.
#pragma once

#include <string>
#include <vector>

#include "libteam/repo/git.h"

namespace team {

struct Conflict {
  std::string kind;  // such as "contents" or "modify/delete", in the words of git
  std::vector<std::string> paths;
};

struct Merge {
  std::string tree;  // with conflict markers in it if there are conflicts
  std::vector<Conflict> conflicts;
};

// `theirs` merged into `ours`; both are names of commits.
Merge merge_commits(const Git& git, const std::string& ours, const std::string& theirs);

// For people and models, a line for each conflict: "contents: src/a.c".
std::string describe(const std::vector<Conflict>& conflicts);

}  // namespace team
