// Behaviour when system calls fail.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "libteam/base/clock.h"
#include "libteam/system/archive.h"
#include "libteam/system/event_fd.h"
#include "libteam/system/file.h"
#include "libteam/system/flock.h"
#include "libteam/system/host.h"
#include "libteam/system/lines.h"
#include "libteam/system/lock.h"
#include "libteam/system/lock_holder.h"
#include "libteam/system/new_file.h"
#include "libteam/system/paged_file.h"
#include "libteam/system/process.h"
#include "libteam/system/random.h"
#include "libteam/system/signals.h"
#include "libteam/system/watch.h"
#include "tests/unit/faults.h"

using namespace team;
using test::fails_where;
using test::is_refused;
using test::where_refused;
using test::where_seen;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-faults-XXXXXX";
    path = ::mkdtemp(pattern);
    folder = Folder::find(path);
    std::ofstream(path + "/file") << "one\ntwo\n";
    std::filesystem::create_directory(path + "/inner");
    std::filesystem::create_symlink("file", path + "/link");
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path); }

  std::string path;
  std::optional<Folder> folder;
};

void folders_and_files() {
  const Place place;
  const Folder& folder = *place.folder;
  const Fd fd = folder.open("file", O_RDONLY);
  CHECK(fails_where(SYS_newfstatat, EIO, "cannot look at", [&] { folder.inode(); }));
  CHECK(fails_where(SYS_newfstatat, EIO, "cannot look at", [&] { folder.stamp("file"); }));
  CHECK(fails_where(SYS_newfstatat, EIO, "cannot look at", [&] { folder.mode_of("file"); }));
  CHECK(fails_where(SYS_newfstatat, EIO, "cannot look at", [&] { size_of(fd); }));
  CHECK(where_refused(SYS_newfstatat, EIO, [&] { return !folder.is_link("link") && !folder.has_folder("inner"); }));
  CHECK(fails_where(SYS_openat2, EIO, "cannot look at", [&] { folder.has("folder/file"); }));
  CHECK(fails_where(SYS_openat2, EIO, "cannot open", [&] { folder.read("file", 100); }));
  CHECK(fails_where(SYS_openat2, EIO, "cannot open", [&] { folder.open_if_there("file", O_RDONLY); }));
  CHECK(fails_where(SYS_openat2, EIO, "cannot open", [&] { folder.find_beneath("inner"); }));
  CHECK(fails_where(SYS_openat2, EIO, "cannot remove", [&] { folder.remove_tree("inner"); }));
  CHECK(fails_where(SYS_openat, EIO, "cannot open", [&] { Folder::find(place.path); }));
  CHECK(fails_where(SYS_openat, EIO, "cannot list", [&] { folder.each_name([](const char*) {}); }));
  CHECK(fails_where(SYS_getdents64, EIO, "cannot list", [&] { folder.each_name([](const char*) {}); }));
  CHECK(fails_where(SYS_read, EIO, "cannot read", [&] { folder.read("file", 100); }));
  CHECK(fails_where(SYS_pread64, EIO, "cannot read", [&] { read_at(fd, 0, 10); }));
  CHECK(fails_where(SYS_fstatfs, EIO, "cannot look at the disk", [&] { folder.space(); }));
  CHECK(fails_where(SYS_fchmod, EPERM, "cannot change the mode", [&] { folder.set_mode("file", 0600); }));
  CHECK(fails_where(SYS_mkdirat, ENOSPC, "cannot make folder", [&] { folder.make_beneath("new", Durability::power); }));
  CHECK(fails_where(SYS_unlinkat, EIO, "cannot remove", [&] { folder.remove("file"); }));
  CHECK(fails_where(SYS_unlinkat, EIO, "cannot remove", [&] { folder.remove_tree("inner"); }));
  CHECK(fails_where(SYS_syncfs, EIO, "cannot sync", [&] { folder.sync_filesystem(); }));
  CHECK(fails_where(SYS_getrandom, ENOSYS, "cannot read 'random numbers'", [] { random_number(); }));
}

// Without openat2, in an old kernel or a sandbox, a path is followed component by component and stays inside the
// folder.
void no_openat2() {
  const Place place;
  const Folder& folder = *place.folder;
  CHECK(where_refused(SYS_openat2, ENOSYS, [&] { return folder.has("inner") && folder.find_beneath("inner"); }));
  CHECK(where_refused(SYS_openat2, EPERM, [&] { return folder.has("file") && !folder.has("../" + place.path); }));
  for (const char* out : {"../x", "/etc", "inner/../.."}) {
    CHECK(fails_where(
        SYS_openat2, ENOSYS, fmt::format("'{}", folder.path_of(out)), [&] { folder.find_beneath(out); },
        Code::permission_denied));
  }
}

