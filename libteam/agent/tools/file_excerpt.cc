#include "libteam/agent/tools/file_excerpt.h"

#include <algorithm>

#include "libteam/base/error.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kMostText = 64 * 1024;
constexpr std::size_t kLongestLine = 16 * 1024;
// Lines are counted up to this many bytes after the first shown one.
constexpr std::size_t kMostCounted = std::size_t{256} << 20;

}  // namespace

FileExcerpt::FileExcerpt(std::int64_t first, std::int64_t lines)
    : first_(first), end_(lines > INT64_MAX - first ? INT64_MAX : first + lines) {}

bool FileExcerpt::take(std::string_view chunk) {
  while (!chunk.empty()) {
    const std::size_t newline = chunk.find('\n');
    const bool whole = newline != std::string_view::npos;
    add_to_line(chunk.substr(0, newline));
    if (whole) end_line("\n");
    chunk.remove_prefix(whole ? newline + 1 : chunk.size());
  }
  return counted_ <= kMostCounted;
}

ToolResult FileExcerpt::result(const std::string& asked, bool saw_all) {
  if (line_bytes_ > 0) end_line("");
  const std::int64_t total = line_ - 1;
  if (total == 0) return {"(the file is empty)", false};
  if (first_ > total) {
    return {
        fmt::format("'{}' has {} {}: there is none from {} on", asked, total, total == 1 ? "line" : "lines", first_),
        true};
  }
  const std::int64_t rest = shown_to_ + 1;
  if (saw_all && rest > total) return {text_, false};
  if (!text_.ends_with('\n')) text_ += '\n';
  const std::string which = !saw_all        ? fmt::format("the lines from {} on are", rest)
                            : rest == total ? fmt::format("line {} is", rest)
                                            : fmt::format("lines {} to {} are", rest, total);
  return {fmt::format("{}[{} not shown; go on with offset {}]", text_, which, rest), false};
}

void FileExcerpt::add_to_line(std::string_view piece) {
  if (is_wanted()) current_.append(piece.substr(0, kLongestLine - std::min(kLongestLine, current_.size())));
  if (line_ >= first_) counted_ += piece.size() + 1;
  line_bytes_ += piece.size();
}

void FileExcerpt::end_line(std::string_view end) {
  if (is_wanted()) {
    const std::size_t left_out = line_bytes_ - current_.size();
    if (left_out > 0) current_.resize(whole_characters(current_));
    std::string line = repair_utf8(current_);
    if (left_out > 0) line += fmt::format(" [line {} is cut: {} bytes more]", line_, line_bytes_ - current_.size());
    line += end;
    // The first line is always shown, or no reader could continue.
    full_ = line_ > first_ && text_.size() + line.size() > kMostText;
    if (!full_) {
      text_ += line;
      shown_to_ = line_;
    }
  }
  current_.clear();
  line_bytes_ = 0;
  ++line_;
}

}  // namespace team
