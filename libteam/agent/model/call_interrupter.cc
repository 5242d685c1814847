#include "libteam/agent/model/call_interrupter.h"

#include <poll.h>

#include <array>
#include <utility>

namespace team {

CallInterrupter::CallInterrupter(std::unique_ptr<Watcher> watcher, const Signals& signals,
                                 std::function<bool()> is_urgent, const Deadline& deadline)
    : watcher_(std::move(watcher)),
      signals_(signals),
      is_urgent_(std::move(is_urgent)),
      deadline_(deadline),
      thread_([this] { listen_or_ring(); }) {}

CallInterrupter::~CallInterrupter() {
  end_.ring();
  thread_.join();
}

void CallInterrupter::rest() {
  bell_.take();
  again_.ring();
}

// If it cannot listen, it interrupts the call: the caller then checks for itself and misses nothing.
void CallInterrupter::listen_or_ring() {
  try {
    listen();
  } catch (const std::exception&) {
    bell_.ring();
  }
}

void CallInterrupter::listen() {
  for (const int fd : {signals_.fd(), again_.fd(), end_.fd()}) watcher_->wake_on(fd);
  bool has_changed = true;
  while (!can_be_read(end_.fd())) {
    has_changed = again_.take() || has_changed;
    if (deadline_.passed() || can_be_read(signals_.fd()) || (has_changed && looks_urgent())) {
      bell_.ring();
      // After an interruption, waits for rest() or the end.
      std::array<pollfd, 2> waiting = {{{again_.fd(), POLLIN, 0}, {end_.fd(), POLLIN, 0}}};
      ::poll(waiting.data(), waiting.size(), -1);
      continue;
    }
    const TeamChanges changes = watcher_->wait(deadline_);
    has_changed = changes.everything || !changes.inboxes.empty();
  }
}

bool CallInterrupter::looks_urgent() const {
  try {
    return is_urgent_();
  } catch (const Error&) {
    return false;  // the next look at the mail reports the error
  }
}

}  // namespace team
