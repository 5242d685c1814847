// Compares the index with brute force: after each random change, through the index or around it, the index gives the
// same answer as reading every file.
#include "libteam/store/files/index.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>

#include "tests/unit/check.h"

using namespace team;

namespace {

// The task that claim_next() must choose, found by reading every file.
std::optional<TaskId> choose(const std::map<TaskId, Task>& tasks, const std::string& member,
                             const std::optional<std::string>& role) {
  std::optional<TaskId> best;
  const auto rank = [&](const Task& task) { return std::tuple(task.owner == member ? 0 : 1, -task.priority, task.id); };
  for (const auto& [id, task] : tasks) {
    if (task.status != Status::pending) continue;
    const bool for_me = task.owner ? task.owner == member : !task.role || task.role == role;
    if (!for_me) continue;
    bool open = false;
    for (const TaskId blocker : task.blocked_by) {
      const auto found = tasks.find(blocker);
      open = open || found == tasks.end() || found->second.status != Status::completed;
    }
    if (open) continue;
    if (!best || rank(task) < rank(tasks.at(*best))) best = id;
  }
  return best;
}

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {
    char pattern[] = "/tmp/teamkit-index-XXXXXX";
    path_ = ::mkdtemp(pattern);
    files_.emplace(*Folder::find(path_), Durability::process);
  }
  ~World() { std::system(fmt::format("rm -rf '{}'", path_).c_str()); }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  std::optional<std::string> maybe(std::initializer_list<const char*> names) {
    const int i = pick(static_cast<int>(names.size()) + 1);
    return i == 0 ? std::nullopt : std::optional<std::string>(names.begin()[i - 1]);
  }

  void shuffle(Task& task) {
    task.status = static_cast<Status>(pick(4));
    task.priority = pick(3);
    task.owner = maybe({"ann", "bob"});
    if (task.status == Status::in_progress && !task.owner) task.owner = "ann";
    task.role = maybe({"coder", "tester"});
    task.blocked_by.clear();
    for (int i = pick(3); i > 0; --i) {
      const TaskId blocker = 1 + pick(kMost);
      if (blocker != task.id) task.blocked_by.push_back(blocker);
    }
  }

  // Changes a task through the index, as the board does.
  void change_ours() {
    Index index(*files_);
    index.refresh();
    const TaskId id = 1 + pick(kMost);
    const auto before = files_->read(id);
    Task task = before ? before->task : Task{};
    task.id = id;
    task.subject = "x";
    shuffle(task);
    task.rev++;
    index.begin();
    std::int64_t folder_mtime = 0;
    try {
      if (before && pick(6) == 0) {
        files_->remove(id);
        tasks_.erase(id);
        folder_mtime = files_->changed_at();
        index.forget(id);
      } else {
        NewFile file = files_->prepare(task);
        if (before) CHECK(file.exchange(files_->folder(), layout::task_file(id), before->stamp));
        else CHECK(file.create(files_->folder(), layout::task_file(id)));
        tasks_[id] = task;
        folder_mtime = file.folder_mtime();
        index.put(task, file.stamp());
      }
      if (pick(10) != 0) index.commit(folder_mtime);  // otherwise the writer dies right after the change
    } catch (const Damage&) {
      index.rebuild();
    }
  }

  // Changes a file without lock and index: replaces it, edits it in place, or removes it.
  void change_theirs() {
    const TaskId id = 1 + pick(kMost);
    Task task = tasks_.contains(id) ? tasks_[id] : Task{};
    task.id = id;
    task.subject = "theirs";
    shuffle(task);
    const std::string file = files_->folder().path_of(layout::task_file(id));
    switch (pick(4)) {
      case 0:
        ::unlink(file.c_str());
        tasks_.erase(id);
        return;
      case 1: replace_file(files_->folder(), layout::task_file(id), to_file(task), Durability::process); break;
      default: {
        std::FILE* stream = std::fopen(file.c_str(), "w");
        std::fputs(to_file(task).c_str(), stream);
        std::fclose(stream);
      }
    }
    tasks_[id] = task;
  }

  // The size and often the header stay the same, so only the checksum of the page can tell.
  void damage_in_place(const char* name) {
    const Fd file = files_->folder().open(name, O_RDWR | O_CREAT);
    const auto size = static_cast<int>(::lseek(file.get(), 0, SEEK_END));
    if (size == 0) return;
    const auto byte = static_cast<char>(pick(256));
    CHECK(::pwrite(file.get(), &byte, 1, pick(size)) == 1);
  }

  void damage_cache() {
    const char* name = ".index";
    const int kind = pick(4);
    if (kind == 0) ::unlink(files_->folder().path_of(name).c_str());
    else if (kind > 1) damage_in_place(name);
    else
      replace_file(files_->folder(), name, std::string(static_cast<std::size_t>(pick(9000)), '\x5a'),
                   Durability::process);
  }

  // As in the board, a damaged index is rebuilt.
  void compare() {
    Index index(*files_);
    for (int looked_at = 0; looked_at < kMost; looked_at += 8)
      index.refresh();  // in turn, so that edits in place are seen
    try {
      compare_with(index);
    } catch (const Damage&) {
      index.rebuild();
      compare_with(index);
    }
  }

