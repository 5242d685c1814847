#include "libteam/store/files/file_local_files.h"

#include <fcntl.h>

#include <algorithm>

#include "libteam/store/files/layout.h"
#include "libteam/system/lines.h"

namespace team {

namespace {

constexpr off_t kLargestOutput = off_t{8} << 20;

}  // namespace

// One old output is kept.
Fd FileLocalFiles::open_output(const std::string& member) const {
  const std::string file = layout::output_file(member);
  const auto stamp = team_->stamp(file);
  if (stamp && stamp->size > kLargestOutput) team_->rename_into(file, *team_, layout::old_output_file(member));
  return team_->open(file, O_WRONLY | O_CREAT | O_APPEND);
}

std::string FileLocalFiles::read_output(const std::string& member, std::size_t most) const {
  const Fd fd = team_->open_if_there(layout::output_file(member), O_RDONLY);
  if (!fd) return "";
  const off_t start = std::max<off_t>(0, size_of(fd) - static_cast<off_t>(most));
  return read_at(fd, start, most);
}

std::string FileLocalFiles::outputs_path() const {
  return team_->make_beneath(layout::kOutputs, Durability::process).path();
}

}  // namespace team
