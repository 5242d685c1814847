// A file of the user that holds one secret.
#pragma once

#include <string>

namespace team {

// Its first line without the newline. Throws not_found, and permission_denied if other users can read it.
std::string read_secret(const std::string& path);

}  // namespace team
