#include "libteam/agent/life/spawn.h"

#include <fcntl.h>

#include <algorithm>

#include "libteam/agent/life/tmux.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/store/files/presence.h"
#include "libteam/system/lines.h"
#include "libteam/system/process.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

constexpr double kSecondsToStart = 10;
constexpr off_t kLargestLog = off_t{8} << 20;

std::string log_file(const std::string& name) { return name + ".log"; }

// Whether another life has begun than the one before.
bool has_started(const Folder& folder, const std::string& name, const std::string& run_before) {
  if (look_at_lock(folder, alive_file(name)) != Held::yes) return false;
  const auto state = state_of(folder, name);
  return state && state->run != run_before;
}

std::string run_of(const Folder& folder, const std::string& name) {
  try {
    const auto state = state_of(folder, name);
    return state ? state->run : "";
  } catch (const Error&) {
    return "";
  }
}

// What its exit status says, if it is one of ours.
Code code_of(int status) {
  for (const Code code : {Code::usage, Code::not_found, Code::conflict, Code::blocked, Code::busy,
                          Code::permission_denied, Code::invalid_state, Code::corrupt, Code::again}) {
    if (status == static_cast<int>(code)) return code;
  }
  return Code::io;
}

// An old log that has grown large is put aside; one such is kept.
Fd open_log(const Folder& folder, const std::string& name) {
  const auto stamp = folder.stamp(log_file(name));
  if (stamp && stamp->size > kLargestLog) folder.rename_into(log_file(name), folder, log_file(name) + ".1");
  return folder.open(log_file(name), O_WRONLY | O_CREAT | O_APPEND);
}

std::string last_words(const Folder& folder, const std::string& name) {
  const Fd log = folder.open_if_there(log_file(name), O_RDONLY);
  const auto line = log ? line_before(log, size_of(log)) : std::nullopt;
  return line ? one_line(line->text) : "it said nothing";
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
  for (const char* variable : {"TEAM_MEMBER", "TEAM_RUN_ID", "TASK_ID", "TASK_FILE"}) {
    keys.emplace_back(variable, std::nullopt);
  }
  return keys;
}

SpawnMode choose_mode(const std::string& mode, const std::function<void(std::string_view)>& warn) {
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
                                   session_.root().path(),         "-t", session_.team().name};
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

// They have never lived, unless somebody else started one of them meanwhile: that one stays.
void Spawner::dismiss(std::vector<std::string> names) {
  const Folder folder = session_.roster().folder_of(session_.team().name);
  std::erase_if(names, [&](const std::string& name) { return look_at_lock(folder, alive_file(name)) == Held::yes; });
  session_.membership().leave(names);
  for (const std::string& name : names) {
    for (const char* file : {".alive", ".json", ".log"}) folder.remove(name + file);
  }
  session_.refresh();
}

void Spawner::start(const std::string& name, const std::vector<std::string>& arguments, const std::string& directory) {
  const Folder folder = session_.roster().folder_of(session_.team().name);
  if (look_at_lock(folder, alive_file(name)) == Held::yes) fail(Code::conflict, "{} is running already", name);
  const std::string& where = directory.empty() ? session_.root().path() : directory;
  if (mode_ == SpawnMode::tmux && start_in_pane(folder, name, arguments, where)) return;
  start_in_background(folder, name, arguments, where);
}

void Spawner::start_in_background(const Folder& folder, const std::string& name,
                                  const std::vector<std::string>& arguments, const std::string& directory) const {
  const std::string before = run_of(folder, name);
  Watch watch(folder);
  // It is nobody's part: not of the lead who may have asked for it.
  Program program;
  program.arguments = command_line(name, arguments);
  program.environment = environment_of_others(keys_);
  program.environment.emplace_back("TEAM_START_MODE", "background");
  program.directory = directory;
  const pid_t pid = start_detached(program, open_log(folder, name));
  const Fd end = watch_process(pid);
  watch.wake_on(end.get());
  const Deadline deadline = Deadline::in(kSecondsToStart);
  while (true) {
    if (has_started(folder, name, before)) {
      if (state_of(folder, name)->pid == pid) return;
      // Another one was faster: ours must not lie in wait for its end.
      kill_tree(pid, [] { return true; });
      fail(Code::conflict, "{} is running already", name);
    }
    if (const auto status = ended_child(pid)) {
      // One that had little to do may be over before we look.
      if (*status == 0 || run_of(folder, name) != before) return;
      fail(code_of(*status), "{} did not start: {}", name, last_words(folder, name));
    }
    if (!watch.wait(deadline).any) break;
  }
  kill_tree(pid, [] { return true; });
  fail(Code::io, "{} did not start within {} s", name, kSecondsToStart);
}

// False, and the user is told, if tmux has no pane for it.
bool Spawner::start_in_pane(const Folder& folder, const std::string& name, const std::vector<std::string>& arguments,
                            const std::string& directory) {
  const std::string before = run_of(folder, name);
  Watch watch(folder);
  const Tmux tmux(session_.team().name, session_.root().path(), socket_);
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
    if (has_started(folder, name, before)) return true;
    // Nothing tells of the end of a pane.
    watch.wait(deadline.or_in(0.2));
    if (has_started(folder, name, before) || run_of(folder, name) != before) return true;
    if (tmux.is_dead(id)) {
      tmux.close(id);
      fail(Code::io, "{} did not start: its pane closed at once; try it with --mode background", name);
    }
  }
  tmux.close(id);
  fail(Code::io, "{} did not start within {} s", name, kSecondsToStart);
}

}  // namespace team
