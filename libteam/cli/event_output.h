// How an event looks.
#pragma once

#include "libteam/cli/context.h"
#include "libteam/record/event.h"

namespace team {

// With --json the envelope as it is; else seq, time, agent, type and what it was about.
void print_event(Context& context, const Envelope& envelope);

}  // namespace team
