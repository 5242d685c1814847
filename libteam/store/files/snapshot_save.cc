// Saves a team as an archive: see snapshot.h.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/base/text.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/snapshot.h"
#include "libteam/store/files/snapshot_format.h"
#include "libteam/store/files/task_files.h"
#include "libteam/system/archive.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/replaced_file.h"
#include "libteam/system/temporary.h"

namespace team::snapshot {

namespace {

using layout::MemberFile;

// Up to the last newline: the rest is still being written.
off_t whole_lines(const Fd& fd) {
  const auto last = line_before(fd, size_of(fd));
  return last ? last->start + static_cast<off_t>(last->text.size()) + 1 : 0;
}

// Where nobody can write nobody does, and there may be no file to lock.
std::optional<Lock> lock_if_writable(const Folder& folder, const std::string& name, double seconds) {
  if (::faccessat(folder.fd(), ".", W_OK, AT_EACCESS) != 0 && !folder.has(name)) return std::nullopt;
  return Lock::acquire(folder, name, seconds);
}

// In the order of their names. Former members may still have mail.
std::vector<std::optional<Lock>> lock_inboxes(const Folder& folder, const Team& team, double seconds) {
  std::set<std::string> files = {layout::inbox_lock("user")};
  for (const Member& member : team.members) files.insert(layout::inbox_lock(member.name));
  folder.each_name([&](const char* name) {
    const auto file = layout::member_file(name);
    if (file && file->kind == MemberFile::inbox_lock) files.emplace(name);
  });
  std::vector<std::optional<Lock>> locks;
  for (const std::string& file : files) locks.push_back(lock_if_writable(folder, file, seconds));
  return locks;
}

// The log as it is at one moment. The lock is short, because other processes must record their changes.
struct Events {
  std::vector<std::string> aside;
  Fd current;
  off_t size = 0;
};

Events look_at_events(const Folder& folder, double lock_timeout) {
  const auto lock = lock_if_writable(folder, layout::kEventsLock, lock_timeout);
  Events events;
  folder.each_name([&](const char* name) {
    if (layout::is_event_file(name) && std::string_view(name) != layout::kEvents) events.aside.emplace_back(name);
  });
  std::sort(events.aside.begin(), events.aside.end());
  events.current = folder.open_if_there(layout::kEvents, O_RDONLY | O_NONBLOCK);
  if (events.current) events.size = whole_lines(events.current);
  return events;
}

// Puts files into an archive.
class Packer {
 public:
  Packer(ArchiveWriter& archive, const LeftOut& left_out) : archive_(archive), left_out_(left_out) {}

  void add_board(const Folder& folder) {
    for (const std::string& name : names_of(folder)) add(folder, name, beneath(kBoard, name));
  }

