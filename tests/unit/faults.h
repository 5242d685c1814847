// Makes one kind of system call fail, or runs a function right before it, with seccomp in a separate process.
#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>

#include "tests/unit/check.h"

namespace team::test {

// A sanitizer uses pipes and writes of its own to test memory, and may have a thread. So these calls cannot be refused
// under a sanitizer.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEAMKIT_SANITIZED
#endif
#endif
#ifdef TEAMKIT_SANITIZED
inline constexpr bool kProbes = true;
#else
inline constexpr bool kProbes = false;
#endif

// From now on every such call of this process fails with `reason`.
inline bool refuse_calls(long call, int reason) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(reason)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(rules), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Runs `holds` in a child process and returns its result.
inline bool elsewhere(const std::function<bool()>& holds) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::alarm(20);
    ::_exit(holds() ? 0 : 1);
  }
  int status = 1;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Runs `holds` in a process where `call` fails with `reason`.
inline bool where_refused(long call, int reason, const std::function<bool()>& holds) {
  return elsewhere([&] { return refuse_calls(call, reason) && holds(); });
}

// True if `attempt` throws an Error with `code` and a message that begins with `text`.
inline bool is_refused(Code code, std::string_view text, const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    const bool as_expected = error.code() == code && std::string_view(error.what()).starts_with(text);
    if (!as_expected) std::fprintf(stderr, "%s: %s\n", std::string(name_of(error.code())).c_str(), error.what());
    return as_expected;
  }
  return false;
}

inline bool fails_where(long call, int reason, std::string_view text, const std::function<void()>& attempt,
                        Code code = Code::io) {
  if (kProbes && (call == SYS_write || call == SYS_pipe2)) return true;
  return where_refused(call, reason, [&] { return is_refused(code, text, attempt); });
}

// Called before each such call. Returns 0 to let the call proceed, or the error with which it fails.
using CallArguments = std::array<long long, 6>;
using Look = std::function<int(const CallArguments& arguments)>;

inline Look looks;
constexpr unsigned kSeen = 0x7ea3c0de;  // in a position where no observed call has an argument

inline void answer_call(int, siginfo_t* signal, void* context) {
  static bool inside = false;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const CallArguments given = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                               registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
  const int before = errno;
  int reason = 0;
  if (!inside) {  // calls made by `looks` itself are let through
    inside = true;
    reason = looks(given);
    inside = false;
  }
  long result = -reason;
  if (reason == 0) {
    result = ::syscall(signal->si_syscall, given[0], given[1], given[2], given[3], given[4], kSeen);
    if (result == -1) result = -errno;
  }
  errno = before;
  registers[REG_RAX] = result;
}

// Observes calls of this process and its children from now on.
inline bool look_at_calls(long call, Look look) {
  looks = std::move(look);
  struct sigaction action {};
  action.sa_sigaction = answer_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ::sigaction(SIGSYS, &action, nullptr);
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[5])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kSeen, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(rules), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

inline bool where_seen(long call, const Look& look, const std::function<bool()>& holds) {
  return elsewhere([&] { return look_at_calls(call, look) && holds(); });
}

// The k-th such call and all later ones fail.
inline Look from_the(int k, int reason) {
  return [k, reason, seen = 0](const CallArguments&) mutable { return ++seen >= k ? reason : 0; };
}

// Only the k-th call fails.
inline Look only_the(int k, int reason) {
  return [k, reason, seen = 0](const CallArguments&) mutable { return ++seen == k ? reason : 0; };
}

// Runs `happens` before the k-th call whose second argument is this file (openat2, unlinkat, newfstatat, …).
inline Look before_file(std::string name, std::function<void()> happens, int k = 1) {
  return [name = std::move(name), happens = std::move(happens), k, seen = 0](const CallArguments& given) mutable {
    if (name == reinterpret_cast<const char*>(given[1]) && ++seen == k) happens();
    return 0;
  };
}

// Every such call on a file of this name fails.
inline Look for_file(std::string name, int reason) {
  return [name = std::move(name), reason](const CallArguments& given) {
    return name == reinterpret_cast<const char*>(given[1]) ? reason : 0;
  };
}

inline bool can_refuse_calls() {
  return where_refused(SYS_getppid, EPERM, [] { return ::syscall(SYS_getppid) == -1 && errno == EPERM; });
}

}  // namespace team::test
