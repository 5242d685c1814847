#include "libteam/store/files/trust.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>

#include "libteam/base/environment_variable.h"
#include "libteam/base/error.h"
#include "libteam/base/name.h"
#include "libteam/base/number.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/roster.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "libteam/system/temporary.h"

namespace team {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMarks = "trusted";
constexpr const char* kLock = "trusted.lock";
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostMarks = 1000;
constexpr std::string_view kHeading = "# The teams that may run programs as this user; see team-trust(1).\n";
constexpr std::string_view kEveryStore = "TEAM_TRUST=1 trusts every store";

// The folder that exists already, and the one for marks beneath it.
struct Place {
  fs::path home, folder;
};

std::optional<Place> find_place() {
  const auto absolute = [](const char* variable) {
    const auto value = environment_variable(variable);
    return value && value->starts_with('/') ? value : std::nullopt;
  };
  if (const auto state = absolute("XDG_STATE_HOME")) return Place{"/", fs::path(*state) / "teamkit"};
  if (const auto home = absolute("HOME")) return Place{*home, fs::path(*home) / ".local/state/teamkit"};
  return std::nullopt;
}

void check_folder(const Folder& folder) {
  const std::string reason = folder.distrust();
  if (!reason.empty()) fail(Code::permission_denied, "'{}' is not to be trusted: {}", folder.path(), reason);
}

// Nothing is made in a folder of another user: under sudo HOME may still be that of the caller.
Folder make_folder(const fs::path& path, const fs::path& home) {
  if (auto found = Folder::find(path.string())) return std::move(*found);
  if (path == home) fail(Code::io, "no folder '{}'", path.string());
  const Folder parent = make_folder(path.parent_path(), home);
  struct stat status {};
  if (::fstat(parent.fd(), &status) != 0) fail_errno("cannot look at", parent.path());
  if (distrust(status.st_uid, 0).empty()) return parent.make_beneath(path.filename().string(), Durability::power);
  fail(Code::permission_denied, "'{}' belongs to user {}, not to you", parent.path(), status.st_uid);
}

Folder make_place() {
  const auto place = find_place();
  if (!place) throw NoPlaceForMarks(Code::io, "neither XDG_STATE_HOME nor HOME is set");
  try {
    Folder folder = make_folder(place->folder, place->home);
    check_folder(folder);
    if (::faccessat(folder.fd(), ".", W_OK | X_OK, AT_EACCESS) != 0) fail_errno("cannot write in", folder.path());
    return folder;
  } catch (const Error& error) {
    throw NoPlaceForMarks(error.code(), error.what());
  }
}

// A path is the rest of a line: a byte that could end or forge one is written as %XX.
std::string escape(std::string_view path) {
  std::string text;
  for (const char byte : path) {
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x20 || value == 0x7f || byte == '%') text += fmt::format("%{:02x}", value);
    else text += byte;
  }
  return text;
}

std::string unescape(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 2 >= text.size()) {
      path += text[i];
      continue;
    }
    path += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
    i += 2;
  }
  return path;
}

std::string to_text(const std::vector<TrustMark>& marks) {
  std::string text(kHeading);
  for (const TrustMark& mark : marks) {
    text += fmt::format("{}\t{}\t{}\t{}\n", mark.inode, mark.born, mark.team, escape(mark.root));
  }
  return text;
}

