#include "libteam/agent/life/finish.h"

#include <algorithm>

#include "libteam/base/text.h"

namespace team {

namespace {

void check_done(const TeamSession& session) {
  const auto open = open_tasks(session);
  if (open.empty()) return;
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, open.size()); ++i) shown.push_back(std::to_string(open[i]));
  fail(Code::invalid_state, "{} task{} not ended: {}{}; it can be forced", open.size(),
       open.size() == 1 ? " has" : "s have", join(shown, ", "), open.size() > kShown ? ", ..." : "");
}

}  // namespace

std::vector<TaskId> open_tasks(const TeamSession& session) {
  std::vector<TaskId> open;
  const auto broken = [&](TaskId id, const Error&) { open.push_back(id); };
  for (const auto& [id, outline] : session.board().view().outline(broken)) {
    if (!has_ended(outline.status)) open.push_back(id);
  }
  return open;
}

std::vector<Stopped> finish_team(TeamSession& session, const Finish& finish) {
  session.require_lead("finish the team");
  session.refresh();
  if (finish.insist == Insist::no) check_done(session);
  auto stopped = stop_teammates(session, running_teammates(session), finish.seconds, finish.insist, finish.interrupt);
  std::erase_if(stopped, [](const Stopped& one) { return !runs_on(one); });
  if (!stopped.empty()) return stopped;
  session.finish(finish.summary);
  return stopped;
}

}  // namespace team
