#include "libteam/agent/tools/file_tools.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "libteam/base/error.h"
#include "libteam/base/text.h"
#include "libteam/store/files/root.h"
#include "libteam/system/file.h"
#include "libteam/system/process.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

constexpr std::int64_t kDefaultLines = 2000;
constexpr std::size_t kMostText = 64 * 1024;
constexpr std::size_t kLongestLine = 16 * 1024;
constexpr std::size_t kChunk = 256 * 1024;
// Lines are counted up to this many bytes after the first shown one.
constexpr std::size_t kMostCounted = std::size_t{256} << 20;
constexpr std::size_t kMostEdited = std::size_t{16} << 20;

constexpr const char* kReadSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file"},
    "offset": {"type": "integer", "minimum": 1, "description": "The first line to show; 1 by default"},
    "limit": {"type": "integer", "minimum": 1, "description": "How many lines; 2000 by default"}
  },
  "required": ["path"]
})";

constexpr const char* kWriteSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file; missing folders are made"},
    "content": {"type": "string", "description": "All that is to stand in it"}
  },
  "required": ["path", "content"]
})";

constexpr const char* kEditSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file"},
    "old_text": {"type": "string", "description": "What stands there exactly once, with its blanks and newlines"},
    "new_text": {"type": "string", "description": "What is to stand there instead"}
  },
  "required": ["path", "old_text", "new_text"]
})";

std::string shown(std::string_view path) { return cut_characters(one_line(path), 200); }

// Removes ".", ".." and doubled slashes without looking at the disk. Absolute; "" for the root of the system.
std::string normal_path(std::string_view path) {
  std::vector<std::string> parts;
  for (std::string& part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") parts.push_back(std::move(part));
    else if (!parts.empty()) parts.pop_back();
  }
  std::string normal;
  for (const std::string& part : parts) normal += "/" + part;
  return normal;
}

bool is_beneath(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// Empty if there is no such file.
std::string real_path(const std::string& path) {
  std::error_code ignored;
  return normal_path(std::filesystem::canonical(path.empty() ? "/" : path, ignored).string());
}

// The path of an open file or folder.
std::string path_of(const Fd& fd) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("/proc/self/fd/{}", fd.get()).c_str(), path, sizeof path);
  if (length <= 0) fail_errno("cannot tell where", "a file lies");
  return normal_path(std::string_view(path, static_cast<std::size_t>(length)));
}

struct stat status_of(const Fd& fd, const std::string& asked) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) fail_errno("cannot look at", asked);
  return status;
}

[[noreturn]] void refuse_open(const std::string& asked) {
  if (errno == EXDEV || errno == ELOOP) fail(Code::permission_denied, "'{}' leads out of the root", asked);
  if (errno == ENOENT || errno == ENOTDIR) fail(Code::not_found, "there is no file '{}'", asked);
  if (errno == ENXIO) fail(Code::invalid_state, "'{}' is not a regular file", asked);
  fail_errno("cannot open", asked);
}

void check_regular(const struct stat& status, const std::string& asked) {
  if (S_ISDIR(status.st_mode)) fail(Code::invalid_state, "'{}' is a folder", asked);
  if (!S_ISREG(status.st_mode)) fail(Code::invalid_state, "'{}' is not a regular file", asked);
}

