// The keys of model services. A process that talks to a service takes them out of its environment, so that the programs
// it runs do not inherit them.
#pragma once

#include <string>

#include "libteam/system/environment.h"

namespace team {

// Variables and their values.
using Keys = Variables;

// Those that are in the environment; they stay there.
Keys keys_in_environment();
// Removes them from the environment, also as the kernel shows it to other processes of this user. Call it before there
// is another thread: all threads share the environment.
Keys put_keys_away();
// Empty if it is not there.
std::string key_of(const Keys& keys, const std::string& variable);

// For a program that gets only what it needs: removes all variables but those that `names` match (as in only()) and
// those that any program expects, such as PATH and HOME.
Variables clean_environment(std::vector<std::string> names);

}  // namespace team