  // After every file was checked, the index must agree with the files.
  void compare_with(Index& index) {
    for (const char* member : {"ann", "bob", "cid"}) {
      for (const std::optional<std::string>& role :
           {std::optional<std::string>(), std::optional<std::string>("coder")}) {
        CHECK(index.first_ready(member, role, {}) == choose(tasks_, member, role));
      }
    }
    std::vector<TaskId> running;
    for (const auto& [id, task] : tasks_) {
      if (task.status == Status::in_progress) running.push_back(id);
    }
    std::vector<TaskId> believed;
    for (const auto& entry : index.running()) believed.push_back(entry.id);
    CHECK(believed == running);
    CHECK(index.count() == static_cast<std::int64_t>(tasks_.size()));
  }

 private:
  static constexpr int kMost = 24;
  std::mt19937 random_;
  std::string path_;
  std::optional<TaskFiles> files_;
  std::map<TaskId, Task> tasks_;
};

// While our change is not committed, another program replaces a file that this refresh and the next do not check.
void check_a_change_during_ours() {
  char pattern[] = "/tmp/teamkit-index-XXXXXX";
  const std::string path = ::mkdtemp(pattern);
  const TaskFiles files(*Folder::find(path), Durability::process);
  std::vector<Task> tasks(200);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    tasks[i].id = static_cast<TaskId>(i + 1);
    tasks[i].subject = "x";
    tasks[i].role = "nobody";
  }
  std::vector<Stamp> stamps;
  CHECK(files.create(tasks, stamps, [] { return true; }));
  {
    Index index(files);
    index.refresh();
    index.begin();
    NewFile file = files.prepare(tasks[0]);
    CHECK(file.exchange(files.folder(), layout::task_file(1), *files.stamp(1)));
    ::usleep(20'000);  // on old kernels two changes within one tick of the clock get the same time
    tasks.back().role.reset();
    replace_file(files.folder(), layout::task_file(200), to_file(tasks.back()), Durability::process);
    index.put(tasks[0], file.stamp());
    index.commit(file.folder_mtime());
  }
  Index index(files);
  index.refresh();
  CHECK(index.first_ready("ann", std::nullopt, {}) == 200);
  std::system(fmt::format("rm -rf '{}'", path).c_str());
}

// The number of bytes that this process has read.
std::int64_t bytes_read() {
  std::int64_t bytes = -1;
  std::FILE* file = std::fopen("/proc/self/io", "r");
  CHECK(file != nullptr && std::fscanf(file, "rchar: %ld", &bytes) == 1);
  if (file != nullptr) std::fclose(file);
  return bytes;
}

// Two roles share a lane, and nearly all tasks of the lane have one of them. The other role must not read them each
// time.
void check_a_shared_lane() {
  char pattern[] = "/tmp/teamkit-index-XXXXXX";
  const std::string path = ::mkdtemp(pattern);
  const TaskFiles files(*Folder::find(path), Durability::process);
  constexpr TaskId kTasks = 20'000;
  std::vector<std::string> rare;
  for (int i = 0; i < 8; ++i)
    rare.push_back(fmt::format("rare{}", i));  // some of them share the lane, whatever the hash is
  const auto search = [&](const std::string& role) {
    Index index(files);
    index.refresh(Index::Care::one_task);
    const std::int64_t before = bytes_read();
    const auto found = index.first_ready("ann", role, {});
    index.keep_hints();
    return std::pair(found, bytes_read() - before);
  };
  const auto add = [&](TaskId id, const std::string& role) {
    Index index(files);
    index.begin();
    Task task;
    task.id = id;
    task.role = role;
    index.put(task, {});
    index.commit(files.folder().mtime_ns());
  };
  {
    Index index(files);
    index.refresh();
    index.begin();
    Task task;
    for (task.id = 2; task.id <= kTasks; ++task.id) {
      task.role = "common";
      index.put(task, {});
    }
    index.commit(files.folder().mtime_ns());
  }
  const std::int64_t whole = kTasks * 64;
  std::int64_t most = 0;
  for (const std::string& role : rare) {
    const auto [none, first_cost] = search(role);
    most = std::max(most, first_cost);
    const auto [still_none, cost] = search(role);
    CHECK(!none && !still_none && cost < whole / 10);
  }
  CHECK(most > whole / 2);
  TaskId id = kTasks;
  for (const std::string& role : rare) {
    add(++id, role);
    CHECK(search(role).first == id);
    const auto [found, cost] = search(role);
    CHECK(found == id && cost < whole / 10);
  }
  add(1, rare[0]);
  for (const std::string& role : rare) CHECK((search(role).first == 1) == (role == rare[0]));
  std::system(fmt::format("rm -rf '{}'", path).c_str());
}

}  // namespace

int main() {
  check_a_change_during_ours();
  check_a_shared_lane();
  const char* rounds = std::getenv("INDEX_ROUNDS");
  const int most = rounds != nullptr ? std::atoi(rounds) : 40;
  for (unsigned seed = 1; seed <= static_cast<unsigned>(most); ++seed) {
    World world(seed);
    for (int step = 0; step < 60; ++step) {
      const int kind = world.pick(20);
      if (kind < 11) world.change_ours();
      else if (kind < 19) world.change_theirs();
      else world.damage_cache();
      world.compare();
    }
    if (test::failed > 0) {
      std::fprintf(stderr, "with seed %u\n", seed);
      break;
    }
  }
  return test::report();
}
