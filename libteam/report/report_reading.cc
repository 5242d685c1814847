#include "libteam/report/report_reading.h"

#include "libteam/base/clock.h"
#include "libteam/record/history_builder.h"
#include "libteam/report/graph_reading.h"
#include "libteam/store/status.h"

namespace team {

namespace {

std::vector<MemberNow> members_now(const Engine& engine, const Team& team) {
  const auto lives = engine.open_lives(team.name);
  std::vector<MemberNow> members;
  for (const Member& member : team.members) {
    const Life life = lives->life_of(member.name);
    members.push_back({member.name, std::nullopt});
    if (life != Life::unknown) members.back().lives = life == Life::running;
  }
  return members;
}

}  // namespace

// Reads the log before the board, so that the tasks on the board are never older than the log.
Report read_report(const Engine& engine, const Team& team, const Mail& mail, const BoardView& view,
                   const ReportTroubles& troubles) {
  HistoryBuilder builder;
  std::size_t strange = 0;
  mail.events().each_after(0, [&](std::string_view line) {
    const auto envelope = find_envelope(line);
    if (envelope) builder.add(*envelope);
    else ++strange;
    return true;
  });
  if (strange > 0) troubles.not_events(strange);
  std::vector<Failure> failures;
  const auto note_failure = [&](const Task& task) {
    if (task.status != Status::failed) return;
    failures.push_back({task.id, task.subject, task.owner, task.attempts, task.error});
  };
  TaskGraph board = read_graph(view, note_failure, troubles.broken);
  TeamStatus status = look_at_team(mail.engine(), team, view, [](auto, const auto&) {});
  History history = std::move(builder).close(board, members_now(engine, team), now());
  return {team, std::move(status), std::move(board), std::move(failures), std::move(history)};
}

}  // namespace team
