#include "libteam/store/files/snapshot.h"

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
#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"
#include "libteam/store/files/mailbox.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/task_files.h"
#include "libteam/system/archive.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFormat = 1;
constexpr const char* kManifest = "teamkit.json";
constexpr const char* kTeam = "team";
constexpr const char* kBoard = "board";
constexpr const char* kLock = ".lock";
constexpr const char* kEvents = "events.jsonl";
constexpr const char* kEventsLock = "events.lock";
constexpr std::string_view kInboxLock = "_inbox.lock";
constexpr std::string_view kBacklog = "_backlog.jsonl";
constexpr std::string_view kBacklogPosition = "_backlog.pos";
constexpr std::size_t kDeepest = 16;
constexpr std::size_t kPiece = 128 * 1024;

std::string beneath(std::string_view folder, std::string_view name) { return fmt::format("{}/{}", folder, name); }

bool is_task_name(std::string_view name) {
  constexpr std::string_view kSetAside = TaskFiles::kSetAsideSuffix;
  if (name.ends_with(kSetAside)) name.remove_suffix(kSetAside.size());
  name = name.substr(0, name.find(kTheirs));
  return TaskFiles::id_of(name).has_value();
}

// Whether a path can be part of a snapshot: of what lies on the disk it is saved, and nothing else is loaded. The
// position of a backlog is not: it counts for one file of one disk, so of a backlog only what still counts is saved.
bool belongs(const std::string& path) {
  const auto parts = split(path, '/');
  if (parts.size() == 1) return path == kManifest;
  if (parts[0] == kBoard) return parts.size() == 2 && (parts[1] == TaskFiles::kHighWatermark || is_task_name(parts[1]));
  if (parts[0] != kTeam || parts.size() > kDeepest || std::any_of(parts.begin(), parts.end(), is_temporary))
    return false;
  if (parts[1] == kSlotsFolder) return false;
  return parts.size() > 2 || (!parts[1].ends_with(kLock) && !parts[1].ends_with(kBacklogPosition));
}

bool is_hook(std::string_view path) { return path.starts_with("team/hooks/"); }

void each_piece(const Fd& fd, const std::function<bool(std::string_view)>& visit) {
  off_t offset = 0;
  while (true) {
    const std::string piece = read_at(fd, offset, kPiece);
    if (piece.empty() || !visit(piece)) return;
    offset += static_cast<off_t>(piece.size());
  }
}

enum class Kind { none, file, folder, other };

Kind kind_of(const Folder& folder, const std::string& path) {
  struct stat status {};
  if (::fstatat(folder.fd(), path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Kind::none;
    fail_errno("cannot look at", folder.path_of(path));
  }
  return S_ISREG(status.st_mode) ? Kind::file : S_ISDIR(status.st_mode) ? Kind::folder : Kind::other;
}

// Up to the last newline: what stands behind it is still being written.
off_t whole_lines(const Fd& fd) {
  const auto last = line_before(fd, size_of(fd));
  return last ? last->start + static_cast<off_t>(last->text.size()) + 1 : 0;
}

// Where nobody can write nobody does, and there may be no file to lock.
std::optional<Lock> lock_if_writable(const Folder& folder, const std::string& name, double seconds) {
  if (::faccessat(folder.fd(), ".", W_OK, AT_EACCESS) != 0 && !folder.has(name)) return std::nullopt;
  return Lock::acquire(folder, name, seconds);
}

// In the order of their names. Those who have left may still have mail.
std::vector<std::optional<Lock>> lock_inboxes(const Folder& folder, const Team& team, double seconds) {
  std::set<std::string> files = {fmt::format("user{}", kInboxLock)};
  for (const Member& member : team.members) files.insert(fmt::format("{}{}", member.name, kInboxLock));
  folder.each_name([&](const char* name) {
    if (std::string_view(name).ends_with(kInboxLock)) files.emplace(name);
  });
  std::vector<std::optional<Lock>> locks;
  for (const std::string& file : files) locks.push_back(lock_if_writable(folder, file, seconds));
  return locks;
}

bool is_event_file(std::string_view name) {
  constexpr std::string_view kPrefix = "events-";
  constexpr std::string_view kSuffix = ".jsonl";
  if (name == kEvents) return true;
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return false;
  return parse_integer(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size())).has_value();
}

