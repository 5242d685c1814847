// Kinds of file systems, by the number that statfs(2) gives.
#pragma once

#include <string_view>

namespace team {

// The name of a file system that a network or a program serves (NFS, SMB, FUSE, 9p, …); empty for a local one. On such
// a file system locks can fail or be invisible to other machines, and no change is reported.
std::string_view network_filesystem(long type);

}  // namespace team
