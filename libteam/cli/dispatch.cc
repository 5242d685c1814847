#include "libteam/cli/dispatch.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/system/program.h"

namespace team {

namespace {

using Commands = std::span<const CommandEntry>;
constexpr const char* kName = "teamkit";

const CommandEntry* find_command(Commands commands, std::string_view name) {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const auto& entry) { return entry.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_unknown(Commands commands, const std::string& name) {
  std::vector<std::string> known;
  for (const CommandEntry& entry : commands) known.emplace_back(entry.name);
  const std::string hint = did_you_mean(name, known);
  fail(Code::usage, "'{}' is not a command of teamkit{}", one_line(name), hint.empty() ? " (try teamkit help)" : hint);
}

// Becomes the other executable, which lies beside this one or else in PATH. Throws if that fails.
[[noreturn]] void become(const std::string& program, const std::vector<char*>& words) {
  if (const std::string folder = own_folder(); !folder.empty()) ::execv((folder + "/" + program).c_str(), words.data());
  ::execvp(program.c_str(), words.data());
  fail_errno("cannot run", program);
}

void list_commands(Context& context, Commands commands) {
  Table table(context.out(), {"COMMAND", "PURPOSE"});
  for (const CommandEntry& entry : commands) table.row({{std::string(entry.name)}, {std::string(entry.purpose)}});
  table.finish();
}

// `words`: a command and its arguments, or options of teamkit itself.
int run_teamkit(Commands commands, const char* other, std::vector<char*> words) {
  // "-C DIR task-list" means "task-list -C DIR".
  if (words.size() > 2 && std::string_view(words[0]) == "-C") {
    std::rotate(words.begin(), words.begin() + 2, words.begin() + 3);
  }
  const bool has_command = !words.empty() && *words[0] != '-';
  std::string name = kName, help = "--help";
  std::vector<char*> own{name.data()};
  if (!has_command) own.insert(own.end(), words.begin(), words.end());

  std::vector<std::string> operands;
  Command teamkit(name, std::string(find_command(commands, name)->purpose), "[-C DIR] [COMMAND [ARGUMENT...]]");
  teamkit.operand("[COMMAND...]", operands, "a command and its arguments, or help [COMMAND]");
  teamkit.example("teamkit help task-claim");
  teamkit.example("teamkit -C ../project task-list --ready");
  return teamkit.run(static_cast<int>(own.size()), own.data(), [&](Context& context) {
    const bool wants_help = has_command && std::string_view(words[0]) == "help";
    if (!has_command || (wants_help && words.size() == 1)) {
      list_commands(context, commands);
      return Exit::done;
    }
    if (wants_help && words.size() > 2) fail(Code::usage, "help explains one command at a time");
    if (wants_help) words = {words[1], help.data()};
    const CommandEntry* command = find_command(commands, words[0]);
    if (command == nullptr) refuse_unknown(commands, words[0]);
    words.push_back(nullptr);
    if (command->run == nullptr) become(other, words);
    return static_cast<Exit>(command->run(static_cast<int>(words.size()) - 1, words.data()));
  });
}

}  // namespace

int dispatch(Commands commands, const char* other, int argc, char** argv) {
  const std::string_view path = argc > 0 ? argv[0] : kName;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const CommandEntry* command = name == kName ? nullptr : find_command(commands, name);
  if (command != nullptr && command->run != nullptr) return command->run(argc, argv);

  std::vector<char*> words(argv, argv + argc);
  if (command == nullptr && argc > 0) words.erase(words.begin());
  return run_teamkit(commands, other, std::move(words));
}

}  // namespace team
