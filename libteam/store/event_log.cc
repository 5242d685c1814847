#include "libteam/store/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/system/lines.h"
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

// Visits the whole lines from `offset` on; gives where the next would start. `more` becomes false when `visit` has
// enough.
off_t each_line(const Fd& fd, off_t offset, const std::function<bool(std::string_view)>& visit, bool& more) {
  LineReader reader(fd, offset);
  while (more) {
    const auto line = reader.next(LineReader::Tail::is_not_there_yet);
    if (!line) break;
    more = visit(*line);
  }
  return reader.offset();
}

// Lines of somebody else's are passed over.
std::optional<std::int64_t> last_sequence_in(const Fd& fd, off_t end) {
  for (auto line = line_before(fd, end); line; line = line_before(fd, line->start)) {
    if (const auto seq = sequence_of(line->text)) return seq;
  }
  return std::nullopt;
}

std::int64_t first_sequence(const Fd& fd) {
  const auto line = LineReader(fd, 0).next(LineReader::Tail::is_not_there_yet);
  return line ? sequence_of(*line).value_or(1) : 1;
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

std::int64_t EventLog::last_sequence() const {
  const auto names = files();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const Fd fd = folder_.open_if_there(*name, O_RDONLY);
    if (!fd) continue;
    if (const auto seq = last_sequence_in(fd, size_of(fd))) return *seq;
  }
  return 0;
}

Logged EventLog::append(const EventOrigin& origin, const std::vector<Event>& events) const {
  if (events.empty()) return {};
  const Lock lock = Lock::acquire(folder_, kLock, lock_timeout_);
  Fd fd = folder_.open(kCurrent, O_RDWR | O_CREAT | O_APPEND);
  const off_t found = size_of(fd);
  const auto last = line_before(fd, found);
  off_t size = last ? last->start + static_cast<off_t>(last->text.size()) + 1 : 0;
  if (size != found && ::ftruncate(fd.get(), size) != 0) fail_errno("cannot write", folder_.path_of(kCurrent));
  auto in_file = last ? sequence_of(last->text) : std::nullopt;
  if (last && !in_file) in_file = last_sequence_in(fd, last->start);
  std::int64_t seq = in_file ? *in_file : last_sequence();
  if (seq > kLargestSequence - static_cast<std::int64_t>(events.size())) {
    fail(Code::corrupt, "{}: no number is left after {}", folder_.path_of(kCurrent), seq);
  }
  if (size > 0 && size >= rotate_at()) {
    const auto first = first_sequence(fd);
    folder_.rename_into(kCurrent, folder_, fmt::format("{}{}{}", kPrefix, first, kSuffix));
    fd = folder_.open(kCurrent, O_RDWR | O_CREAT | O_APPEND);
    size = 0;
  }
  std::string text;
  const Logged logged{seq + 1, now()};
  for (const Event& event : events) {
    text.append(to_envelope(++seq, logged.timestamp, origin, event)).push_back('\n');
  }
  if (!append_or_undo(fd, size, text)) fail_errno("cannot write", folder_.path_of(kCurrent));
  return logged;
}

Logged EventLog::record(const EventOrigin& origin, const std::vector<Event>& events) const {
  try {
    return append(origin, events);
  } catch (const Error& error) {
    if (error.code() != Code::io && error.code() != Code::again && error.code() != Code::corrupt) throw;
    fail(Code::unknown, "it is done, but not in the log: {}", error.what());
  }
}

// Once through all files. Disturbed: a file was put aside between the listing and the look.
EventLog::Pass EventLog::pass_over(std::int64_t& seq, bool gap_is_real, const Visit& visit) const {
  bool more = true;
  bool disturbed = false;
  const auto wanted = [&](std::string_view line) {
    const auto number = sequence_of(line);
    if (!number || *number <= seq) return true;  // seen, or a line of somebody else's
    disturbed = seq > 0 && *number != seq + 1 && !gap_is_real;
    if (disturbed) return false;
    seq = *number;
    return visit(line);
  };
  for (const std::string& name : files()) {
    const Fd fd = folder_.open_if_there(name, O_RDONLY);
    if (!fd) continue;
    each_line(fd, 0, wanted, more);
    if (!more) return disturbed ? Pass::disturbed : Pass::stopped;
  }
  return Pass::complete;
}

void EventLog::each_after(std::int64_t seq, const Visit& visit) const {
  constexpr int kTries = 10;  // then somebody removed a file, and the gap is there to stay
  for (int i = 0; i <= kTries; ++i) {
    if (pass_over(seq, i == kTries, visit) != Pass::disturbed) return;
  }
}

void EventLog::follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
                      int waker) const {
  Watch watch(folder_);
  watch.watch_reader(reader);
  if (waker >= 0) watch.wake_on(waker);
  bool more = true;
  const auto advance = [&](std::string_view line) {
    seq = sequence_of(line).value_or(seq);
    return more = visit(line);
  };
  const auto next_only = [&](std::string_view line) { return sequence_of(line) != seq + 1 || advance(line); };
  Fd fd;
  off_t offset = 0;
  while (more && !enough()) {
    if (fd) offset = each_line(fd, offset, next_only, more);
    const auto stamp = folder_.stamp(kCurrent);
    if (more && (!fd || !stamp || stamp->inode != inode_of(fd))) {
      each_after(seq, advance);
      fd = folder_.open_if_there(kCurrent, O_RDONLY);
      offset = 0;
      if (fd) continue;
    }
    if (more) watch.wait(Deadline::never());
  }
}

void EventLog::each_backward(const Visit& visit) const {
  const auto names = files();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    const Fd fd = folder_.open_if_there(*name, O_RDONLY);
    if (!fd) continue;
    for (auto line = line_before(fd, size_of(fd)); line; line = line_before(fd, line->start)) {
      if (!visit(line->text)) return;
      if (line->start == 0) break;
    }
  }
}

}  // namespace team
