// Parses a command line by the table of the command. CLI11 does it, and no other file knows CLI11.
#pragma once

#include <string>
#include <vector>

#include "libteam/cli/option_table.h"

namespace team {

// `words` is the line without the name of the program. Sets the flags and hands the values to their entries, once the
// whole line is understood. Throws usage; flags may be set by then, so that a refusal after --json is JSON.
void parse_line(const OptionTable& table, std::vector<std::string> words);

}  // namespace team
