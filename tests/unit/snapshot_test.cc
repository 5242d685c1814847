// A team as an archive and back, while files appear and vanish and system calls fail.
#include "libteam/store/files/snapshot.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <vector>

#include "libteam/store/mail.h"
#include "libteam/system/archive.h"
#include "tests/unit/faults.h"
#include "tests/unit/store.h"

using namespace team;
using test::before_file;
using test::draft;
using test::fails_with;
using test::is_refused;
using test::where_seen;

namespace fs = std::filesystem;

namespace {

class Saved : public test::TestStore {
 public:
  Saved() {
    open_board().create({draft("one"), draft("two")}, {});
    fs::create_directory(path_of("out"));
  }

  std::string save(const std::string& name = "out/saved.tar") const {
    std::string left_out;
    save_team(root, team, path_of(name), 1, [&](const std::string& what) { left_out += what + "\n"; });
    return left_out;
  }
  // The names in the last saved archive.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    const Fd fd = open_archive(path_of("out/saved.tar"));
    ArchiveReader reader(fd.get(), "saved");
    while (const auto entry = reader.next()) all.push_back(entry->name);
    return all;
  }
  bool holds(const std::string& name) const {
    const auto all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  void load(const LoadChoice& choice = {}) const { load_team(root, path_of("out/saved.tar"), choice, 1); }
  // Loads the archive into another root.
  void load_into(const test::TestStore& other) const {
    load_team(other.root, path_of("out/saved.tar"), {"beta", "board"}, 1);
  }
};

void contents() {
  const Saved store;
  fs::create_directories(store.of_team("model-slots/x"));
  store.put(".teams/alpha/model-slots/1", "");
  store.put(".teams/alpha/events-5.txt", "");
  store.put(".teams/alpha/events-x.jsonl", "");
  fs::create_directories(store.of_team("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"));
  CHECK(store.save().find("lies too deep") != std::string::npos);
  CHECK(store.holds("team/events-5.txt") && !store.holds("team/model-slots/1") && store.holds("board/1.json"));
}

// A file that vanishes after it was listed counts as missing.
void vanishing() {
  const Saved store;
  fs::create_directory(store.of_team("hooks"));
  const auto saved_without = [&](long call, const char* name, const char* path) {
    store.put(".teams/alpha/note", "x");
    store.put(".teams/alpha/hooks/x", "x");
    const auto go = [&] { store.remove(path); };
    return where_seen(call, before_file(name, go), [&] { return store.save().empty(); }) &&
           !store.holds("team/note") != !store.holds("team/hooks/x");
  };
  CHECK(saved_without(SYS_newfstatat, "note", ".teams/alpha/note"));
  CHECK(saved_without(SYS_openat2, "note", ".teams/alpha/note"));
  CHECK(saved_without(SYS_openat2, "hooks", ".teams/alpha/hooks"));
  CHECK(where_seen(SYS_newfstatat, test::for_file("1.json", EIO),
                   [&] { return is_refused(Code::io, "cannot look at", [&] { store.save(); }); }));
  int locks = 0;
  const auto replace = [&](const test::CallArguments&) {
    if (++locks == 1) {
      fs::rename(store.path_of(".teams/alpha"), store.path_of(".teams/beta"));
      fs::create_directory(store.path_of(".teams/alpha"));
    }
    return 0;
  };
  CHECK(where_seen(SYS_flock, replace, [&] { return fails_with(Code::not_found, [&] { store.save(); }); }));
}

// Only the unread part of a backlog is saved.
void backlogs() {
  const Saved store;
  const std::string text = "{\"done\":1}\n{\"left\":1}\n";
  store.put(".teams/alpha/ann_backlog.jsonl", text);
  const std::string inode = std::to_string(store.roster.folder_of("alpha").stamp("ann_backlog.jsonl")->inode);
  const auto saved = [&](const std::string& position) {
    store.put(".teams/alpha/ann_backlog.pos", position);
    store.save();
    const Fd fd = open_archive(store.path_of("out/saved.tar"));
    ArchiveReader reader(fd.get(), "saved");
    while (const auto entry = reader.next()) {
      if (entry->name == "team/ann_backlog.jsonl") return entry->size;
    }
    return std::uint64_t{0};
  };
  CHECK(saved(inode + " 11\n") == 11);
  for (const char* odd : {"", "7\n", "1 11\n"}) CHECK(saved(odd) == text.size());
  CHECK(saved(inode + " x\n") == text.size() && saved(inode + " 1000\n") == text.size());
}

// Without write permission an existing lock is taken and none is created.
void read_only() {
  const Saved store;
  CHECK(test::where_refused(SYS_faccessat2, EROFS, [&] { return store.save().empty(); }));
  CHECK(store.holds("team/config.json"));
  store.remove(".tasks/.lock");
  CHECK(test::where_refused(SYS_faccessat2, EROFS, [&] { return store.save().empty(); }));
  CHECK(!store.has(".tasks/.lock"));
}

// Some file systems lack unnamed files, or cannot name them later.
void unnamed() {
  const Saved store;
  const auto without = [&](int reason) {
    return [reason](const test::CallArguments& given) { return (given[2] & O_TMPFILE) == O_TMPFILE ? reason : 0; };
  };
  for (const int reason : {EOPNOTSUPP, EISDIR, ENOENT, EINVAL}) {
    store.remove("out/saved.tar");
    CHECK(where_seen(SYS_openat, without(reason), [&] { return store.save().empty(); }));
    CHECK(store.holds("team/config.json"));
  }
  CHECK(where_seen(SYS_openat, without(EIO),
                   [&] { return is_refused(Code::io, "cannot write in", [&] { store.save(); }); }));
  store.remove("out/saved.tar");
  CHECK(test::where_refused(SYS_linkat, ENOENT, [&] { return store.save().empty(); }));
  CHECK(store.holds("team/config.json"));
  CHECK(test::fails_where(SYS_fsync, EIO, "cannot write", [&] { store.save(); }));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(store.path_of("out"))) ++files;
  CHECK(files == 1);
}