bool same_version(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

// A path that a model named, inside an allowed folder as far as its text tells.
struct Place {
  std::string asked;   // for messages
  std::string path;    // absolute
  Folder root;         // the allowed folder that it lies beneath
  std::string inside;  // the path from there, "." for the folder itself
};

// Never follows a link that leads out of the root.
Fd open_inside(const Folder& root, const std::string& path, int flags) {
  constexpr int kTries = 16;
  Fd fd;
  // EAGAIN: somebody moved a folder while the kernel followed the ".." of a link.
  for (int i = 0; i < kTries && !fd && (i == 0 || errno == EAGAIN); ++i) fd = root.try_open_beneath(path, flags, 0);
  return fd;
}

Fd open_to_read(const Place& place) {
  Fd fd = open_inside(place.root, place.inside, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) refuse_open(place.asked);
  check_regular(status_of(fd, place.asked), place.asked);
  return fd;
}

// A file with a temporary name, removed unless it takes its place.
class Replacement {
 public:
  Replacement(const Fd& folder, std::string asked) : folder_(folder), asked_(std::move(asked)) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = Fd(::openat(folder_.get(), name_.c_str(), kFlags, 0600));
    if (!file_) fail_errno("cannot write", asked_);
    // Tells team-save, which sweeps the folder that it writes to, that the writer is alive.
    ::flock(file_.get(), LOCK_EX | LOCK_NB);
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (!placed_) ::unlinkat(folder_.get(), name_.c_str(), 0);
  }

  void write(std::string_view text, mode_t mode) const {
    if (!write_all(file_.get(), text) || ::fchmod(file_.get(), mode) != 0) fail_errno("cannot write", asked_);
  }
  // Only root can give a file away; other users keep it.
  void give_to(const struct stat& former) const {
    if (::fchown(file_.get(), former.st_uid, former.st_gid) != 0) return;
  }
  void place(const std::string& name) {
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0) fail_errno("cannot write", asked_);
    placed_ = true;
  }

 private:
  const Fd& folder_;
  std::string asked_;
  std::string name_ = temporary_name();
  Fd file_;
  bool placed_ = false;
};

class Files {
 public:
  explicit Files(const FileScope& scope)
      : working_directory_(normal_path(scope.working_directory)), boards_(scope.boards), lock_(scope.lock) {
    for (const std::string& folder : scope.allowed) add_root(folder);
    granted_ = roots_.size();
    add_root(scope.working_directory);
  }

  Lock lock() const { return lock_(); }

  Place find(const std::string& path) const {
    const std::string asked = shown(path);
    if (path.empty()) fail(Code::usage, "the path is empty");
    if (path.find('\0') != std::string::npos) fail(Code::usage, "the path holds a NUL");
    const std::string absolute = normal_path(path.starts_with('/') ? path : working_directory_ + "/" + path);
    // The outermost folder, so that a link from one allowed folder to another stays inside.
    const std::string* outermost = nullptr;
    for (const std::string& root : roots_) {
      if (is_beneath(absolute, root) && (outermost == nullptr || root.size() < outermost->size())) outermost = &root;
    }
    if (outermost == nullptr) {
      fail(Code::permission_denied, "'{}' is outside of what you may touch: {}", asked, join(roots_, ", "));
    }
    auto root = Folder::find(outermost->empty() ? "/" : *outermost);
    if (!root) fail(Code::not_found, "there is no folder '{}'", *outermost);
    const bool itself = absolute.size() == outermost->size();
    return {asked, absolute, std::move(*root), itself ? "." : absolute.substr(outermost->size() + 1)};
  }

  // Writes `text`. With `expected`: only if the file is still that version.
  void write(const Place& place, std::string_view text, const struct stat* expected) const {
    check_writable(place, place.path);
    if (place.inside == ".") fail(Code::invalid_state, "'{}' is a folder", place.asked);
    const std::size_t slash = place.inside.rfind('/');
    const std::string name = slash == std::string::npos ? place.inside : place.inside.substr(slash + 1);
    const Fd folder = make_folder(place, slash == std::string::npos ? "." : place.inside.substr(0, slash));
    check_writable(place, path_of(folder) + "/" + name);
    struct stat former {};
    const bool is_new = ::fstatat(folder.get(), name.c_str(), &former, AT_SYMLINK_NOFOLLOW) != 0;
    if (is_new && errno != ENOENT) fail_errno("cannot write", place.asked);
    if (!is_new && S_ISLNK(former.st_mode)) return write_through_link(place, text, expected);
    if (!is_new) {
      check_regular(former, place.asked);
      // A rename would not check this.
      if (::faccessat(folder.get(), name.c_str(), W_OK, AT_EACCESS) != 0) fail_errno("cannot write", place.asked);
    }
    Replacement file(folder, place.asked);
    if (!is_new) file.give_to(former);
    file.write(text, is_new ? 0666 & ~inherited_mask() : former.st_mode & 07777);
    if (expected != nullptr) {
      struct stat current {};
      const bool there = ::fstatat(folder.get(), name.c_str(), &current, AT_SYMLINK_NOFOLLOW) == 0;
      check_version(there && same_version(current, *expected), place);
    }
    file.place(name);
  }