  void add_team(const Folder& folder, const Events& events) {
    auto names = names_of(folder);
    std::erase_if(names, layout::is_event_file);
    // The dates of taken messages have their order. Some may go at any moment.
    std::map<std::string, std::int64_t> dates;
    for (const std::string& name : names) {
      const auto stamp = folder.stamp(name);
      dates[name] = stamp ? stamp->mtime_ns : 0;
    }
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return dates[name]; });
    // The contents of messages come before the messages: one that is acknowledged meanwhile loses the message first.
    std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name == layout::kBodies; });
    for (const std::string& name : names) add(folder, name, beneath(kTeam, name));
    for (const std::string& name : events.aside) add(folder, name, beneath(kTeam, name));
    if (events.current) add_part(events.current, beneath(kTeam, layout::kEvents), 0, events.size);
  }

 private:
  static std::vector<std::string> names_of(const Folder& folder) {
    std::vector<std::string> names;
    folder.each_name([&](const char* name) { names.emplace_back(name); });
    std::sort(names.begin(), names.end());
    return names;
  }

  void add(const Folder& folder, const std::string& name, const std::string& path) {
    if (split(path, '/').size() > kDeepest) {
      left_out_(fmt::format("'{}' lies too deep", folder.path_of(name)));
      return;
    }
    if (!belongs(path)) return;
    const Kind kind = kind_of(folder, name);
    const bool may_be_folder = path.starts_with(beneath(kTeam, ""));
    if (kind == Kind::file) {
      add_file(folder, name, path);
    } else if (kind == Kind::folder && may_be_folder) {
      const auto inner = folder.find_beneath(name);
      for (const std::string& entry : inner ? names_of(*inner) : std::vector<std::string>()) {
        add(*inner, entry, beneath(path, entry));
      }
    } else if (kind != Kind::none) {
      left_out_(fmt::format("'{}' is not a regular file", folder.path_of(name)));
    }
  }

  void add_file(const Folder& folder, const std::string& name, const std::string& path) {
    const Fd fd = folder.open_if_there(name, O_RDONLY | O_NONBLOCK);
    if (!fd) return;
    const auto file = path == beneath(kTeam, name) ? layout::member_file(name) : std::nullopt;
    const auto is = [&](MemberFile kind) { return file && file->kind == kind; };
    if (is(MemberFile::alive)) add_part(fd, path, 0, 0);
    else if (is(MemberFile::transcript)) add_part(fd, path, 0, whole_lines(fd));
    else if (is(MemberFile::backlog)) add_part(fd, path, start_of_backlog(folder, file->member, fd), size_of(fd));
    else add_part(fd, path, 0, size_of(fd));
  }

  void add_part(const Fd& fd, const std::string& path, off_t from, off_t to) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", path);
    const bool runs = is_hook(path) && (status.st_mode & S_IXUSR) != 0;
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(0, to - from));
    archive_.add({path, runs ? 0700U : 0600U, status.st_mtim.tv_sec, size}, fd, from);
  }

  // The lines before it are processed.
  static off_t start_of_backlog(const Folder& folder, const std::string& owner, const Fd& backlog) {
    constexpr std::size_t kMost = 64;
    const auto contents = folder.read(layout::backlog_position(owner), kMost);
    const auto parts = split(contents ? first_line(contents->text) : std::string(), ' ');
    if (parts.size() < 2 || parts[0] != std::to_string(inode_of(backlog))) return 0;
    const auto position = parse_integer(parts[1]);
    return position && *position <= size_of(backlog) ? static_cast<off_t>(*position) : 0;
  }

  ArchiveWriter& archive_;
  const LeftOut& left_out_;
};

std::string make_manifest(const Team& team) {
  JsonText text(JsonText::Layout::indented);
  text.add("format", kFormat);
  text.add("team", team.name);
  text.add("board", team.board);
  text.add("savedAt", now());
  text.add("version", TEAMKIT_VERSION);
  return text.take();
}

