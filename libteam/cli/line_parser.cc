#include "libteam/cli/line_parser.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <iterator>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"

namespace team {

namespace {

using Words = std::vector<std::string>;
using Values = std::vector<Words>;  // those of each entry of the table

// Without the options for help that CLI11 declares first: the table has them.
struct Line : CLI::App {
  Line() : CLI::App("", "", nullptr) {}
};

// Whether a word of the line may be one of these names. A short option may stand among others (-hC) and before its
// value (-tdocs), so its letter anywhere in the word counts.
bool may_mean(std::string_view word, const OptionEntry& entry) {
  if (!word.starts_with('-')) return false;
  if (!word.starts_with("--")) {
    return !entry.names.starts_with("--") && word.find(entry.names[1]) != std::string_view::npos;
  }
  const std::string_view name = entry.long_name();
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

// CLI11 would take any next word for the value of an option that can do without one, so these are taken first. A word
// that begins with a digit is the value; no command with such an option has an operand that does.
void take_optional_values(const OptionTable& table, Words& words, Values& values) {
  const auto begins_number = [](std::string_view word) {
    return !word.empty() && ((word[0] >= '0' && word[0] <= '9') || parse_seconds(word));
  };
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    if (!table.entries[i].value_optional) continue;
    const std::string_view option = table.entries[i].names;
    for (auto word = words.begin(); word != words.end() && *word != "--";) {
      if (word->starts_with(option) && word->size() > option.size() && (*word)[option.size()] == '=') {
        values[i].push_back(word->substr(option.size() + 1));
      } else if (*word == option) {
        const auto next = word + 1;
        const bool has_value = next != words.end() && begins_number(*next);
        values[i].push_back(has_value ? *next : "");
        if (has_value) words.erase(next);
      } else {
        ++word;
        continue;
      }
      word = words.erase(word);
    }
  }
}

// Sets the flags and collects the values of the options. Returns the other words, with the "--" before the operands if
// there is one.
Words read_options(const OptionTable& table, Words words, Values& values) {
  // Nearly half of all lines have only operands, and to set up CLI11 costs more than to parse them.
  if (std::none_of(words.begin(), words.end(), [](const auto& word) { return word.starts_with('-'); })) return words;
  Line app;
  app.allow_extras();  // CLI11 would name the wrong word of an unknown one, so deal_operands() refuses it
  std::vector<std::pair<std::size_t, CLI::Option*>> options;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const OptionEntry& entry = table.entries[i];
    if (entry.operand || entry.value_optional) continue;
    // To declare an option costs CLI11 more than to find it, so only the options on the line are declared.
    if (std::none_of(words.begin(), words.end(), [&](const auto& word) { return may_mean(word, entry); })) continue;
    if (entry.flag != nullptr) {
      app.add_flag(std::string(entry.names), *entry.flag);
    } else {
      // The results are read as they are: a conversion by CLI11 would take "{}" for an empty list.
      CLI::Option* const option = app.add_option(std::string(entry.names), CLI::callback_t());
      options.emplace_back(i, option->take_all()->type_name("TEXT"));
    }
  }
  try {
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    fail(Code::usage, "{} (try {} --help)", one_line(error.what()), table.name);
  }
  for (const auto& [i, option] : options) values[i] = option->results();
  return app.remaining();
}

// Gives the words that are no options to the operands, in order.
void deal_operands(const OptionTable& table, const Words& words, Values& values) {
  std::vector<std::size_t> operands;
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    if (table.entries[i].operand) operands.push_back(i);
  }
  std::size_t next = 0;
  bool only_operands = false;
  for (const std::string& word : words) {
    if (!only_operands && word == "--") {
      only_operands = true;
      continue;
    }
    const bool like_an_option = word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9');
    if (!only_operands && like_an_option) {
      fail(Code::usage, "unknown option '{}' (try {} --help)", one_line(word), table.name);
    }
    if (next == operands.size()) {
      fail(Code::usage, "unexpected operand '{}' (try {} --help)", one_line(word), table.name);
    }
    values[operands[next]].push_back(word);
    if (!table.entries[operands[next]].repeated) ++next;
  }
  for (const std::size_t i : operands) {
    if (values[i].empty() && !table.entries[i].optional) {
      fail(Code::usage, "{} is missing (try {} --help)", table.entries[i].names, table.name);
    }
  }
}

void take_values(const OptionTable& table, const Values& values) {
  for (std::size_t i = 0; i < table.entries.size(); ++i) {
    const OptionEntry& entry = table.entries[i];
    if (!entry.repeated && values[i].size() > 1) fail(Code::usage, "{} is given twice", entry.names);
    for (const std::string& value : values[i]) entry.take(value);
  }
}

void check_rules(const OptionTable& table, const Values& values) {
  const auto is_given = [&](const std::string& name) {
    for (std::size_t i = 0; i < table.entries.size(); ++i) {
      const OptionEntry& entry = table.entries[i];
      if (entry.names == name) return entry.flag != nullptr ? *entry.flag : !values[i].empty();
    }
    return false;
  };
  for (const OptionRule& rule : table.rules) {
    Words given;
    std::copy_if(rule.names.begin(), rule.names.end(), std::back_inserter(given), is_given);
    if (given.size() > rule.most) fail(Code::usage, "{} cannot be combined", join(given, " and "));
    if (given.size() >= rule.least) continue;
    if (rule.most > 1) fail(Code::usage, "nothing to do (try {} --help)", table.name);
    fail(Code::usage, "{} is missing (try {} --help)", join(rule.names, " or "), table.name);
  }
}

}  // namespace

void parse_line(const OptionTable& table, std::vector<std::string> words) {
  Values values(table.entries.size());
  take_optional_values(table, words, values);
  const Words others = read_options(table, std::move(words), values);
  const auto answers_alone = [](const OptionEntry& entry) { return entry.answers_alone && *entry.flag; };
  if (std::any_of(table.entries.begin(), table.entries.end(), answers_alone)) return;
  deal_operands(table, others, values);
  take_values(table, values);
  check_rules(table, values);
}

}  // namespace team