// The log as it is at one moment. It is not locked for longer: who has done something must be able to write it down.
struct Events {
  std::vector<std::string> aside;
  Fd current;
  off_t size = 0;
};

Events look_at_events(const Folder& folder, double lock_timeout) {
  const auto lock = lock_if_writable(folder, kEventsLock, lock_timeout);
  Events events;
  folder.each_name([&](const char* name) {
    if (is_event_file(name) && std::string_view(name) != kEvents) events.aside.emplace_back(name);
  });
  std::sort(events.aside.begin(), events.aside.end());
  events.current = folder.open_if_there(kEvents, O_RDONLY | O_NONBLOCK);
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
    std::erase_if(names, is_event_file);
    // Of what readers have taken the dates tell the order. Some may go at any moment.
    std::map<std::string, std::int64_t> dates;
    for (const std::string& name : names) {
      const auto stamp = folder.stamp(name);
      dates[name] = stamp ? stamp->mtime_ns : 0;
    }
    std::ranges::stable_sort(names, {}, [&](const std::string& name) { return dates[name]; });
    // The contents of messages come before the messages: one that is acknowledged meanwhile loses the message first.
    std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name == kBodiesFolder; });
    for (const std::string& name : names) add(folder, name, beneath(kTeam, name));
    for (const std::string& name : events.aside) add(folder, name, beneath(kTeam, name));
    if (events.current) add_part(events.current, beneath(kTeam, kEvents), 0, events.size);
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
    const bool of_member = path == beneath(kTeam, name);
    if (of_member && name.ends_with(".alive")) add_part(fd, path, 0, 0);
    else if (of_member && name.ends_with("_transcript.jsonl")) add_part(fd, path, 0, whole_lines(fd));
    else if (of_member && name.ends_with(kBacklog)) add_part(fd, path, start_of_backlog(folder, name, fd), size_of(fd));
    else add_part(fd, path, 0, size_of(fd));
  }

  void add_part(const Fd& fd, const std::string& path, off_t from, off_t to) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", path);
    const bool runs = is_hook(path) && (status.st_mode & S_IXUSR) != 0;
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(0, to - from));
    archive_.add({path, runs ? 0700U : 0600U, status.st_mtim.tv_sec, size}, fd, from);
  }

  // What stands before it is done with.
  static off_t start_of_backlog(const Folder& folder, const std::string& name, const Fd& backlog) {
    constexpr std::size_t kMost = 64;
    const std::string owner = name.substr(0, name.size() - kBacklog.size());
    const auto contents = folder.read(fmt::format("{}{}", owner, kBacklogPosition), kMost);
    const auto parts = split(contents ? first_line(contents->text) : std::string(), ' ');
    if (parts.size() < 2 || parts[0] != std::to_string(inode_of(backlog))) return 0;
    const auto position = parse_integer(parts[1]);
    return position && *position <= size_of(backlog) ? static_cast<off_t>(*position) : 0;
  }

  ArchiveWriter& archive_;
  const LeftOut& left_out_;
};

