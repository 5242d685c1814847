// The file tools read and change files inside the given folders, and nowhere else.
#include "libteam/agent/tools/file_tools.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libteam/system/program.h"
#include "tests/unit/check.h"

using namespace team;
namespace fs = std::filesystem;

namespace {

// root/ contains work/, the folder of the model; other/ beside it is allowed, too; secret/ beside both is not.
class Tree {
 public:
  Tree() {
    char pattern[] = "/tmp/teamkit-files-XXXXXX";
    base_ = ::mkdtemp(pattern);
    for (const char* folder : {"root/work", "root/.tasks", "root/.teams/x", "root/boards/b", "other", "secret"}) {
      fs::create_directories(base_ + "/" + folder);
    }
    put("secret/key", "secret\n");
    put("root/.tasks/1.json", "{}\n");
    const auto store = [] { return std::vector<std::string>{".teams", ".tasks", "boards/b"}; };
    const auto lock = [this] { return Lock::acquire(*Folder::find(base_), ".files.lock", 5); };
    add_file_tools(tools_, {path("root/work"), {path("root"), path("other")}, store, lock});
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() { fs::remove_all(base_); }

  std::string path(const std::string& name) const { return base_ + "/" + name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string get(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void link(const std::string& target, const std::string& name) const { fs::create_symlink(target, path(name)); }
  mode_t mode(const std::string& name) const {
    struct stat status {};
    return ::lstat(path(name).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  bool is_link(const std::string& name) const { return fs::is_symlink(path(name)); }
  bool is_there(const std::string& name) const { return fs::exists(path(name)); }
  // The number of entries of a folder, to detect leftover files.
  std::ptrdiff_t entries(const std::string& name) const {
    return std::distance(fs::directory_iterator(path(name)), fs::directory_iterator());
  }

  ToolResult call(const char* tool, const Json& arguments, int interrupt = -1) const {
    return tools_.call(tool, dump_line(arguments), interrupt);
  }
  std::string read(const std::string& name) const { return told(call("read_file", {{"path", name}})); }
  std::string read(const std::string& name, int offset, int limit) const {
    return told(call("read_file", {{"path", name}, {"offset", offset}, {"limit", limit}}));
  }
  std::string write(const std::string& name, const std::string& content) const {
    return told(call("write_file", {{"path", name}, {"content", content}}));
  }
  std::string edit(const std::string& name, const std::string& before, const std::string& after) const {
    return told(call("edit_file", {{"path", name}, {"old_text", before}, {"new_text", after}}));
  }

 private:
  static std::string told(const ToolResult& result) { return (result.is_error ? "error: " : "") + result.text; }
  std::string base_;
  Toolbox tools_;
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string lines(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += fmt::format("line {}\n", i);
  return text;
}

void reading() {
  const Tree tree;
  tree.put("root/work/a", "one\ntwo\nthree");
  CHECK(tree.read("a") == "one\ntwo\nthree");
  CHECK(tree.read(tree.path("root/work/a")) == "one\ntwo\nthree");
  CHECK(tree.read("./x/../a") == "one\ntwo\nthree");
  CHECK(tree.read("a", 2, 1) == "two\n[line 3 is not shown; go on with offset 3]");
  CHECK(tree.read("a", 3, 5) == "three");
  CHECK(tree.read("a", 4, 5) == "error: 'a' has 3 lines: there is none from 4 on");
  CHECK(has(tree.read("a", 0, 5), "'offset' must be at least 1"));
  tree.put("root/work/empty", "");
  CHECK(tree.read("empty") == "(the file is empty)");
  CHECK(has(tree.read("."), "is a folder"));
  CHECK(has(tree.read("../work"), "is a folder"));
  CHECK(tree.read("none") == "error: not_found: there is no file 'none'");
  CHECK(has(tree.read("a/b"), "there is no file"));
  CHECK(has(tree.read(""), "the path is empty"));
  CHECK(tree.read("../.tasks/1.json") == "{}\n");
  tree.put("root/work/bytes", std::string("a\0b\xFF\xC3\n", 6));
  CHECK(tree.read("bytes") ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD\xEF\xBF\xBD\n");
}

void reading_much() {
  const Tree tree;
  tree.put("root/work/long", lines(1, 5312));
  const std::string start = tree.read("long");
  CHECK(start == lines(1, 2000) + "[lines 2001 to 5312 are not shown; go on with offset 2001]");
  CHECK(tree.read("long", 5312, 1) == "line 5312\n");
  CHECK(tree.read("long", 5000, 2000000000) == lines(5000, 5312));

  std::string wide;
  for (int i = 0; i < 100; ++i) wide += std::string(999, 'x') + "\n";
  tree.put("root/work/wide", wide);
  const std::string some = tree.read("wide");
  CHECK(some.size() <= 64 * 1024 + 100);
  CHECK(has(some, "[lines 66 to 100 are not shown; go on with offset 66]"));

  tree.put("root/work/one", std::string(1000000, 'x') + "\nend\n");
  const std::string one = tree.read("one");
  CHECK(one.size() < 64 * 1024);
  CHECK(has(one, fmt::format("x [line 1 is cut: {} bytes more]\nend\n", 1000000 - 16 * 1024)));
  tree.put("root/work/bad", std::string(1000000, '\xFF'));
  CHECK(tree.read("bad").size() < 65 * 1024);

  // Of a huge file only a limited part is read, and the read can be interrupted.
  const Fd huge(::open(tree.path("root/work/huge").c_str(), O_WRONLY | O_CREAT, 0600));
  CHECK(write_all(huge.get(), "first\nsecond\n"));
  CHECK(::ftruncate(huge.get(), off_t{1} << 40) == 0);
  CHECK(tree.read("huge", 1, 2) == "first\nsecond\n[the lines from 3 on are not shown; go on with offset 3]");
  int ends[2];
  CHECK(::pipe(ends) == 0);
  CHECK(::write(ends[1], "x", 1) == 1);
  const Json beyond{{"path", "huge"}, {"offset", 1000}};
  const ToolResult interrupted = tree.call("read_file", beyond, ends[0]);
  CHECK(interrupted.is_error);
  CHECK(interrupted.text == "again: interrupted");
  CHECK(!tree.call("read_file", {{"path", "wide"}}, ends[0]).is_error);
}

void not_regular_files() {
  const Tree tree;
  CHECK(::mkfifo(tree.path("root/work/fifo").c_str(), 0600) == 0);
  CHECK(has(tree.read("fifo"), "is not a regular file"));
  CHECK(has(tree.write("fifo", "x"), "is not a regular file"));
  CHECK(has(tree.edit("fifo", "x", "y"), "is not a regular file"));
  tree.link("fifo", "root/work/to-fifo");
  CHECK(has(tree.read("to-fifo"), "is not a regular file"));
  CHECK(has(tree.write("to-fifo", "x"), "is not a regular file"));
  tree.link("/dev/zero", "root/work/zero");
  CHECK(has(tree.read("zero"), "leads out of the root"));
  CHECK(has(tree.write("zero", "x"), "leads out of the root"));
}

void paths_outside() {
  const Tree tree;
  const auto outside = [&](const std::string& path) {
    return has(tree.read(path), "error: permission_denied: ") &&
           has(tree.write(path, "x"), "error: permission_denied: ") &&
           has(tree.edit(path, "secret", "x"), "error: permission_denied: ");
  };
  CHECK(outside("../../secret/key"));
  CHECK(outside("x/../../../secret/key"));
  CHECK(outside(tree.path("secret/key")));
  CHECK(outside(tree.path("root/../secret/key")));
  CHECK(outside("/etc/passwd"));
  CHECK(outside(tree.path("rootless")));
  CHECK(outside("../../../../../../../../../../etc/passwd"));
  CHECK(has(tree.read("~/x"), "there is no file '~/x'"));

  tree.link("../../secret/key", "root/work/key");
  tree.link(tree.path("secret/key"), "root/work/absolute");
  tree.link("../../secret", "root/work/folder");
  tree.link("folder", "root/work/twice");
  tree.link("loop", "root/work/loop");
  for (const char* path : {"key", "absolute", "folder/key", "twice/key", "folder/new", "loop", "folder/a/b"}) {
    CHECK(has(tree.read(path), "leads out of the root"));
    CHECK(has(tree.write(path, "x"), "leads out of the root"));
    CHECK(has(tree.edit(path, "secret", "x"), "leads out of the root"));
  }
  tree.link("../../secret/new", "root/work/dangling");
  CHECK(has(tree.write("dangling", "x"), "leads out of the root"));
  const std::string nul = std::string("a\0b", 3);
  CHECK(has(tree.read(nul), "holds a NUL"));
  CHECK(has(tree.write(nul, "x"), "holds a NUL"));
  CHECK(tree.get("secret/key") == "secret\n");
  CHECK(tree.entries("secret") == 1);
  CHECK(tree.entries("root/work") == 6);

  // A missing folder allows nothing.
  Toolbox lost;
  add_file_tools(lost, {"/nowhere/at/all", {"/nowhere/at/all"}, {}, {}});
  CHECK(lost.call("read_file", R"({"path":"/etc/passwd"})", -1).is_error);
  CHECK(lost.call("read_file", R"({"path":"x"})", -1).is_error);
  CHECK(test::fails_with(Code::usage, [&] { add_file_tools(lost, {"", {}, {}, {}}); }));
}

void links_that_stay_inside() {
  const Tree tree;
  tree.put("root/target", "old\n");
  ::chmod(tree.path("root/target").c_str(), 0640);
  tree.link("../target", "root/work/link");
  CHECK(tree.read("link") == "old\n");
  CHECK(tree.write("link", "new\n") == "Wrote 4 bytes to link.");
  CHECK(tree.edit("link", "new", "newer") == "Edited link at line 1.");
  CHECK(tree.is_link("root/work/link"));
  CHECK(tree.get("root/target") == "newer\n");
  CHECK(tree.mode("root/target") == 0640);
  fs::create_directory(tree.path("root/real"));
  tree.link("../real", "root/work/folder");
  CHECK(tree.write("folder/deep/er/x", "x") == "Wrote 1 bytes to folder/deep/er/x.");
  CHECK(tree.get("root/real/deep/er/x") == "x");
  tree.link("nothing", "root/work/dangling");
  CHECK(has(tree.write("dangling", "x"), "there is no file"));
  CHECK(!tree.is_there("root/work/nothing"));
}

void files_of_the_team() {
  const Tree tree;
  tree.link("../.tasks", "root/work/tasks");
  tree.link("../.tasks/1.json", "root/work/task");
  tree.link("../.tasks/2.json", "root/work/new-task");
  for (const char* path : {"../.tasks/1.json", "../.tasks", "../.tasks/new", "../.teams/x/y/z", "../.teams/new/z",
                           "tasks/1.json", "tasks/new", "tasks/a/b", "task"}) {
    CHECK(has(tree.write(path, "x"), "belongs to a team: use the Task tools"));
  }
  CHECK(has(tree.write(tree.path("root/.tasks/1.json"), "x"), "belongs to a team"));
  CHECK(has(tree.write("new-task", "x"), "error: "));
  CHECK(has(tree.edit("task", "{", "["), "belongs to a team"));
  CHECK(has(tree.edit("tasks/1.json", "{", "["), "belongs to a team"));
  CHECK(tree.read("task") == "{}\n");
  CHECK(tree.get("root/.tasks/1.json") == "{}\n");
  CHECK(tree.entries("root/.tasks") == 1);
  CHECK(tree.entries("root/.teams") == 1);
  CHECK(tree.entries("root/.teams/x") == 0);
  CHECK(tree.write("../.tasks-of-mine", "x") == "Wrote 1 bytes to ../.tasks-of-mine.");
  // A write to a hard link of a protected file replaces the link and leaves the protected file as it is.
  fs::create_hard_link(tree.path("root/.tasks/1.json"), tree.path("root/work/hard"));
  CHECK(!has(tree.write("hard", "x"), "error: "));
  CHECK(tree.get("root/.tasks/1.json") == "{}\n");
}

// Boards and stores of other teams are protected, too, wherever they are and by whatever name they are reached.
void files_of_other_teams() {
  const Tree tree;
  for (const char* folder : {"root/work/sub/.tasks", "root/work/sub/.teams/y", "root/work/found", "other/.tasks"}) {
    fs::create_directories(tree.path(folder));
  }
  tree.put("root/work/found/.highwatermark", "1");
  tree.put("root/boards/b/1.json", "{}\n");
  tree.link("../boards", "root/work/boards");
  tree.link("sub/.teams/y", "root/work/team");
  tree.link("../boards/b/1.json", "root/work/task");
  const std::string beside = tree.path("other/.tasks/1.json");
  for (const std::string& path :
       {std::string("../boards/b/1.json"), std::string("../boards/x/../b/1.json"), std::string("boards/b/2.json"),
        std::string("task"), std::string("sub/.tasks/1.json"), std::string("sub/.TASKS/1.json"),
        std::string("sub/.teams/y/config.json"), std::string("team/config.json"), std::string("found/1.json"),
        std::string("found/deep/1.json"), beside}) {
    CHECK(has(tree.write(path, "x"), "belongs to a team: use the Task tools"));
  }
  CHECK(has(tree.edit("task", "{", "["), "belongs to a team"));
  CHECK(tree.get("root/boards/b/1.json") == "{}\n");
  CHECK(tree.entries("root/boards/b") == 1);
  CHECK(tree.entries("root/work/sub/.teams/y") == 0);
  CHECK(!has(tree.write("../boards/notes", "x"), "error: "));
}

void files_of_git() {
  const Tree tree;
  for (const char* folder : {"root/.git/hooks", "root/work/sub/.git", "root/bare/objects", "root/bare/refs"}) {
    fs::create_directories(tree.path(folder));
  }
  tree.put("root/.git/config", "[core]\n");
  tree.put("root/bare/HEAD", "ref: refs/heads/main\n");
  tree.put("root/work/tree", "");
  tree.link("../.git", "root/work/git");
  tree.link("../.git/config", "root/work/config");
  for (const char* path : {"../.git/config", "x/../../.git/config", "../.git/hooks/pre-commit", "../.git/new/x",
                           "git/config", "git/hooks/pre-commit", "config", "sub/.git/config", "../.GIT/config",
                           "new/.git", "../bare/config", "../bare/refs/heads/main"}) {
    CHECK(has(tree.write(path, "x"), "belongs to git: use the git command"));
  }
  CHECK(has(tree.edit("config", "[core]", "x"), "belongs to git"));
  CHECK(tree.read("config") == "[core]\n");
  CHECK(tree.get("root/.git/config") == "[core]\n");
  CHECK(tree.entries("root/.git") == 2 && tree.entries("root/.git/hooks") == 0);
  for (const char* path : {"../.gitignore", "../.github/workflows/x.yml", ".gitattributes"}) {
    CHECK(!has(tree.write(path, "x"), "error: "));
  }
}

// Two processes edit one file under two names. Without the lock some edits fail and some are lost.
void editing_at_once() {
  constexpr int kEdits = 300;
  const Tree tree;
  tree.put("root/shared", "a: 0\nb: 0\n");
  const auto edit_often = [&](const std::string& name) {
    for (int i = 0; i < kEdits; ++i) {
      const auto told = tree.edit("../shared", fmt::format("{}: {}\n", name, i), fmt::format("{}: {}\n", name, i + 1));
      if (!told.starts_with("Edited ")) return 1;
    }
    return 0;
  };
  const pid_t child = ::fork();
  if (child == 0) ::_exit(edit_often("a"));
  CHECK(edit_often("b") == 0);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(tree.get("root/shared") == fmt::format("a: {}\nb: {}\n", kEdits, kEdits));
}

// An edit of the old contents does not replace a file that was written meanwhile.
void writing_and_editing_at_once() {
  constexpr int kTimes = 300;
  const Tree tree;
  tree.put("root/work/a", "0 old\n");
  const pid_t child = ::fork();
  if (child == 0) {
    while (!has(tree.edit("a", "last", "end"), "Edited ")) {
      tree.edit("a", "old", "new");
      tree.edit("a", "new", "old");
    }
    ::_exit(0);
  }
  int lost = 0;
  for (int i = 1; i <= kTimes; ++i) {
    tree.write("a", fmt::format("{} old\n", i));
    if (!tree.read("a").starts_with(fmt::format("{} ", i))) ++lost;
  }
  CHECK(lost == 0);
  tree.write("a", "last\n");
  CHECK(::waitpid(child, nullptr, 0) == child);
}

void lock_timeout() {
  const Tree tree;
  tree.put("root/work/a", "old\n");
  Toolbox tools;
  const auto lock = []() -> Lock { fail(Code::again, "held by 7"); };
  add_file_tools(tools, {tree.path("root/work"), {tree.path("root")}, [] { return std::vector<std::string>{}; }, lock});
  CHECK(tools.call("write_file", R"({"path":"a","content":"x"})", -1).text == "again: held by 7");
  CHECK(tools.call("edit_file", R"({"path":"a","old_text":"old","new_text":"x"})", -1).text == "again: held by 7");
  CHECK(!tools.call("read_file", R"({"path":"a"})", -1).is_error);
  CHECK(tree.get("root/work/a") == "old\n");
}

void writing() {
  const Tree tree;
  CHECK(tree.write("new", "some\n") == "Wrote 5 bytes to new.");
  CHECK(tree.get("root/work/new") == "some\n");
  CHECK(tree.mode("root/work/new") == (0666 & ~inherited_mask()));
  CHECK(tree.write("a/b/c", "x") == "Wrote 1 bytes to a/b/c.");
  CHECK(tree.mode("root/work/a/b") == (0777 & ~inherited_mask()));
  CHECK(tree.write(tree.path("other/x/y"), "y") == fmt::format("Wrote 1 bytes to {}.", tree.path("other/x/y")));
  CHECK(tree.get("other/x/y") == "y");
  ::chmod(tree.path("root/work/new").c_str(), 0755);
  const auto inode = [&] {
    struct stat status {};
    ::stat(tree.path("root/work/new").c_str(), &status);
    return status.st_ino;
  };
  const auto before = inode();
  CHECK(tree.write("new", "") == "Wrote 0 bytes to new.");
  CHECK(tree.get("root/work/new").empty());
  CHECK(tree.mode("root/work/new") == 0755);
  CHECK(inode() != before);
  CHECK(has(tree.write("a", "x"), "is a folder"));
  CHECK(has(tree.write(".", "x"), "is a folder"));
  CHECK(has(tree.write("dir/", "x"), "names a folder"));
  CHECK(has(tree.write("new/x", "x"), "is not a folder"));
  CHECK(has(tree.write(std::string(300, 'n'), "x"), "error: io: "));
  CHECK(tree.entries("root/work") == 2);
  const std::string large(10 << 20, 'x');
  CHECK(tree.write("large", large) == "Wrote 10485760 bytes to large.");
  CHECK(tree.get("root/work/large") == large);
  CHECK(has(tree.call("write_file", {{"path", "y"}}).text, "write_file: 'content' is missing (a string)"));
}

// A failed write leaves the old contents and no temporary file.
void writing_without_room() {
  const Tree tree;
  tree.put("root/work/a", "old");
  const rlimit narrow{1000, RLIM_INFINITY};
  rlimit before{};
  CHECK(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(::setrlimit(RLIMIT_FSIZE, &narrow) == 0);
  const std::string told = tree.write("a", std::string(5000, 'x'));
  CHECK(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(has(told, "error: io: cannot write 'a'"));
  CHECK(tree.get("root/work/a") == "old");
  CHECK(tree.entries("root/work") == 1);
}

void editing() {
  const Tree tree;
  tree.put("root/work/a", "one\ntwo\nthree\ntwo\n\xFF\n");
  ::chmod(tree.path("root/work/a").c_str(), 0700);
  CHECK(tree.edit("a", "three\n", "3\n4\n") == "Edited a at line 3.");
  CHECK(tree.get("root/work/a") == "one\ntwo\n3\n4\ntwo\n\xFF\n");
  CHECK(tree.mode("root/work/a") == 0700);
  CHECK(has(tree.edit("a", "three", "x"), "old_text occurs 0 times in 'a'"));
  CHECK(has(tree.edit("a", "two", "x"), "old_text occurs 2 times in 'a', in lines 2, 5:"));
  CHECK(has(tree.edit("a", "", "x"), "old_text is empty"));
  CHECK(has(tree.edit("a", "one", "one"), "are the same"));
  CHECK(has(tree.edit("none", "x", "y"), "there is no file"));
  CHECK(has(tree.edit(".", "x", "y"), "is a folder"));
  tree.put("root/work/b", "aaa");
  CHECK(has(tree.edit("b", "aa", "x"), "occurs 2 times"));
  CHECK(tree.edit("b", "aaa", "") == "Edited b at line 1.");
  tree.put("root/work/crlf", "a\r\nb\r\n");
  CHECK(has(tree.edit("crlf", "a\nb", "x"), "its lines end in \\r\\n"));
  tree.put("root/work/large", std::string((16 << 20) + 1, 'x'));
  CHECK(has(tree.edit("large", "y", "x"), "is larger than"));
  // All bytes are equal, so a search in quadratic time would not end.
  tree.put("root/work/alike", std::string(16 << 20, 'x'));
  CHECK(has(tree.edit("alike", std::string(4 << 20, 'x') + "y", "z"), "occurs 0 times"));
  CHECK(has(tree.edit("alike", std::string(4 << 20, 'x'), "z"), "times in 'alike', in lines 1, 1, 1, 1, 1, …:"));
  CHECK(tree.entries("root/work") == 5);
}

}  // namespace

int main() {
  ::signal(SIGXFSZ, SIG_IGN);  // as the commands do
  reading();
  reading_much();
  not_regular_files();
  paths_outside();
  links_that_stay_inside();
  files_of_the_team();
  files_of_other_teams();
  files_of_git();
  editing_at_once();
  writing_and_editing_at_once();
  lock_timeout();
  writing();
  writing_without_room();
  editing();
  return test::report();
}
