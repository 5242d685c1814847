// Loads a team from an archive: see snapshot.h.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"
#include "libteam/store/files/bodies.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/roster.h"
#include "libteam/store/files/snapshot.h"
#include "libteam/store/files/snapshot_format.h"
#include "libteam/store/files/task_files.h"
#include "libteam/system/archive.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/temporary.h"

namespace team::snapshot {

namespace {

// Where an archive is unpacked, out of sight. It goes with this object, and so does a store that was made for it.
class Staging {
 public:
  explicit Staging(const Root& root)
      : root_(root),
        made_store_(!root.find_store(layout::kTeams)),
        teams_(root.make_store(layout::kTeams, Durability::process)) {
    folder_.emplace(Temporary::subfolder(teams_));
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    folder_.reset();
    if (made_store_) ::unlinkat(root_.folder().fd(), layout::kTeams, AT_REMOVEDIR);  // unless there is something in it
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
  const bool is_read = entry.name == kManifest || entry.name == beneath(kTeam, layout::kConfig);
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
  const bool can_be = is_inner_path(board) && board != "." && split(board, '/').front() != layout::kTeams;
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
  Fields fields(manifest->text, subject);
  const auto format = fields.integer("format", 1, INT64_MAX);
  if (format != kFormat) refuse("its format is {}, and this version reads {}", format.value_or(0), kFormat);
  const auto name = fields.text("team");
  if (!name || !is_name(*name)) fields.refuse("team", "a name");

  const std::string file = beneath(kTeam, layout::kConfig);
  const bool has_config = kind_of(unpacked, file) == Kind::file;
  const auto config = has_config ? unpacked.read(file, JsonLimits{}.bytes) : std::nullopt;
  if (!config) refuse("'{}' is missing", file);
  Team team = parse_team(config->text, *name, fmt::format("{}: {}", archive_, file));
  check_board(Code::corrupt, team.board, fmt::format("{}: {}: ", archive_, file));
  if (!choice.name && !choice.board) return team;
  team.name = choice.name.value_or(team.name);
  team.board = choice.board.value_or(team.board);
  replace_file(unpacked.make_beneath(kTeam, Durability::process), layout::kConfig, to_file(team), Durability::process);
  return team;
}

bool may_hold_mail(std::string_view name) {
  using layout::MemberFile;
  const auto file = layout::is_event_file(name) ? std::nullopt : layout::member_file(name);
  return file &&
         (file->kind == MemberFile::inbox || file->kind == MemberFile::backlog || file->kind == MemberFile::taken);
}

// The content of a message that was about to be sent when the team was saved, or was acknowledged meanwhile.
void drop_lost_bodies(const Folder& folder) {
  const auto bodies = folder.find_beneath(layout::kBodies);
  if (!bodies) return;
  constexpr std::string_view kMark = "\"id\":\"";
  constexpr std::size_t kIdLength = 26;
  std::set<std::string> wanted;
  folder.each_name([&](const char* entry) {
    if (!may_hold_mail(entry) || kind_of(folder, entry) != Kind::file) return;
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
           return is_same_file(one.folder(), other.folder(), layout::task_file(id));
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
  if (::renameat(unpacked.fd(), kBoard, board.fd(), layout::kBatch) == 0) return;
  if (errno != EXDEV) fail_errno("cannot write", board.path_of(layout::kBatch));
  const auto from = unpacked.find_beneath(kBoard);
  const Folder scratch = board.make_beneath(layout::kScratch, durability);
  const std::string name = temporary_name();
  try {
    const Folder to = scratch.make_beneath(name, Durability::process);
    from->each_name([&](const char* entry) {
      const Fd target = to.open(entry, O_WRONLY | O_CREAT | O_EXCL);
      copy(from->open(entry, O_RDONLY), target.get(), to.path_of(entry));
    });
    if (durability == Durability::power) to.sync_filesystem();
    scratch.rename_into(name, board, layout::kBatch);
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
  files.folder().remove(layout::kHighWatermark);
  return mark;
}

void Loader::place_board(const Folder& unpacked, const Team& team, Durability durability) const {
  const TaskFiles loaded(unpacked.make_beneath(kBoard, Durability::process), Durability::process);
  const TaskFiles files(root_.make_store(team.board, durability), durability);
  const Lock lock = Lock::acquire(files.folder(), layout::kLock, lock_timeout_);
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
  const Lock lock = Lock::acquire(teams, layout::kLock, lock_timeout_);
  sweep_temporaries(teams);
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

}  // namespace team::snapshot

namespace team {

std::string load_team(const Root& root, const std::string& file, const LoadChoice& choice, double lock_timeout) {
  snapshot::check_choice(choice);
  const Fd fd = open_archive(file);
  const std::string subject = file == "-" ? "stdin" : file;
  ArchiveReader reader(fd.get(), subject);
  const snapshot::Loader loader(root, subject, lock_timeout);
  auto first = reader.next();
  if (first) loader.check_name(*first);  // before anything is made
  const snapshot::Staging staging(root);
  const Folder unpacked = staging.open();
  loader.unpack(reader, std::move(first), unpacked);
  const Team team = loader.settle_configuration(unpacked, choice);
  snapshot::drop_lost_bodies(unpacked.make_beneath(snapshot::kTeam, Durability::process));
  loader.place(unpacked, staging.teams(), team);
  return team.name;
}

}  // namespace team
