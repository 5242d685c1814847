#include "libteam/agent/model/call_interrupter.h"

#include <poll.h>

#include <algorithm>
#include <array>

#include "libteam/system/watch.h"

namespace team {

CallInterrupter::CallInterrupter(const Folder& folder, const Signals& signals, std::function<bool()> is_urgent,
                                 const Deadline& deadline, std::string file)
    : folder_(folder),
      file_(std::move(file)),
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
  Watch watch(folder_);
  for (const int fd : {signals_.fd(), again_.fd(), end_.fd()}) watch.wake_on(fd);
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
    const Changes changes = watch.wait(deadline_);
    const auto& names = changes.names;
    has_changed =
        changes.all || (file_.empty() ? changes.any : std::find(names.begin(), names.end(), file_) != names.end());
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
