// What a user has written down for agents to read when they need it: `.skills/<name>/SKILL.md` beneath the root.
#pragma once

#include <string>
#include <vector>

#include "libteam/system/file.h"

namespace team {

struct Skill {
  std::string name;
  std::string description;  // of its front matter, else its first line
};

// Sorted by name; empty if there are none.
std::vector<Skill> list_skills(const Folder& root);
// The whole text. Throws not_found, with the names there are.
std::string read_skill(const Folder& root, const std::string& name);

}  // namespace team