// The leftover of a dead save is removed; files of the user stay.
void leftovers_beside_the_archive() {
  const Saved store;
  const std::string left = "out/.tmp-cafe-0123456789abcdef";
  const std::vector<std::string> others = {"out/.tmp-beef-0123456789abcdef", "out/.tmp-cafe-0123",
                                           "out/.tmp-cafe-0123456789abcdeg", "out/.tmp-zz-0123456789abcdef",
                                           "out/.tmp-notes"};
  store.put(left, "");
  for (const std::string& other : others) store.put(other, "");
  // Another process is writing the first of them.
  const Fd writer(::open(store.path_of(others.front()).c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(::flock(writer.get(), LOCK_EX) == 0);
  store.save();
  CHECK(!store.has(left));
  for (const std::string& other : others) CHECK(store.has(other));
}

void elsewhere() {
  const Saved store;
  const auto save_to = [&](const std::string& file) { save_team(store.root, store.team, file, 1, [](const auto&) {}); };
  CHECK(fails_with(Code::io, [&] { save_to("/dev/full"); }));
  save_to("/dev/null");
  const auto no_device = [](const test::CallArguments& given) {
    return std::string_view("/dev/null") == reinterpret_cast<const char*>(given[1]) ? EACCES : 0;
  };
  CHECK(where_seen(SYS_openat, no_device,
                   [&] { return is_refused(Code::io, "cannot open", [&] { save_to("/dev/null"); }); }));
  // The archive is built in TMPDIR.
  const auto streams = [&](const char* folder) {
    if (folder == nullptr) ::unsetenv("TMPDIR");
    else ::setenv("TMPDIR", folder, 1);
    std::size_t size = 0;
    stream_team(
        store.root, store.team, 1, [](const auto&) {},
        [&](std::string_view piece) {
          size += piece.size();
          return true;
        });
    return size > 0;
  };
  CHECK(test::elsewhere([&] {
    return streams(nullptr) && streams("") && streams(store.path_of("out").c_str()) &&
           fails_with(Code::io, [&] { streams("/nowhere"); });
  }));
}

// Rejected lines and a folder named like a mailbox need no body.
void lost_contents() {
  const Saved store;
  const std::string id(26, '0');
  fs::create_directory(store.of_team("bodies"));
  fs::create_directory(store.of_team("odd_inbox.jsonl"));
  store.put(".teams/alpha/odd_inbox.jsonl/x", "");
  store.put(".teams/alpha/bodies/" + id, "text");
  store.put(".teams/alpha/ann_rejected.jsonl", "{\"id\":\"" + id + "\"}\n");
  store.save();
  const test::TestStore other;
  store.load_into(other);
  CHECK(other.has(".teams/beta/odd_inbox.jsonl/x") && !other.has(".teams/beta/bodies/" + id));
  CHECK(other.has("board/2.json"));
}

// A hook that cannot be made executable is not loaded as a plain file.
void hooks() {
  const Saved store;
  fs::create_directory(store.of_team("hooks"));
  store.put(".teams/alpha/hooks/task-created", "#!/bin/sh\n");
  fs::permissions(store.of_team("hooks/task-created"), fs::perms::owner_all);
  store.save();
  const test::TestStore other;
  CHECK(test::fails_where(SYS_fchmod, EPERM, "cannot change the mode", [&] { store.load_into(other); }));
  CHECK(!other.has(".teams/beta") && !other.has("board/1.json"));
}

// A load that cannot move the tasks changes nothing, and the next id of the board stays.
void boards() {
  const Saved store;
  store.save();
  const auto refused = [&](const test::TestStore& other, int reason) {
    const auto look = [reason](const test::CallArguments& given) {
      return std::string_view("board") == reinterpret_cast<const char*>(given[1]) ? reason : 0;
    };
    return where_seen(SYS_renameat, look, [&] {
      try {
        store.load_into(other);
      } catch (const Error& error) {
        return error.code() == Code::io;
      }
      return reason == EXDEV;
    });
  };
  const test::TestStore other;
  CHECK(refused(other, EIO));
  CHECK(other.text_of("board/.highwatermark").starts_with("0 ") && !other.has("board/1.json"));
  other.put("board/.highwatermark", "7\n");
  CHECK(refused(other, EIO));
  CHECK(other.text_of("board/.highwatermark").starts_with("7"));
  // Across file systems the tasks are copied.
  CHECK(refused(other, EXDEV));
  CHECK(other.has("board/1.json") && other.has(".teams/beta/config.json"));
  CHECK(other.text_of("board/.highwatermark").starts_with("7"));
}

// The same tasks without a team are the rest of a load that died, unless they belong to another team.
void interrupted_load() {
  const Saved store;
  store.save();
  const auto board_of = [](const test::TestStore& other, const std::string& name, const std::string& board) {
    Team team = other.team;
    team.name = name;
    team.board = board;
    other.roster.create(team);
  };
  const test::TestStore other;
  store.load_into(other);
  fs::remove_all(other.path_of(".teams/beta"));
  // None of these teams has the board: it is elsewhere, missing, unsafe or broken.
  board_of(other, "gamma", "nowhere");
  other.remove("nowhere");
  board_of(other, "delta", "link");
  other.remove("link");
  fs::create_directory_symlink("/tmp", other.path_of("link"));
  board_of(other, "epsilon", "third");
  other.put(".teams/epsilon/config.json", "{");
  CHECK(where_seen(
      SYS_openat2,
      [seen = 0](const test::CallArguments& given) mutable {
        return std::string_view("config.json") == reinterpret_cast<const char*>(given[1]) && ++seen == 2 ? EIO : 0;
      },
      [&] { return is_refused(Code::io, "cannot open", [&] { store.load_into(other); }); }));
  // A task vanishes during the comparison, on the board or in the unpacked archive, so they are not the same.
  const auto lose = [&](const std::string& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(other.path_of(folder))) {
      if (entry.path().filename() == "1.json") return void(fs::remove(entry.path()));
    }
  };
  const std::string text = other.text_of("board/1.json");
  for (const auto& [folder, k] : {std::pair("board", 2), {".teams", 3}}) {
    const auto look = before_file(
        "1.json", [&, where = folder] { lose(where); }, k);
    CHECK(where_seen(SYS_openat2, look, [&] { return fails_with(Code::conflict, [&] { store.load_into(other); }); }));
    other.put("board/1.json", text);
  }
  store.load_into(other);
  CHECK(other.has(".teams/beta/config.json"));
  fs::remove_all(other.path_of(".teams/beta"));
  board_of(other, "eta", "board");
  CHECK(fails_with(Code::conflict, [&] { store.load_into(other); }));
}

// A watermark that cannot be read is an error, unlike a broken one.
void marks() {
  const Saved store;
  store.put(".tasks/.highwatermark", "many\n");
  store.save();
  const test::TestStore other;
  const auto refuse = [seen = 0](const test::CallArguments& given) mutable {
    return std::string_view(".highwatermark") == reinterpret_cast<const char*>(given[1]) && ++seen == 3 ? EIO : 0;
  };
  CHECK(where_seen(SYS_openat2, refuse,
                   [&] { return is_refused(Code::io, "cannot open", [&] { store.load_into(other); }); }));
  store.load_into(other);
  CHECK(other.has("board/1.json") && !other.has("board/.highwatermark"));
}

}  // namespace

int main() {
  if (!test::can_refuse_calls()) {
    std::puts("skipped: seccomp does not work here");
    return 0;
  }
  contents();
  vanishing();
  backlogs();
  read_only();
  unnamed();
  leftovers_beside_the_archive();
  elsewhere();
  lost_contents();
  hooks();
  boards();
  interrupted_load();
  marks();
  return test::report();
}
