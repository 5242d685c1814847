#include "libteam/system/program.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "libteam/base/error.h"
#include "libteam/system/process_tree.h"
#include "libteam/system/signals.h"
#include "libteam/system/trace.h"

extern "C" char** environ;

namespace team {

namespace {

// The mask for files of other programs: our own is narrow. Read before main() changes it.
const mode_t kInheritedMask = [] {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}();

constexpr int kExecutable = 3;

// Executes kExecutable. Returns with errno set if that fails.
void execute_descriptor(char** arguments) {
  const std::string name = fmt::format("/proc/self/fd/{}", kExecutable);
  if (::access(name.c_str(), F_OK) != 0) {
    // Without /proc this works for all files except scripts: no name leads their interpreter to the descriptor.
    ::syscall(SYS_execveat, kExecutable, "", arguments, environ, AT_EMPTY_PATH);
    return;
  }
  ::execv(name.c_str(), arguments);
  if (errno != ENOEXEC) return;
  const char* shell[] = {"sh", name.c_str(), nullptr};  // like execvp for a script without a "#!" line
  ::execv("/bin/sh", const_cast<char**>(shell));
}

}  // namespace

int exit_status(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void place(int fd, int as) {
  // dup2 onto the same number would keep O_CLOEXEC.
  if (fd == as) ::fcntl(as, F_SETFD, 0);
  else ::dup2(fd, as);
}

void become(const Program& program) {
  ::setsid();
  reset_signals();
  ::umask(kInheritedMask);
  const bool entered = program.folder < 0 || ::fchdir(program.folder) == 0;
  if (program.executable >= 0) place(program.executable, kExecutable);
  // The program inherits no other descriptors of our caller.
  ::syscall(SYS_close_range, program.executable >= 0 ? kExecutable + 1U : 3U, ~0U, 0U);
  for (const auto& [name, value] : program.environment) {
    if (value) ::setenv(name.c_str(), value->c_str(), 1);
    else ::unsetenv(name.c_str());
  }
  const auto refuse = [&](const std::string& what, int status) {
    const std::string line = fmt::format("cannot run '{}': {}\n", what, std::strerror(errno));
    write_all(STDERR_FILENO, line);
    ::_exit(status);
  };
  if (!entered) refuse("its folder", 126);
  if (program.directory && ::chdir(program.directory->c_str()) != 0) refuse(*program.directory, 126);
  std::vector<char*> arguments;
  for (const std::string& argument : program.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (program.executable >= 0) execute_descriptor(arguments.data());
  else ::execvp(arguments[0], arguments.data());
  refuse(program.arguments[0], errno == ENOENT ? 127 : 126);
  ::_exit(127);
}

pid_t start_detached(const Program& program, const Fd& log) {
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const SignalsBlocked blocked;
  const pid_t pid = ::fork();
  if (pid < 0) fail_errno("cannot start", program.arguments.front());
  if (pid == 0) {
    place(nothing.get(), STDIN_FILENO);
    place(log.get(), STDOUT_FILENO);
    place(log.get(), STDERR_FILENO);
    Program detached = program;
    detached.environment.emplace_back(kDetached, std::to_string(::getpid()));
    become(detached);
  }
  trace("child: started {} detached, pid {}", program.arguments.front(), pid);
  return pid;
}

std::optional<int> ended_child(pid_t pid) {
  int wait_status = 0;
  if (::waitpid(pid, &wait_status, WNOHANG) != pid) return std::nullopt;
  trace("child: pid {} ended with status {}", pid, exit_status(wait_status));
  return exit_status(wait_status);
}

mode_t inherited_mask() { return kInheritedMask; }

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  const std::string_view whole(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace team
