// Prints the status of a team: one screen for a person, records for a program.
#pragma once

#include "libteam/cli/context.h"
#include "libteam/record/status.h"

namespace team {

// In a pipe each record begins with its kind: member, tasks, task, plan, warning, used.
void print_status(Context& context, const TeamStatus& status);

}  // namespace team
