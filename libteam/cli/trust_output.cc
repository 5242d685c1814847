#include "libteam/cli/trust_output.h"

#include <unistd.h>

#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/cli/input.h"
#include "libteam/system/file.h"

namespace team {

void require_person(const Context& context) {
  const auto& member = context.choices().environment_member;
  if (member) fail(Code::permission_denied, "only the user decides what a team may run, not {} (TEAM_MEMBER)", *member);
}

void print(Context& context, const std::vector<Runnable>& runnables) {
  Table table(context.out(), {"KIND", "NAME", "WHAT"});
  for (const Runnable& runnable : runnables) {
    if (context.json()) context.out().line(to_line(runnable));
    else table.row({{runnable.kind}, {one_line(runnable.name)}, {one_line(runnable.text)}});
  }
  table.finish();
}

std::string to_line(const TrustMark& mark) {
  JsonText text;
  text.add("root", repair_utf8(mark.root));
  text.add("team", mark.team);
  text.add("state", name_of(state_of(mark)));
  return text.take();
}

bool ask_for_trust(const Team& team, const std::vector<Runnable>& runnables) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  for (const Runnable& runnable : runnables) {
    warn(
        fmt::format("{} {}: {}", runnable.kind, one_line(runnable.name), cut_characters(one_line(runnable.text), 200)));
  }
  write_all(STDERR_FILENO, fmt::format("May team {} run this as you, and agents on its tasks? [y/N] ", team.name));
  // A terminal gives one line at a time.
  std::string answer;
  read_piece(answer);
  return answer == "y\n" || answer == "Y\n" || answer == "yes\n";
}

}  // namespace team
