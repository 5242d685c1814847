// Compares the board with a brute-force model: after each random change, the index gives the same answers as reading
// every file. MODEL_SECONDS sets the duration of the test and MODEL_SEED its seed; by default it checks a few boards.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "libteam/base/clock.h"
#include "libteam/store/board.h"
#include "libteam/store/files/file_board.h"
#include "libteam/store/files/index.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"
#include "tests/unit/check.h"
#include "tests/unit/store.h"

using namespace team;
using test::draft;

namespace {

using Tasks = std::map<TaskId, Task>;

bool is_blocked(const Tasks& tasks, const Task& task) {
  return std::any_of(task.blocked_by.begin(), task.blocked_by.end(), [&](TaskId blocker) {
    const auto found = tasks.find(blocker);
    return found == tasks.end() || found->second.status != Status::completed;
  });
}

// The task that a claim must get, found by reading every file.
std::optional<TaskId> choose(const Tasks& tasks, const std::string& member, const std::optional<std::string>& role) {
  std::optional<TaskId> best;
  const auto rank = [&](const Task& task) { return std::tuple(task.owner == member ? 0 : 1, -task.priority, task.id); };
  for (const auto& [id, task] : tasks) {
    const bool for_me = task.owner ? task.owner == member : !task.role || task.role == role;
    if (task.status != Status::pending || !for_me || is_blocked(tasks, task)) continue;
    if (!best || rank(task) < rank(tasks.at(*best))) best = id;
  }
  return best;
}

class World : public test::TestStore {
 public:
  explicit World(unsigned seed)
      : random_(seed),
        crowded_(seed % 3 == 0),
        files_(*root.find_store(layout::kDefaultBoard), Durability::process),
        board_(
            std::make_shared<FileBoard>(root, layout::kDefaultBoard, *root.find_store(layout::kDefaultBoard),
                                        Durability::process, 5, FileBoard::Record()),
            std::make_shared<test::LivingTeam>(
                kMembers, [this](const std::string& member) { return member == dead_ ? Life::dead : Life::unknown; }),
            rules()) {
    std::vector<Draft> drafts;
    for (int i = 0; i < (crowded_ ? 200 : 100); ++i) drafts.push_back(random_draft());
    board_.create(drafts, lead());
  }

  // Makes one change and returns its name.
  std::string step() {
    struct Kind {
      const char* name;
      int weight;
      void (World::*update)();
    };
    static constexpr Kind kKinds[] = {
        {"create", 4, &World::create},
        {"batch", 2, &World::create_batch},
        {"update", 10, &World::update_fields},
        {"add blockers", 8, &World::add_blockers},
        {"remove blockers", 6, &World::remove_blockers},
        {"exchange blockers", 10, &World::exchange_blockers},
        {"claim", 5, &World::claim},
        {"claim next", 12, &World::claim_next},
        {"end", 14, &World::end},
        {"reopen", 4, &World::reopen},
        {"delete", 3, &World::remove_task},
        {"reclaim", 1, &World::reclaim},
        {"recover", 1, &World::recover},
        {"edit by hand", 6, &World::edit_by_hand},
        {"break a file", 2, &World::break_file},
        {"remove by hand", 1, &World::remove_by_hand},
        {"die", 3, &World::die},
        {"damage the index", 3, &World::damage},
    };
    int total = 0;
    for (const Kind& kind : kKinds) total += kind.weight;
    int drawn = pick(total);
    for (const Kind& kind : kKinds) {
      drawn -= kind.weight;
      if (drawn >= 0) continue;
      try {
        (this->*kind.update)();
      } catch (const Damage&) {
        CHECK(!"the board lets damage of the index out");
      } catch (const Error& error) {
        CHECK(error.code() != Code::io && error.code() != Code::unknown);  // the change was refused and had no effect
      }
      return kind.name;
    }
    return "";
  }

