// Files of lines that grow at their end: reading them from anywhere, forward and backward, in bounded memory.
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

// Writes all of the text to the end of a file of this size, or takes back what was written of it: false, and errno says
// why.
bool append_or_undo(const Fd& fd, off_t size, std::string_view text);

// At most `most` bytes from `offset` on; fewer at the end. Throws io.
std::string read_at(const Fd& fd, off_t offset, std::size_t most);

// Reads lines one by one, without their newlines.
class LineReader {
 public:
  // `fd` outlives this.
  LineReader(const Fd& fd, off_t offset) : fd_(fd), offset_(offset) {}

  enum class Tail { is_a_line, is_not_there_yet };
  // None at the end. What stands there without a newline is a torn line or one that is still being written: `tail` says
  // which. A line of more than 4 MiB comes cut.
  std::optional<std::string> next(Tail tail);

  // Where the next line starts.
  off_t offset() const { return offset_; }

 private:
  std::optional<std::string> give(std::size_t length, std::size_t newline);
  std::optional<std::string> skip_line();

  const Fd& fd_;
  off_t offset_;
  std::string text_;
  std::size_t start_ = 0;  // what of text_ was given already
};

struct LastLine {
  off_t start = 0;
  std::string text;
};

// The last whole line that ends at or before `end`; none if there is none.
std::optional<LastLine> line_before(const Fd& fd, off_t end);

}  // namespace team
