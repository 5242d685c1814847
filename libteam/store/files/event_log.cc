#include "libteam/store/files/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/mapped_file.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

// The size at which a file is put aside; smaller for tests.
off_t rotate_at() {
  constexpr off_t kDefault = off_t{16} << 20;
  const char* choice = std::getenv("TEAM_EVENTS_ROTATE");
  const auto bytes = choice != nullptr ? parse_integer(choice) : std::nullopt;
  return bytes ? static_cast<off_t>(*bytes) : kDefault;
}

constexpr auto kWhole = LineReader::Tail::is_not_there_yet;

// Lines that teamkit did not write are passed over.
std::optional<std::int64_t> first_sequence_in(const Fd& fd) {
  LineReader reader(fd, 0);
  while (const auto line = reader.next(kWhole)) {
    if (const auto seq = sequence_of(*line)) return seq;
  }
  return std::nullopt;
}

// The first event whose line starts after `offset`.
struct Probe {
  off_t start = 0;
  std::int64_t seq = 0;
};

// `read(offset, count)` returns text of the file. None if no whole beginning of an event follows.
template <class Read>
std::optional<Probe> probe(off_t offset, const Read& read) {
  constexpr std::size_t kWindow = 4096;
  for (std::size_t window = kWindow;; window *= 4) {
    const auto text = read(offset, window);
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1)) {
      const std::string_view line = std::string_view(text).substr(end + 1);
      if (line.find(',') == line.npos) break;  // perhaps cut
      if (const auto seq = sequence_of(line)) return Probe{offset + static_cast<off_t>(end) + 1, *seq};
    }
    if (text.size() < window) return std::nullopt;
  }
}

// The offset of a line such that no line before it is after event `seq`, and little is left to read until the first
// that is. Sequence numbers rise, so this takes a few reads in a file of any size.
template <class Read>
off_t find_start(off_t size, std::int64_t seq, const Read& read) {
  constexpr off_t kNear = 16 * 1024;
  off_t from = 0;
  off_t to = size;
  while (to - from > kNear) {
    const off_t middle = from + (to - from) / 2;
    const auto found = probe(middle, read);
    if (found && found->start < to && found->seq <= seq) from = found->start;
    else to = middle;
  }
  return from;
}

}  // namespace

FileEventLog::FileEventLog(const Folder& folder, double lock_timeout) : folder_(folder), lock_timeout_(lock_timeout) {}

struct FileEventLog::Part {
  std::int64_t first = 0;
  std::string name;
  Fd fd;  // only the current one is open
};

struct FileEventLog::Place {
  Fd fd;
  off_t offset = 0;
};

std::vector<FileEventLog::Part> FileEventLog::put_aside() const {
  std::vector<Part> parts;
  folder_.each_name([&](const char* entry) {
    if (const auto first = layout::first_event_in(entry)) parts.push_back({*first, entry, {}});
  });
  std::ranges::sort(parts, {}, &Part::first);
  return parts;
}

// The files put aside, oldest first, then the current file. The current file is opened before the others are listed.
// A file that is put aside after that is the open one or a younger one. The listing may have missed younger ones.
std::vector<FileEventLog::Part> FileEventLog::parts() const {
  std::vector<Part> parts;
  std::size_t known = 0;
  Fd current;
  do {
    known = parts.size();
    current = folder_.open_if_there(layout::kEvents, O_RDONLY);
    parts = put_aside();
  } while (!current && parts.size() != known);  // it was put aside this moment
  if (!current) return parts;
  const auto first = parts.empty() ? std::nullopt : first_sequence_in(current);
  if (first) std::erase_if(parts, [&](const Part& part) { return part.first >= *first; });
  parts.push_back({first.value_or(kLargestSequence), layout::kEvents, std::move(current)});
  return parts;
}

Fd FileEventLog::open(Part& part) const {
  return part.fd ? std::move(part.fd) : folder_.open_if_there(part.name, O_RDONLY);
}

std::string FileEventLog::place() const { return folder_.path_of(layout::kEvents); }

std::int64_t FileEventLog::last_sequence() const {
  std::optional<std::int64_t> last;
  each_backward([&](std::string_view line) {
    last = sequence_of(line);
    return !last;
  });
  return last.value_or(0);
}

