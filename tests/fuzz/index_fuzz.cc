// A damaged index of a board: whatever .index contains, claims and completions follow the files.
//
// The input is a list of patches: how the position is found, the position, the number of bytes, the bytes.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

#include "libteam/store/board.h"
#include "libteam/store/files/file_engine.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/files/task_files.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

constexpr TaskId kTasks = 12;

Task make_task(TaskId id) {
  Task task;
  task.id = id;
  task.subject = "x";
  task.priority = id % 4 == 0 ? 2 : 0;
  switch (id) {
    case 1: task.status = Status::completed; break;
    case 2: task.blocked_by = {1}; break;
    case 3: task.blocked_by = {2, 4}; break;
    case 4: task.role = "coder"; break;
    case 5: task.owner = "bob"; break;
    case 6: task.blocked_by = {4}; break;
    case 7:
      task.status = Status::in_progress;
      task.owner = "cid";
      break;
    case 8: task.blocked_by = {7}; break;
    case 9: task.status = Status::failed; break;
    case 10: task.blocked_by = {9}; break;
    case 11: task.blocked_by = {4, 1}; break;
    default: break;
  }
  return task;
}

using Tasks = std::map<TaskId, Task>;

bool is_ready(const Tasks& tasks, const Task& task) {
  return task.status == Status::pending && std::all_of(task.blocked_by.begin(), task.blocked_by.end(), [&](TaskId id) {
           return tasks.contains(id) && tasks.at(id).status == Status::completed;
         });
}

// The task that claim_next() must choose, found by reading every file.
std::optional<TaskId> choose(const Tasks& tasks, const Actor& actor) {
  std::optional<TaskId> best;
  const auto rank = [&](TaskId id) { return std::tuple(tasks.at(id).owner ? 0 : 1, -tasks.at(id).priority, id); };
  for (const auto& [id, task] : tasks) {
    const bool for_me = task.owner ? task.owner == actor.name : !task.role || task.role == actor.role;
    if (for_me && is_ready(tasks, task) && (!best || rank(id) < rank(*best))) best = id;
  }
  return best;
}

// A board that can be restored so exactly that its index stays valid: the same inodes, the same times.
class World {
 public:
  World() : path_(fuzz::scratch() + "/root"), board_(path_ + "/.tasks"), kept_(fuzz::scratch() + "/kept") {
    ::setenv("TEAM_DURABILITY", "process", 1);
    fuzz::make_empty(path_);
    fuzz::make_empty(board_);
    fuzz::make_empty(kept_);
    for (TaskId id = 1; id <= kTasks; ++id) {
      fuzz::put_file(file(board_, id), to_file(make_task(id)));
      // Sets old times, because files that are as new as the last read are read again, whatever the index says.
      const timespec times[2] = {{1'600'000'000, 0}, {1'600'000'000 + id, 0}};
      ::utimensat(AT_FDCWD, file(board_, id).c_str(), times, 0);
      ::link(file(board_, id).c_str(), file(kept_, id).c_str());
    }
    fuzz::make_empty(board_ + "/.tmp");
    open()->open_board(nullptr, Missing::refuse).is_quiet({});
    index_ = *fuzz::get_file(board_ + "/.index");
    used_ = words_in_use(index_);
    struct stat status {};
    ::stat(board_.c_str(), &status);
    changed_ = status.st_mtim;
  }

  void restore() {
    for (TaskId id = 1; id <= kTasks; ++id) {
      struct stat now {
      }, then{};
      const bool same = ::stat(file(board_, id).c_str(), &now) == 0 && ::stat(file(kept_, id).c_str(), &then) == 0 &&
                        now.st_ino == then.st_ino;
      if (same) continue;
      ::unlink(file(board_, id).c_str());
      REQUIRE(::link(file(kept_, id).c_str(), file(board_, id).c_str()) == 0);
    }
    const timespec times[2] = {changed_, changed_};
    REQUIRE(::utimensat(AT_FDCWD, board_.c_str(), times, 0) == 0);
  }

  void damage(fuzz::Source& source) {
    std::string index = index_;
    for (int i = 0; i < 8 && !source.is_empty(); ++i) {
      const std::uint8_t how = source.byte();
      const std::uint32_t place = source.number();
      const std::string_view bytes = source.take(source.below(17));
      if ((how & 2) != 0 && (how & 0xF0) == 0) {
        index.resize(place % (index.size() + 4096));
        break;  // it would be cleared when it grows again
      }
      const std::size_t at =
          (how & 4) != 0 ? used_[place % used_.size()] + (place >> 28) % 8 : place % (index.size() + 1);
      // A page that is cleared together with its checksum looks as if it was never written, which nothing can detect.
      const bool wipes = bytes.find_first_not_of('\0') == std::string_view::npos;
      if (wipes || at + bytes.size() > index.size()) continue;
      index.replace(at, bytes.size(), bytes);
    }
    fuzz::put_file(board_ + "/.index", index);
  }

  std::unique_ptr<const Engine> open() const {
    return open_engine({.directory = path_, .environment = {}}, Missing::refuse, 1);
  }

 private:
  static std::string file(const std::string& folder, TaskId id) { return folder + "/" + layout::task_file(id); }

  // Most of the file is empty, and damage there has little effect.
  static std::vector<std::size_t> words_in_use(const std::string& text) {
    std::vector<std::size_t> used;
    for (std::size_t at = 0; at + 8 <= text.size(); at += 8) {
      if (text.compare(at, 8, std::string_view("\0\0\0\0\0\0\0\0", 8)) != 0) used.push_back(at);
    }
    return used;
  }

  std::string path_, board_, kept_, index_;
  std::vector<std::size_t> used_;
  timespec changed_{};
};

void check_claim(Board& board, Tasks& tasks, const Actor& actor) {
  const auto best = choose(tasks, actor);
  const auto claimed = board.claim_next(actor);
  REQUIRE(claimed.has_value() == best.has_value());
  if (!best) return;
  REQUIRE(claimed->task.id == *best && claimed->task.owner == actor.name);
  tasks[*best] = claimed->task;

  Tasks after = tasks;
  after[*best].status = Status::completed;
  std::vector<TaskId> freed;
  for (const auto& [id, task] : after) {
    if (id != *best && is_ready(after, task) && !is_ready(tasks, task)) freed.push_back(id);
  }
  TaskChange done;
  done.status = Status::completed;
  std::vector<TaskId> told;
  for (const Task& task : board.change(*best, done, actor).freed) told.push_back(task.id);
  REQUIRE(told == freed);
  tasks = after;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static World world;
  fuzz::Source source(fuzz::text_of(bytes, size));
  world.restore();
  world.damage(source);
  const auto engine = world.open();
  Board board = engine->open_board(nullptr, Missing::refuse);
  Tasks tasks;
  for (TaskId id = 1; id <= kTasks; ++id) tasks[id] = make_task(id);
  const Actor ann{"ann", "coder", {}, false}, bob{"bob", {}, {}, false};
  check_claim(board, tasks, ann);
  check_claim(board, tasks, bob);
  check_claim(board, tasks, ann);
  for (const auto& [id, task] : tasks) REQUIRE(board.view().get(id).status == task.status);
  return 0;
}
