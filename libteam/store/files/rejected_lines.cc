#include "libteam/store/files/rejected_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/text.h"
#include "libteam/system/id.h"

namespace team {

std::optional<Message> RejectedLines::parse(const std::string& line) const {
  if (is_blank(line)) return std::nullopt;
  try {
    Message message = parse_message(line, files_.owner, layout::inbox_file(files_.owner));
    if (message.id.empty()) message.id = new_id();
    return message;
  } catch (const Error& error) {
    constexpr off_t kMost = off_t{4} << 20;
    const Folder& folder = *files_.folder;
    const std::string name = layout::rejected_file(files_.owner);
    Fd fd = folder.open(name, O_WRONLY | O_CREAT | O_APPEND);
    if (size_of(fd) >= kMost) {
      folder.rename_into(name, folder, layout::old_rejected_file(files_.owner));
      fd = folder.open(name, O_WRONLY | O_CREAT | O_APPEND);
    }
    if (!append_or_undo(fd, size_of(fd), rejection_line(line, error.what(), now()))) {
      fail_errno("cannot write", folder.path_of(name));
    }
    is_unsynced_ = true;
    return std::nullopt;
  }
}

void RejectedLines::sync() const {
  if (!std::exchange(is_unsynced_, false) || files_.durability == Durability::process) return;
  const std::string name = layout::rejected_file(files_.owner);
  const Fd fd = files_.folder->open(name, O_WRONLY | O_CREAT | O_APPEND);
  if (::fdatasync(fd.get()) != 0) fail_errno("cannot write", files_.folder->path_of(name));
  files_.folder->sync(Code::io);
}

}  // namespace team
