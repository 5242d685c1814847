// Lists the programs that a team runs and the texts that it tells a model. A person reads them and decides whether to
// trust the team. Reads only.
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