std::string make_manifest(const Team& team) {
  return dump_indented({{"format", kFormat},
                        {"team", team.name},
                        {"board", team.board},
                        {"savedAt", now()},
                        {"version", TEAMKIT_VERSION}});
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
  const auto team_lock = lock_if_writable(folder, kLock, lock_timeout);
  if (roster.folder_of(chosen.name).inode() != folder.inode()) fail(Code::not_found, "no team '{}'", chosen.name);
  const Team team = roster.get(chosen.name);  // it may have changed while we waited
  auto board = root.find_store(team.board);
  if (!board) fail(Code::not_found, "no board '{}' in '{}'", team.board, root.path());
  const TaskFiles files(std::move(*board), durability_of(&team));
  auto board_lock = lock_if_writable(files.folder(), TaskFiles::kLock, lock_timeout);
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

void copy(const Fd& from, int to, const std::string& subject) {
  each_piece(from, [&](std::string_view piece) {
    if (!write_all(to, piece)) fail_errno("cannot write", subject);
    return true;
  });
}

// What a team-save that died left. This is a folder of the user's: only what can be nothing else goes.
void sweep_beside(const Folder& folder) {
  const auto is_hex = [](std::string_view text) { return text.find_first_not_of("0123456789abcdef") == text.npos; };
  std::vector<std::string> litter;
  folder.each_name([&](const char* entry) {
    const std::string name = entry;
    const auto parts = split(name, '-');
    const bool ours = is_temporary(name) && parts.size() == 3 && is_hex(parts[1]) && parts[2].size() == 16 &&
                      is_hex(parts[2]) && !folder.has_folder(name);
    if (ours) litter.push_back(name);
  });
  for (const std::string& name : litter) remove_if_abandoned(folder, name);
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

// Where an archive is unpacked, out of sight. It goes with this object, and so does a store that was made for it.
class Staging {
 public:
  explicit Staging(const Root& root)
      : root_(root),
        made_store_(!root.find_store(kTeamsFolder)),
        teams_(root.make_store(kTeamsFolder, Durability::process)) {
    folder_.emplace(Temporary::subfolder(teams_));
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    folder_.reset();
    if (made_store_) ::unlinkat(root_.folder().fd(), kTeamsFolder, AT_REMOVEDIR);  // unless there is something in it
  }

  const Folder& teams() const { return teams_; }
  Folder open() const { return teams_.make_beneath(folder_->name(), Durability::process); }

 private:
  const Root& root_;
  bool made_store_;
  Folder teams_;
  std::optional<Temporary> folder_;
};

// One team on its way from an archive into the store.
class Loader {
 public:
  Loader(const Root& root, std::string archive, double lock_timeout)
      : root_(root), archive_(std::move(archive)), lock_timeout_(lock_timeout) {}

  void unpack(ArchiveReader& reader, std::optional<ArchiveEntry> entry, const Folder& into) const;
  // The team as it is to be, after its configuration says so.
  Team settle_configuration(const Folder& unpacked, const LoadChoice& choice) const;
  void place(const Folder& unpacked, const Folder& teams, const Team& team) const;
  void check_name(const ArchiveEntry& entry) const;

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    fail(Code::corrupt, "{}: {}", archive_, fmt::format(text, std::forward<Args>(args)...));
  }
  void unpack_file(ArchiveReader& reader, const ArchiveEntry& entry, const Folder& into, std::int64_t& date) const;
  void place_board(const Folder& unpacked, const Team& team, Durability durability) const;
  bool is_of_a_team(const Folder& board) const;

  const Root& root_;
  std::string archive_;
  double lock_timeout_;
};

void Loader::check_name(const ArchiveEntry& entry) const {
  if (!belongs(entry.name)) refuse("'{}' is no part of a team", one_line(entry.name));
  const bool is_read = entry.name == kManifest || entry.name == beneath(kTeam, kTeamConfig);
  if (is_read && entry.size > JsonLimits{}.bytes)
    refuse("'{}' is larger than {} bytes", entry.name, JsonLimits{}.bytes);
}

void Loader::unpack(ArchiveReader& reader, std::optional<ArchiveEntry> entry, const Folder& into) const {
  std::int64_t date = 0;
  for (; entry; entry = reader.next()) {
    check_name(*entry);
    unpack_file(reader, *entry, into, date);
  }
}

// It gets a date after `date`, which becomes its own.
void Loader::unpack_file(ArchiveReader& reader, const ArchiveEntry& entry, const Folder& into,
                         std::int64_t& date) const {
  auto parts = split(entry.name, '/');
  const std::string name = parts.back();
  parts.pop_back();
  std::string path;
  for (const std::string& part : parts) {
    path += path.empty() ? part : "/" + part;
    if (kind_of(into, path) == Kind::file) refuse("'{}' is a file and a folder", one_line(path));
  }
  if (kind_of(into, entry.name) != Kind::none) refuse("'{}' is there twice", one_line(entry.name));
  const std::optional<Folder> inner =
      path.empty() ? std::nullopt : std::optional(into.make_beneath(path, Durability::process));
  const Folder& folder = inner ? *inner : into;
  const Fd fd = folder.open(name, O_WRONLY | O_CREAT | O_EXCL);
  for (std::string_view piece = reader.read(); !piece.empty(); piece = reader.read()) {
    if (!write_all(fd.get(), piece)) fail_errno("cannot write in", folder.path());
  }
  const bool runs = is_hook(entry.name) && (entry.mode & S_IXUSR) != 0;
  if (runs && ::fchmod(fd.get(), 0700) != 0) fail_errno("cannot change the mode of", folder.path_of(name));
  date = std::max(date + 1, mtime_of(fd));
  set_mtime(fd, date);
}

void check_board(Code code, const std::string& board, std::string_view where) {
  const bool can_be = is_inner_path(board) && board != "." && split(board, '/').front() != kTeamsFolder;
  if (can_be) return;
  fail(code, "{}'{}' is not a folder beneath the root that can be a board", where, one_line(board));
}

void check_choice(const LoadChoice& choice) {
  if (choice.name && !is_name(*choice.name)) {
    fail(Code::usage,
         "'{}' is not a name: a team has 1 to 64 letters, digits, '-' or '_' and begins with a letter or digit",
         one_line(*choice.name));
  }
  if (choice.name && is_reserved(*choice.name)) fail(Code::usage, "'{}' is reserved", *choice.name);
  if (choice.board) check_board(Code::usage, *choice.board, "");
}

Team Loader::settle_configuration(const Folder& unpacked, const LoadChoice& choice) const {
  const auto manifest = unpacked.read(kManifest, JsonLimits{}.bytes);
  if (!manifest) refuse("is not of team-save: '{}' is missing", kManifest);
  const std::string subject = fmt::format("{}: {}", archive_, kManifest);
  const Json json = parse_json(manifest->text, subject);
  Fields fields(json, manifest->text, subject);
  const auto format = fields.integer("format", 1, INT64_MAX);
  if (format != kFormat) refuse("its format is {}, and this version reads {}", format.value_or(0), kFormat);
  const auto name = fields.text("team");
  if (!name || !is_name(*name)) fields.refuse("team", "a name");

  const std::string file = beneath(kTeam, kTeamConfig);
  const bool has_config = kind_of(unpacked, file) == Kind::file;
  const auto config = has_config ? unpacked.read(file, JsonLimits{}.bytes) : std::nullopt;
  if (!config) refuse("'{}' is missing", file);
  Team team = parse_team(config->text, *name, fmt::format("{}: {}", archive_, file));
  check_board(Code::corrupt, team.board, fmt::format("{}: {}: ", archive_, file));
  if (!choice.name && !choice.board) return team;
  team.name = choice.name.value_or(team.name);
  team.board = choice.board.value_or(team.board);
  unpacked.make_beneath(kTeam, Durability::process).replace(kTeamConfig, to_file(team), Durability::process);
  return team;
}

// The content of a message that was about to be sent when the team was saved, or was acknowledged meanwhile.
void drop_lost_bodies(const Folder& folder) {
  const auto bodies = folder.find_beneath(kBodiesFolder);
  if (!bodies) return;
  constexpr std::string_view kMark = "\"id\":\"";
  constexpr std::size_t kIdLength = 26;
  std::set<std::string> wanted;
  folder.each_name([&](const char* entry) {
    const std::string_view name = entry;
    const bool holds_mail = name.ends_with(".jsonl") && !is_event_file(name) && !name.ends_with("_rejected.jsonl");
    if (!holds_mail || kind_of(folder, entry) != Kind::file) return;
    const Fd fd = folder.open(entry, O_RDONLY);
    LineReader reader(fd, 0);
    while (const auto line = reader.next(LineReader::Tail::is_a_line)) {
      for (std::size_t at = line->find(kMark); at != std::string::npos; at = line->find(kMark, at + 1)) {
        wanted.insert(line->substr(at + kMark.size(), kIdLength));
      }
    }
  });
  std::vector<std::string> lost;
  bodies->each_name([&](const char* name) {
    if (!wanted.contains(name)) lost.emplace_back(name);
  });
  for (const std::string& name : lost) bodies->remove_tree(name);
}

bool is_same_file(const Folder& one, const Folder& other, const std::string& name) {
  const Fd mine = one.open_if_there(name, O_RDONLY | O_NONBLOCK);
  const Fd theirs = other.open_if_there(name, O_RDONLY | O_NONBLOCK);
  if (!mine || !theirs || size_of(mine) != size_of(theirs)) return false;
  bool same = true;
  off_t offset = 0;
  each_piece(mine, [&](std::string_view piece) {
    same = read_at(theirs, offset, piece.size()) == piece;
    offset += static_cast<off_t>(piece.size());
    return same;
  });
  return same;
}

bool has_same_tasks(const TaskFiles& one, const TaskFiles& other) {
  const auto ids = one.ids();
  return ids == other.ids() && std::all_of(ids.begin(), ids.end(), [&](TaskId id) {
           return is_same_file(one.folder(), other.folder(), TaskFiles::file_of(id));
         });
}

bool Loader::is_of_a_team(const Folder& board) const {
  const Roster roster(root_, lock_timeout_);
  const auto names = roster.names();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    try {
      const auto other = root_.find_store(roster.get(name).board);
      return other && other->inode() == board.inode();
    } catch (const Error& error) {
      if (error.code() != Code::corrupt && error.code() != Code::permission_denied) throw;
      return false;
    }
  });
}

