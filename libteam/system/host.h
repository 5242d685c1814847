// The machine that this process runs on.
#pragma once

#include <string>

namespace team {

// The name of this machine; empty if the kernel does not tell it.
std::string host_name();

}  // namespace team
