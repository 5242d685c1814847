#include "libteam/agent/life/spawn.h"

#include <algorithm>

#include "libteam/agent/life/tmux.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/store/life.h"
#include "libteam/store/local_files.h"
#include "libteam/system/process_tree.h"
#include "libteam/system/program.h"

namespace team {

namespace {

constexpr double kSecondsToStart = 10;

// Whether another life has begun than the one before.
bool has_started(const LifeEngine& lives, const std::string& name, const std::string& run_before) {
  if (lives.life_of(name) != Life::running) return false;
  const auto state = lives.state_of(name);
  return state && state->run != run_before;
}

std::string run_of(const LifeEngine& lives, const std::string& name) {
  try {
    const auto state = lives.state_of(name);
    return state ? state->run : "";
  } catch (const Error&) {
    return "";
  }
}

// The code of an exit status; io for a status that is none of ours.
Code code_of(int status) {
  for (const Code code : {Code::usage, Code::not_found, Code::conflict, Code::blocked, Code::busy,
                          Code::permission_denied, Code::invalid_state, Code::corrupt, Code::again}) {
    if (status == static_cast<int>(code)) return code;
  }
  return Code::io;
}

// The last whole line of its output.
std::string last_words(const LifeEngine& lives, const std::string& name) {
  constexpr std::size_t kMost = 65536;
  std::string text = lives.local_files().read_output(name, kMost);
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos) return "it said nothing";
  text.resize(end);
  const std::size_t start = text.rfind('\n');
  return one_line(start == std::string::npos ? text : text.substr(start + 1));
}

}  // namespace

void check_enabled() {
  for (const char* name : {"CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "ENABLE_AGENT_TEAMS"}) {
    const auto value = environment_variable(name);
    if (value == "0" || value == "false")
      fail(Code::permission_denied, "agent teams are turned off ({}={})", name, *value);
  }
}

Variables environment_of_others(Keys keys) {
  for (const char* variable : {"TEAM_MEMBER", "TEAM_RUN_ID", "TASK_ID", "TASK_FILE", "TEAM_TREE"}) {
    keys.emplace_back(variable, std::nullopt);
  }
  return keys;
}

SpawnMode choose_mode(const std::string& mode, const std::function<void(std::string_view)>& warn) {
  if (mode == "in-process") {
    warn("note: in-process means background: each teammate is a process of its own, with a log file");
    return SpawnMode::background;
  }
  if (mode != "auto" && mode != "background" && mode != "tmux") {
    fail(Code::usage, "the mode is auto, background or tmux, not '{}'", one_line(mode));
  }
  const TmuxAround around = mode == "background" ? TmuxAround::none : tmux_around();
  if (around == TmuxAround::gone) {
    warn(fmt::format("warning: no tmux server answers at '{}' (TMUX); starting in {}",
                     one_line(environment_variable("TMUX").value_or("")),
                     mode == "auto" ? "the background" : "a tmux server of the team"));
  }
  if (mode == "background" || (mode == "auto" && around != TmuxAround::alive)) return SpawnMode::background;
  if (has_tmux()) return SpawnMode::tmux;
  warn("warning: there is no tmux here; starting in the background");
  return SpawnMode::background;
}

Spawner::Spawner(TeamSession& session, SpawnMode mode, std::function<void(std::string_view)> warn)
    : session_(session), mode_(mode), warn_(std::move(warn)), keys_(keys_in_environment()) {}

std::vector<std::string> Spawner::command_line(const std::string& name,
                                               const std::vector<std::string>& arguments) const {
  std::vector<std::string> line = {own_folder() + "/teammate-run", name, "-C",
                                   session_.engine().place(),      "-t", session_.team().name};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return line;
}

std::vector<std::string> Spawner::recruit(const Recruits& recruits) {
  auto names = session_.membership().recruit(recruits);
  session_.refresh();
  return names;
}

void Spawner::start_all(const std::vector<std::string>& names, const std::vector<std::string>& arguments,
                        const std::function<void(const std::string& name)>& started) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    try {
      start(*name, arguments, "");
    } catch (const Error&) {
      dismiss({name, names.end()});
      throw;
    }
    started(*name);
  }
}

