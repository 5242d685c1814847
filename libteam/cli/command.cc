#include "libteam/cli/command.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>

#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/cli/help_text.h"
#include "libteam/cli/line_parser.h"
#include "libteam/system/trace.h"

namespace team {

namespace {

using Take = std::function<void(const std::string&)>;

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

template <typename Text>
Take take_text(Text& value) {
  return [&value](const std::string& text) { value = repair_utf8(text); };
}

Take take_texts(std::vector<std::string>& value) {
  return [&value](const std::string& text) { value.push_back(repair_utf8(text)); };
}

template <typename Id>
Take take_id(Id& value) {
  return [&value](const std::string& text) { value = to_id("ID", text); };
}

// The line without its operands and values, which may be the text of a message: only names of options.
void trace_start(const OptionTable& table, const std::vector<std::string>& words) {
  if (!is_tracing()) return;
  std::string line = "start: " + table.name;
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const auto has_name = [&](const OptionEntry& entry) {
      const auto names = split(entry.names, ',');
      return !entry.operand && std::find(names.begin(), names.end(), name) != names.end();
    };
    const bool is_option = std::any_of(table.entries.begin(), table.entries.end(), has_name);
    line += is_option ? " " + name + (name == word ? "" : "=*") : " *";
  }
  trace_line(line);
}

}  // namespace

Command::Command(std::string name, std::string purpose, std::string usage) {
  constexpr std::size_t kUsual = 16;
  table_.entries.reserve(kUsual);
  table_.name = std::move(name);
  table_.purpose = std::move(purpose);
  table_.usage = std::move(usage);
}

void Command::takes_team() { option("-t,--team TEAM", choices_.team, "the team (else $TEAM_NAME, else the only one)"); }

void Command::takes_actor() { option("--as NAME", choices_.actor, "who acts (else $TEAM_MEMBER, else user)"); }

void Command::takes_json() { flag("--json", choices_.json, "print one JSON object a line"); }

void Command::takes_lock() {
  OptionEntry& entry = table_.add_option("--lock-timeout SECONDS", "how long to wait for a lock (5)");
  entry.take = [&seconds = choices_.lock_timeout, name = entry.long_name()](const std::string& text) {
    seconds = to_seconds(name, text);
  };
}

void Command::makes_store() {
  flag("--allow-netfs", choices_.allows_network, "make the store on a network file system too");
}

void Command::takes_all() {
  takes_team();
  takes_actor();
  takes_json();
  takes_lock();
}

void Command::operand(const char* name, std::string& value, const char* help) {
  table_.add_operand(name, help).take = take_text(value);
}

void Command::operand(const char* name, std::optional<std::string>& value, const char* help) {
  table_.add_operand(name, help).take = take_text(value);
}

void Command::operand(const char* name, std::optional<TaskId>& value, const char* help) {
  table_.add_operand(name, help).take = take_id(value);
}

void Command::operand(const char* name, TaskId& value, const char* help) {
  table_.add_operand(name, help).take = take_id(value);
}

void Command::operand(const char* name, std::vector<TaskId>& value, const char* help) {
  table_.add_operand(name, help).take = [&value](const std::string& text) { value.push_back(to_id("ID", text)); };
}

void Command::operand(const char* name, std::vector<std::string>& value, const char* help) {
  table_.add_operand(name, help).take = take_texts(value);
}

void Command::flag(const char* names, bool& value, const char* help) { table_.add_flag(names, value, help); }

void Command::option(const char* spec, std::string& value, const char* help) {
  table_.add_option(spec, help).take = take_text(value);
}

void Command::option(const char* spec, std::optional<std::string>& value, const char* help) {
  table_.add_option(spec, help).take = take_text(value);
}

void Command::option(const char* spec, std::vector<std::string>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.repeated = true;
  entry.take = take_texts(value);
}

void Command::option(const char* spec, std::vector<TaskId>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.repeated = true;
  entry.take = [&value, name = entry.long_name()](const std::string& text) {
    for (const std::string& part : split(text, ',')) value.push_back(to_id(name, part));
  };
}

void Command::option(const char* spec, std::optional<std::int64_t>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.take = [&value, name = entry.long_name()](const std::string& text) { value = to_integer(name, text); };
}

void Command::option(const char* spec, std::optional<int>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.take = [&value, name = entry.long_name()](const std::string& text) {
    value = static_cast<int>(std::min<std::int64_t>(to_integer(name, text), 1'000'000'000));
  };
}

void Command::option(const char* spec, std::vector<Status>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.repeated = true;
  entry.take = [&value, name = entry.long_name()](const std::string& text) {
    for (const std::string& part : split(text, ',')) value.push_back(to_status(name, part));
  };
}

void Command::option(const char* spec, std::optional<Status>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.take = [&value, name = entry.long_name()](const std::string& text) { value = to_status(name, text); };
}

void Command::seconds(const char* spec, std::optional<double>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.take = [&value, name = entry.long_name()](const std::string& text) { value = to_seconds(name, text); };
}

void Command::optional_seconds(const char* spec, std::optional<std::optional<double>>& value, const char* help) {
  OptionEntry& entry = table_.add_option(spec, help);
  entry.value_optional = true;
  entry.take = [&value, name = entry.long_name()](const std::string& text) {
    value = text.empty() ? std::nullopt : std::optional(to_seconds(name, text));
  };
}

void Command::exactly_one(std::vector<std::string> names) { table_.rules.push_back({std::move(names), 1, 1}); }

void Command::at_least_one(std::vector<std::string> names) {
  const std::size_t all = names.size();
  table_.rules.push_back({std::move(names), 1, all});
}

void Command::at_most_one(std::vector<std::string> names) { table_.rules.push_back({std::move(names), 0, 1}); }

void Command::example(std::string line) { table_.examples.push_back(std::move(line)); }

int Command::run(int argc, char** argv, const Verb& verb) {
  program_invocation_short_name = table_.name.data();
  ::umask(0077);
  // A closed pipe and a file that may not grow are failures of one write, not the end of the process.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  option("-C DIR", choices_.directory, "the root (else $TEAM_ROOT, else found upward)");
  table_.add_flag("-h,--help", wants_help_, "print this help").answers_alone = true;
  table_.add_flag("--version", wants_version_, "print the version").answers_alone = true;
  const std::vector<std::string> words(argv + 1, argv + argc);
  trace_start(table_, words);
  const int status = run_line(words, verb);
  trace("exit: {} with status {}", table_.name, status);
  return status;
}

int Command::run_line(const std::vector<std::string>& words, const Verb& verb) {
  // For the completion script and the tests; not for people, so not in the table.
  const bool wants_lines = words.size() == 1 && words[0] == "--option-table";
  try {
    if (!wants_lines) parse_line(table_, words);
  } catch (const Error& error) {
    return report_error(choices_, error.code(), error.what());
  }
  read_environment(choices_);
  Context context(choices_);
  return run_verb(context, [&](Context& given) {
    if (wants_help_) given.out().text(help_text(table_));
    else if (wants_version_) given.out().line(fmt::format("{} (teamkit) {}", table_.name, TEAMKIT_VERSION));
    else if (wants_lines) given.out().text(option_lines(table_));
    else return verb(given);
    return Exit::done;
  });
}

}  // namespace team
