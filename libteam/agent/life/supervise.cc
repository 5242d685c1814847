#include "libteam/agent/life/supervise.h"

#include <algorithm>
#include <utility>

#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/store/presence.h"
#include "libteam/store/quota_ledger.h"
#include "libteam/store/status.h"
#include "libteam/store/watcher.h"

namespace team {

namespace {

// Prints the events that interest a person who watches the team.
class Reporter {
 public:
  explicit Reporter(std::function<void(std::string_view)> report) : report_(std::move(report)) {}

  void catch_up(const Mail& mail) {
    mail.events().each_after(seq_, [&](std::string_view line) {
      const Envelope envelope = parse_envelope(line, mail.events().place());
      seq_ = envelope.seq;
      const bool moves = envelope.type.starts_with("TASK_") || envelope.type.starts_with("PLAN_") ||
                         envelope.type.starts_with("PERMISSION_");
      const bool is_news = envelope.type != "TASK_CREATED" && envelope.type != "TASK_UNBLOCKED";
      const bool ends = envelope.type == "RUN_ERROR";
      if ((moves && is_news) || ends)
        report_(fmt::format("{} {} {}", envelope.agent, envelope.type, describe(envelope)));
      return true;
    });
  }

 private:
  std::function<void(std::string_view)> report_;
  std::int64_t seq_ = 0;
};

// The reason if a budget is used up.
std::optional<std::string> budget_end(const TeamSession& session) {
  for (const QuotaPause& pause : pauses_in_force(session.mail().engine())) {
    if (is_budget(pause.quota)) return pause.reason;
  }
  return std::nullopt;
}

}  // namespace

bool is_still(const TeamSession& session) {
  auto running = session.running();
  if (running.empty()) return true;
  if (!is_everybody_idle(*session.lives(), session.team())) return false;
  for (const Member& member : running) {
    bool mail = false;
    session.mail().mailbox(member.name).peek({}, 1, std::nullopt, [&](const Message&) { mail = true; });
    if (mail) return false;  // it is about to wake
  }
  // A member without a budget left takes no task before a person raises the budget.
  for (const QuotaPause& pause : pauses_in_force(session.mail().engine())) {
    std::erase_if(running, [&](const Member& member) { return is_budget_of(pause.quota, member.name); });
  }
  if (running.empty()) return true;
  session.board().reclaim();  // what the dead held: perhaps nobody of those who run may take it
  return session.board().is_quiet(running);
}

namespace {

// A store that was removed may be made again, for some seconds.
bool is_there(TeamSession& session, std::optional<Deadline>& absence) {
  constexpr double kAbsence = 5;
  try {
    session.refresh();
    absence.reset();
    return session.has_board();
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    if (!absence) absence = Deadline::in(kAbsence);
    if (absence->passed()) throw;
    return false;
  }
}

}  // namespace

TeamEnd await_end(TeamSession& session, const Deadline& deadline, const Signals& signals,
                  const std::function<void(std::string_view)>& report) {
  const auto watcher = session.engine().make_watcher();
  const auto watch_all = [&] {
    watcher->begin(session.board());
    watcher->watch_tasks();
    watcher->watch_team();
    watcher->wake_on(signals.fd());
  };
  bool is_watched = false;
  Reporter reporter(report);
  std::optional<Deadline> absence;
  while (true) {
    const bool is_whole = is_there(session, absence);
    if (is_whole && !std::exchange(is_watched, true)) watch_all();
    if (is_whole) reporter.catch_up(session.mail());
    if (const auto signal = signals.take()) return {TeamEnd::Kind::interrupted, *signal};
    if (is_whole && is_still(session)) break;
    // The end of a life is reported just before the life is over: hence a look every now and then.
    if (watcher->wait(deadline.or_in(1)).everything) is_watched = false;
    if (deadline.passed()) return {TeamEnd::Kind::too_late, 0};
  }
  reporter.catch_up(session.mail());
  return {};
}

void check_budgets(const TeamSession& session, const std::vector<std::string>& missing) {
  const auto reason = missing.empty() ? std::nullopt : budget_end(session);
  if (reason) fail(Code::paused, "{}", *reason);
}

std::vector<std::string> what_is_missing(const TeamSession& session) {
  std::vector<std::string> missing;
  const auto look = [&](const SeenTask& seen) {
    if (seen.task.status == Status::completed) return;
    const auto reasons = explain(seen.task, &session.mail().engine(), &session.team(), session.board().view());
    missing.push_back(fmt::format("task {} '{}': {}", seen.task.id, cut_characters(one_line(seen.task.subject), 60),
                                  one_line(reasons.front().text)));
  };
  const auto broken = [&](TaskId id, const Error& error) {
    missing.push_back(fmt::format("task {}: {}", id, error.what()));
  };
  session.board().view().each({}, BoardView::Detail::open_blockers, look, broken);
  return missing;
}

}  // namespace team