// Moves the folder to where a batch is decided; over the border of a file system it is copied beside it first.
void decide_batch(const Folder& unpacked, const TaskFiles& files, Durability durability) {
  const Folder& board = files.folder();
  if (::renameat(unpacked.fd(), kBoard, board.fd(), TaskFiles::kBatch) == 0) return;
  if (errno != EXDEV) fail_errno("cannot write", board.path_of(TaskFiles::kBatch));
  const auto from = unpacked.find_beneath(kBoard);
  const Folder scratch = board.make_beneath(TaskFiles::kScratch, durability);
  const std::string name = temporary_name();
  try {
    const Folder to = scratch.make_beneath(name, Durability::process);
    from->each_name([&](const char* entry) {
      const Fd target = to.open(entry, O_WRONLY | O_CREAT | O_EXCL);
      copy(from->open(entry, O_RDONLY), target.get(), to.path_of(entry));
    });
    if (durability == Durability::power) to.sync_filesystem();
    scratch.rename_into(name, board, TaskFiles::kBatch);
  } catch (const Error&) {
    scratch.remove_tree(name);
    throw;
  }
}

// A broken mark is not worth keeping: the highest task counts then.
TaskId take_mark(const TaskFiles& files) {
  TaskId mark = 0;
  try {
    mark = files.highest_given();
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
  }
  files.folder().remove(TaskFiles::kHighWatermark);
  return mark;
}

