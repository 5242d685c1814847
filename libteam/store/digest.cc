#include "libteam/store/digest.h"

#include <algorithm>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/utf8.h"
#include "libteam/record/settings.h"

namespace team {

std::vector<std::string> digest_for(const EventLog& events, const Team& team, const std::string& reader) {
  std::vector<std::string> lines;
  if (!switch_setting(team, "digest.enabled")) return lines;
  const auto most = static_cast<std::size_t>(number_setting(team, "digest.messages"));
  const auto width = static_cast<std::size_t>(number_setting(team, "digest.width"));
  const auto longest = static_cast<std::size_t>(number_setting(team, "digest.total"));
  constexpr std::size_t kMostLines = 20'000;  // what was said before that is not lately
  std::size_t used = 0, seen = 0;
  std::string broadcast;
  std::set<std::string> receivers;
  events.each_backward([&](std::string_view line) {
    if (lines.size() >= most || ++seen > kMostLines) return false;
    if (line.find("\"MESSAGE_SENT\"") == std::string_view::npos) return true;
    const auto envelope = find_envelope(line);
    if (!envelope) return true;
    const std::string sender = detail(*envelope, "sender");
    const std::string type = detail(*envelope, "message_type");
    if ((type != "message" && type != "broadcast") || sender == reader || sender == "user") return true;
    const std::string text = detail(*envelope, "text");
    if (type == "broadcast") {
      // A broadcast is one event for each recipient: a second event for the same recipient is another broadcast.
      const std::string said = sender + ": " + text;
      if (said != broadcast) receivers.clear();
      broadcast = said;
      if (!receivers.insert(detail(*envelope, "recipient")).second) receivers = {detail(*envelope, "recipient")};
      if (receivers.size() > 1) return true;
    }
    std::string shown = fmt::format("[Teammate {}]: {}", sender, cut_characters(text, width));
    used += count_characters(shown) + 1;
    if (used > longest) return false;
    lines.push_back(std::move(shown));
    return true;
  });
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace team
