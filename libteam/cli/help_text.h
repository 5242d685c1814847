// The help of a command, written from its table.
#pragma once

#include <string>

#include "libteam/cli/option_table.h"

namespace team {

// For --help: usage, purpose, options and examples in 80 columns.
std::string help_text(const OptionTable& table);

// For --option-table, which the completion script and the tests read. The first line has the name and the purpose of
// the command. Each option and operand has a line "names TAB value TAB help".
std::string option_lines(const OptionTable& table);

}  // namespace team
