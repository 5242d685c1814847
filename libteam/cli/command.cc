// The only file that knows CLI11. It parses; what people read comes from our own table, which the help, the completion
// and the tests share.
#include "libteam/cli/command.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <new>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/system/file.h"

namespace team {

namespace {

using Take = std::function<void(const std::string&)>;

// The texts are literals of the commands.
struct Entry {
  std::string_view names;  // "-t,--team" or "ID..."
  std::string_view value;  // what the value is called; empty for a flag
  std::string_view help;
  bool operand = false;
  bool repeated = false;
  bool optional = true;
  bool value_optional = false;  // --wait, --wait=5 or --wait 5
  Take take;
  bool* flag = nullptr;
};

struct Rule {
  std::vector<std::string> names;
  std::size_t least = 0;
  std::size_t most = 1;
};

TaskId to_id(std::string_view what, std::string_view text) {
  // "#3" is how people write it.
  const auto id = parse_integer(text.starts_with('#') ? text.substr(1) : text);
  if (!id || *id < 1) fail(Code::usage, "{}: '{}' is not a task id", what, one_line(text));
  return *id;
}

std::int64_t to_integer(std::string_view what, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value) fail(Code::usage, "{}: '{}' is not a whole number", what, one_line(text));
  return *value;
}

Status to_status(std::string_view what, std::string_view text) {
  const auto status = parse_status(text);
  if (!status) {
    fail(Code::usage, "{}: '{}' is not pending, in_progress, completed or failed", what, one_line(text));
  }
  return *status;
}

double to_seconds(std::string_view what, std::string_view text) {
  const auto value = parse_seconds(text);
  if (!value) fail(Code::usage, "{}: '{}' is not a time (2, 0.5, 500ms, 3m, 1h)", what, one_line(text));
  return *value;
}

std::string error_line(const Choices& choices, Code code, std::string_view text) {
  const std::string line = one_line(text);
  if (!choices.json) return fmt::format("{}: {}: {}\n", program_invocation_short_name, name_of(code), line);
  std::string quoted;
  for (const char c : line) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return fmt::format("{{\"status\":\"error\",\"code\":\"{}\",\"error\":\"{}\"}}\n", name_of(code), quoted);
}

constexpr std::size_t kHelpColumns = 80;

// Lines of whole words with at most so many columns.
std::vector<std::string> wrapped(std::string_view text, std::size_t most) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && columns(lines.back()) + 1 + columns(word) > most) lines.emplace_back();
    if (!lines.back().empty()) lines.back().push_back(' ');
    lines.back() += word;
  }
  return lines;
}

// Without the options for help that CLI11 makes first: ours are in the table.
struct Line : CLI::App {
  Line() : CLI::App("", "", nullptr) {}
};

// Whether a word of the line may be one of these names. A short option may stand among others (-hC) and before its
// value (-tdocs), so its letter anywhere in the word counts.
bool may_mean(std::string_view word, std::string_view names) {
  if (!word.starts_with('-')) return false;
  if (!word.starts_with("--")) return !names.starts_with("--") && word.find(names[1]) != std::string_view::npos;
  const std::string_view longest = names.substr(names.rfind(',') + 1);
  return word.starts_with(longest) && (word.size() == longest.size() || word[longest.size()] == '=');
}

}  // namespace

struct Command::Parts {
  std::string name, purpose, usage;
  std::vector<Entry> entries;
  std::vector<Rule> rules;
  std::vector<std::string> examples;
  Choices choices;
  bool wants_help = false, wants_version = false, wants_table = false;

  void add_operand(const char* spec, const char* help, Take take) {
    Entry entry;
    entry.names = spec;
    entry.operand = true;
    entry.optional = entry.names.starts_with('[');
    if (entry.optional) entry.names = entry.names.substr(1, entry.names.size() - 2);
    entry.repeated = entry.names.ends_with("...");
    if (entry.repeated) entry.names.remove_suffix(3);
    entry.help = help;
    entry.take = std::move(take);
    entries.push_back(std::move(entry));
  }

  // Gives the name by which messages call the option.
  std::string_view add_option(const char* spec, const char* help) {
    const std::string_view text = spec;
    const std::size_t blank = text.rfind(' ');
    Entry entry;
    entry.names = text.substr(0, blank);
    entry.value = text.substr(blank + 1);
    entry.help = help;
    entries.push_back(entry);
    return entry.names.substr(entry.names.rfind(',') + 1);
  }

  void add_flag(const char* names, bool& value, const char* help) {
    Entry entry;
    entry.names = names;
    entry.help = help;
    entry.flag = &value;
    entries.push_back(std::move(entry));
  }

