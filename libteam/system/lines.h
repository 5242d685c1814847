// Files of lines that grow at their end. Reads them from any position, forward and backward, in bounded memory.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/system/file.h"

namespace team {

off_t size_of(const Fd& fd);
std::uint64_t inode_of(const Fd& fd);
std::int64_t mtime_of(const Fd& fd);
void set_mtime(const Fd& fd, std::int64_t nanoseconds);

// Appends the whole text to a file of this size, or undoes a partial write: then returns false with errno set.
bool append_or_undo(const Fd& fd, off_t size, std::string_view text);

// At most `most` bytes from `offset` on; fewer at the end. Throws io.
std::string read_at(const Fd& fd, off_t offset, std::size_t most);

// Reads lines one by one, without their newlines.
class LineReader {
 public:
  // `fd` outlives this.
  LineReader(const Fd& fd, off_t offset) : fd_(fd), offset_(offset) {}

  enum class Tail { is_a_line, is_not_there_yet };
  // None at the end. A last line without a newline is torn or still being written: `tail` tells how to treat it. A line
  // of more than 4 MiB is cut.
  std::optional<std::string> next(Tail tail);

  // The offset of the next line.
  off_t offset() const { return offset_; }

 private:
  std::optional<std::string> give(std::size_t length, std::size_t newline);
  std::optional<std::string> skip_line();

  const Fd& fd_;
  off_t offset_;
  std::string text_;
  std::size_t start_ = 0;  // how much of text_ was returned
};

struct LastLine {
  off_t start = 0;
  std::string text;
};

// The last whole line that ends at or before `end`; none if there is none.
std::optional<LastLine> line_before(const Fd& fd, off_t end);

}  // namespace team
