#include "libteam/system/queued_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>

#include <cerrno>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/filesystem.h"
#include "libteam/system/trace.h"

namespace team {

// Shared with the thread, which may outlive the QueuedLock.
struct QueuedLock::Line {
  explicit Line(Fd file) : lock(std::move(file)) {}

  const Fd lock;
  const EventFd bell;
  std::mutex mutex;
  bool is_wanted = false;
  bool is_waiting = false;  // the thread is in the queue
  bool is_had = false;
};

namespace {

// Read-only: closing a file that was open for writing would wake all processes that watch the folder. But NFS locks
// only files that are open for writing.
int mode_for(const Folder& folder) { return network_filesystem(folder.filesystem()).empty() ? O_RDONLY : O_RDWR; }

}  // namespace

QueuedLock::QueuedLock(const Folder& folder, std::string name)
    : name_(std::move(name)), line_(std::make_shared<Line>(folder.open(name_, mode_for(folder) | O_CREAT))) {}

QueuedLock::~QueuedLock() { leave(); }

int QueuedLock::fd() const { return line_->bell.fd(); }

bool QueuedLock::take() {
  const std::lock_guard guard(line_->mutex);
  line_->bell.take();
  if (!line_->is_had && !line_->is_waiting) {
    line_->is_had = ::flock(line_->lock.get(), LOCK_EX | LOCK_NB) == 0;
    if (line_->is_had) trace("lock: acquired {}", name_);
  }
  line_->is_wanted = line_->is_wanted || line_->is_had;
  return line_->is_had;
}

bool QueuedLock::take_or_wait() {
  if (take()) return true;
  const std::lock_guard guard(line_->mutex);
  line_->is_wanted = true;
  if (line_->is_had || line_->is_waiting) return line_->is_had;
  trace("lock: queued for {}", name_);
  const auto stand_in_line = [line = line_, name = name_] {
    int got = -1;
    while ((got = ::flock(line->lock.get(), LOCK_EX)) != 0 && errno == EINTR) continue;
    const std::lock_guard inner(line->mutex);
    line->is_waiting = false;
    line->is_had = got == 0 && line->is_wanted;
    if (got == 0 && !line->is_had) ::flock(line->lock.get(), LOCK_UN);
    if (!line->is_had) return;
    trace("lock: acquired {}", name);
    line->bell.ring();
  };
  // Another thread handles signals.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(stand_in_line).detach();
    line_->is_waiting = true;
  } catch (const std::system_error&) {
    line_->is_waiting = false;  // no more threads: fd() then stays silent
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return false;
}

void QueuedLock::leave() {
  const std::lock_guard guard(line_->mutex);
  line_->is_wanted = false;
  if (std::exchange(line_->is_had, false)) {
    ::flock(line_->lock.get(), LOCK_UN);
    trace("lock: released {}", name_);
  }
  line_->bell.take();
}

}  // namespace team
