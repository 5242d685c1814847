// Ids that are unique across processes and sort by time.
#pragma once

#include <string>
#include <string_view>

namespace team {

// 26 characters of Crockford's base 32: milliseconds, then 80 random bits (a ULID). Within a process each id is greater
// than the ones before.
std::string new_id();

// True if the text is a valid id, and so a safe file name.
bool is_id(std::string_view text);

}  // namespace team
