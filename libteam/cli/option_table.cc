#include "libteam/cli/option_table.h"

namespace team {

OptionEntry& OptionTable::add_operand(std::string_view spec, std::string_view help) {
  OptionEntry& entry = entries.emplace_back();
  entry.names = spec;
  entry.help = help;
  entry.operand = true;
  entry.optional = spec.starts_with('[');
  if (entry.optional) entry.names = spec.substr(1, spec.size() - 2);
  entry.repeated = entry.names.ends_with("...");
  if (entry.repeated) entry.names.remove_suffix(3);
  return entry;
}

OptionEntry& OptionTable::add_option(std::string_view spec, std::string_view help) {
  const std::size_t blank = spec.rfind(' ');
  OptionEntry& entry = entries.emplace_back();
  entry.names = spec.substr(0, blank);
  entry.value = spec.substr(blank + 1);
  entry.help = help;
  return entry;
}

OptionEntry& OptionTable::add_flag(std::string_view names, bool& value, std::string_view help) {
  OptionEntry& entry = entries.emplace_back();
  entry.names = names;
  entry.help = help;
  entry.flag = &value;
  return entry;
}

}  // namespace team
