#include "libteam/store/files/snapshot_format.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "libteam/base/error.h"
#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/task_files.h"
#include "libteam/system/lines.h"
#include "libteam/system/temporary.h"

namespace team::snapshot {

namespace {

constexpr std::size_t kPiece = 128 * 1024;

bool is_task_name(std::string_view name) {
  if (name.ends_with(layout::kSetAsideSuffix)) name.remove_suffix(layout::kSetAsideSuffix.size());
  name = name.substr(0, name.find(kTheirs));
  return layout::task_of(name).has_value();
}

}  // namespace

std::string beneath(std::string_view folder, std::string_view name) { return fmt::format("{}/{}", folder, name); }

bool belongs(const std::string& path) {
  const auto parts = split(path, '/');
  if (parts.size() == 1) return path == kManifest;
  if (parts[0] == kBoard) return parts.size() == 2 && (parts[1] == layout::kHighWatermark || is_task_name(parts[1]));
  if (parts[0] != kTeam || parts.size() > kDeepest || std::any_of(parts.begin(), parts.end(), is_temporary))
    return false;
  if (parts[1] == layout::kCallSlots) return false;
  if (parts.size() > 2) return true;
  const auto file = layout::member_file(parts[1]);
  return !parts[1].ends_with(layout::kLock) && !(file && file->kind == layout::MemberFile::backlog_position);
}

bool is_hook(std::string_view path) { return path.starts_with(fmt::format("{}/{}/", kTeam, layout::kHooks)); }

Kind kind_of(const Folder& folder, const std::string& path) {
  struct stat status {};
  if (::fstatat(folder.fd(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Kind::none;
    fail_errno("cannot look at", folder.path_of(path));
  }
  return S_ISREG(status.st_mode) ? Kind::file : S_ISDIR(status.st_mode) ? Kind::folder : Kind::other;
}

void each_piece(const Fd& fd, const std::function<bool(std::string_view)>& visit) {
  off_t offset = 0;
  while (true) {
    const std::string piece = read_at(fd, offset, kPiece);
    if (piece.empty() || !visit(piece)) return;
    offset += static_cast<off_t>(piece.size());
  }
}

void copy(const Fd& from, int to, const std::string& subject) {
  each_piece(from, [&](std::string_view piece) {
    if (!write_all(to, piece)) fail_errno("cannot write", subject);
    return true;
  });
}

}  // namespace team::snapshot