 private:
  void add_root(const std::string& folder) {
    // An empty name would allow the whole disk.
    if (!folder.starts_with('/')) fail(Code::usage, "'{}' is not an absolute folder", folder);
    const std::string root = normal_path(folder);
    const auto add = [&](const std::string& name) {
      if (std::find(roots_.begin(), roots_.end(), name) == roots_.end()) roots_.push_back(name);
    };
    add(root);
    // A model may know the real path too, from `pwd -P`.
    const std::string real = real_path(root);
    if (!real.empty()) add(real);
  }

  // `path` is absolute: the requested path, or its real path. Both are checked, so that neither a link nor ".." leads
  // to a protected folder.
  void check_writable(const Place& place, const std::string& path) const {
    std::vector<std::string> of_teams = boards_();
    of_teams.emplace_back(kTeamsFolder);
    for (const std::string& folder : of_teams) {
      const std::string known = normal_path(roots_.front() + "/" + folder);
      const std::string by_root = normal_path(real_path(roots_.front()) + "/" + folder);
      const std::string real = real_path(known);
      if (is_beneath(path, known) || is_beneath(path, by_root) || (!real.empty() && is_beneath(path, real))) {
        refuse_team_file(place);
      }
    }
    // Stores and repositories deeper inside, or in another allowed folder.
    std::string entry = granted_folder(path);
    for (const std::string& part : split(std::string_view(path).substr(entry.size()), '/')) {
      if (part.empty()) continue;
      entry += "/" + part;
      if (same_name(part, ".git") || is_git_folder(entry)) {
        fail(Code::permission_denied, "'{}' belongs to git: use the git command", place.asked);
      }
      if (same_name(part, kTeamsFolder) || same_name(part, kDefaultBoard) || is_board(entry)) refuse_team_file(place);
    }
  }

  [[noreturn]] static void refuse_team_file(const Place& place) {
    fail(Code::permission_denied, "'{}' belongs to a team: use the Task tools", place.asked);
  }

  // The innermost folder around `path` that the user allowed by name. The user decided about the folders above it.
  std::string granted_folder(const std::string& path) const {
    const std::string* innermost = nullptr;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      if (!is_beneath(path, roots_[i]) || (i >= granted_ && innermost != nullptr)) continue;
      if (innermost == nullptr || roots_[i].size() > innermost->size()) innermost = &roots_[i];
    }
    return innermost != nullptr ? *innermost : "";
  }

  // Uses the same signs as git: a bare repository, or one that a `.git` file leads to.
  static bool is_git_folder(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path + "/HEAD", ignored) &&
           std::filesystem::is_directory(path + "/objects", ignored) &&
           std::filesystem::is_directory(path + "/refs", ignored);
  }

  static bool is_board(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path + "/.highwatermark", ignored);
  }

  static void check_version(bool same, const Place& place) {
    if (!same) fail(Code::conflict, "somebody changed '{}' at the same moment: read it again", place.asked);
  }

  // The folder beneath the root; made if it is missing.
  Fd make_folder(const Place& place, const std::string& path) const {
    Fd folder = open_inside(place.root, path, O_PATH | O_DIRECTORY);
    if (folder) return folder;
    if (errno == ENOTDIR) fail(Code::invalid_state, "'{}': a part of the path is not a folder", place.asked);
    if (errno != ENOENT || path == ".") refuse_open(place.asked);
    const std::size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    const Fd parent = make_folder(place, slash == std::string::npos ? "." : path.substr(0, slash));
    check_writable(place, path_of(parent) + "/" + name);
    const bool made = ::mkdirat(parent.get(), name.c_str(), 0777) == 0;
    if (!made && errno != EEXIST) fail_errno("cannot make a folder for", place.asked);
    folder = Fd(::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) fail_errno("cannot make a folder for", place.asked);
    // Our own mask is narrow, but this is a folder of the user.
    if (made && ::fchmod(folder.get(), 0777 & ~inherited_mask()) != 0) fail_errno("cannot write", place.asked);
    return folder;
  }

  // Keeps the link and writes its target.
  void write_through_link(const Place& place, std::string_view text, const struct stat* expected) const {
    const Fd file = open_inside(place.root, place.inside, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    if (!file && errno == EISDIR) fail(Code::invalid_state, "'{}' is a folder", place.asked);
    if (!file) refuse_open(place.asked);
    const struct stat status = status_of(file, place.asked);
    check_regular(status, place.asked);
    check_writable(place, path_of(file));
    if (expected != nullptr) check_version(same_version(status, *expected), place);
    if (::ftruncate(file.get(), 0) != 0) fail_errno("cannot write", place.asked);
    if (!write_all(file.get(), text)) fail_errno("cannot write all of", place.asked, Code::unknown);
  }

  std::string working_directory_;
  std::function<std::vector<std::string>()> boards_;
  std::function<Lock()> lock_;
  std::vector<std::string> roots_;  // the root first
  std::size_t granted_ = 0;         // how many of them the user allowed by name
};