// Inode numbers use all 64 bits: overlayfs sets the highest one for folders of a lower layer.
std::optional<std::uint64_t> parse_inode(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// None for a line that means nothing, which trusts nothing either.
std::optional<TrustMark> parse_mark(const std::string& line) {
  const auto fields = split(line, '\t');
  if (fields.size() != 4 || !is_name(fields[2])) return std::nullopt;
  const auto inode = parse_inode(fields[0]);
  const auto born = parse_integer(fields[1]);
  const bool is_path = fields[3].starts_with('/');
  // Only escapes that escape() writes.
  for (std::size_t at = fields[3].find('%'); at != std::string::npos; at = fields[3].find('%', at + 1)) {
    if (fields[3].substr(at + 1, 2).find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  }
  if (!inode || !born || !is_path) return std::nullopt;
  return TrustMark{unescape(fields[3]), fields[2], *inode, *born};
}

std::vector<TrustMark> read_marks(const Folder& folder) {
  check_folder(folder);
  std::vector<TrustMark> marks;
  const auto contents = folder.read(kMarks, kMostBytes);
  if (!contents) return marks;
  check_trusted(*contents, folder.path_of(kMarks));
  for (const std::string& line : split(contents->text, '\n')) {
    if (auto mark = parse_mark(line)) marks.push_back(std::move(*mark));
  }
  return marks;
}

// On overlayfs a folder of a lower layer gets another birth time with the first change in it. Setting the mode that it
// has makes that happen now, so that the mark holds after later changes.
void copy_up(const Folder& folder) try {
  if (folder.filesystem() == OVERLAYFS_SUPER_MAGIC) folder.set_mode(".", folder.mode_of("."));
} catch (const Error&) {
  // Where the system refuses this change it refuses all others.
}

// The mark that the team would have.
TrustMark mark_of(const std::string& root, const std::string& team, const Folder& folder) {
  struct statx status {};
  if (::statx(folder.fd(), "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &status) != 0) {
    fail_errno("cannot look at", folder.path());
  }
  TrustMark mark{root, team, status.stx_ino, 0};
  constexpr std::int64_t kSecond = 1'000'000'000;
  if ((status.stx_mask & STATX_BTIME) != 0) mark.born = status.stx_btime.tv_sec * kSecond + status.stx_btime.tv_nsec;
  return mark;
}

std::string real_path(const Root& root) {
  std::error_code error;
  const fs::path path = fs::canonical(root.path(), error);
  if (error) fail(Code::io, "cannot tell where '{}' is: {}", root.path(), error.message());
  return path.string();
}

bool is_same_folder(const TrustMark& one, const TrustMark& other) {
  const bool same_birth = one.born == other.born || one.born == 0 || other.born == 0;
  return one.inode == other.inode && same_birth;
}

bool is_same_place(const TrustMark& one, const TrustMark& other) {
  return one.root == other.root && one.team == other.team;
}

// Drops marks of teams that are gone, then the oldest. Looks at the teams only if there are too many. The last mark
// stays: its team may not have its name yet.
void limit(std::vector<TrustMark>& marks) {
  if (marks.size() <= kMostMarks) return;
  const auto last = marks.end() - 1;
  marks.erase(
      std::remove_if(marks.begin(), last, [](const TrustMark& mark) { return state_of(mark) != MarkState::current; }),
      last);
  if (marks.size() > kMostMarks) marks.erase(marks.begin(), marks.end() - static_cast<std::ptrdiff_t>(kMostMarks));
}

// Lets `edit` change the marks; writes nothing if that is false.
bool change_marks(const Folder& folder, double lock_timeout, const std::function<bool(std::vector<TrustMark>&)>& edit) {
  const Lock lock = Lock::acquire(folder, kLock, lock_timeout);
  sweep_temporaries(folder);
  auto marks = read_marks(folder);
  if (!edit(marks)) return false;
  limit(marks);
  replace_file(folder, kMarks, to_text(marks), durability_of(nullptr));
  return true;
}

// The reason why the marks do not trust a team.
std::string describe_mismatch(const std::vector<TrustMark>& marks, const TrustMark& wanted) {
  for (const TrustMark& mark : marks) {
    if (is_same_place(mark, wanted)) return ": its folder was made anew since you trusted it";
  }
  for (const TrustMark& mark : marks) {
    if (is_same_folder(mark, wanted)) {
      return fmt::format(": you trusted it as team {} in '{}'", mark.team, one_line(mark.root));
    }
  }
  return "";
}

}  // namespace

std::optional<std::string> find_distrust(const Root& root, const std::string& team, const Folder& folder) {
  if (environment_variable("TEAM_TRUST") == "1") return std::nullopt;
  const TrustMark wanted = mark_of(real_path(root), team, folder);
  const auto place = find_place();
  if (!place) {
    return fmt::format("team {} in '{}' is not trusted: neither XDG_STATE_HOME nor HOME is set; {}", team,
                       one_line(wanted.root), kEveryStore);
  }
  const auto found = Folder::find(place->folder.string());
  const auto marks = found ? read_marks(*found) : std::vector<TrustMark>();
  const bool is_trusted = std::any_of(marks.begin(), marks.end(), [&](const TrustMark& mark) {
    return is_same_place(mark, wanted) && is_same_folder(mark, wanted);
  });
  if (is_trusted) return std::nullopt;
  return fmt::format(
      "team {0} in '{1}' is not trusted{2}; 'team-trust -t {0} --show' lists what it runs, "
      "'team-trust -t {0}' accepts it",
      team, one_line(wanted.root), describe_mismatch(marks, wanted));
}

void require_trust(const Root& root, const std::string& team, const Folder& folder, std::string_view what) {
  if (const auto reason = find_distrust(root, team, folder)) fail(Code::permission_denied, "{}: {}", what, *reason);
}

void trust_team(const Root& root, const std::string& team, const Folder& folder, double lock_timeout) {
  copy_up(folder);
  const TrustMark made = mark_of(real_path(root), team, folder);
  change_marks(make_place(), lock_timeout, [&](std::vector<TrustMark>& marks) {
    std::erase_if(marks, [&](const TrustMark& mark) { return is_same_place(mark, made); });
    marks.push_back(made);
    return true;
  });
}

void create_trusted(const Root& root, const Roster& roster, const Team& team, double lock_timeout,
                    const std::function<void(const NoPlaceForMarks&)>& unmarked) {
  roster.create(team, [&](const Folder& folder) {
    try {
      trust_team(root, team.name, folder, lock_timeout);
    } catch (const NoPlaceForMarks& error) {
      unmarked(error);
    }
  });
}

bool forget_team(const Root& root, const std::string& team, double lock_timeout) {
  const TrustMark wanted{real_path(root), team, 0, 0};
  const auto place = find_place();
  const auto folder = place ? Folder::find(place->folder.string()) : std::nullopt;
  return folder && change_marks(*folder, lock_timeout, [&](std::vector<TrustMark>& marks) {
           return std::erase_if(marks, [&](const TrustMark& mark) { return is_same_place(mark, wanted); }) > 0;
         });
}

std::vector<TrustMark> prune_marks(double lock_timeout) {
  std::vector<TrustMark> dropped;
  const auto place = find_place();
  const auto folder = place ? Folder::find(place->folder.string()) : std::nullopt;
  if (!folder) return dropped;
  change_marks(*folder, lock_timeout, [&](std::vector<TrustMark>& marks) {
    const auto first = std::stable_partition(
        marks.begin(), marks.end(), [](const TrustMark& mark) { return state_of(mark) == MarkState::current; });
    dropped.assign(first, marks.end());
    marks.erase(first, marks.end());
    return !dropped.empty();
  });
  return dropped;
}

std::vector<TrustMark> trust_marks() {
  const auto place = find_place();
  const auto folder = place ? Folder::find(place->folder.string()) : std::nullopt;
  return folder ? read_marks(*folder) : std::vector<TrustMark>();
}

MarkState state_of(const TrustMark& mark) {
  try {
    const auto folder = Folder::find(fmt::format("{}/{}/{}", mark.root, layout::kTeams, mark.team));
    if (!folder) return MarkState::gone;
    return is_same_folder(mark_of(mark.root, mark.team, *folder), mark) ? MarkState::current : MarkState::replaced;
  } catch (const Error&) {
    return MarkState::gone;  // out of reach
  }
}

std::string_view name_of(MarkState state) {
  switch (state) {
    case MarkState::current: return "current";
    case MarkState::replaced: return "replaced";
    case MarkState::gone: return "gone";
  }
  return "gone";
}

}  // namespace team
