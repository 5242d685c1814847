// Locks, temporary files and kinds of file systems, where several threads and processes use them.
#include "libteam/system/lock.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/system/filesystem.h"
#include "libteam/system/flock.h"
#include "libteam/system/lock_holder.h"
#include "libteam/system/new_file.h"
#include "libteam/system/temporary.h"
#include "tests/unit/faults.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-lock-XXXXXX";
    path = ::mkdtemp(pattern);
    folder = Folder::find(path);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path); }

  void put(const std::string& name) const { folder->write_unseen(name, "", Durability::process); }

  std::string path;
  std::optional<Folder> folder;
};

// A child process that calls a function and then waits to be killed.
template <class Call>
pid_t child_that(Call call) {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t pid = ::fork();
  if (pid == 0) {
    [[maybe_unused]] const auto kept = call();
    const bool told = ::write(ends[1], "x", 1) == 1;
    while (told) ::pause();
    ::_exit(1);
  }
  char told = 0;
  CHECK(::read(ends[0], &told, 1) == 1);
  ::close(ends[0]);
  ::close(ends[1]);
  return pid;
}

void end(pid_t pid) {
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

// Two threads wait at once, and one times out while the other waits on. The process keeps its own SIGALRM handler.
void waiting_threads() {
  const Place place;
  const Folder& folder = *place.folder;
  const auto waits = [&] {
    const Lock one = Lock::acquire(folder, "one", 1);
    std::optional<Lock> two = Lock::acquire(folder, "two", 1);
    std::atomic<int> timed_out = 0;
    std::atomic<bool> got = false;
    std::thread first([&] {
      if (fails_with(Code::again, [&] { Lock::acquire(folder, "one", 0.05); })) ++timed_out;
    });
    std::thread second([&] {
      if (fails_with(Code::again, [&] { Lock::acquire(folder, "one", 0.3); })) ++timed_out;
    });
    std::thread third([&] {
      const Lock lock = Lock::acquire(folder, "two", 20);
      got = true;
    });
    first.join();
    second.join();
    two.reset();
    third.join();
    struct sigaction action {};
    ::sigaction(SIGALRM, nullptr, &action);
    return timed_out == 2 && got && action.sa_handler == SIG_DFL;
  };
  CHECK(test::elsewhere(waits));
}

// After a timeout nothing can take the lock later.
void no_late_lock() {
  const Place place;
  const Folder& folder = *place.folder;
  {
    const Lock held = Lock::acquire(folder, "lock", 1);
    CHECK(fails_with(Code::again, [&] { Lock::acquire(folder, "lock", 0.02); }));
  }
  CHECK(look_at_lock(folder, "lock") == Held::no);
  CHECK(Lock::try_acquire(folder, "lock").has_value());
  // If no thread can be started, the wait still times out.
  const auto no_threads = [&] {
    const Lock held = Lock::acquire(folder, "lock", 1);
    return fails_with(Code::again, [&] { Lock::acquire(folder, "lock", 0.02); });
  };
  CHECK(test::where_refused(SYS_clone3, EAGAIN, [&] { return test::refuse_calls(SYS_clone, EAGAIN) && no_threads(); }));
}

// A program started meanwhile inherited the descriptor, but the lock is released nevertheless.
void inherited_descriptors() {
  const Place place;
  const Folder& folder = *place.folder;
  pid_t pid = -1;
  {
    const Lock lock = Lock::acquire(folder, "lock", 1);
    pid = child_that([] { return 0; });
  }
  CHECK(look_at_lock(folder, "lock") == Held::no);
  end(pid);
}

void holders() {
  const Place place;
  const Folder& folder = *place.folder;
  const pid_t pid = child_that([&] { return Lock::acquire(folder, "lock", 1); });
  CHECK(holder_of(folder, "lock") == pid);
  CHECK(holds_lock(pid, folder, "lock"));
  CHECK(!holds_lock(::getpid(), folder, "lock") && !holds_lock(0, folder, "lock") && !holds_lock(pid, folder, "none"));
  const std::string text = message_of([&] { Lock::acquire(folder, "lock", 0.01); });
  CHECK(text.find(fmt::format("': pid {} (", pid)) != std::string::npos);
  end(pid);
  CHECK(!holder_of(folder, "lock") && !holder_of(folder, "none"));
  // The process that took the lock has ended; a process that inherited the descriptor holds it.
  int ends[2];
  CHECK(::pipe(ends) == 0);
  const pid_t taker = ::fork();
  if (taker == 0) {
    const Lock lock = Lock::acquire(folder, "lock", 1);
    const pid_t heir = ::fork();
    if (heir == 0) {
      while (true) ::pause();
    }
    ::_exit(::write(ends[1], &heir, sizeof heir) == sizeof heir ? 0 : 1);
  }
  pid_t heir = -1;
  CHECK(::read(ends[0], &heir, sizeof heir) == sizeof heir);
  ::waitpid(taker, nullptr, 0);
  CHECK(holder_of(folder, "lock") == heir);
  ::kill(heir, SIGKILL);
}

// NFS locks only files that are open for writing.
void writable_descriptors() {
  const Place place;
  const Folder& folder = *place.folder;
  const test::Look as_nfs = [](const test::CallArguments& given) {
    const bool is_writable = (::fcntl(static_cast<int>(given[0]), F_GETFL) & O_ACCMODE) != O_RDONLY;
    return is_writable || (given[1] & LOCK_SH) != 0 ? 0 : EBADF;
  };
  CHECK(test::where_seen(SYS_flock, as_nfs, [&] {
    const Lock lock = Lock::acquire(folder, "lock", 1);
    return look_at_lock(folder, "lock") == Held::yes && !Lock::try_acquire(folder, "lock");
  }));
  CHECK(test::where_seen(SYS_flock, as_nfs, [&] {
    replace_file(folder, "file", "text", Durability::process);
    return folder.read("file", 10)->text == "text";
  }));
  CHECK(test::fails_where(SYS_flock, EBADF, "cannot lock", [&] { Lock::acquire(folder, "lock", 1); }));
}

void temporaries() {
  const Place place;
  const Folder& folder = *place.folder;
  CHECK(is_temporary(temporary_name()) && !is_temporary("file") && temporary_name() != temporary_name());
  std::string file, inner;
  {
    const Temporary one = Temporary::file(folder);
    const Temporary two = Temporary::subfolder(folder);
    file = one.name();
    inner = two.name();
    CHECK(!is_abandoned(folder, file) && !is_abandoned(folder, inner));
    sweep_temporaries(folder);
    CHECK(folder.has(file) && folder.has_folder(inner));
  }
  CHECK(!folder.has(file) && !folder.has(inner));
  // The files of a killed process are removed.
  const pid_t pid = child_that([&] { return std::pair(Temporary::file(folder), Temporary::subfolder(folder)); });
  std::vector<std::string> left;
  const auto list = [&] {
    left.clear();
    folder.each_name([&](const char* name) { left.emplace_back(name); });
    return left.size();
  };
  sweep_temporaries(folder);
  CHECK(list() == 2);
  end(pid);
  CHECK(is_abandoned(folder, left[0]) && is_abandoned(folder, left[1]) && !is_abandoned(folder, ".tmp-none"));
  sweep_temporaries(folder);
  CHECK(list() == 0);
  // Files of a kind that no writer creates are removed, too, without waiting for a writer.
  CHECK(::mkfifo((place.path + "/.tmp-fifo").c_str(), 0600) == 0);
  sweep_temporaries(folder);
  CHECK(list() == 0);
}

// A sweeper removes a file between its creation and its lock. The writer creates another file.
void fast_sweeper() {
  const Place place;
  const Folder& folder = *place.folder;
  const auto sweep_once = [&, done = false](const test::CallArguments&) mutable {
    if (!std::exchange(done, true)) sweep_temporaries(folder);
    return 0;
  };
  CHECK(test::where_seen(SYS_flock, sweep_once, [&] {
    replace_file(folder, "file", "text", Durability::process);
    return folder.read("file", 10)->text == "text";
  }));
  CHECK(test::where_seen(SYS_flock, sweep_once, [&] {
    const Temporary inner = Temporary::subfolder(folder);
    return folder.has_folder(inner.name());
  }));
  const auto sweep_always = [&](const test::CallArguments&) {
    sweep_temporaries(folder);
    return 0;
  };
  CHECK(test::where_seen(SYS_flock, sweep_always,
                         [&] { return fails_with(Code::again, [&] { Temporary::file(folder); }); }));
}

// A fifo, a device or a socket in place of a file is refused at once.
void strange_files() {
  const Place place;
  const Folder& folder = *place.folder;
  CHECK(::mkfifo((place.path + "/fifo").c_str(), 0600) == 0);
  for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, O_RDWR | O_CREAT | O_APPEND}) {
    CHECK(message_of([&] { folder.open("fifo", flags); }) == folder.path_of("fifo") + ": is not a regular file");
    CHECK(fails_with(Code::corrupt, [&] { folder.open_if_there("fifo", flags); }));
  }
  CHECK(fails_with(Code::corrupt, [&] { Lock::acquire(folder, "fifo", 1); }));
  CHECK(fails_with(Code::corrupt, [&] { LifeLock::acquire(folder, "fifo"); }));
  CHECK(!folder.open_if_there("none", O_RDONLY));
  const auto devices = Folder::find("/dev");
  CHECK(fails_with(Code::corrupt, [&] { devices->open("null", O_RDWR); }));
}

void filesystems() {
  CHECK(network_filesystem(NFS_SUPER_MAGIC) == "NFS");
  CHECK(network_filesystem(SMB_SUPER_MAGIC) == "SMB" && network_filesystem(SMB2_SUPER_MAGIC) == "SMB");
  // On systems where long is signed, the number is sign-extended.
  CHECK(network_filesystem(0xFF534D42) == "SMB" && network_filesystem(static_cast<int>(0xFF534D42)) == "SMB");
  CHECK(network_filesystem(FUSE_SUPER_MAGIC) == "FUSE");
  CHECK(network_filesystem(V9FS_MAGIC) == "9p");
  CHECK(network_filesystem(AFS_SUPER_MAGIC) == "AFS" && network_filesystem(0x00C36400) == "Ceph");
  const std::vector<long> locals = {EXT4_SUPER_MAGIC, TMPFS_MAGIC, BTRFS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
                                    XFS_SUPER_MAGIC};
  for (const long local : locals) {
    CHECK(network_filesystem(local).empty());
  }
}

}  // namespace

int main() {
  waiting_threads();
  no_late_lock();
  inherited_descriptors();
  holders();
  writable_descriptors();
  temporaries();
  fast_sweeper();
  strange_files();
  filesystems();
  return test::report();
}
