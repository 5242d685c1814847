// One command: its options and its verb.
//
// A command declares what it takes; the parser, the help and the completion follow from that table. Parsing touches no
// file; the verb parses nothing. This is the one place where argv is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libteam/cli/context.h"
#include "libteam/cli/exit.h"
#include "libteam/cli/option_table.h"
#include "libteam/record/task.h"

namespace team {

class Command {
 public:
  // `purpose` is the NAME line of the page; `usage` what follows the name in the synopsis.
  Command(std::string name, std::string purpose, std::string usage);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  // Which of the common options apply. -h, --version and -C always do.
  void takes_team();   // -t
  void takes_actor();  // --as
  void takes_json();   // --json
  void takes_lock();   // --lock-timeout
  void makes_store();  // --allow-netfs
  // All four.
  void takes_all();

  // An operand in brackets ("[TEXT]") may be left out; one with an ellipsis ("ID...") may be repeated.
  void operand(const char* name, std::string& value, const char* help);
  void operand(const char* name, std::optional<std::string>& value, const char* help);
  void operand(const char* name, std::optional<TaskId>& value, const char* help);
  void operand(const char* name, TaskId& value, const char* help);
  void operand(const char* name, std::vector<TaskId>& value, const char* help);
  void operand(const char* name, std::vector<std::string>& value, const char* help);

  void flag(const char* names, bool& value, const char* help);
  // "--owner NAME": the word after the option names its value, in help and for completion.
  void option(const char* spec, std::string& value, const char* help);
  void option(const char* spec, std::optional<std::string>& value, const char* help);
  void option(const char* spec, std::vector<std::string>& value, const char* help);  // may be repeated
  void option(const char* spec, std::vector<TaskId>& value, const char* help);       // repeated, or with commas
  void option(const char* spec, std::optional<std::int64_t>& value, const char* help);
  void option(const char* spec, std::optional<int>& value, const char* help);
  void option(const char* spec, std::vector<Status>& value, const char* help);  // repeated, or with commas
  void option(const char* spec, std::optional<Status>& value, const char* help);
  void seconds(const char* spec, std::optional<double>& value, const char* help);

  // "--wait [SECONDS]", or "--wait=SECONDS": the value may be left out. A word after the option is its value if it
  // begins with a digit, so a command with such an option has no operand that does.
  void optional_seconds(const char* spec, std::optional<std::optional<double>>& value, const char* help);

  // Exactly one of these operands and options must be there.
  void exactly_one(std::vector<std::string> names);
  // One of these or more.
  void at_least_one(std::vector<std::string> names);
  // At most one.
  void at_most_one(std::vector<std::string> names);
  void example(std::string line);

  // Parses the line, then runs the verb. Returns the exit status.
  int run(int argc, char** argv, const Verb& verb);

 private:
  int run_line(const std::vector<std::string>& words, const Verb& verb);

  OptionTable table_;
  Choices choices_;
  bool wants_help_ = false;
  bool wants_version_ = false;
};

}  // namespace team