  static std::string shown_value(const Entry& entry);
  std::string help() const;
  std::string table() const;
  void parse(int argc, char** argv);
  using Values = std::vector<std::vector<std::string>>;
  std::vector<std::string> take_optional_values(std::vector<std::string> words, Values& values) const;
  std::vector<std::string> read_with_cli11(std::vector<std::string> words, Values& values);
  void deal_operands(const std::vector<std::string>& words, Values& values) const;
  void check(const Values& values) const;
  int answer(Context& context, const std::function<Exit(Context&)>& verb) const;
};

Command::Command(std::string name, std::string purpose, std::string usage) : parts_(std::make_unique<Parts>()) {
  constexpr std::size_t kUsual = 16;
  parts_->entries.reserve(kUsual);
  parts_->name = std::move(name);
  parts_->purpose = std::move(purpose);
  parts_->usage = std::move(usage);
}

Command::~Command() = default;

void Command::takes_team() {
  option("-t,--team TEAM", parts_->choices.team, "the team (else $TEAM_NAME, else the only one)");
}

void Command::takes_actor() { option("--as NAME", parts_->choices.actor, "who acts (else $TEAM_MEMBER, else user)"); }

void Command::takes_json() { flag("--json", parts_->choices.json, "print one JSON object a line"); }

void Command::takes_lock() {
  double& seconds = parts_->choices.lock_timeout;
  const std::string_view name = parts_->add_option("--lock-timeout SECONDS", "how long to wait for a lock (5)");
  parts_->entries.back().take = [&seconds, name](const std::string& text) { seconds = to_seconds(name, text); };
}

void Command::makes_store() {
  flag("--allow-netfs", parts_->choices.allows_network, "make the store on a network file system too");
}

void Command::takes_all() {
  takes_team();
  takes_actor();
  takes_json();
  takes_lock();
}

void Command::operand(const char* name, std::string& value, const char* help) {
  parts_->add_operand(name, help, [&value](const std::string& text) { value = repair_utf8(text); });
}

void Command::operand(const char* name, std::optional<std::string>& value, const char* help) {
  parts_->add_operand(name, help, [&value](const std::string& text) { value = repair_utf8(text); });
}

void Command::operand(const char* name, std::optional<TaskId>& value, const char* help) {
  parts_->add_operand(name, help, [&value](const std::string& text) { value = to_id("ID", text); });
}

void Command::operand(const char* name, TaskId& value, const char* help) {
  parts_->add_operand(name, help, [&value](const std::string& text) { value = to_id("ID", text); });
}

void Command::operand(const char* name, std::vector<TaskId>& value, const char* help) {
  parts_->add_operand(name, help, [&value](const std::string& text) { value.push_back(to_id("ID", text)); });
}

void Command::operand(const char* name, std::vector<std::string>& value, const char* help) {
  parts_->add_operand(name, help, [&value](const std::string& text) { value.push_back(repair_utf8(text)); });
}

void Command::flag(const char* names, bool& value, const char* help) { parts_->add_flag(names, value, help); }

void Command::option(const char* spec, std::string& value, const char* help) {
  parts_->add_option(spec, help);
  parts_->entries.back().take = [&value](const std::string& text) { value = repair_utf8(text); };
}

void Command::option(const char* spec, std::optional<std::string>& value, const char* help) {
  parts_->add_option(spec, help);
  parts_->entries.back().take = [&value](const std::string& text) { value = repair_utf8(text); };
}

void Command::option(const char* spec, std::vector<std::string>& value, const char* help) {
  parts_->add_option(spec, help);
  parts_->entries.back().repeated = true;
  parts_->entries.back().take = [&value](const std::string& text) { value.push_back(repair_utf8(text)); };
}

void Command::option(const char* spec, std::vector<TaskId>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().repeated = true;
  parts_->entries.back().take = [&value, name](const std::string& text) {
    for (const std::string& part : split(text, ',')) value.push_back(to_id(name, part));
  };
}

void Command::option(const char* spec, std::optional<std::int64_t>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().take = [&value, name](const std::string& text) { value = to_integer(name, text); };
}

