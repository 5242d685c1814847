// team-digest - print what teammates said lately

#include <set>

#include "libteam/base/text.h"
#include "libteam/cli/command.h"
#include "libteam/record/settings.h"

namespace {

// What others said to anybody, newest last, within the limits of the team.
std::vector<std::string> collect(const team::EventLog& events, const team::Team& team, const std::string& reader) {
  const auto most = static_cast<std::size_t>(team::number_setting(team, "digest.messages"));
  const auto width = static_cast<std::size_t>(team::number_setting(team, "digest.width"));
  const auto total = static_cast<std::size_t>(team::number_setting(team, "digest.total"));
  std::vector<std::string> lines;
  std::size_t used = 0;
  std::string broadcast;
  std::set<std::string> receivers;
  events.each_backward([&](std::string_view line) {
    if (lines.size() >= most) return false;
    if (line.find("\"MESSAGE_SENT\"") == std::string_view::npos) return true;
    const team::Envelope envelope = team::parse_envelope(line, "events.jsonl");
    const std::string sender = team::detail(envelope, "sender");
    const std::string type = team::detail(envelope, "message_type");
    if ((type != "message" && type != "broadcast") || sender == reader || sender == "user") return true;
    const std::string text = team::detail(envelope, "text");
    if (type == "broadcast") {
      // One for each who got it: it is another one when somebody gets it again.
      const std::string said = sender + ": " + text;
      if (said != broadcast) receivers.clear();
      broadcast = said;
      if (!receivers.insert(team::detail(envelope, "recipient")).second)
        receivers = {team::detail(envelope, "recipient")};
      if (receivers.size() > 1) return true;
    }
    std::string shown = fmt::format("[Teammate {}]: {}", sender, team::cut_characters(text, width));
    used += team::count_characters(shown) + 1;
    if (used > total) return false;
    lines.push_back(std::move(shown));
    return true;
  });
  return {lines.rbegin(), lines.rend()};
}

team::Exit digest(team::Context& context) {
  const team::Team& team = context.team();
  if (!team::switch_setting(team, "digest.enabled")) return team::Exit::done;
  for (const std::string& line : collect(context.mail().events(), team, context.actor().name)) context.out().line(line);
  return team::Exit::done;
}

}  // namespace

int main(int argc, char** argv) {
  team::Command command("team-digest", "print what teammates said lately", "[options]");
  command.takes_team();
  command.takes_actor();
  command.example("team-digest --as backend");
  return command.run(argc, argv, digest);
}