// A file that could not be moved into place is removed.
void changes() {
  const Place place;
  const Folder& folder = *place.folder;
  const auto stamp = folder.stamp("file");
  const auto write = [&](Durability durability) { replace_file(folder, "file", "new", durability); };
  CHECK(fails_where(SYS_write, ENOSPC, "cannot write", [&] { write(Durability::process); }));
  CHECK(fails_where(SYS_fdatasync, EIO, "cannot write", [&] { write(Durability::power); }));
  CHECK(fails_where(SYS_renameat, EIO, "cannot write", [&] { write(Durability::process); }));
  CHECK(fails_where(SYS_renameat2, EIO, "cannot write",
                    [&] { NewFile(folder, "new", Durability::process).create(folder, "other"); }));
  CHECK(fails_where(SYS_renameat2, EIO, "cannot write",
                    [&] { NewFile(folder, "new", Durability::process).exchange(folder, "file", *stamp); }));
  CHECK(fails_where(SYS_renameat2, EIO, "cannot write", [&] { folder.adopt(*folder.find_beneath("inner"), "x"); }));
  CHECK(folder.stamp("file") == stamp);
  std::size_t names = 0;
  folder.each_name([&](const char*) { ++names; });
  CHECK(names == 3);
  // After the rename the durability of the change is unknown.
  CHECK(fails_where(
      SYS_fsync, EIO, "cannot sync", [&] { write(Durability::power); }, Code::unknown));
}

// File systems that lack the flags of renameat2 get link and a plain rename.
void plain_renames() {
  const Place place;
  const Folder& folder = *place.folder;
  const Folder inner = *folder.find_beneath("inner");
  const auto put = [](const Folder& where, const char* name) {
    return NewFile(where, "new", Durability::process).create(where, name);
  };
  CHECK(put(inner, "file") && put(inner, "other"));
  CHECK(where_refused(SYS_renameat2, EINVAL, [&] {
    return put(folder, "made") && !put(folder, "file") && !folder.adopt(inner, "file") && folder.adopt(inner, "other");
  }));
  CHECK(folder.has("made") && folder.has("other") && inner.has("file"));
  CHECK(folder.read("file", 100)->text == "one\ntwo\n");
  CHECK(fails_where(SYS_renameat2, EINVAL, "cannot write", [&] { folder.adopt(inner, "none"); }));
}

// Another program changes the file at the same moment: its version stays, or is kept beside the file.
void exchanges() {
  const Place place;
  const Folder& folder = *place.folder;
  const auto stamp = folder.stamp("file");
  const auto exchange = [&] { return NewFile(folder, "ours", Durability::process).exchange(folder, "file", *stamp); };
  const auto edit = [&] { std::ofstream(place.path + "/file") << "theirs and longer\n"; };
  const auto refuse_return = [&, seen = 0](const test::CallArguments&) mutable {
    if (++seen == 1) edit();
    return seen == 2 ? EIO : 0;
  };
  CHECK(where_seen(SYS_renameat2, refuse_return,
                   [&] { return is_refused(Code::unknown, place.path + "/file: somebody changed it", exchange); }));
  std::size_t kept = 0;
  folder.each_name([&](const char* name) {
    if (std::string_view(name).find(kTheirs) == std::string_view::npos) return;
    kept += folder.read(name, 100)->text == "theirs and longer\n" ? 1 : 0;
  });
  CHECK(kept == 1 && folder.read("file", 100)->text == "ours");
  replace_file(folder, "file", "again", Durability::process);
  const auto again = folder.stamp("file");
  CHECK(where_seen(SYS_renameat2, test::before_file("none", [] {}),
                   [&] { return !NewFile(folder, "ours", Durability::process).exchange(folder, "none", *again); }));
  const auto remove = [&](const test::CallArguments&) {
    ::unlink((place.path + "/file").c_str());
    return 0;
  };
  CHECK(where_seen(SYS_renameat2, remove,
                   [&] { return !NewFile(folder, "ours", Durability::process).exchange(folder, "file", *again); }));
  CHECK(!folder.has("file"));
}

// The holder of a lock is found if the list of mounts is long, and if the mount is in no list.
void holders() {
  const auto found = [] {
    const std::string place = "/tmp/" + std::string(200, 'x');
    const auto mount = [](const std::string& at) {
      return ::mkdir(at.c_str(), 0700) == 0 && ::mount("tmpfs", at.c_str(), "tmpfs", 0, "size=1m") == 0;
    };
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("tmpfs", "/tmp", "tmpfs", 0, "size=1m") == 0 && mount(place) && mount("/tmp/y");
    if (!mounted) return true;  // mounting is not allowed here
    const auto folder = Folder::find("/tmp/y");
    const Lock held = Lock::acquire(*folder, "lock", 1);
    const bool listed = holder_of(*folder, "lock") == ::getpid();
    return listed && ::umount2("/tmp/y", MNT_DETACH) == 0 && holder_of(*folder, "lock") == ::getpid();
  };
  CHECK(test::elsewhere(found));
}

