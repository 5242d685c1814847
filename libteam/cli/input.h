// Input of a command: stdin, or a file that the user names.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/record/team.h"

namespace team {

// Calls `visit` for each line of stdin that is not blank, with its number.
void each_input_line(const std::function<void(const std::string& line, std::size_t number)>& visit);

// The next piece of stdin, unchanged; false at the end.
bool read_piece(std::string& piece);

// All of stdin, as valid UTF-8, without the last newline. Throws usage if it is larger than `most_bytes`.
std::string read_input(std::size_t most_bytes);

// If the text is "-", replaces it by stdin.
void read_if_dash(std::string& text);
void read_if_dash(std::optional<std::string>& text);

// Reads a file of the user. Throws not_found.
std::string read_user_file(const std::string& path);
// A role from NAME=FILE, as --role takes it. Throws usage.
Role read_role(const std::string& text);
std::vector<Role> read_roles(const std::vector<std::string>& texts);
// Reads a file of the user, or all of stdin for "-".
std::string read_user_file_or_input(const std::string& path);

}  // namespace team
