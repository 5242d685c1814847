#include "libteam/system/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "libteam/base/number.h"
#include "libteam/base/text.h"

namespace team {

namespace {

std::string read_proc(pid_t pid, const char* what) {
  const Fd fd(::open(fmt::format("/proc/{}/{}", pid, what).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  while (fd) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

bool is_detached(pid_t pid) {
  for (const std::string& variable : split(read_proc(pid, "environ"), '\0')) {
    if (!variable.starts_with(kDetached) || variable.size() <= kDetached.size()) continue;
    const std::string value = variable.substr(kDetached.size() + 1);
    return value == "all" || value == std::to_string(pid);
  }
  return false;
}

// The state of a process, from /proc.
struct Status {
  pid_t parent = 0;
  bool is_over = false;  // nothing of it runs: it waits to be reaped
};

std::optional<Status> status_of(pid_t pid) {
  // "PID (NAME) STATE PPID ... THREADS ...": the name may contain anything, so the last parenthesis counts.
  const std::string stat = read_proc(pid, "stat");
  const std::size_t end = stat.rfind(')');
  Status status;
  char state = 0;
  int threads = 0;
  constexpr const char* kFormat =
      " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d";  // states(3), ppid(4), threads(20)
  if (end == std::string::npos || std::sscanf(stat.c_str() + end + 1, kFormat, &state, &status.parent, &threads) != 3) {
    return std::nullopt;
  }
  // A process whose main thread has ended is shown as a zombie while its other threads run.
  status.is_over = (state == 'Z' || state == 'X') && threads <= 1;
  return status;
}

// The children of each process.
std::map<pid_t, std::vector<pid_t>> all_children() {
  std::map<pid_t, std::vector<pid_t>> children;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return children;
  while (const dirent* entry = ::readdir(proc)) {
    const auto pid = parse_integer(entry->d_name);
    if (!pid) continue;
    const auto status = status_of(static_cast<pid_t>(*pid));
    if (status && !status->is_over) children[status->parent].push_back(static_cast<pid_t>(*pid));
  }
  ::closedir(proc);
  return children;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  const auto children = all_children();
  std::vector<pid_t> found;
  std::vector<pid_t> open = {root};
  while (!open.empty()) {
    const auto entry = children.find(open.back());
    open.pop_back();
    if (entry == children.end()) continue;
    for (const pid_t child : entry->second) {
      if (is_detached(child)) continue;
      found.push_back(child);
      open.push_back(child);
    }
  }
  return found;
}

Fd watch_process(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

bool kill_tree(pid_t root, const std::function<bool()>& is_meant) {
  std::map<pid_t, Fd> stopped;
  const auto signal = [](const Fd& process, int number) {
    return ::syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0) == 0;
  };
  Fd first = watch_process(root);
  if (!first || !is_meant() || !signal(first, SIGSTOP)) return false;
  stopped.emplace(root, std::move(first));
  // A stopped process starts no other. When a look finds no new process, all are stopped.
  for (bool found = true; found;) {
    found = false;
    for (const pid_t pid : descendants(root)) {
      if (stopped.contains(pid)) continue;
      Fd process = watch_process(pid);
      const auto status = status_of(pid);
      // A child of a stopped process is not reaped, so its pid is not reused.
      if (!process || !status || !stopped.contains(status->parent)) continue;
      signal(process, SIGSTOP);
      stopped.emplace(pid, std::move(process));
      found = true;
    }
  }
  for (const auto& [pid, process] : stopped) signal(process, SIGKILL);
  return true;
}

}  // namespace team
