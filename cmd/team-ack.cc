// team-ack - mark held messages as processed

#include "libteam/cli/command.h"

namespace {

team::Exit acknowledge(team::Context& context, const std::vector<std::string>& ids) {
  const team::TeamSession& session = context.session();
  context.changes();
  session.messages().acknowledge(ids);
  context.made();
  return team::Exit::done;
}

}  // namespace

int team_ack(int argc, char** argv) {
  std::vector<std::string> ids;
  team::Command command("team-ack", "mark held messages as processed", "[options] MESSAGE ...");
  command.operand("MESSAGE...", ids, "ids of messages that team-recv --hold printed");
  command.takes_all();
  command.example("team-ack 01JD0V8Z7Q4M3N2B1A0F9E8D7C --as backend");
  return command.run(argc, argv, [&](team::Context& context) { return acknowledge(context, ids); });
}
