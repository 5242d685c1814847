// Shows a person the commands that a team runs, and asks for permission.
#pragma once

#include <string>
#include <vector>

#include "libteam/cli/context.h"
#include "libteam/store/files/runnable.h"
#include "libteam/store/files/trust.h"

namespace team {

// Throws permission_denied if an agent calls: only the user decides what runs.
void require_person(const Context& context);

void print(Context& context, const std::vector<Runnable>& runnables);
std::string to_line(const TrustMark& mark);

// Shows on stderr the commands that the team runs, and asks on the terminal. False without a terminal, and for every
// answer but y.
bool ask_for_trust(const Team& team, const std::vector<Runnable>& runnables);

}  // namespace team
