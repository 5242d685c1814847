// Folders, files of lines and watches, when all system calls succeed.
#include "libteam/system/file.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "libteam/system/id.h"
#include "libteam/system/lines.h"
#include "libteam/system/new_file.h"
#include "libteam/system/watch.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-file-XXXXXX";
    path = ::mkdtemp(pattern);
    folder = Folder::find(path);
    put("file", "one\ntwo\n");
    std::filesystem::create_directory(path + "/inner");
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path); }

  void put(const std::string& name, std::string_view text) const { std::ofstream(path + "/" + name) << text; }
  void link(const std::string& name, const std::string& to) const {
    std::filesystem::create_symlink(to, path + "/" + name);
  }
  Fd open(const std::string& name) const { return folder->open(name, O_RDONLY); }

  std::string path;
  std::optional<Folder> folder;
};

void descriptors() {
  Fd fd(::open("/dev/null", O_RDONLY));
  Fd& same = fd;
  fd = std::move(same);
  CHECK(fd && ::fcntl(fd.get(), F_GETFD) >= 0);
  const int number = fd.get();
  fd = Fd();
  CHECK(!fd && ::fcntl(number, F_GETFD) < 0);
}

void paths() {
  const Place place;
  const Folder& folder = *place.folder;
  place.link("round", "round");
  place.link("out", "..");
  place.link("near", "inner");
  CHECK(!Folder::find(place.path + "/file") && !Folder::find(place.path + "/none"));
  CHECK(fails_with(Code::io, [&] { Folder::find(place.path + "/round"); }));
  CHECK(!folder.find_beneath("file") && !folder.find_beneath("file/inner"));
  CHECK(folder.find_through_links("near"));
  for (const char* name : {"near", "round", "out"}) {
    CHECK(fails_with(Code::permission_denied, [&] { folder.find_beneath(name); }));
  }
  for (const char* name : {"round", "out"}) {
    CHECK(fails_with(Code::permission_denied, [&] { folder.find_through_links(name); }));
  }
  CHECK(folder.has("file") && folder.has("near"));
  for (const char* name : {"none", "file/x", "round", "out"}) CHECK(!folder.has(name));
  CHECK(folder.is_link("near") && !folder.is_link("inner") && !folder.is_link("none"));
  CHECK(folder.has_folder("inner") && !folder.has_folder("near") && !folder.has_folder("none"));
  CHECK(fails_with(Code::corrupt, [&] { folder.read("near", 10); }));
  CHECK(fails_with(Code::corrupt, [&] { folder.read("../file", 10); }));
  CHECK(fails_with(Code::io, [&] { folder.stamp("file/x"); }));
  CHECK(!folder.stamp("none"));
  CHECK(fails_with(Code::io, [&] { folder.make_beneath("file", Durability::process); }));
  for (const char* name : {"none", "round", "file", "inner"}) folder.remove_tree(name);
  CHECK(!folder.is_link("round") && !folder.has("file") && !folder.has("inner"));
}

// Reads a file of unknown size, or one that grows during the read.
void sizes() {
  const Place place;
  const auto proc = Folder::find("/proc/self");
  CHECK(proc->read("status", 100'000)->text.starts_with("Name:"));
  CHECK(fails_with(Code::corrupt, [&] { proc->read("status", 100); }));
  CHECK(place.folder->read("file", 8)->text == "one\ntwo\n");
  CHECK(fails_with(Code::corrupt, [&] { place.folder->read("file", 7); }));
}

void ids() { CHECK(is_id(new_id()) && !is_id("short") && !is_id(std::string(26, 'I'))); }

bool sleeps(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string number, name, state;
  stat >> number >> name >> state;
  return state == "S";
}

// A write to a full non-blocking pipe waits.
void full_pipes() {
  int ends[2];
  CHECK(::pipe2(ends, O_NONBLOCK) == 0);
  const std::string text(1 << 20, 'x');
  const pid_t writer = ::fork();
  if (writer == 0) ::_exit(write_all(ends[1], text) ? 0 : 1);
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, 0);
  const Deadline patience = Deadline::in(10);
  while (!sleeps(writer) && !patience.passed()) continue;
  std::size_t heard = 0;
  char buffer[65536];
  for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) heard += static_cast<std::size_t>(got);
  int status = 1;
  ::waitpid(writer, &status, 0);
  CHECK(status == 0 && heard == text.size());
  CHECK(!is_deserted(-1));
}

// A concurrent change by another program wins over ours.
void exchanges() {
  const Place place;
  const Folder& folder = *place.folder;
  const auto stamp = folder.stamp("file");
  place.put("file", "theirs and longer\n");
  NewFile late(folder, "ours", Durability::process);
  CHECK(!late.exchange(folder, "file", *stamp));
  CHECK(!late.create(folder, "file"));
  CHECK(folder.read("file", 100)->text == "theirs and longer\n");
  replace_file(folder, "file", "whole", Durability::power);
  CHECK(folder.read("file", 100)->text == "whole");
}

