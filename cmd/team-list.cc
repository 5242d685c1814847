// team-list - list the teams of this root

#include "libteam/cli/command.h"

namespace {

team::Exit list(team::Context& context) {
  team::Table table(context.out(), {"TEAM", "LEAD", "MEMBERS", "BOARD"});
  for (const std::string& name : context.engine().names()) {
    try {
      const team::Team found = context.engine().get(name);
      if (context.json()) {
        context.out().line(to_line(found));
      } else {
        table.row({{found.name}, {found.lead}, {std::to_string(found.members.size())}, {found.board}});
      }
    } catch (const team::Error& error) {
      if (error.code() != team::Code::corrupt) throw;
      team::warn(fmt::format("{}: {}", name_of(error.code()), error.what()));
    }
  }
  table.finish();
  return team::Exit::done;
}

}  // namespace

int team_list(int argc, char** argv) {
  team::Command command("team-list", "list the teams of this root", "[options]");
  command.takes_json();
  command.example("team-list");
  return command.run(argc, argv, list);
}
