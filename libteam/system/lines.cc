#include "libteam/system/lines.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "libteam/base/error.h"

namespace team {

namespace {

constexpr std::size_t kPiece = 256 * 1024;
constexpr std::size_t kLongestLine = std::size_t{4} << 20;
constexpr std::int64_t kSecond = 1'000'000'000;

struct stat status_of(const Fd& fd) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", "a file");
  return status;
}

}  // namespace

off_t size_of(const Fd& fd) { return status_of(fd).st_size; }

std::uint64_t inode_of(const Fd& fd) { return status_of(fd).st_ino; }

std::int64_t mtime_of(const Fd& fd) {
  const timespec time = status_of(fd).st_mtim;
  return time.tv_sec * kSecond + time.tv_nsec;
}

void set_mtime(const Fd& fd, std::int64_t nanoseconds) {
  const timespec times[] = {{0, UTIME_OMIT}, {nanoseconds / kSecond, nanoseconds % kSecond}};
  if (::futimens(fd.get(), times) != 0) fail_errno("cannot date", "a file");
}

bool append_or_undo(const Fd& fd, off_t size, std::string_view text) {
  if (write_all(fd.get(), text)) return true;
  const int reason = errno;
  [[maybe_unused]] const int undone = ::ftruncate(fd.get(), size);
  errno = reason;
  return false;
}

std::string read_at(const Fd& fd, off_t offset, std::size_t most) {
  std::string text(most, '\0');
  ssize_t got = -1;
  do {
    got = ::pread(fd.get(), text.data(), most, offset);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_errno("cannot read", "a file");
  text.resize(static_cast<std::size_t>(got));
  return text;
}

std::optional<std::string> LineReader::next(Tail tail) {
  std::size_t searched = start_;
  while (true) {
    const std::size_t end = text_.find('\n', searched);
    if (end != std::string::npos) return give(end - start_, 1);
    text_.erase(0, std::exchange(start_, 0));
    searched = text_.size();
    const std::string piece = read_at(fd_, offset_ + static_cast<off_t>(text_.size()), kPiece);
    if (piece.empty()) break;
    if (text_.size() > kLongestLine) return skip_line();
    text_ += piece;
  }
  return text_.empty() || tail == Tail::is_not_there_yet ? std::nullopt : give(text_.size(), 0);
}

std::optional<std::string> LineReader::give(std::size_t length, std::size_t newline) {
  std::string line = text_.substr(start_, length);
  start_ += length + newline;
  offset_ += static_cast<off_t>(length + newline);
  return line;
}

std::optional<std::string> LineReader::skip_line() {
  std::string line = std::exchange(text_, {});
  offset_ += static_cast<off_t>(line.size());
  while (true) {
    const std::string piece = read_at(fd_, offset_, kPiece);
    const std::size_t end = piece.find('\n');
    offset_ += static_cast<off_t>(end == std::string::npos ? piece.size() : end + 1);
    if (piece.empty() || end != std::string::npos) return line;
  }
}

std::optional<LastLine> line_before(const Fd& fd, off_t end) {
  constexpr off_t kWindow = 4096;
  for (off_t window = kWindow;; window *= 4) {
    const off_t from = std::max<off_t>(0, end - window);
    const std::string text = read_at(fd, from, static_cast<std::size_t>(end - from));
    const std::size_t stop = text.rfind('\n');
    if (stop == std::string::npos) {
      if (from == 0) return std::nullopt;
      continue;
    }
    const std::size_t before = stop == 0 ? std::string::npos : text.rfind('\n', stop - 1);
    if (before == std::string::npos && from > 0) continue;
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return LastLine{from + static_cast<off_t>(start), text.substr(start, stop - start)};
  }
}

}  // namespace team
