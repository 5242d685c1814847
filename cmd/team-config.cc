// team-config - read or change the settings of a team

#include "libteam/cli/command.h"
#include "libteam/record/settings.h"

namespace {

struct Options {
  std::optional<std::string> key, value;
  bool list = false, unset = false;
};

team::Exit show(team::Context& context, const Options& options) {
  if (options.key) {
    context.out().line(team::setting(context.team(), *options.key));
    return team::Exit::done;
  }
  team::Table table(context.out(), {"KEY", "VALUE", "TAKES"});
  for (const team::SettingRule& rule : team::setting_rules()) {
    table.row({{std::string(rule.key)}, {team::setting(context.team(), rule.key)}, {std::string(rule.values)}});
  }
  table.finish();
  return team::Exit::done;
}

team::Exit config(team::Context& context, const Options& options) {
  if (!options.value && !options.unset) return show(context, options);
  team::TeamSession& session = context.session();
  context.changes();
  session.set(*options.key, options.value);
  return team::Exit::done;
}

}  // namespace

int team_config(int argc, char** argv) {
  Options options;
  team::Command command("team-config", "read or change the settings of a team", "[options] KEY [VALUE] | --list");
  command.operand("[KEY]", options.key, "the setting");
  command.operand("[VALUE]", options.value, "the new value; without it the value is printed");
  command.flag("--list", options.list, "print all settings with their values");
  command.flag("--unset", options.unset, "restore the default");
  command.exactly_one({"KEY", "--list"});
  command.at_most_one({"VALUE", "--unset"});
  command.at_most_one({"--list", "--unset"});
  command.takes_team();
  command.takes_actor();
  command.takes_lock();
  command.example("team-config tasks.perMember 2");
  command.example("team-config --list");
  return command.run(argc, argv, [&](team::Context& context) { return config(context, options); });
}
