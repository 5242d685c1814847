#include "libteam/serve/team_runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "libteam/agent/life/shutdown.h"
#include "libteam/agent/life/spawn.h"
#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/store/local_files.h"
#include "libteam/store/team_creation.h"
#include "libteam/system/program.h"

namespace team {

namespace {

constexpr std::size_t kLongestGoal = 100 * 1024;  // of an argument of a program Linux takes 128 KiB
constexpr double kSecondsToStart = 8;             // a request has 10 s
constexpr double kSecondsToStop = 5;
constexpr std::size_t kMostOutput = 4096;

bool lives(const Engine& engine, const std::string& team, const std::string& member) {
  return engine.life_of(team, member) == Life::running;
}

bool exists(const Engine& engine, const std::string& team) {
  const auto names = engine.names();
  return std::find(names.begin(), names.end(), team) != names.end();
}

void remove(const Engine& engine, const std::string& team) {
  after_change([&] {
    engine.remove(team);
    engine.forget_trust(team);
  });
}

// The last line that a program wrote, and the code that it exited with.
[[noreturn]] void fail_as(int status, const std::string& output) {
  std::string line;
  for (const std::string& one : split(output, '\n')) {
    if (!is_blank(one)) line = one;
  }
  constexpr std::string_view kName = "team-run: ";
  if (line.starts_with(kName)) line.erase(0, kName.size());
  for (const Code code : {Code::usage, Code::not_found, Code::conflict, Code::permission_denied, Code::invalid_state,
                          Code::corrupt, Code::paused, Code::unavailable, Code::io, Code::again, Code::unknown}) {
    if (status != static_cast<int>(code)) continue;
    const std::string name = fmt::format("{}: ", name_of(code));
    if (line.starts_with(name)) line.erase(0, name.size());
    fail(code, "{}", one_line(line));
  }
  fail(Code::unavailable, "team-run ended with {}: {}", status, one_line(line));
}

}  // namespace

bool is_running(const Engine& engine, const Team& team) {
  return std::any_of(team.members.begin(), team.members.end(),
                     [&](const Member& member) { return lives(engine, team.name, member.name); });
}

RunProgress progress_of(const Engine& engine, const Team& team) {
  std::set<std::string> running;
  for (const Member& member : team.members) {
    if (engine.life_of(team.name, member.name) == Life::running) running.insert(member.name);
  }
  return {team.lead, std::move(running)};
}

TeamRuns::Begun TeamRuns::begin(const Service& service, const std::string& name, const std::string& goal) {
  if (is_blank(goal)) fail(Code::usage, "'message' is empty");
  // Two clients at once: the second one writes to the lead of the first.
  const std::lock_guard lock(mutex_);
  reap();
  const Engine& engine = service.engine();
  if (exists(engine, name)) {
    const Team team = engine.get(name);
    if (lives(engine, name, team.lead)) {
      const auto session = service.open_session(name, std::nullopt);
      const std::int64_t last = session->mail().events().last_sequence();
      OutgoingMessage message;
      message.to = team.lead;
      message.content = goal;
      session->messages().send(message);
      return {last, false};
    }
  }
  if (!service.options().allow_run) {
    fail(Code::permission_denied, "this server starts no team: run team-serve --allow-run");
  }
  if (service.options().member) fail(Code::permission_denied, "only a server of the user starts a team");
  if (goal.size() > kLongestGoal) fail(Code::usage, "'message' has more than {} bytes", kLongestGoal);
  check_enabled();
  if (exists(engine, name)) return start(service, engine.get(name), goal, IfRefused::keep_team);
  Team team;
  team.name = name;
  check_new_name("team", name);
  team = create_team(engine, team, Actor{}, [](const Error&) {});
  return start(service, team, goal, IfRefused::remove_team);
}

TeamRuns::Begun TeamRuns::start(const Service& service, const Team& team, const std::string& goal, IfRefused then) {
  const Engine& engine = service.engine();
  Program program;
  program.arguments = {
      own_folder() + "/team-run", "-C", engine.place(), "-t", team.name, "--mode", "background", "--", goal};
  program.directory = engine.place();
  for (const char* name : {"TEAM_MEMBER", "TEAM_RUN_ID", "TEAM_NAME", "TEAM_ROOT"}) {
    program.environment.emplace_back(name, std::nullopt);
  }
  const auto lives_of_team = engine.open_lives(team.name);
  const Fd log = lives_of_team->local_files().open_output(team.lead);
  const std::int64_t last = engine.open_team(team)->events().last_sequence();
  const int pid = start_detached(program, log);
  const Deadline deadline = Deadline::in(kSecondsToStart);
  constexpr double kLookEvery = 0.02;
  while (true) {
    if (const auto status = ended_child(pid)) {
      // A run may be over before anybody looks. Its events tell of it.
      if (*status != 0 && engine.open_team(team)->events().last_sequence() == last) {
        const std::string output = lives_of_team->local_files().read_output(team.lead, kMostOutput);
        if (then == IfRefused::remove_team) remove(engine, team.name);
        fail_as(*status, output);
      }
      return {last, true};
    }
    if (lives(engine, team.name, team.lead) && engine.open_team(team)->events().last_sequence() > last) break;
    if (deadline.passed()) break;  // it goes on: the stream shows what becomes of it
    sleep_until(deadline.or_in(kLookEvery));
  }
  pids_.push_back(pid);
  return {last, true};
}

// Collects ended children of ours.
void TeamRuns::reap() {
  std::erase_if(pids_, [](int pid) { return ended_child(pid).has_value(); });
}

bool stop_team(const Service& service, const std::string& name) {
  const auto session = service.open_session(name, std::nullopt);
  std::vector<std::string> names = running_teammates(*session);
  const std::string lead = session->team().lead;
  if (lives(session->engine(), name, lead)) names.insert(names.begin(), lead);
  if (names.empty()) return false;
  stop_teammates(*session, names, kSecondsToStop, Insist::yes);
  return true;
}

}  // namespace team
