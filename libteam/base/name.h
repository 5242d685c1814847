// Names: which ones a team or a member may have, and which paths stay beneath their folder.
#pragma once

#include <string_view>

namespace team {

// `[A-Za-z0-9][A-Za-z0-9_-]{0,63}`: the only names from which a path is ever built.
bool is_name(std::string_view text);

// True for names that differ at most in the case of ASCII letters: on some file systems they are one file.
bool same_name(std::string_view one, std::string_view other);

// True for a relative path without "..": it stays beneath its start, apart from links.
bool is_inner_path(std::string_view path);

}  // namespace team