// A file that goes with this process, however that ends.
Fd open_unnamed(const Folder& folder) {
  Fd fd(::openat(folder.fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const bool unknown = !fd && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL);
  if (!fd && !unknown) fail_errno("cannot write in", folder.path());
  if (fd) return fd;
  const std::string name = temporary_name();
  fd = folder.open(name, O_RDWR | O_CREAT | O_EXCL);
  folder.remove(name);
  return fd;
}

Fd take_snapshot(const Root& root, const Team& chosen, double lock_timeout, const LeftOut& left_out,
                 const Folder& scratch, const std::string& subject) {
  const Roster roster(root, lock_timeout);
  const Folder folder = roster.folder_of(chosen.name);
  const auto team_lock = lock_if_writable(folder, layout::kLock, lock_timeout);
  if (roster.folder_of(chosen.name).inode() != folder.inode()) fail(Code::not_found, "no team '{}'", chosen.name);
  const Team team = roster.get(chosen.name);  // it may have changed while we waited
  auto board = root.find_store(team.board);
  if (!board) fail(Code::not_found, "no board '{}' in '{}'", team.board, root.path());
  const TaskFiles files(std::move(*board), durability_of(&team));
  auto board_lock = lock_if_writable(files.folder(), layout::kLock, lock_timeout);
  if (files.unsettled()) files.settle();
  const auto inbox_locks = lock_inboxes(folder, team, lock_timeout);
  const Events events = look_at_events(folder, lock_timeout);

  Fd fd = open_unnamed(scratch);
  ArchiveWriter archive(fd.get(), subject);
  Packer packer(archive, left_out);
  archive.add({kManifest, 0600, static_cast<std::int64_t>(now()), 0}, make_manifest(team));
  packer.add_board(files.folder());
  board_lock.reset();
  packer.add_team(folder, events);
  archive.finish();
  return fd;
}

// For an archive that goes elsewhere.
Folder temporary_folder() {
  const char* choice = std::getenv("TMPDIR");
  const std::string path = choice != nullptr && *choice != '\0' ? choice : "/tmp";
  auto folder = Folder::find(path);
  if (!folder) fail(Code::io, "no folder '{}' for temporary files (TMPDIR)", path);
  return std::move(*folder);
}

// Gives the unnamed file a name, in place of whatever has it.
void publish(const Fd& unnamed, const Folder& folder, const std::string& name, Durability durability) {
  sweep_beside(folder);
  const auto place = [&](const Fd& file, const std::string& temporary) {
    const bool flushed = durability == Durability::process || ::fsync(file.get()) == 0;
    if (!flushed) fail_errno("cannot write", folder.path_of(name));
    folder.rename_into(temporary, folder, name);
  };
  const std::string temporary = temporary_name();
  const std::string source = fmt::format("/proc/self/fd/{}", unnamed.get());
  // Locked before it has a name: no sweeper takes it for the file of a dead process.
  if (::flock(unnamed.get(), LOCK_EX | LOCK_NB) != 0) fail_errno("cannot lock", folder.path_of(temporary));
  if (::linkat(AT_FDCWD, source.c_str(), folder.fd(), temporary.c_str(), AT_SYMLINK_FOLLOW) == 0) {
    try {
      place(unnamed, temporary);
    } catch (const Error&) {
      ::unlinkat(folder.fd(), temporary.c_str(), 0);
      throw;
    }
  } else {
    Temporary copied = Temporary::file(folder);
    const Fd file = folder.open(copied.name(), O_WRONLY);
    copy(unnamed, file.get(), folder.path_of(name));
    place(file, copied.name());
    copied.keep();
  }
  if (durability == Durability::power) folder.sync();
}

}  // namespace

}  // namespace team::snapshot

namespace team {

namespace fs = std::filesystem;

void save_team(const Root& root, const Team& team, const std::string& file, double lock_timeout,
               const LeftOut& left_out) {
  if (file.empty()) fail(Code::usage, "the name of the file is empty");
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::is_directory(status) || file.ends_with('/')) {
    errno = EISDIR;
    fail_errno("cannot write", file);
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const Folder aside = snapshot::temporary_folder();
    const Fd unnamed = snapshot::take_snapshot(root, team, lock_timeout, left_out, aside, aside.path_of("(unnamed)"));
    const Fd target(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!target) fail_errno("cannot open", file);
    snapshot::copy(unnamed, target.get(), file);
    return;
  }
  // A link stays a link, and its target is replaced.
  const fs::path path =
      fs::is_symlink(fs::symlink_status(file, ignored)) ? fs::weakly_canonical(file, ignored) : fs::path(file);
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  const auto folder = Folder::find(parent);
  if (!folder) fail(Code::not_found, "no such folder '{}'", parent);
  const Fd unnamed = snapshot::take_snapshot(root, team, lock_timeout, left_out, *folder, file);
  snapshot::publish(unnamed, *folder, path.filename().string(), durability_of(&team));
}

void stream_team(const Root& root, const Team& team, double lock_timeout, const LeftOut& left_out,
                 const std::function<bool(std::string_view)>& give) {
  const Folder aside = snapshot::temporary_folder();
  snapshot::each_piece(snapshot::take_snapshot(root, team, lock_timeout, left_out, aside, aside.path_of("(unnamed)")),
                       give);
}

}  // namespace team