// Calls `take` for each piece of the file until it returns false. The file may have any size.
template <class Take>
void each_chunk(const Fd& file, const std::string& asked, int interrupt, Take take) {
  std::string buffer(kChunk, '\0');
  constexpr std::size_t kQuick = 64;  // so many pieces are quick: no check for an interruption
  for (std::size_t count = 0;; ++count) {
    pollfd waiting{interrupt, POLLIN, 0};
    if (count > kQuick && interrupt >= 0 && ::poll(&waiting, 1, 0) > 0) fail(Code::again, "interrupted");
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno("cannot read", asked);
    if (got == 0 || !take(std::string_view(buffer.data(), static_cast<std::size_t>(got)))) return;
  }
}

// Some lines of a file that is read in pieces.
class Excerpt {
 public:
  Excerpt(std::int64_t first, std::int64_t lines)
      : first_(first), end_(lines > INT64_MAX - first ? INT64_MAX : first + lines) {}

  // False when it has enough.
  bool take(std::string_view chunk) {
    while (!chunk.empty()) {
      const std::size_t newline = chunk.find('\n');
      const bool whole = newline != std::string_view::npos;
      add_to_line(chunk.substr(0, newline));
      if (whole) end_line("\n");
      chunk.remove_prefix(whole ? newline + 1 : chunk.size());
    }
    return counted_ <= kMostCounted;
  }

