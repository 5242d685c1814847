#include "libteam/system/trace.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/base/secrets.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/fd.h"

extern "C" char** environ;

namespace team {

namespace {

class Tracer {
 public:
  explicit Tracer(std::string_view choice) {
    if (choice == "1") {
      fd_ = Fd(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
    } else if (choice.starts_with('/')) {
      constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
      fd_ = Fd(::open(std::string(choice).c_str(), kFlags, 0600));
    }
    if (fd_) find_secrets();
  }

  bool is_on() const { return static_cast<bool>(fd_); }

  void write(std::string_view what) const {
    std::string text = one_line(what);
    for (const std::string& secret : secrets_) text = redact(std::move(text), secret);
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    tm day{};
    ::gmtime_r(&now.tv_sec, &day);
    char time[32];
    ::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &day);
    write_all(fd_.get(), fmt::format("{}.{:06}Z {} {}\n", time, now.tv_nsec / 1000, ::getpid(), text));
  }

 private:
  // Now: a teammate removes its keys from the environment as soon as it has read them.
  void find_secrets() {
    for (char** entry = ::environ; *entry != nullptr; ++entry) {
      const std::string_view variable = *entry;
      const std::size_t sign = variable.find('=');
      if (sign != std::string_view::npos && is_secret(variable.substr(0, sign))) {
        secrets_.emplace_back(variable.substr(sign + 1));
      }
    }
  }

  Fd fd_;
  std::vector<std::string> secrets_;
};

const Tracer* tracer() {
  // Never destroyed: locks of static objects end after main().
  static const Tracer* const instance = []() -> const Tracer* {
    const char* choice = std::getenv("TEAM_TRACE");
    return choice == nullptr ? nullptr : new Tracer(choice);
  }();
  return instance;
}

}  // namespace

bool is_tracing() { return tracer() != nullptr && tracer()->is_on(); }

void trace_line(std::string_view what) {
  const int reason = errno;
  if (is_tracing()) tracer()->write(what);
  errno = reason;
}

std::int64_t ms_since(std::int64_t start_ns) { return (boot_ns() - start_ns) / 1'000'000; }

}  // namespace team