Logged FileEventLog::append(const EventOrigin& origin, const std::vector<Event>& events) const {
  if (events.empty()) return {};
  const Lock lock = Lock::acquire(folder_, layout::kEventsLock, lock_timeout_);
  Fd fd = folder_.open(layout::kEvents, O_RDWR | O_CREAT | O_APPEND);
  const off_t found = size_of(fd);
  const auto last = line_before(fd, found);
  off_t size = last ? last->start + static_cast<off_t>(last->text.size()) + 1 : 0;
  if (size != found && ::ftruncate(fd.get(), size) != 0) fail_errno("cannot write", folder_.path_of(layout::kEvents));
  const auto newest = last ? sequence_of(last->text) : std::nullopt;
  std::int64_t seq = newest ? *newest : last_sequence();
  if (seq > kLargestSequence - static_cast<std::int64_t>(events.size())) {
    fail(Code::corrupt, "{}: no number is left after {}", folder_.path_of(layout::kEvents), seq);
  }
  const auto first = size > 0 && size >= rotate_at() ? first_sequence_in(fd) : std::nullopt;
  if (first) {
    folder_.rename_into(layout::kEvents, folder_, layout::old_events_file(*first));
    fd = folder_.open(layout::kEvents, O_RDWR | O_CREAT | O_APPEND);
    size = 0;
  }
  std::string text;
  const Logged logged{seq + 1, now()};
  for (const Event& event : events) {
    text.append(to_envelope(++seq, logged.timestamp, origin, event)).push_back('\n');
  }
  if (!append_or_undo(fd, size, text)) fail_errno("cannot write", folder_.path_of(layout::kEvents));
  return logged;
}

// Visits the lines from `place` on that come after `seq`, and advances both. Returns false if `visit` did.
bool FileEventLog::read_on(Place& place, std::int64_t& seq, const Visit& visit) const {
  LineReader reader(place.fd, place.offset);
  while (const auto line = reader.next(kWhole)) {
    const auto number = sequence_of(*line);
    if (!number || *number <= seq) continue;  // not an envelope, or seen
    seq = *number;
    if (!visit(*line)) return false;
  }
  place.offset = reader.offset();
  return true;
}

// The same for a file that was put aside, which does not change any more.
bool FileEventLog::read_closed(const Fd& fd, std::int64_t& seq, const Visit& visit) const {
  const MappedFile file(fd);
  std::string_view text = file.text();
  const auto read = [&](off_t offset, std::size_t most) { return text.substr(static_cast<std::size_t>(offset), most); };
  text.remove_prefix(static_cast<std::size_t>(find_start(static_cast<off_t>(text.size()), seq, read)));
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const auto number = sequence_of(line);
    if (!number || *number <= seq) continue;
    seq = *number;
    if (!visit(line)) return false;
  }
  return true;
}

// Starts with the last part that may have the first wanted line. Returns the place after the last line, none if `visit`
// returned false.
std::optional<FileEventLog::Place> FileEventLog::read_after(std::int64_t& seq, const Visit& visit) const {
  auto all = parts();
  auto part = std::ranges::upper_bound(all, seq + 1, {}, &Part::first);
  if (part != all.begin()) --part;
  Place place;
  for (; part != all.end(); ++part) {
    const bool is_closed = !part->fd;
    Fd fd = open(*part);
    if (!fd) continue;
    if (is_closed) {
      if (!read_closed(fd, seq, visit)) return std::nullopt;
      continue;
    }
    const auto read = [&](off_t offset, std::size_t most) { return read_at(fd, offset, most); };
    const off_t start = find_start(size_of(fd), seq, read);
    place = {std::move(fd), start};
    if (!read_on(place, seq, visit)) return std::nullopt;
  }
  return place;
}

void FileEventLog::each_after(std::int64_t seq, const Visit& visit) const { read_after(seq, visit); }

bool FileEventLog::follow(std::int64_t seq, int reader, const Visit& visit, const std::function<bool()>& enough,
                          int waker) const {
  Watch watch(folder_);
  watch.watch_reader(reader);
  if (waker >= 0) watch.wake_on(waker);
  auto place = read_after(seq, visit);
  while (place && !enough()) {
    const std::int64_t before = seq;
    if (place->fd && !read_on(*place, seq, visit)) return true;
    // The watch may have told of these events already: `enough` decides before the next wait.
    if (seq != before) continue;
    const auto stamp = folder_.stamp(layout::kEvents);
    const bool is_another = stamp && (!place->fd || stamp->inode != inode_of(place->fd));
    if (is_another) place = read_after(seq, visit);
    else if (watch.wait(Deadline::never()).all && !folder_.is_in_place()) return false;
  }
  return true;
}

void FileEventLog::each_backward(const Visit& visit) const {
  auto all = parts();
  for (auto part = all.rbegin(); part != all.rend(); ++part) {
    const Fd fd = open(*part);
    if (!fd) continue;
    for (auto line = line_before(fd, size_of(fd)); line; line = line_before(fd, line->start)) {
      if (!visit(line->text)) return;
      if (line->start == 0) break;
    }
  }
}

}  // namespace team
