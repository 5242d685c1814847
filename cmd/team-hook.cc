// team-hook - connect the open session of an agent to the team

#include "libteam/base/terminal_text.h"
#include "libteam/cli/claude_hook.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"

namespace {

struct Options {
  std::string program;
  std::optional<std::string> event;
  std::optional<std::int64_t> client;
  bool print = false;
};

constexpr std::size_t kLargestInput = std::size_t{4} << 20;

void run_event(team::Context& context, const Options& options, team::HookEnd& end) {
  if (options.program != "claude") {
    team::fail(team::Code::usage, "'{}' is not claude", team::one_line(options.program));
  }
  if (options.print == options.event.has_value()) {
    team::fail(team::Code::usage, "either an event or --print (try team-hook --help)");
  }
  if (options.print) {
    context.out().text(team::claude_hook_settings());
    return;
  }
  team::HookCall call;
  call.event = *options.event;
  call.client = static_cast<pid_t>(options.client.value_or(0));
  call.input = team::read_input(kLargestInput);
  end = run_claude_hook(context, call);
}

}  // namespace

int team_hook(int argc, char** argv) {
  Options options;
  team::HookEnd end = team::HookEnd::done;
  team::Command command("team-hook", "connect the open session of an agent to the team", "[options] PROGRAM [EVENT]");
  command.operand("PROGRAM", options.program, "the agent: claude");
  command.operand("[EVENT]", options.event, "the event that it reports, with its JSON object on stdin");
  command.flag("--print", options.print, "print the settings that make the agent call this command");
  command.option("--client PID", options.client, "the process of the agent (else the nearest that is no shell)");
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("team-hook claude --print >.claude/settings.local.json");
  const int status = command.run(argc, argv, [&](team::Context& context) {
    run_event(context, options, end);
    return team::Exit::done;
  });
  // To the client 2 means: wake up, or refused. A failure of ours must not look like that.
  if (status == 0) return static_cast<int>(end);
  return status == static_cast<int>(team::Code::usage) ? static_cast<int>(team::Exit::no) : status;
}
