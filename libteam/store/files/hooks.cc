#include "libteam/store/files/hooks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "libteam/base/clock.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/event_log.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/trust.h"
#include "libteam/system/environment.h"
#include "libteam/system/process.h"

namespace team {

namespace {

constexpr const char* kInside = "TEAM_HOOK";
constexpr std::size_t kLongestFeedback = 1000;
constexpr double kLockTimeout = 5;

// A hook that creates a task would otherwise be asked about that task too, without end.
bool is_inside_hook() { return environment_variable(kInside).has_value(); }

// TASK_CREATED becomes task-created; a teammate that becomes idle has a hook of its own.
std::string hook_of(const Event& event) {
  if (event.type == "MEMBER_STATE") {
    Envelope envelope;
    envelope.details = event.details;
    if (detail(envelope, "to") == "idle") return "teammate-idle";
  }
  std::string name = event.type;
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    else if (letter == '_') letter = '-';
  }
  return name;
}

struct stat status_of(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail_errno("cannot look at", path);
  return status;
}

// A user who can write it can run any program as this user.
void check_trust(const struct stat& status, const std::string& path) {
  const auto refuse = [&](const std::string& reason) {
    fail(Code::permission_denied, "'{}' is not to be trusted: {}", path, reason);
  };
  if (status.st_uid != ::geteuid()) refuse(fmt::format("belongs to user {}, not to you", status.st_uid));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse("others can write to it");
}

// The root may belong to root, but others must not be able to put another store in its place.
void check_root(const Root& root) {
  struct stat status = status_of(root.folder().fd(), root.path());
  if (is_own_or_roots(status.st_uid)) status.st_uid = ::geteuid();
  check_trust(status, root.path());
}

std::string in_one_line(std::string_view text) {
  std::vector<std::string> words = split(one_line(text), ' ');
  std::erase(words, "");
  return cut_characters(join(words, " "), kLongestFeedback);
}

std::string search_path() {
  return fmt::format("{}:{}", own_folder(), environment_variable("PATH").value_or("/usr/bin:/bin"));
}

}  // namespace

double hook_seconds(const Team& team) {
  constexpr const char* kSetting = "hooks.timeout";
  try {
    return number_setting(team, kSetting);
  } catch (const Error&) {
    return number_setting(Team(), kSetting);
  }
}

FileHooks::FileHooks(const Folder& folder, const Root& root, std::string team, double seconds)
    : folder_(folder), root_(root), team_(std::move(team)), seconds_(seconds) {}

bool FileHooks::any() const { return !is_inside_hook() && folder_.stamp(layout::kHooks); }

bool FileHooks::has(const std::string& name) const { return find(name).has_value(); }

// An open hook that may run.
std::optional<FileHooks::Found> FileHooks::find(const std::string& name) const {
  const auto hooks = is_inside_hook() ? std::nullopt : folder_.find_beneath(layout::kHooks);
  if (!hooks) return std::nullopt;
  std::string path = hooks->path_of(name);
  // O_PATH: opening a fifo does not block, and a program needs no read permission.
  Fd file = hooks->try_open_beneath(name, O_PATH | O_NOFOLLOW, 0);
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    fail_errno("cannot open", path);
  }
  const struct stat status = status_of(file.get(), path);
  if (S_ISLNK(status.st_mode)) fail(Code::permission_denied, "'{}' is a link inside a store", path);
  if (!S_ISREG(status.st_mode)) fail(Code::permission_denied, "'{}' is not a regular file", path);
  if ((status.st_mode & S_IXUSR) == 0) return std::nullopt;
  check_trust(status, path);
  check_folders(*hooks);
  require_trust(root_, team_, folder_, "hook " + name);
  if (!path.starts_with('/')) path = fmt::format("{}/{}", root_.path(), path);
  return Found{std::move(file), std::move(path)};
}

// A user who can write to one of these folders can replace the hook.
void FileHooks::check_folders(const Folder& hooks) const {
  check_trust(status_of(hooks.fd(), hooks.path()), hooks.path());
  check_trust(status_of(folder_.fd(), folder_.path()), folder_.path());
  root_.find_store(layout::kTeams);  // checks it
  check_root(root_);
}

// The objection of the hook to the event.
std::optional<std::string> FileHooks::run(const Found& hook, const std::string& name, const EventOrigin& origin,
                                          const std::string& envelope) const {
  const bool is_member = origin.agent != "user" && origin.agent != "system";
  Program program;
  program.arguments = {hook.path};
  program.executable = hook.file.get();
  program.folder = root_.folder().fd();
  program.input = envelope + "\n";
  program.environment = {
      {kInside, name},
      {"TEAM_HOOK_FILE", hook.path},
      {"TEAM_ROOT", root_.path()},
      {"TEAM_NAME", team_},
      {"TEAM_MEMBER", is_member ? std::optional(origin.agent) : std::nullopt},
      {"TEAM_RUN_ID", origin.run},
      {"PATH", search_path()},
      {"TEAM_DETACHED", std::nullopt},  // ours, perhaps; what a hook starts is not to outlive it
  };
  for (auto& variable : without_secrets()) program.environment.push_back(std::move(variable));
  constexpr double kNoLimit = 1e9;
  const Answered answered = run_program(program, seconds_ > 0 ? seconds_ : kNoLimit);
  if (!answered.in_time) return fmt::format("not within {} s", seconds_);
  if (answered.status == 0) return std::nullopt;
  const std::string feedback = in_one_line(answered.err);
  return feedback.empty() ? fmt::format("exit status {}", answered.status) : feedback;
}

std::optional<std::string> FileHooks::refusal(const std::string& name, const EventOrigin& origin,
                                              const Event& event) const {
  const auto hook = find(name);
  return hook ? run(*hook, name, origin, to_envelope(std::nullopt, now(), origin, event)) : std::nullopt;
}

void FileHooks::tell(const EventOrigin& origin, const std::vector<Event>& events, const Logged& logged) const {
  std::int64_t seq = logged.first;
  for (const Event& event : events) {
    const std::string name = "post-" + hook_of(event);
    try {
      const auto hook = find(name);
      const auto failure =
          hook ? run(*hook, name, origin, to_envelope(seq, logged.timestamp, origin, event)) : std::nullopt;
      if (failure) note_failure(name, *failure);
    } catch (const Error& error) {
      note_failure(name, error.what());
    }
    ++seq;
  }
}

void FileHooks::note_failure(const std::string& name, const std::string& reason) const {
  try {
    const EventOrigin system{team_, "system", std::nullopt, std::nullopt};
    FileEventLog(folder_, kLockTimeout)
        .append(system, {make_event("HOOK_FAILED", {{"hook", name}, {"reason", reason}})});
  } catch (const Error&) {
    // There is no other place to report it.
  }
}

}  // namespace team
