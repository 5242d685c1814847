// The program that runs this process as one of its hooks, such as an agent with a terminal.
#pragma once

#include <sys/types.h>

namespace team {

// The nearest ancestor that is no shell: a program runs its hooks by `sh -c`. 0 if there is none.
pid_t find_hook_client();

// Ends this process as soon as that one ends, however it ends; at once if it has ended already. A hook of a killed
// program lives on and would otherwise take what nobody reads any more.
void end_with(pid_t client);

}  // namespace team
