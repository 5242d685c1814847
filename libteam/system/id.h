// Ids that no two processes make alike and that sort by time.
#pragma once

#include <string>
#include <string_view>

namespace team {

// 26 characters of Crockford's base 32: milliseconds, then 80 random bits (a ULID). Later ones of one process are
// greater than earlier ones.
std::string new_id();

// Whether a text can be such an id, and so the name of a file.
bool is_id(std::string_view text);

}  // namespace team