void locks() {
  const Place place;
  const Folder& folder = *place.folder;
  CHECK(fails_where(SYS_flock, ENOLCK, "cannot lock", [&] { Lock::acquire(folder, "lock", 1); }));
  CHECK(fails_where(SYS_flock, ENOLCK, "cannot lock", [&] { Lock::try_acquire(folder, "lock"); }));
  CHECK(fails_where(SYS_flock, ENOLCK, "cannot lock", [&] { LifeLock::acquire(folder, "lock"); }));
  CHECK(fails_where(SYS_openat, EACCES, "cannot open", [&] { look_at_lock(folder, "lock"); }));
  const Lock held = Lock::acquire(folder, "lock", 1);
  const std::string blind = "cannot lock '" + folder.path_of("lock") + "': another process holds it";
  const auto wait = [&] { Lock::acquire(folder, "lock", 0.01); };
  CHECK(fails_where(SYS_openat, EACCES, blind, wait, Code::again));
  CHECK(fails_where(SYS_statx, EIO, blind, wait, Code::again));
}

void programs() {
  const Program program{{"true"}, {}, std::nullopt, ""};
  CHECK(fails_where(SYS_pipe2, EMFILE, "cannot make 'a pipe'", [&] { Child child(program); }));
  CHECK(fails_where(SYS_clone, EAGAIN, "cannot start 'true'", [&] { Child child(program); }));
  CHECK(fails_where(SYS_clone, EAGAIN, "cannot start 'true'", [&] { start_detached(program, Fd()); }));
  CHECK(fails_where(SYS_poll, ENOMEM, "cannot wait for 'a program'", [&] { run_program(program, 10); }));
  CHECK(fails_where(SYS_signalfd4, EMFILE, "cannot wait for 'signals'", [] { Signals signals; }));
  CHECK(fails_where(SYS_eventfd2, EMFILE, "cannot make 'a bell'", [] { EventFd bell; }));
  CHECK(where_refused(SYS_readlink, EACCES, [] { return own_folder().empty(); }));
  CHECK(where_refused(SYS_uname, EFAULT, [] { return host_name().empty(); }));
  CHECK(where_refused(SYS_openat, ENOENT, [] { return boot_id().empty(); }));
  CHECK(where_refused(SYS_openat, EPERM, [] { return boot_id().empty(); }));
  CHECK(fails_where(SYS_openat, EMFILE, "cannot read '/proc", [] { boot_id(); }));
  CHECK(fails_where(SYS_read, EIO, "cannot read '/proc", [] { boot_id(); }));
}

// Without change notifications, the watch polls.
void watches() {
  const Place place;
  const auto looks_itself = [&] {
    const Changes changes = Watch(*place.folder).wait(Deadline::in(5));
    return changes.any && changes.all;
  };
  CHECK(where_refused(SYS_inotify_init1, EMFILE, looks_itself));
  CHECK(where_refused(SYS_inotify_add_watch, ENOSPC, looks_itself));
  const EventFd bell;
  bell.ring();
  const auto hears_the_bell = [&] {
    Watch watch(*place.folder);
    watch.wake_on(bell.fd());
    const Changes changes = watch.wait(Deadline::never());
    return changes.any && !changes.untold;
  };
  CHECK(hears_the_bell());
  CHECK(where_refused(SYS_inotify_init1, EMFILE, hears_the_bell));
  CHECK(where_refused(SYS_fstatfs, EIO, looks_itself));
  CHECK(where_seen(SYS_poll, test::only_the(1, EINTR), [&] {
    return !Watch(*place.folder).wait(Deadline::in(0.01)).any || std::getenv("TEAM_NOTIFY") != nullptr;
  }));
  CHECK(!is_deserted(9999));  // a descriptor that is not open
  CHECK(
      fails_where(SYS_poll, ENOMEM, "cannot wait for 'changes'", [&] { Watch(*place.folder).wait(Deadline::in(5)); }));
}

void other_files() {
  const Place place;
  CHECK(fails_where(SYS_openat, EACCES, "cannot open", [&] { open_archive(place.path + "/file"); }));
  const Fd fd = open_archive(place.path + "/file");
  CHECK(fails_where(SYS_utimensat, EPERM, "cannot date 'a file'", [&] { set_mtime(fd, 1); }));
  CHECK(fails_where(SYS_read, EIO, "cannot read 'x'", [&] { ArchiveReader(fd.get(), "x").next(); }));
  CHECK(fails_where(SYS_preadv, EIO, "cannot read 'a cache'", [&] {
    PagedFile file(place.folder->open("file", O_RDWR));
    file.flush_first_page();
  }));
  CHECK(where_seen(SYS_preadv, test::only_the(1, EINTR), [&] {
    PagedFile file(place.folder->open("new", O_RDWR | O_CREAT));
    return file.flush_first_page() && place.folder->stamp("new")->size > 0;
  }));
  CHECK(where_seen(SYS_newfstatat, test::from_the(2, EIO),
                   [&] { return PagedFile(place.folder->open("file", O_RDWR)).size() == 0; }));
}

}  // namespace

int main() {
  if (!test::can_refuse_calls()) {
    std::puts("skipped: seccomp does not work here");
    return 0;
  }
  folders_and_files();
  no_openat2();
  changes();
  plain_renames();
  exchanges();
  holders();
  locks();
  programs();
  watches();
  other_files();
  return test::report();
}
