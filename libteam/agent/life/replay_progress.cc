#include "libteam/agent/life/replay_progress.h"

#include <fcntl.h>
#include <unistd.h>

#include "libteam/agent/life/recording_files.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"

namespace team {

namespace {

constexpr double kLongestWait = 10;
constexpr const char* kLock = "replay-progress.lock";

}  // namespace

ReplayProgress::ReplayProgress(const std::string& folder)
    : folder_(find_folder(folder)), file_(folder_.open(kFile, O_RDONLY | O_CREAT)) {}

ReplayProgress::State ReplayProgress::read() const {
  const Lock lock = Lock::acquire(folder_, kLock, kLongestWait);
  return load();
}

void ReplayProgress::advance(std::size_t next) const {
  const Lock lock = Lock::acquire(folder_, kLock, kLongestWait);
  store({next, load().failure});
}

void ReplayProgress::fail(const std::string& reason) const {
  const Lock lock = Lock::acquire(folder_, kLock, kLongestWait);
  const State state = load();
  if (state.failure.empty()) store({state.next, one_line(reason)});
}

void ReplayProgress::restart() const {
  const Lock lock = Lock::acquire(folder_, kLock, kLongestWait);
  store({});
}

// The text is "NEXT\n", and then the failure if there is one.
ReplayProgress::State ReplayProgress::load() const {
  constexpr std::size_t kMost = 65536;
  const std::string text = read_at(file_, 0, kMost);
  const std::size_t newline = text.find('\n');
  State state;
  state.next = static_cast<std::size_t>(parse_integer(text.substr(0, newline)).value_or(0));
  if (newline != std::string::npos) state.failure = text.substr(newline + 1);
  return state;
}

// Each call closes the file, which wakes the members that watch it.
void ReplayProgress::store(const State& state) const {
  const Fd file = folder_.open(kFile, O_WRONLY);
  const std::string text = fmt::format("{}\n{}", state.next, state.failure);
  const bool done = ::pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
                    ::ftruncate(file.get(), static_cast<off_t>(text.size())) == 0;
  if (!done) fail_errno("cannot write", folder_.path_of(kFile));
}

}  // namespace team
