// Skills: instructions of the user that agents read when they need them, in `.skills/<name>/SKILL.md` beneath the root.
#pragma once

#include <string>
#include <vector>

#include "libteam/system/file.h"

namespace team {

struct Skill {
  std::string name;
  std::string description;  // from its front matter, else its first line
};

// Sorted by name; empty if there are none.
std::vector<Skill> list_skills(const Folder& root);
// The whole text. Throws not_found, which lists the names.
std::string read_skill(const Folder& root, const std::string& name);

}  // namespace team
