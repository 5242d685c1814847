// Kinds of file systems, by the number that statfs(2) gives.
#pragma once

#include <string_view>

namespace team {

// The name of a file system that is shared over a network or served by a program (NFS, SMB, FUSE, 9p, …); empty for a
// local one. On such a file system locks can fail, or not be seen by other machines, and nothing tells of changes.
std::string_view network_filesystem(long type);

}  // namespace team