  // Compares without a sweep, unless an edit went around the board, perhaps within a tick of the clock.
  void compare() {
    const Tasks tasks = read_all();
    const Lock lock = Lock::acquire(files_.folder(), layout::kLock, 5);
    Index index(files_);
    index.refresh(Index::Care::one_task);
    try {
      if (std::exchange(by_hand_, false)) index.sweep();
      compare_with(index, tasks);
    } catch (const Damage&) {
      index.rebuild();
      compare_with(index, tasks);
    }
  }

 private:
  static inline const std::vector<std::string> kMembers = {"ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal",
                                                           "ivy", "jon", "kim", "lee", "mia", "ned", "oda", "pam"};
  static inline const std::vector<std::string> kRoles = {"coder", "tester", "writer", "reviewer", "designer", "tracer",
                                                         "nurse", "pilot",  "baker",  "painter",  "driver",   "clerk"};

  static BoardRules rules() {
    BoardRules made;
    made.per_member = 0;
    return made;
  }

  static Actor lead() { return {.name = "lead", .role = std::nullopt, .run = std::nullopt, .leads = true}; }

  Actor somebody() {
    return {.name = kMembers[static_cast<std::size_t>(pick(static_cast<int>(kMembers.size())))],
            .role = random_role(),
            .run = std::nullopt,
            .leads = false};
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool one_in(int many) { return pick(many) == 0; }

  // On a crowded board most tasks have the same role or owner, and the other tasks in the same lane of the index are
  // rare.
  std::optional<std::string> random_role() {
    if (crowded_ && !one_in(12)) return kRoles[0];
    return one_in(2) ? std::nullopt : std::optional(kRoles[static_cast<std::size_t>(pick(12))]);
  }
  std::optional<std::string> random_owner() {
    if (crowded_ && one_in(2)) return kMembers[0];
    return !one_in(4) ? std::nullopt : std::optional(kMembers[static_cast<std::size_t>(pick(16))]);
  }
  int random_priority() { return one_in(crowded_ ? 12 : 3) ? pick(3) : 0; }

  TaskId random_id() {
    const std::vector<TaskId> ids = files_.ids();
    return ids.empty() ? 1 : ids[static_cast<std::size_t>(pick(static_cast<int>(ids.size())))];
  }

  Draft random_draft() {
    Draft made = draft("x");
    made.task.owner = random_owner();
    made.task.role = random_role();
    made.task.priority = random_priority();
    return made;
  }

  std::vector<TaskId> random_ids(int most) {
    std::vector<TaskId> ids;
    for (int i = pick(most + 1); i > 0; --i) ids.push_back(random_id());
    return ids;
  }

  void create() {
    Draft made = random_draft();
    made.task.blocked_by = random_ids(3);
    board_.create({made}, lead());
  }

  void create_batch() {
    std::vector<Draft> drafts;
    for (int i = 2 + pick(20); i > 0; --i) {
      drafts.push_back(random_draft());
      drafts.back().task.blocked_by = random_ids(2);
    }
    board_.create(drafts, lead());
  }

  void update_fields() {
    TaskChange change;
    if (one_in(2)) change.subject = "y";
    if (one_in(4)) change.description = std::string(static_cast<std::size_t>(pick(300)), 'd');
    if (one_in(2)) change.owner = random_owner().value_or("");
    if (one_in(2)) change.role = random_role().value_or("");
    if (one_in(2)) change.priority = random_priority();
    if (one_in(4)) change.metadata.emplace_back("key", "value");
    board_.change(random_id(), change, lead());
  }

  void add_blockers() {
    TaskChange change;
    change.add_blocked_by = random_ids(3);
    board_.change(random_id(), change, lead());
  }

  TaskId random_blocked() {
    TaskId id = random_id();
    for (int tries = 20; tries > 0 && board_.view().get(id).blocked_by.empty(); --tries) id = random_id();
    return id;
  }

  void remove_blockers() {
    const Task task = board_.view().get(random_blocked());
    TaskChange change;
    for (const TaskId blocker : task.blocked_by) {
      if (one_in(2)) change.remove_blocked_by.push_back(blocker);
    }
    board_.change(task.id, change, lead());
  }

  // Replaces a list of blockers by another one; often by one with the same sum of the form h * 31 + id.
  void exchange_blockers() {
    const Task task = board_.view().get(one_in(3) ? random_blocked() : random_id());
    const TaskId first = 1 + pick(2), second = 1 + pick(8);
    const TaskId same_sum = 31 * (first + 1) + second;
    TaskChange change;
    change.remove_blocked_by = task.blocked_by;
    if (one_in(4)) change.add_blocked_by = random_ids(3);
    else if (task.blocked_by == std::vector{same_sum}) change.add_blocked_by = {first, second};
    else if (task.blocked_by == std::vector{first, second}) change.add_blocked_by = {same_sum};
    else if (one_in(2)) change.add_blocked_by = {first, second};
    else change.add_blocked_by = {same_sum};
    board_.change(task.id, change, lead());
    if (change.add_blocked_by.size() != 1 || change.add_blocked_by[0] != same_sum) return;
    compare();
    change.remove_blocked_by = {same_sum};
    change.add_blocked_by = {first, second};
    board_.change(task.id, change, lead());
  }

  void claim() { board_.claim(random_id(), somebody()); }

  void claim_next() {
    const Actor actor = somebody();
    const auto expected = choose(read_all(), actor.name, actor.role);
    const auto claimed = board_.claim_next(actor);
    CHECK(expected.has_value() == claimed.has_value());
    if (expected && claimed) CHECK(claimed->task.id == *expected);
  }

  std::optional<Task> random_running() {
    std::vector<Task> running;
    for (const auto& [id, task] : read_all()) {
      if (task.status == Status::in_progress) running.push_back(task);
    }
    if (running.empty()) return std::nullopt;
    return running[static_cast<std::size_t>(pick(static_cast<int>(running.size())))];
  }

  // Completes, fails or releases a task. The board must report the same ready tasks as the model.
  void end() {
    const auto task = random_running();
    if (!task) return claim_next();
    const Tasks before = read_all();
    TaskChange change;
    change.status = !one_in(3) ? Status::completed : one_in(2) ? Status::failed : Status::pending;
    std::set<TaskId> freed;
    for (const Task& other : board_.change(task->id, change, lead()).freed) freed.insert(other.id);
    const Tasks after = read_all();
    std::set<TaskId> expected;
    for (const auto& [id, other] : after) {
      const bool was_blocked = before.contains(id) && is_blocked(before, before.at(id));
      if (other.status == Status::pending && was_blocked && !is_blocked(after, other)) expected.insert(id);
    }
    CHECK(freed == expected);
  }

  void reopen() {
    for (const auto& [id, task] : read_all()) {
      if (task.status != Status::failed) continue;
      TaskChange change;
      change.status = Status::pending;
      if (one_in(2)) change.owner = random_owner().value_or("");
      board_.change(id, change, lead());
      return;
    }
  }

  void remove_task() { board_.remove(random_id(), lead(), std::nullopt); }

  void reclaim() {
    dead_ = somebody().name;
    board_.reclaim();
    dead_.clear();
  }

  void recover() {
    Actor actor = somebody();
    actor.run = "another";
    board_.recover(actor, one_in(2) ? Board::Recovery::take_over : Board::Recovery::release);
  }

  void edit_by_hand() {
    by_hand_ = true;
    const TaskId id = one_in(8) ? random_id() + 3 : random_id();
    Task task;
    try {
      if (const auto found = files_.read(id)) task = found->task;
    } catch (const Error&) {
      // the broken file is repaired
    }
    task.id = id;
    task.subject = "by hand";
    task.status = static_cast<Status>(pick(4));
    task.owner = random_owner();
    if (task.status == Status::in_progress && !task.owner) task.owner = kMembers[1];
    task.role = random_role();
    task.priority = random_priority();
    task.blocked_by = random_ids(3);
    std::erase(task.blocked_by, id);
    if (one_in(2)) put(file_of(id), to_file(task));
    else replace_file(files_.folder(), layout::task_file(id), to_file(task), Durability::process);
  }

  void break_file() {
    by_hand_ = true;
    put(file_of(random_id()), "{");
  }

  void remove_by_hand() {
    by_hand_ = true;
    remove(file_of(random_id()));
  }

  // A writer is killed after it wrote the task and before it updated the index.
  void die() {
    const auto before = files_.read(random_id());
    if (!before) return;
    const Lock lock = Lock::acquire(files_.folder(), layout::kLock, 5);
    Index index(files_);
    index.refresh();
    index.begin();
    Task task = before->task;
    task.blocked_by = random_ids(2);
    std::erase(task.blocked_by, task.id);
    if (task.status == Status::pending && one_in(2)) task.status = Status::completed;
    NewFile file = files_.prepare(task);
    CHECK(file.exchange(files_.folder(), layout::task_file(task.id), before->stamp));
  }

  void damage() {
    by_hand_ = true;
    const std::string name = ".index";
    switch (pick(3)) {
      case 0: remove(".tasks/" + name); break;
      case 1: put(".tasks/" + name, std::string(static_cast<std::size_t>(pick(9000)), 'Z')); break;
      default: {
        const Fd file = files_.folder().open(name, O_RDWR | O_CREAT);
        const auto size = static_cast<int>(::lseek(file.get(), 0, SEEK_END));
        const auto byte = static_cast<char>(pick(256));
        if (size > 0) CHECK(::pwrite(file.get(), &byte, 1, pick(size)) == 1);
      }
    }
  }

  static std::string file_of(TaskId id) { return ".tasks/" + layout::task_file(id); }

  // The tasks in all files that can be read.
  Tasks read_all() const {
    Tasks tasks;
    for (const TaskId id : files_.ids()) {
      try {
        if (const auto file = files_.read(id)) tasks[id] = file->task;
      } catch (const Error& error) {
        CHECK(error.code() == Code::corrupt);
      }
    }
    return tasks;
  }

  void compare_with(Index& index, const Tasks& tasks) {
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string& member = kMembers[i];
      CHECK(index.first_ready(member, std::nullopt, {}) == choose(tasks, member, std::nullopt));
      for (std::size_t j = i; j < kRoles.size(); j += 6) {
        CHECK(index.first_ready(member, kRoles[j], {}) == choose(tasks, member, kRoles[j]));
      }
    }
    const std::vector<TaskId> ids = files_.ids();
    CHECK(index.count() == static_cast<std::int64_t>(ids.size()));
    std::map<TaskId, std::set<TaskId>> waiting;
    std::set<TaskId> running;
    for (const auto& [id, task] : tasks) {
      if (task.status == Status::in_progress) running.insert(id);
      for (const TaskId blocker : task.blocked_by) waiting[blocker].insert(id);
    }
    std::set<TaskId> believed;
    for (const auto& entry : index.running()) believed.insert(entry.id);
    CHECK(believed == running);
    for (const TaskId id : ids) {
      std::set<TaskId> dependents;
      for (const TaskId dependent : index.dependents(id)) {
        if (tasks.contains(dependent))
          dependents.insert(dependent);  // a task with a broken file may still depend on it
      }
      CHECK(dependents == waiting[id]);
    }
  }

  std::mt19937 random_;
  bool crowded_;
  TaskFiles files_;
  std::string dead_;
  Board board_;
  bool by_hand_ = false;
};

int number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace

int main() {
  constexpr int kSteps = 50;
  constexpr unsigned kBoards = 6;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t end = boot_ns() + number("MODEL_SECONDS", 0) * kSecond;
  const auto first = static_cast<unsigned>(number("MODEL_SEED", 1));
  unsigned boards = 0;
  for (unsigned seed = first; boards < kBoards || boot_ns() < end; ++seed, ++boards) {
    World world(seed);
    for (int i = 0; i < kSteps && test::failed == 0; ++i) {
      const std::string kind = world.step();
      world.compare();
      if (test::failed > 0) std::fprintf(stderr, "after '%s', step %d with MODEL_SEED=%u\n", kind.c_str(), i, seed);
    }
    if (test::failed > 0) break;
  }
  const int status = test::report();
  if (status == 0) {
    std::printf("index: after each of %u updates of %u boards the same answers as from reading every file\n",
                boards * kSteps, boards);
  }
  return status;
}