  // `asked` names the file.
  ToolResult result(const std::string& asked, bool saw_all) {
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

 private:
  bool is_wanted() const { return line_ >= first_ && line_ < end_ && !full_; }

  void add_to_line(std::string_view piece) {
    if (is_wanted()) current_.append(piece.substr(0, kLongestLine - std::min(kLongestLine, current_.size())));
    if (line_ >= first_) counted_ += piece.size() + 1;
    line_bytes_ += piece.size();
  }

  void end_line(std::string_view end) {
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

  std::int64_t first_, end_;
  std::int64_t line_ = 1;  // the next line
  std::int64_t shown_to_ = 0;
  std::size_t line_bytes_ = 0;
  std::size_t counted_ = 0;
  bool full_ = false;
  std::string current_, text_;
};

ToolResult read_file(const Files& files, const Arguments& arguments, int interrupt) {
  const Place place = files.find(arguments.text("path"));
  const Fd file = open_to_read(place);
  Excerpt excerpt(arguments.find_integer("offset").value_or(1),
                  arguments.find_integer("limit").value_or(kDefaultLines));
  bool saw_all = true;
  each_chunk(file, place.asked, interrupt, [&](std::string_view chunk) { return saw_all = excerpt.take(chunk); });
  return excerpt.result(place.asked, saw_all);
}

ToolResult write_file(const Files& files, const Arguments& arguments) {
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  const Place place = files.find(path);
  if (path.ends_with('/')) fail(Code::usage, "'{}' names a folder", place.asked);
  const Lock lock = files.lock();
  files.write(place, content, nullptr);
  return {fmt::format("Wrote {} bytes to {}.", content.size(), place.asked), false};
}

std::string read_whole(const Fd& file, const std::string& asked) {
  std::string text;
  each_chunk(file, asked, -1, [&](std::string_view chunk) {
    text += chunk;
    if (text.size() > kMostEdited) fail(Code::invalid_state, "'{}' is larger than {} bytes", asked, kMostEdited);
    return true;
  });
  return text;
}

// All places where `wanted` begins in `text`, up to a limit of time.
std::vector<std::size_t> find_all(std::string_view text, std::string_view wanted) {
  constexpr std::size_t kEffort = std::size_t{1} << 28;
  const std::size_t most = std::clamp<std::size_t>(kEffort / wanted.size(), 16, 1'000'000);
  std::vector<std::size_t> found;
  std::size_t at = 0;
  while (found.size() < most) {
    // Not string::find, which is quadratic for repetitive texts.
    const void* hit = ::memmem(text.data() + at, text.size() - at, wanted.data(), wanted.size());
    if (hit == nullptr) break;
    found.push_back(static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()));
    at = found.back() + 1;
  }
  return found;
}

std::ptrdiff_t line_of(std::string_view text, std::size_t at) {
  return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
}

[[noreturn]] void refuse_edit(const Place& place, std::string_view text, std::string_view old_text,
                              const std::vector<std::size_t>& found) {
  if (found.empty()) {
    const bool other_ends = text.find("\r\n") != std::string_view::npos &&
                            old_text.find('\n') != std::string_view::npos &&
                            old_text.find('\r') == std::string_view::npos;
    fail(Code::not_found, "old_text occurs 0 times in '{}'{}", place.asked,
         other_ends ? ": its lines end in \\r\\n" : "");
  }
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i) {
    lines.push_back(std::to_string(line_of(text, found[i])));
  }
  fail(Code::conflict, "old_text occurs {} times in '{}', in lines {}{}: give more of what stands around it",
       found.size(), place.asked, join(lines, ", "), found.size() > kMostNamed ? ", …" : "");
}

ToolResult edit_file(const Files& files, const Arguments& arguments) {
  const std::string old_text = arguments.text("old_text");
  const std::string new_text = arguments.text("new_text");
  if (old_text.empty()) fail(Code::usage, "old_text is empty");
  if (old_text == new_text) fail(Code::usage, "old_text and new_text are the same");
  const Place place = files.find(arguments.text("path"));
  const Lock lock = files.lock();
  const Fd file = open_to_read(place);
  const struct stat version = status_of(file, place.asked);
  std::string text = read_whole(file, place.asked);
  const auto found = find_all(text, old_text);
  if (found.size() != 1) refuse_edit(place, text, old_text, found);
  const auto line = line_of(text, found.front());
  text.replace(found.front(), old_text.size(), new_text);
  files.write(place, text, &version);
  return {fmt::format("Edited {} at line {}.", place.asked, line), false};
}

}  // namespace

void add_file_tools(Toolbox& tools, const FileScope& scope) {
  const auto files = std::make_shared<const Files>(scope);
  tools.add({"read_file", "Shows a file, or some of its lines.", kReadSchema},
            [files](const Arguments& arguments, int interrupt) { return read_file(*files, arguments, interrupt); });
  tools.add({"write_file", "Writes a file: a new one, or in place of what stood there.", kWriteSchema},
            [files](const Arguments& arguments, int) { return write_file(*files, arguments); });
  tools.add({"edit_file", "Replaces a text that stands exactly once in a file.", kEditSchema},
            [files](const Arguments& arguments, int) { return edit_file(*files, arguments); });
}

}  // namespace team
