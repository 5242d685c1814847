// team-resume - restart teammates that were killed

#include <algorithm>
#include <filesystem>
#include <set>

#include "libteam/agent/life/spawn.h"
#include "libteam/cli/command.h"
#include "libteam/record/settings.h"
#include "libteam/store/life.h"

namespace {

struct Options {
  std::vector<std::string> names;
  std::optional<std::string> mode;
};

// True for a member that was killed or interrupted; false if it finished its work or was asked to end.
bool is_missing(const team::LifeEngine& lives, const team::Team& team, const std::string& name,
                std::optional<team::MemberState>& state) {
  if (name == team.lead) return false;  // team-run starts the lead
  if (lives.life_of(name) != team::Life::dead) return false;
  state = lives.state_of(name);
  return state && state->resumable;
}

team::SpawnMode mode_of(const team::Team& team, const team::MemberState& state, const Options& options) {
  const std::string before = state.start.mode == "tmux" ? "tmux" : team::setting(team, "teammate.mode");
  return team::choose_mode(options.mode.value_or(before), team::warn);
}

team::Exit resume(team::Context& context, const Options& options) {
  team::check_enabled();
  context.require_lead("start teammates");
  context.require_trust("team-resume");
  team::TeamSession session(context.engine(), context.team().name, context.actor());
  for (const std::string& name : options.names) session.mail().mailbox(name);  // throws if there is no such member
  context.changes();
  const auto lives = session.lives();
  bool any = false;
  std::set<std::string> attach;
  for (const team::Member& member : context.team().members) {
    const auto& names = options.names;
    if (!names.empty() && std::find(names.begin(), names.end(), member.name) == names.end()) continue;
    std::optional<team::MemberState> state;
    if (!is_missing(*lives, context.team(), member.name, state)) continue;
    // A folder of another machine may not exist here.
    const bool there = std::filesystem::is_directory(state->start.directory);
    team::Spawner spawner(session, mode_of(context.team(), *state, options), team::warn);
    spawner.prefer_server(state->tmux);
    try {
      spawner.start(member.name, state->start.arguments, there ? state->start.directory : "");
    } catch (const team::Error& error) {
      // Another process started this member first.
      if (lives->life_of(member.name) == team::Life::running) continue;
      throw;
    }
    any = true;
    if (!spawner.how_to_attach().empty()) attach.insert(spawner.how_to_attach());
    context.out().line(context.json() ? fmt::format(R"({{"name":"{}"}})", member.name) : member.name);
    context.out().flush();
    context.made();
  }
  for (const std::string& how : attach) team::warn("to see it: " + how);
  return any ? team::Exit::done : team::no(context, "nobody is missing");
}

}  // namespace

int team_resume(int argc, char** argv) {
  Options options;
  team::Command command("team-resume", "restart teammates that were killed", "[options] [NAME...]");
  command.operand("[NAME...]", options.names, "only these members");
  command.option("--mode MODE", options.mode, "auto, background or tmux (else as before)");
  command.takes_all();
  command.example("team-resume");
  return command.run(argc, argv, [&](team::Context& context) { return resume(context, options); });
}
