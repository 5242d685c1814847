// The table of a command: its operands, its options and the rules between them.
//
// A command fills the table (cli/command.h); the parser, the help and the completion read it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace team {

// An option or an operand. The texts are literals of the commands.
struct OptionEntry {
  std::string_view names;  // "-t,--team" or "ID"
  std::string_view value;  // the name of the value; empty for a flag
  std::string_view help;
  bool operand = false;
  bool repeated = false;
  bool optional = true;
  bool value_optional = false;                   // --wait, --wait=5 or --wait 5
  bool answers_alone = false;                    // --help: the rest of the line need not be complete
  bool* flag = nullptr;                          // a flag sets this
  std::function<void(const std::string&)> take;  // everything else takes a value; throws usage

  // The name that messages use: the long one if there is one.
  std::string_view long_name() const { return names.substr(names.rfind(',') + 1); }
};

// At least `least` and at most `most` of these operands and options stand on a line.
struct OptionRule {
  std::vector<std::string> names;
  std::size_t least = 0;
  std::size_t most = 1;
};

struct OptionTable {
  std::string name, purpose, usage;
  std::vector<OptionEntry> entries;
  std::vector<OptionRule> rules;
  std::vector<std::string> examples;

  // Each adds an entry. The reference is valid until the next one is added.
  OptionEntry& add_operand(std::string_view spec, std::string_view help);  // "ID", "[ID]", "ID..." or "[ID...]"
  OptionEntry& add_option(std::string_view spec, std::string_view help);   // "-t,--team TEAM"
  OptionEntry& add_flag(std::string_view names, bool& value, std::string_view help);
};

}  // namespace team