void Command::option(const char* spec, std::optional<int>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().take = [&value, name](const std::string& text) {
    value = static_cast<int>(std::min<std::int64_t>(to_integer(name, text), 1'000'000'000));
  };
}

void Command::option(const char* spec, std::vector<Status>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().repeated = true;
  parts_->entries.back().take = [&value, name](const std::string& text) {
    for (const std::string& part : split(text, ',')) value.push_back(to_status(name, part));
  };
}

void Command::option(const char* spec, std::optional<Status>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().take = [&value, name](const std::string& text) { value = to_status(name, text); };
}

void Command::seconds(const char* spec, std::optional<double>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().take = [&value, name](const std::string& text) { value = to_seconds(name, text); };
}

void Command::optional_seconds(const char* spec, std::optional<std::optional<double>>& value, const char* help) {
  const std::string_view name = parts_->add_option(spec, help);
  parts_->entries.back().value_optional = true;
  parts_->entries.back().take = [&value, name](const std::string& text) {
    value = text.empty() ? std::nullopt : std::optional(to_seconds(name, text));
  };
}

void Command::exactly_one(std::vector<std::string> names) { parts_->rules.push_back({std::move(names), 1, 1}); }

void Command::at_least_one(std::vector<std::string> names) {
  const std::size_t all = names.size();
  parts_->rules.push_back({std::move(names), 1, all});
}

void Command::at_most_one(std::vector<std::string> names) { parts_->rules.push_back({std::move(names), 0, 1}); }

void Command::example(std::string line) { parts_->examples.push_back(std::move(line)); }

std::string Command::Parts::shown_value(const Entry& entry) {
  return entry.value_optional ? fmt::format("[{}]", entry.value) : std::string(entry.value);
}

std::string Command::Parts::help() const {
  std::string text = fmt::format("usage: {}{}{}\n{}.\n", name, usage.empty() ? "" : " ", usage, purpose);
  text[text.find('\n') + 1] = static_cast<char>(std::toupper(purpose[0]));
  std::vector<std::pair<std::string, std::string>> rows;
  std::size_t width = 0;
  for (const Entry& entry : entries) {
    std::string left = entry.operand ? std::string(entry.names) : join(split(entry.names, ','), ", ");
    if (!entry.operand && !left.starts_with("-C") && left.starts_with("--")) left = "    " + left;
    if (!entry.value.empty()) left += " " + shown_value(entry);
    width = std::max(width, left.size());
    rows.emplace_back(left, entry.help);
  }
  text += "\n";
  for (const auto& [left, right] : rows) {
    const auto lines = wrapped(right, kHelpColumns - width - 4);
    text += fmt::format("  {:<{}}  {}\n", left, width, join(lines, fmt::format("\n{:{}}", "", width + 4)));
  }
  if (!examples.empty()) text += "\nexamples:\n";
  for (const std::string& example : examples) text += "  " + example + "\n";
  return text;
}

// One line per option or operand, for the completion script and the tests: names, value, help.
std::string Command::Parts::table() const {
  std::string text = fmt::format("{}\t\t{}\n", name, purpose);
  for (const Entry& entry : entries) {
    const std::string value = entry.operand ? std::string(entry.names) : shown_value(entry);
    text += fmt::format("{}\t{}\t{}\n", entry.names, value, entry.help);
  }
  return text;
}

void Command::Parts::parse(int argc, char** argv) {
  // Values are collected first and taken after all of the line was understood.
  Values values(entries.size());
  const std::vector<std::string> operands =
      read_with_cli11(take_optional_values({argv + 1, argv + argc}, values), values);
  if (wants_help || wants_version || wants_table) return;
  deal_operands(operands, values);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].repeated && values[i].size() > 1) fail(Code::usage, "{} is given twice", entries[i].names);
    for (const std::string& value : values[i]) entries[i].take(value);
  }
  check(values);
}

// Gives the operands, with the "--" before them if there is one.
std::vector<std::string> Command::Parts::read_with_cli11(std::vector<std::string> words, Values& values) {
  Line app;
  app.allow_extras();  // operands are dealt out elsewhere: CLI11 would name the wrong word where one is unknown
  std::vector<std::pair<std::size_t, CLI::Option*>> options;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    // To declare an option costs CLI11 more than to find it, so only the options on the line are declared.
    const auto is_meant = [&](const std::string& word) { return may_mean(word, entries[i].names); };
    if (std::none_of(words.begin(), words.end(), is_meant)) continue;
    if (entries[i].flag != nullptr) {
      app.add_flag(std::string(entries[i].names), *entries[i].flag);
    } else if (!entries[i].operand && !entries[i].value_optional) {
      // The results are read as they are: a conversion by CLI11 would take "{}" for an empty list.
      CLI::Option* const option = app.add_option(std::string(entries[i].names), CLI::callback_t());
      options.emplace_back(i, option->take_all()->type_name("TEXT"));
    }
  }
  // For the completion script and the tests; not for people.
  if (words.size() == 1 && words[0] == "--option-table") app.add_flag(words[0], wants_table);
  try {
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    fail(Code::usage, "{} (try {} --help)", one_line(error.what()), name);
  }
  for (const auto& [i, option] : options) values[i] = option->results();
  return app.remaining();
}

