#include "libteam/system/event_fd.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace team {

EventFd::EventFd() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) fail_errno("cannot make", "a bell");
}

void EventFd::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);
}

bool EventFd::take() const {
  std::uint64_t count = 0;
  return ::read(fd_.get(), &count, sizeof count) == sizeof count;
}

bool can_be_read(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return fd >= 0 && ::poll(&waiting, 1, 0) > 0;
}

void await_readable(int fd, const Deadline& deadline) {
  do {
    pollfd waiting{fd, POLLIN, 0};
    if (::poll(&waiting, 1, deadline.left_ms()) > 0) return;
  } while (!deadline.passed());
}

}  // namespace team
