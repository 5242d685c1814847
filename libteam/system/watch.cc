#include "libteam/system/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/system/filesystem.h"
#include "libteam/system/trace.h"

namespace team {

namespace {

// The reason for the end of a wait, for the trace.
std::string describe(const Changes& changes) {
  if (!changes.any) return "the deadline";
  if (changes.untold) return "the time to look again";
  if (!changes.names.empty()) return join(changes.names, ", ");
  return changes.all ? "a change that may be anything" : "a timer or a descriptor";
}

}  // namespace

bool is_deserted(int fd) {
  pollfd reader{fd, 0, 0};
  return ::poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0;
}

bool Watch::is_told_of(const Folder& folder) {
  const char* choice = std::getenv("TEAM_NOTIFY");
  if (choice != nullptr && std::strcmp(choice, "poll") == 0) return false;
  struct statfs status {};
  return ::fstatfs(folder.fd(), &status) == 0 && network_filesystem(static_cast<long>(status.f_type)).empty();
}

Watch::Watch() : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

Watch::Watch(const Folder& folder) : Watch() { add(folder); }

void Watch::add(const Folder& folder) {
  if (is_tracing()) traced_.push_back(folder.path());
  constexpr std::uint32_t kEvents =
      IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
  // By descriptor, not by name: the name may lead elsewhere by now.
  Watched* watched = add_path(folder, fmt::format("/proc/self/fd/{}", folder.fd()), kEvents);
  if (watched == nullptr) return;
  watched->is_folder = true;
  // Only a watch of its parent reports the removal of an open folder.
  add_parents(folder);
  is_stale_ = is_stale_ || !folder.is_in_place();
}

void Watch::add(const Folder& folder, const std::string& file, Kind kind) {
  if (is_tracing()) traced_.push_back(folder.path_of(file));
  const std::uint32_t events = IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW |
                               (kind == Kind::opened ? IN_CLOSE_NOWRITE : 0);
  Watched* watched = add_path(folder, fmt::format("/proc/self/fd/{}/{}", folder.fd(), file), events);
  if (watched != nullptr) watched->file = file;
}

// Null if its changes are not reported.
Watch::Watched* Watch::add_path(const Folder& folder, const std::string& path, std::uint32_t events) {
  const int wd =
      inotify_ && is_told_of(folder) ? ::inotify_add_watch(inotify_.get(), path.c_str(), events | IN_MASK_ADD) : -1;
  if (wd >= 0) return &watched_[wd];
  // Too few watches or instances is not an error: polling still works.
  inotify_ = Fd();
  return nullptr;
}

void Watch::add_parents(const Folder& folder) {
  constexpr std::uint32_t kEvents = IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR | IN_MASK_ADD;
  for (const auto& [parent, name] : folder.steps()) {
    const int wd = inotify_ ? ::inotify_add_watch(inotify_.get(), parent.c_str(), kEvents) : -1;
    if (wd >= 0) watched_[wd].steps.insert(name);
    else if (errno == ENOSPC || errno == ENOMEM) inotify_ = Fd();
  }
}

void Watch::wake_at(std::int64_t boot_ns) {
  if (!timer_ && boot_ns == 0) return;
  if (!timer_) timer_ = Fd(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer_) fail_errno("cannot make", "a timer");
  constexpr std::int64_t kSecond = 1'000'000'000;
  const itimerspec at{{0, 0}, {boot_ns / kSecond, boot_ns % kSecond}};
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void Watch::take_timer() const {
  std::uint64_t times = 0;
  if (timer_ && ::read(timer_.get(), &times, sizeof times) < 0) return;
}

void Watch::clear() {
  for (const auto& [wd, watched] : watched_) ::inotify_rm_watch(inotify_.get(), wd);
  if (inotify_) read_events();
  watched_.clear();
  traced_.clear();
  wakers_.clear();
  reader_ = -1;
  is_stale_ = false;
  wake_at(0);
}

void Watch::look_every(double seconds) {
  constexpr double kLongest = 3600;
  longest_pause_ms_ = std::max(1, static_cast<int>(std::min(seconds, kLongest) * 1000));
  pause_ms_ = std::min(pause_ms_, longest_pause_ms_);
}

Changes Watch::wait(const Deadline& deadline) {
  const auto wait = [&] { return inotify_ ? wait_for_events(deadline) : wait_polling(deadline); };
  if (!is_tracing()) return wait();
  const int left = deadline.left_ms();
  trace("wait: for changes in {}, {}", traced_.empty() ? "nothing" : join(traced_, ", "),
        left < 0 ? "without limit" : fmt::format("at most {} ms", left));
  const std::int64_t start = boot_ns();
  Changes changes = wait();
  trace("wait: woken after {} ms by {}", ms_since(start), describe(changes));
  return changes;
}

Changes Watch::wait_for_events(const Deadline& deadline) {
  if (std::exchange(is_stale_, false)) return {.any = true, .all = true};
  while (true) {
    std::vector<pollfd> waiting = {{inotify_.get(), POLLIN, 0}, {reader_, 0, 0}, {timer_.get(), POLLIN, 0}};
    for (const int waker : wakers_) waiting.push_back({waker, POLLIN, 0});
    const int ready = ::poll(waiting.data(), waiting.size(), deadline.left_ms());
    if (ready < 0 && errno != EINTR) fail_errno("cannot wait for", "changes");
    if (ready > 0) {
      Changes changes = read_events();
      const bool deserted = (waiting[1].revents & POLLERR) != 0;
      const bool woken =
          std::any_of(waiting.begin() + 2, waiting.end(), [](const pollfd& waker) { return waker.revents != 0; });
      take_timer();
      if (changes.any || deserted || woken) {
        return {true, changes.all || deserted, false, woken, changes.removed, std::move(changes.names)};
      }
    }
    if (deadline.passed()) return {};
  }
}

Changes Watch::read_events() {
  Changes changes;
  alignas(inotify_event) char buffer[16384];
  constexpr auto kFull = static_cast<ssize_t>(sizeof buffer - sizeof(inotify_event) - NAME_MAX - 1);
  for (ssize_t got = kFull + 1; got > kFull;) {  // a smaller result means that the queue is empty
    got = ::read(inotify_.get(), buffer, sizeof buffer);
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      const auto found = watched_.find(event->wd);
      const Watched* watched = found == watched_.end() ? nullptr : &found->second;
      const bool is_step = watched != nullptr && event->len > 0 && watched->steps.contains(event->name);
      const bool is_parent_only = watched != nullptr && !watched->is_folder && watched->file.empty();
      constexpr std::uint32_t kEnd = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED;
      if (is_step || (event->mask & (kEnd | IN_Q_OVERFLOW | IN_ATTRIB)) != 0) {
        changes.any = changes.all = true;
      } else if (is_parent_only) {
        continue;
      } else if (watched != nullptr && !watched->file.empty()) {
        changes.any = true;
        changes.names.push_back(watched->file);
      } else if (event->len > 0 && event->name[0] != '.') {
        changes.any = true;
        changes.removed = changes.removed || (event->mask & IN_DELETE) != 0;
        changes.names.emplace_back(event->name);
      }
    }
  }
  std::sort(changes.names.begin(), changes.names.end());
  changes.names.erase(std::unique(changes.names.begin(), changes.names.end()), changes.names.end());
  return changes;
}

Changes Watch::wait_polling(const Deadline& deadline) {
  if (deadline.passed()) return {};
  const int left = deadline.left_ms();
  std::vector<pollfd> waiting = {{timer_.get(), POLLIN, 0}};
  for (const int waker : wakers_) waiting.push_back({waker, POLLIN, 0});
  const int ready = ::poll(waiting.data(), waiting.size(), left < 0 ? pause_ms_ : std::min(pause_ms_, left));
  take_timer();
  pause_ms_ = std::min(pause_ms_ * 2, longest_pause_ms_);
  return {.any = true, .all = true, .untold = ready <= 0, .woken = ready > 0};
}

}  // namespace team
