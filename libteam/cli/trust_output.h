// Showing a person what a team runs, and asking whether it may.
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

// Shows on stderr what the team runs and asks on the terminal; false without a terminal, and for every answer but y.
bool ask_for_trust(const Team& team, const std::vector<Runnable>& runnables);

}  // namespace team