void Loader::place_board(const Folder& unpacked, const Team& team, Durability durability) const {
  const TaskFiles loaded(unpacked.make_beneath(kBoard, Durability::process), Durability::process);
  const TaskFiles files(root_.make_store(team.board, durability), durability);
  const Lock lock = Lock::acquire(files.folder(), TaskFiles::kLock, lock_timeout_);
  files.settle();
  const bool has_tasks = !files.ids().empty();
  // A load that died after this step left the very same tasks and no team.
  const bool are_ours = has_tasks && !is_of_a_team(files.folder()) && has_same_tasks(files, loaded);
  if (has_tasks && !are_ours) {
    fail(Code::conflict, "the board '{}' has tasks already (--board DIR: load onto another)", team.board);
  }
  const TaskId before = files.highest_given();
  const TaskId mark = take_mark(loaded);
  if (mark > before) files.give(mark, durability);
  if (are_ours) return;
  try {
    decide_batch(unpacked, files, durability);
  } catch (const Error&) {
    if (mark > before) files.give(before, durability);
    throw;
  }
  after_change([&] {
    if (durability == Durability::power) files.folder().sync();
    files.settle();
  });
}

void Loader::place(const Folder& unpacked, const Folder& teams, const Team& team) const {
  const Durability durability = durability_of(&team);
  root_.find_store(team.board);  // refuses one that is not to be trusted before anything is made
  if (durability == Durability::power) unpacked.sync_filesystem();
  const Lock lock = Lock::acquire(teams, kLock, lock_timeout_);
  teams.sweep_temporaries();
  for (const std::string& other : Roster(root_, lock_timeout_).names()) {
    if (same_name(other, team.name))
      fail(Code::conflict, "team {} exists already (--name NEW: load it as another)", other);
  }
  if (teams.stamp(team.name)) fail(Code::conflict, "'{}' is in the way", teams.path_of(team.name));
  place_board(unpacked, team, durability);
  after_change([&] {
    unpacked.rename_into(kTeam, teams, team.name);
    if (durability == Durability::power) teams.sync();
  });
}

}  // namespace

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
    const Folder aside = temporary_folder();
    const Fd unnamed = take_snapshot(root, team, lock_timeout, left_out, aside, aside.path_of("(unnamed)"));
    const Fd target(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!target) fail_errno("cannot open", file);
    copy(unnamed, target.get(), file);
    return;
  }
  // A link stays a link: what it leads to is replaced.
  const fs::path path =
      fs::is_symlink(fs::symlink_status(file, ignored)) ? fs::weakly_canonical(file, ignored) : fs::path(file);
  const std::string parent = path.has_parent_path() ? path.parent_path().string() : ".";
  const auto folder = Folder::find(parent);
  if (!folder) fail(Code::not_found, "no such folder '{}'", parent);
  const Fd unnamed = take_snapshot(root, team, lock_timeout, left_out, *folder, file);
  publish(unnamed, *folder, path.filename().string(), durability_of(&team));
}

void stream_team(const Root& root, const Team& team, double lock_timeout, const LeftOut& left_out,
                 const std::function<bool(std::string_view)>& give) {
  const Folder aside = temporary_folder();
  each_piece(take_snapshot(root, team, lock_timeout, left_out, aside, aside.path_of("(unnamed)")), give);
}

std::string load_team(const Root& root, const std::string& file, const LoadChoice& choice, double lock_timeout) {
  check_choice(choice);
  const Fd fd = open_archive(file);
  const std::string subject = file == "-" ? "stdin" : file;
  ArchiveReader reader(fd.get(), subject);
  const Loader loader(root, subject, lock_timeout);
  auto first = reader.next();
  if (first) loader.check_name(*first);  // before anything is made
  const Staging staging(root);
  const Folder unpacked = staging.open();
  loader.unpack(reader, std::move(first), unpacked);
  const Team team = loader.settle_configuration(unpacked, choice);
  drop_lost_bodies(unpacked.make_beneath(kTeam, Durability::process));
  loader.place(unpacked, staging.teams(), team);
  return team.name;
}

}  // namespace team
