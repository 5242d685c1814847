// team-top: a live view of a team on the terminal.
//
// The screen is drawn after changes, at most ten times a second, and once a second for the clock.
#pragma once

#include "libteam/cli/command.h"

namespace team {

// Runs until the user quits. Returns 128 + n if signal n ended it. Throws usage if there is no terminal, and passes on
// the errors of the store if the team is gone.
Exit show_top(Context& context);

}  // namespace team
