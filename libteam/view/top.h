// team-top: a team on a screen, live.
//
// Drawn when something has changed, at most ten times a second however much that is, and once a second for the clock.
#pragma once

#include "libteam/cli/command.h"

namespace team {

// Until somebody quits; 128 + n if signal n ended it. Throws usage where there is no terminal to draw on, and what the
// store throws when there is nothing left to watch.
Exit show_top(Context& context);

}  // namespace team