// CLI11 would take any next word for the value of an option that can do without one, so these are dealt with first.
// A word that begins with a digit is the value; no command with such an option takes an operand that does.
std::vector<std::string> Command::Parts::take_optional_values(std::vector<std::string> words, Values& values) const {
  const auto begins_number = [](std::string_view word) {
    return !word.empty() && ((word[0] >= '0' && word[0] <= '9') || parse_seconds(word));
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].value_optional) continue;
    const std::string_view option = entries[i].names;
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
  return words;
}

// Gives the words that are no options to the operands, in order.
void Command::Parts::deal_operands(const std::vector<std::string>& words, Values& values) const {
  std::vector<std::size_t> operands;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].operand) operands.push_back(i);
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
      fail(Code::usage, "unknown option '{}' (try {} --help)", one_line(word), name);
    }
    if (next == operands.size()) fail(Code::usage, "unexpected operand '{}' (try {} --help)", one_line(word), name);
    values[operands[next]].push_back(word);
    if (!entries[operands[next]].repeated) ++next;
  }
  for (const std::size_t i : operands) {
    if (values[i].empty() && !entries[i].optional) {
      fail(Code::usage, "{} is missing (try {} --help)", entries[i].names, name);
    }
  }
}

void Command::Parts::check(const Values& values) const {
  const auto is_given = [&](const std::string& option) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].names == option) return entries[i].flag != nullptr ? *entries[i].flag : !values[i].empty();
    }
    return false;
  };
  for (const Rule& rule : rules) {
    std::vector<std::string> given;
    std::copy_if(rule.names.begin(), rule.names.end(), std::back_inserter(given), is_given);
    if (given.size() > rule.most) fail(Code::usage, "{} do not go together", join(given, " and "));
    if (given.size() >= rule.least) continue;
    if (rule.most > 1) fail(Code::usage, "nothing to do (try {} --help)", name);
    fail(Code::usage, "{} is missing (try {} --help)", join(rule.names, " or "), name);
  }
}

int Command::Parts::answer(Context& context, const std::function<Exit(Context&)>& verb) const {
  Code code = Code::no;
  std::string text;
  try {
    const Exit exit = verb(context);
    context.out().finish(context.may_have_changed() ? Output::Reader::must_stay : Output::Reader::may_leave);
    return static_cast<int>(exit);
  } catch (const Error& error) {
    code = error.code();
    text = error.what();
  } catch (const std::bad_alloc&) {
    code = Code::io;
    text = "out of memory";
  } catch (const std::exception& error) {
    code = Code::unknown;
    text = fmt::format("this should not happen: {}", error.what());
  }
  if (context.has_made() && (code == Code::io || code == Code::again)) {
    code = Code::unknown;
    text = "the change is made, but " + text;
  }
  // What was printed before the failure was true; the failure is what is reported.
  context.out().flush();
  write_all(STDERR_FILENO, error_line(choices, code, text));
  return static_cast<int>(code);
}

int Command::run(int argc, char** argv, const std::function<Exit(Context&)>& verb) {
  program_invocation_short_name = parts_->name.data();
  ::umask(0077);
  // A closed pipe and a file that may not grow are failures of one write, not the end of the process.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  option("-C DIR", parts_->choices.directory, "the root (else $TEAM_ROOT, else found upward)");
  parts_->add_flag("-h,--help", parts_->wants_help, "print this help");
  parts_->add_flag("--version", parts_->wants_version, "print the version");
  try {
    parts_->parse(argc, argv);
  } catch (const Error& error) {
    write_all(STDERR_FILENO, error_line(parts_->choices, error.code(), error.what()));
    return static_cast<int>(error.code());
  }
  read_environment(parts_->choices);
  Context context(parts_->choices);
  return parts_->answer(context, [&](Context& given) {
    if (parts_->wants_help) given.out().text(parts_->help());
    else if (parts_->wants_version) given.out().line(fmt::format("{} (teamkit) {}", parts_->name, TEAMKIT_VERSION));
    else if (parts_->wants_table) given.out().text(parts_->table());
    else return verb(given);
    return Exit::done;
  });
}

Exit no(const Context& context, std::string_view reason) {
  write_all(STDERR_FILENO, error_line(context.choices(), Code::no, reason));
  return Exit::no;
}

}  // namespace team
