#include "libteam/store/event_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/system/lock.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

constexpr const char* kCurrent = "events.jsonl";
constexpr const char* kLock = "events.lock";
constexpr std::string_view kPrefix = "events-";
constexpr std::string_view kSuffix = ".jsonl";

// How large a file may grow; smaller for tests.
off_t rotate_at() {
  constexpr off_t kDefault = off_t{16} << 20;
  const char* choice = std::getenv("TEAM_EVENTS_ROTATE");
  const auto bytes = choice != nullptr ? parse_integer(choice) : std::nullopt;
  return bytes ? static_cast<off_t>(*bytes) : kDefault;
}

off_t size_of(const Fd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 ? status.st_size : 0;
}

std::string read_at(const Fd& fd, off_t offset, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = ::pread(fd.get(), text.data(), most, offset);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// The last whole line that ends at or before `end`, and where it starts; none if there is none.
struct Line {
  off_t start;
  std::string text;
};
std::optional<Line> line_before(const Fd& fd, off_t end) {
  constexpr off_t kWindow = 4096;
  for (off_t window = kWindow;; window *= 4) {
    const off_t from = std::max<off_t>(0, end - window);
    const std::string text = read_at(fd, from, static_cast<std::size_t>(end - from));
    const std::size_t stop = text.rfind('\n');
    if (stop != std::string::npos) {
      const std::size_t before = stop == 0 ? std::string::npos : text.rfind('\n', stop - 1);
      if (before != std::string::npos || from == 0) {
        const std::size_t start = before == std::string::npos ? 0 : before + 1;
        return Line{from + static_cast<off_t>(start), text.substr(start, stop - start)};
      }
    } else if (from == 0) {
      return std::nullopt;
    }
  }
}

// Visits the whole lines from `offset` on; gives where the next would start. False in `more` ends it.
off_t each_line(const Fd& fd, off_t offset, const std::function<bool(std::string_view)>& visit, bool& more) {
  constexpr std::size_t kPiece = 65536;
  std::string text;
  while (more) {
    const std::string piece = read_at(fd, offset + static_cast<off_t>(text.size()), kPiece);
    if (piece.empty()) break;
    text += piece;
    std::size_t start = 0;
    for (std::size_t end = 0; more && (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
      more = visit(std::string_view(text).substr(start, end - start));
    }
    text.erase(0, start);
    offset += static_cast<off_t>(start);
  }
  return offset;
}

std::int64_t first_sequence(const Fd& fd) {
  std::int64_t first = 1;
  bool more = true;
  each_line(
      fd, 0,
      [&](std::string_view line) {
        first = sequence_of(line).value_or(1);
        return false;
      },
      more);
  return first;
}

std::uint64_t inode_of(const Fd& fd) {
  struct stat status {};
  return ::fstat(fd.get(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

EventLog::EventLog(const Folder& folder, double lock_timeout) : folder_(folder), lock_timeout_(lock_timeout) {}

// Those put aside, oldest first, then the current one.
std::vector<std::string> EventLog::files() const {
  std::vector<std::pair<std::int64_t, std::string>> aside;
  folder_.each_name([&](const char* entry) {
    const std::string_view name = entry;
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return;
    const auto first = parse_integer(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size()));
    if (first) aside.emplace_back(*first, std::string(name));
  });
  std::sort(aside.begin(), aside.end());
  std::vector<std::string> names;
  for (auto& [first, name] : aside) names.push_back(std::move(name));
  names.emplace_back(kCurrent);
  return names;
}

// Of those put aside, for a current file that is empty.
std::int64_t EventLog::last_sequence() const {
  const auto names = files();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (*name == kCurrent) continue;
    const Fd fd = folder_.open(*name, O_RDONLY);
    const auto line = line_before(fd, size_of(fd));
    if (line) return sequence_of(line->text).value_or(0);
  }
  return 0;
}

void EventLog::append(const EventOrigin& origin, const std::vector<Event>& events) const {
  if (events.empty()) return;
  const Lock lock = Lock::acquire(folder_, kLock, lock_timeout_);
  Fd fd = folder_.open(kCurrent, O_RDWR | O_CREAT | O_APPEND);
  off_t size = size_of(fd);
  const auto last = line_before(fd, size);
  const off_t whole = last ? last->start + static_cast<off_t>(last->text.size()) + 1 : 0;
  if (whole != size && ::ftruncate(fd.get(), whole) != 0) fail_errno("cannot write", folder_.path_of(kCurrent));
  std::int64_t seq = last ? sequence_of(last->text).value_or(0) : last_sequence();
  if (whole > 0 && whole >= rotate_at()) {
    const auto first = first_sequence(fd);
    folder_.rename_into(kCurrent, folder_, fmt::format("{}{}{}", kPrefix, first, kSuffix));
    fd = folder_.open(kCurrent, O_RDWR | O_CREAT | O_APPEND);
  }
  size = size_of(fd);
  std::string text;
  const double moment = now();
  for (const Event& event : events) text.append(to_envelope(++seq, moment, origin, event)).push_back('\n');
  if (!write_all(fd.get(), text)) {
    const int reason = errno;
    [[maybe_unused]] const int undone = ::ftruncate(fd.get(), size);
    errno = reason;
    fail_errno("cannot write", folder_.path_of(kCurrent));
  }
}

void EventLog::each_after(std::int64_t seq, const Visit& visit) const {
  bool more = true;
  const auto wanted = [&](std::string_view line) {
    const auto number = sequence_of(line);
    if (!number || *number <= seq) return true;  // a line of somebody else's is passed over
    seq = *number;
    return visit(line);
  };
  // A file that is put aside while we read is seen twice or under its other name; `seq` sorts that out.
  for (const std::string& name : files()) {
    if (!more) return;
    if (!folder_.has(name)) continue;
    const Fd fd = folder_.open(name, O_RDONLY);
    each_line(fd, 0, wanted, more);
  }
}

void EventLog::follow(std::int64_t seq, const Deadline& deadline, const Visit& visit) const {
  Watch watch(folder_);
  bool more = true;
  const auto wanted = [&](std::string_view line) {
    const auto number = sequence_of(line);
    if (!number || *number <= seq) return true;
    seq = *number;
    return visit(line);
  };
  Fd fd;
  off_t offset = 0;
  while (more) {
    if (fd) offset = each_line(fd, offset, wanted, more);
    const auto stamp = folder_.stamp(kCurrent);
    const bool same = fd && stamp && stamp->inode == inode_of(fd);
    if (more && !same) {
      each_after(seq, [&](std::string_view line) {
        seq = sequence_of(line).value_or(seq);
        return more = visit(line);
      });
      if (folder_.has(kCurrent)) {
        fd = folder_.open(kCurrent, O_RDONLY);
        offset = 0;
        continue;
      }
    }
    if (more && !watch.wait(deadline).any) return;
  }
}

void EventLog::each_backward(const Visit& visit) const {
  const auto names = files();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!folder_.has(*name)) continue;
    const Fd fd = folder_.open(*name, O_RDONLY);
    for (auto line = line_before(fd, size_of(fd)); line; line = line_before(fd, line->start)) {
      if (!visit(line->text)) return;
      if (line->start == 0) break;
    }
  }
}

}  // namespace team
