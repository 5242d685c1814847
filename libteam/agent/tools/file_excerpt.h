// Some lines of a file of any size, as read_file shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libteam/agent/tools/tool.h"

namespace team {

// Takes the file piece by piece and keeps no more than the lines that are asked for.
class FileExcerpt {
 public:
  FileExcerpt(std::int64_t first, std::int64_t lines);

  // False when it has enough.
  bool take(std::string_view chunk);
  // `asked` names the file.
  ToolResult result(const std::string& asked, bool saw_all);

 private:
  bool is_wanted() const { return line_ >= first_ && line_ < end_ && !full_; }
  void add_to_line(std::string_view piece);
  void end_line(std::string_view end);

  std::int64_t first_, end_;
  std::int64_t line_ = 1;  // the number of the line that comes next
  std::int64_t shown_to_ = 0;
  std::size_t line_bytes_ = 0;
  std::size_t counted_ = 0;
  bool full_ = false;
  std::string current_, text_;
};

}  // namespace team
