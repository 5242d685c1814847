// What a team runs, or tells a model, for a person who decides whether to trust it. Reads only.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/team.h"
#include "libteam/system/file.h"

namespace team {

struct Runnable {
  std::string kind;  // hook, command, model, address, prompt, start
  std::string name;  // of the hook, the role or the member
  std::string text;
};

// Hooks first, then roles, then how members were started. A part that cannot be read is there with the reason.
std::vector<Runnable> list_runnables(const Team& team, const Folder& folder);

std::string to_line(const Runnable& runnable);

}  // namespace team