void lines() {
  using Tail = LineReader::Tail;
  const Place place;
  const std::string huge(std::size_t{5} << 20, 'x');
  place.put("log", "one\n\n" + huge + "\nlast\ntorn");
  const Fd fd = place.open("log");
  LineReader reader(fd, 0);
  CHECK(reader.next(Tail::is_a_line) == "one");
  CHECK(reader.next(Tail::is_a_line) == "");
  const auto cut = reader.next(Tail::is_a_line);
  CHECK(cut && cut->size() > (std::size_t{4} << 20) && cut->size() < huge.size());
  CHECK(reader.next(Tail::is_not_there_yet) == "last");
  CHECK(!reader.next(Tail::is_not_there_yet));
  CHECK(reader.next(Tail::is_a_line) == "torn");
  CHECK(!reader.next(Tail::is_a_line));
  place.put("endless", std::string(std::size_t{5} << 20, 'x'));
  const Fd endless = place.open("endless");
  CHECK(LineReader(endless, 0).next(Tail::is_a_line).has_value());
}

void last_lines() {
  const Place place;
  const auto last = [&](const std::string& text) {
    place.put("log", text);
    const Fd fd = place.open("log");
    const auto line = line_before(fd, size_of(fd));
    return line ? line->text : "none";
  };
  CHECK(last("") == "none");
  CHECK(last("torn") == "none");
  CHECK(last("\n").empty());
  CHECK(last("one\n") == "one");
  CHECK(last("one\ntwo\ntorn") == "two");
  const std::string longer(10'000, 'x');
  CHECK(last("one\n" + longer + "\n") == longer);
  CHECK(last(longer + "\n") == longer);
  CHECK(last("one\n" + longer) == "one");
  CHECK(last(longer) == "none");
}

// An open folder does not report its own removal.
void moved_folders() {
  const Place place;
  const auto reports = [&](const std::string& path, const std::function<void()>& change) {
    std::filesystem::create_directories(place.path + "/" + path);
    const auto folder = place.folder->find_beneath(path);
    CHECK(folder->is_in_place());
    Watch watch(*folder);
    place.put("beside", "x");
    std::filesystem::remove(place.path + "/beside");
    CHECK(!watch.wait(Deadline::in(0.02)).any);
    change();
    CHECK(!folder->is_in_place());
    return watch.wait(Deadline::in(5)).all;
  };
  const auto path_of = [&](const std::string& name) { return place.path + "/" + name; };
  CHECK(reports("board", [&] { std::filesystem::remove(path_of("board")); }));
  CHECK(reports("board", [&] { std::filesystem::rename(path_of("board"), path_of("away")); }));
  CHECK(reports("teams/alpha", [&] { std::filesystem::rename(path_of("teams"), path_of("others")); }));
  CHECK(reports("teams/alpha", [&] {
    std::filesystem::remove_all(path_of("teams"));
    std::filesystem::create_directories(path_of("teams/alpha"));
  }));
  // The folder is removed before the watch begins.
  const auto folder = place.folder->find_beneath("teams/alpha");
  std::filesystem::remove_all(path_of("teams"));
  CHECK(Watch(*folder).wait(Deadline::in(5)).all);
}

void alarms() {
  Watch watch;
  watch.wake_at(boot_ns() + 1'000'000);
  const Changes changes = watch.wait(Deadline::in(5));
  CHECK(changes.any && !changes.all && changes.names.empty());
  CHECK(!watch.wait(Deadline::in(0)).any);  // reported only once
  watch.wake_at(1);
  watch.wake_at(0);
  CHECK(!watch.wait(Deadline::in(0.02)).any);
}

void watching() {
  const Place place;
  std::filesystem::create_directory(place.path + "/gone");
  Watch watch(*place.folder);
  watch.add(*place.folder->find_beneath("gone"));
  CHECK(!watch.wait(Deadline::in(0)).any);
  place.put(".hidden", "x");
  CHECK(!watch.wait(Deadline::in(0.02)).any);
  place.put("new", "x");
  const Changes changes = watch.wait(Deadline::in(5));
  CHECK(changes.any && !changes.all && changes.names == std::vector<std::string>{"new"});
  std::filesystem::remove(place.path + "/gone");
  CHECK(watch.wait(Deadline::in(5)).all);
  ::setenv("TEAM_NOTIFY", "inotify", 1);
  CHECK(!Watch(*place.folder).wait(Deadline::in(0.02)).any);
  ::setenv("TEAM_NOTIFY", "poll", 1);
  int ends[2];
  CHECK(::pipe(ends) == 0 && ::write(ends[1], "x", 1) == 1);
  Watch polling(*place.folder);
  polling.look_every(1);
  polling.wake_on(ends[0]);
  CHECK(polling.wait(Deadline::never()).all);
  CHECK(polling.wait(Deadline::in(5)).all);
  CHECK(!polling.wait(Deadline::in(0)).any);
}

}  // namespace

int main() {
  descriptors();
  paths();
  sizes();
  ids();
  full_pipes();
  exchanges();
  lines();
  last_lines();
  moved_folders();
  alarms();
  watching();
  return test::report();
}