// Removes members that never ran. A member that another process started meanwhile stays.
void Spawner::dismiss(std::vector<std::string> names) {
  const auto lives = session_.lives();
  std::erase_if(names, [&](const std::string& name) { return lives->life_of(name) == Life::running; });
  session_.membership().leave(names);
  for (const std::string& name : names) lives->forget(name);
  session_.refresh();
}

void Spawner::start(const std::string& name, const std::vector<std::string>& arguments, const std::string& directory) {
  if (session_.lives()->life_of(name) == Life::running) fail(Code::conflict, "{} is running already", name);
  const std::string& where = directory.empty() ? session_.engine().place() : directory;
  if (mode_ == SpawnMode::tmux && start_in_pane(name, arguments, where)) return;
  start_in_background(name, arguments, where);
}

void Spawner::start_in_background(const std::string& name, const std::vector<std::string>& arguments,
                                  const std::string& directory) const {
  const auto lives = session_.lives();
  const std::string before = run_of(*lives, name);
  const auto watcher = session_.watch_team();
  // It is nobody's part: not of the lead who may have asked for it.
  Program program;
  program.arguments = command_line(name, arguments);
  program.environment = environment_of_others(keys_);
  program.environment.emplace_back("TEAM_START_MODE", "background");
  program.directory = directory;
  const pid_t pid = start_detached(program, lives->local_files().open_output(name));
  const Fd end = watch_process(pid);
  watcher->wake_on(end.get());
  const Deadline deadline = Deadline::in(kSecondsToStart);
  while (true) {
    if (has_started(*lives, name, before)) {
      if (lives->state_of(name)->pid == pid) return;
      // Another one was faster: ours must not lie in wait for its end.
      kill_tree(pid, [] { return true; });
      fail(Code::conflict, "{} is running already", name);
    }
    if (const auto status = ended_child(pid)) {
      // One that had little to do may be over before we look.
      if (*status == 0 || run_of(*lives, name) != before) return;
      fail(code_of(*status), "{} did not start: {}", name, last_words(*lives, name));
    }
    if (!watcher->wait(deadline).any) break;
  }
  kill_tree(pid, [] { return true; });
  fail(Code::io, "{} did not start within {} s", name, kSecondsToStart);
}

// False, and the user is told, if tmux has no pane for it.
bool Spawner::start_in_pane(const std::string& name, const std::vector<std::string>& arguments,
                            const std::string& directory) {
  const auto lives = session_.lives();
  const std::string before = run_of(*lives, name);
  const auto watcher = session_.watch_team();
  const Tmux tmux(session_.team().name, session_.engine().place(), socket_);
  // A pane has the environment of the tmux server. The teammate must have ours: a key and its address come from the
  // same place.
  Variables environment = environment_of_others(keys_);
  environment.emplace_back("TEAM_START_MODE", "tmux");
  environment.emplace_back("TEAM_DETACHED", std::nullopt);
  std::optional<EnvironmentHandover> handover;
  std::string id;
  try {
    handover.emplace(environment);
    // Options of tmux that set a variable would set it for all panes of the session.
    std::vector<std::string> line = {"/bin/sh", "-c", R"(export TEAM_ENVIRONMENT="$0"; exec "$@")",
                                     handover->address()};
    for (std::string& word : command_line(name, arguments)) line.push_back(std::move(word));
    id = tmux.open({name, directory, line});
    attach_ = tmux.how_to_attach();
  } catch (const Error& error) {
    warn_(fmt::format("warning: {}; starting {} in the background", error.what(), name));
    return false;
  }
  const Deadline deadline = Deadline::in(kSecondsToStart);
  while (!deadline.passed()) {
    if (has_started(*lives, name, before)) return true;
    // Nothing tells of the end of a pane.
    watcher->wait(deadline.or_in(0.2));
    if (has_started(*lives, name, before) || run_of(*lives, name) != before) return true;
    if (tmux.is_dead(id)) {
      tmux.close(id);
      fail(Code::io, "{} did not start: its pane closed at once; try it with --mode background", name);
    }
  }
  tmux.close(id);
  fail(Code::io, "{} did not start within {} s", name, kSecondsToStart);
}

}  // namespace team
