// Running programs: output, exit status, and removal of all child processes.
#include "libteam/system/process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/system/lines.h"
#include "libteam/system/process_tree.h"
#include "tests/unit/faults.h"

using namespace team;

namespace {

Program shell(const std::string& script) { return {{"sh", "-c", script}, {}, std::nullopt, ""}; }

// True if a process runs; a zombie does not.
bool lives(pid_t pid) {
  for (int i = 0; i < 400; ++i) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return false;
    ::usleep(5000);
  }
  return true;
}

pid_t first_pid(const std::string& text) { return static_cast<pid_t>(parse_integer(first_line(text)).value_or(0)); }

void answers() {
  const Answered both = run_program(shell("echo out; echo err >&2; exit 3"), 10);
  CHECK(both.status == 3);
  CHECK(both.in_time);
  CHECK(both.out == "out\n");
  CHECK(both.err == "err\n");
  CHECK(run_program(shell("kill -9 $$"), 10).status == 137);
  CHECK(run_program({{"/nowhere/at/all"}, {}, std::nullopt, ""}, 10).status == 127);
  CHECK(run_program({{"/etc/passwd"}, {}, std::nullopt, ""}, 10).status == 126);
  CHECK(run_program({{"true"}, {}, "/nowhere", ""}, 10).status == 126);
  CHECK(run_program({{"cat"}, {}, std::nullopt, "told"}, 10).out == "told");
  CHECK(run_program({{"true"}, {}, std::nullopt, std::string(1 << 20, 'x')}, 10).status ==
        0);  // does not read its input
  CHECK(run_program({{"wc", "-c"}, {}, std::nullopt, std::string(1 << 20, 'x')}, 10).out == "1048576\n");
  CHECK(run_program({{"pwd"}, {}, "/", ""}, 10).out == "/\n");
  const Program environment{{"sh", "-c", "echo $A-$HOME"}, {{"A", "a"}, {"HOME", std::nullopt}}, std::nullopt, ""};
  CHECK(run_program(environment, 10).out == "a-\n");
  CHECK(run_program(shell("head -c 1000000 /dev/zero"), 10).out.size() == 64 * 1024);
}

// Both streams go to a file of ours.
void output_to_a_file() {
  const Fd file(::memfd_create("output", MFD_CLOEXEC));
  Program program = shell("echo out; echo err >&2");
  program.output = file.get();
  const Answered answered = run_program(program, 10);
  CHECK(answered.status == 0 && answered.out.empty() && answered.err.empty());
  CHECK(read_at(file, 0, 100) == "out\nerr\n");
}

void time_limits() {
  const Answered late = run_program(shell("echo $$; exec sleep 1000"), 0.2);
  CHECK(!late.in_time);
  CHECK(late.status == 143);
  CHECK(!lives(first_pid(late.out)));
  const Answered deaf = run_program(shell("trap '' TERM; echo $$; while :; do sleep 0.1; done"), 0.2);
  CHECK(!deaf.in_time);
  CHECK(deaf.status == 137);
  CHECK(!lives(first_pid(deaf.out)));
}

// The program ends, and so does a child in a session of its own, outside the process group.
void leftovers() {
  const Answered left =
      run_program(shell("setsid sh -c 'echo $$; exec sleep 1000' & wait_for=$!; sleep 0.1; exit 0"), 10);
  CHECK(left.status == 0);
  CHECK(!lives(first_pid(left.out)));
  const Answered twice =
      run_program(shell("(setsid sh -c '(echo $$; trap \"\" TERM; sleep 1000) &' &) ; sleep 0.2"), 10);
  CHECK(twice.status == 0);
  CHECK(!lives(first_pid(twice.out)));
}

// The main thread of a child has ended and another thread runs on. /proc shows a zombie, but the child is ended, too.
void zombies_with_threads() {
  const std::string script =
      "import ctypes, os, threading, time\n"
      "print(os.getpid(), flush=True)\n"
      "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
      "ctypes.PyDLL(None).pthread_exit(None)\n";
  const auto is_zombie = R"(until grep -q '^State:.Z' /proc/$pid/status; do sleep 0.01; done)";
  const Answered left =
      run_program(shell("python3 -c '" + script + "' >/dev/null & pid=$!; echo $pid; " + is_zombie), 20);
  CHECK(left.status == 0 && left.in_time);
  CHECK(!lives(first_pid(left.out)));
}

// If the caller is killed, the program and all its children are killed.
void orphans() {
  int ends[2];
  if (::pipe(ends) != 0) return;
  const pid_t middle = ::fork();
  if (middle == 0) {
    Child child(shell("setsid sleep 1000 & echo $! $$; exec sleep 1000"));
    const auto pass_on = [&](Child::Stream, std::string_view text) { write_all(ends[1], text); };
    while (child.wait(Deadline::never(), -1, pass_on) != Child::Woke::ended) continue;
    ::_exit(0);
  }
  char text[64] = {};
  CHECK(::read(ends[0], text, sizeof text - 1) > 0);
  int inner = 0;
  int outer = 0;
  CHECK(std::sscanf(text, "%d %d", &inner, &outer) == 2);
  ::kill(middle, SIGKILL);
  ::waitpid(middle, nullptr, 0);
  CHECK(!lives(inner));
  CHECK(!lives(outer));
}

void detached() {
  // A detached program survives the program that started it.
  const Answered started =
      run_program(shell("TEAM_DETACHED=all setsid sleep 1000 >/dev/null 2>&1 & echo $!; sleep 0.1"), 10);
  const pid_t pid = first_pid(started.out);
  CHECK(::kill(pid, 0) == 0);
  kill_tree(pid, [] { return true; });
  CHECK(!lives(pid));
}

void waiting() {
  Child child(shell("echo $$; sleep 1000"));
  std::string said;
  const auto hear = [&](Child::Stream, std::string_view text) { said += text; };
  CHECK(child.wait(Deadline::in(10), -1, hear) == Child::Woke::heard);
  CHECK(child.wait(Deadline::in(0), -1, hear) == Child::Woke::deadline);
  int ends[2];
  if (::pipe(ends) != 0) return;
  CHECK(::write(ends[1], "x", 1) == 1);
  CHECK(child.wait(Deadline::never(), ends[0], hear) == Child::Woke::interrupted);
  child.kill();
  CHECK(child.wait(Deadline::never(), -1, hear) == Child::Woke::ended);
  CHECK(child.status() == 137);
  CHECK(!lives(first_pid(said)));
  child.stop();  // the child has ended, so nothing gets the signal
  child.kill();
}

// A process without standard input or output still gives its programs theirs.
void closed_descriptors() {
  CHECK(test::elsewhere([] {
    ::close(STDIN_FILENO);
    return run_program({{"cat"}, {}, std::nullopt, "told"}, 10).out == "told";
  }));
}

// Signals interrupt the wait for a program, or system calls fail.
void interruptions() {
  const auto hears = [](long call, const test::Look& look, const std::string& expected) {
    return test::elsewhere([&] {
      Child child({{"cat"}, {}, std::nullopt, "told"});
      std::string said;
      const auto hear = [&](Child::Stream, std::string_view text) { said += text; };
      if (!test::look_at_calls(call, look)) return false;
      while (child.wait(Deadline::in(10), -1, hear) == Child::Woke::heard) continue;
      return said == expected;
    });
  };
  CHECK(hears(SYS_write, test::only_the(1, EINTR), "told"));
  CHECK(hears(SYS_poll, test::only_the(1, EINTR), "told"));
  CHECK(hears(SYS_read, test::only_the(1, EINTR), "told"));
  CHECK(hears(SYS_read, test::only_the(1, EIO), ""));
}

// No process can be started: the program has not run, and the result is not a success.
void no_more_processes() {
  const auto has_not_run = [] {
    const rlimit two{2, 2};  // this process and the one in between
    if (::setrlimit(RLIMIT_NPROC, &two) != 0 || ::setuid(54321) != 0) return true;
    const Fd file(::memfd_create("output", MFD_CLOEXEC));
    Program aside = shell("echo ran");
    aside.output = file.get();
    const bool told = run_program(aside, 10).status == 126 && read_at(file, 0, 100).starts_with("cannot run 'sh': ");
    const Answered answered = run_program(shell("echo ran"), 10);
    return told && answered.in_time && answered.status == 126 && answered.out.empty() &&
           answered.err.starts_with("cannot run 'sh': ");
  };
  CHECK(test::kProbes || test::elsewhere(has_not_run));
}

// Without a list of child processes, at least the known one is ended.
void no_list_of_processes() {
  const pid_t pid = ::fork();
  if (pid == 0) {
    while (true) ::pause();
  }
  CHECK(test::where_refused(SYS_openat, EACCES, [&] {
    kill_tree(pid, [] { return true; });
    return true;
  }));
  int status = 0;
  CHECK(::waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

}  // namespace

int main() {
  ::signal(SIGPIPE, SIG_IGN);  // as the commands do
  answers();
  output_to_a_file();
  time_limits();
  leftovers();
  zombies_with_threads();
  orphans();
  detached();
  waiting();
  closed_descriptors();
  if (test::can_refuse_calls()) {
    interruptions();
    no_more_processes();
    no_list_of_processes();
  }
  return test::report();
}
