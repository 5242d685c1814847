// The board while other programs change its files without a lock, and while system calls fail.
#include "libteam/store/board.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "libteam/base/clock.h"
#include "libteam/base/json.h"
#include "libteam/store/files/file_board.h"
#include "libteam/store/files/index.h"
#include "libteam/store/files/layout.h"
#include "libteam/store/task_waiting.h"
#include "libteam/system/lock.h"
#include "tests/unit/faults.h"
#include "tests/unit/store.h"

using namespace team;
using test::actor;
using test::before_file;
using test::draft;
using test::fails_with;
using test::for_file;
using test::is_refused;
using test::where_seen;

namespace {

BoardRules rules() {
  BoardRules made;
  made.per_member = 0;
  return made;
}

// A board with a controllable presence of members and a record of its events, so that a test can interfere.
class Desk : public test::TestStore {
 public:
  explicit Desk(const BoardRules& chosen = rules(), Durability durability = Durability::process)
      : board(std::make_shared<FileBoard>(root, layout::kDefaultBoard, *root.find_store(layout::kDefaultBoard),
                                          durability, 5,
                                          [this](const EventOrigin&, const std::vector<Event>&) {
                                            recorded();
                                            return Logged{};
                                          }),
              std::make_shared<test::LivingTeam>(std::vector<std::string>{"ann", "bob"},
                                                 [this](const std::string& member) { return life_of(member); }),
              chosen) {}

  void create(const std::vector<Draft>& drafts) { board.create(drafts, {}); }
  Task read(TaskId id) const { return board.view().get(id); }
  // Writes in place, as some editors do, so the time of the folder does not change.
  void edit(TaskId id, const std::function<void(Task&)>& change) const {
    Task task = read(id);
    change(task);
    put(file_of(id), to_file(task));
  }
  void break_file(TaskId id) const { put(file_of(id), "{"); }
  void drop(TaskId id) const { remove(file_of(id)); }
  // Sets an old time, because a file that is as new as the last read is read again.
  void age(TaskId id) const {
    const timespec times[] = {{1'000'000, 0}, {1'000'000 + id, 0}};
    CHECK(::utimensat(AT_FDCWD, path_of(file_of(id)).c_str(), times, 0) == 0);
  }
  static std::string file_of(TaskId id) { return ".tasks/" + layout::task_file(id); }

  std::function<Life(const std::string&)> life_of = [](const std::string&) { return Life::unknown; };
  std::function<void()> recorded = [] {};
  Board board;
};

TaskChange status(Status wanted) {
  TaskChange change;
  change.status = wanted;
  return change;
}

TaskChange blocked_by(TaskId id) {
  TaskChange change;
  change.add_blocked_by = {id};
  return change;
}

TaskChange blocks(std::vector<TaskId> ids) {
  TaskChange change;
  change.add_blocks = std::move(ids);
  return change;
}

// Adding dependents changes all of them or none.
void dependents() {
  Desk desk;
  desk.create({draft("one"), draft("two"), draft("three", {2}), draft("four")});
  const auto blockers = [&](TaskId id) { return desk.board.view().get(id).blocked_by; };
  const auto rev = [&](TaskId id) { return desk.board.view().get(id).rev; };

  CHECK(desk.board.change(1, blocks({3, 4, 4}), {}).task.id == 1);
  CHECK(blockers(3) == (std::vector<TaskId>{2, 1}) && blockers(4) == std::vector<TaskId>{1});
  CHECK(rev(3) == 2 && rev(4) == 2);
  desk.board.change(1, blocks({3}), {});
  CHECK(rev(3) == 2);

  CHECK(fails_with(Code::invalid_state, [&] { desk.board.change(2, blocks({2}), {}); }));
  CHECK(fails_with(Code::not_found, [&] { desk.board.change(2, blocks({4, 99}), {}); }));
  CHECK(fails_with(Code::invalid_state, [&] { desk.board.change(3, blocks({4, 2}), {}); }));
  TaskChange circle = blocks({4});
  circle.add_blocked_by = {4};
  CHECK(fails_with(Code::invalid_state, [&] { desk.board.change(2, circle, {}); }));
  CHECK(rev(2) == 1 && rev(3) == 2 && rev(4) == 2);

  // A blocked task is not ready, and completing its blocker makes it ready.
  const Actor ann = actor("ann");
  CHECK(desk.board.claim_next(ann)->task.id == 1);
  CHECK(desk.board.change(1, status(Status::completed), ann).freed.front().id == 4);
}

void unknown_ids() {
  Desk desk;
  desk.create({draft("one")});
  for (const TaskId id : {TaskId{0}, TaskId{-1}, TaskId{2}, kLargestTaskId + 1}) {
    CHECK(fails_with(Code::not_found, [&] { desk.board.change(id, {}, {}); }));
    CHECK(fails_with(Code::not_found, [&] { desk.board.change(1, blocked_by(id), {}); }));
  }
  CHECK(!layout::task_of("0.json") && !layout::task_of("16777217.json") && layout::task_of("16777216.json"));
  // A file edited by hand names the id of a future task. The board creates such a task unless it would close a cycle.
  desk.edit(1, [](Task& task) { task.blocked_by = {2, 3}; });
  CHECK(fails_with(Code::invalid_state, [&] { desk.create({draft("two", {1})}); }));
  desk.create({draft("two")});
  CHECK(desk.read(2).subject == "two");
  desk.put(".tasks/.highwatermark", std::to_string(kLargestTaskId));
  CHECK(fails_with(Code::invalid_state, [&] { desk.create({draft("three")}); }));
}

// A refused task uses no id.
void refused_tasks() {
  Desk desk;
  desk.create({draft("one")});
  Draft large = draft("two");
  large.task.description = std::string(JsonLimits{}.bytes, 'x');
  CHECK(fails_with(Code::invalid_state, [&] { desk.create({large}); }));
  CHECK(fails_with(Code::invalid_state, [&] { desk.create({draft("two"), large}); }));
  CHECK(test::fails_where(SYS_pwrite64, ENOSPC, "cannot write", [&] { desk.create({draft("two")}); }));
  desk.create({draft("two")});
  CHECK(desk.read(2).subject == "two");
  // A task with an unknown outcome keeps its id.
  Desk durable(BoardRules{}, Durability::power);
  durable.create({draft("one")});
  CHECK(test::fails_where(
      SYS_fsync, EIO, "cannot sync", [&] { durable.create({draft("two")}); }, Code::unknown));
  durable.drop(2);
  durable.create({draft("three")});
  CHECK(durable.read(3).subject == "three");
}

// The id of the highest task is on the disk before its file is removed.
void removal() {
  Desk desk(BoardRules{}, Durability::power);
  desk.create({draft("one"), draft("two"), draft("three", {2})});
  CHECK(test::fails_where(SYS_fdatasync, EIO, "cannot write", [&] { desk.board.remove(3, {}, {}); }));
  CHECK(desk.read(3).subject == "three");
  desk.break_file(3);
  CHECK(fails_with(Code::conflict, [&] { desk.board.remove(2, {}, {}); }));  // the broken task may depend on it
  desk.drop(3);
  // Another program creates a file at the last moment. The board detects it before it changes anything.
  CHECK(where_seen(SYS_openat2, before_file(".highwatermark", [&] { desk.put(desk.file_of(7), "{"); }), [&] {
    desk.board.remove(1, {}, {});
    return true;
  }));
  CHECK(!desk.has(desk.file_of(1)) && desk.has(desk.file_of(7)));
  desk.drop(7);
  desk.remove(".tasks/.index");
  desk.board.remove(2, {}, {});
  desk.create({draft("next")});
  CHECK(desk.read(4).subject == "next");
}

void dependencies() {
  Desk desk;
  desk.create({draft("one"), draft("two", {1}), draft("three", {1}), draft("four", {2, 3}), draft("five")});
  CHECK(where_seen(SYS_openat2, for_file("1.json", EIO), [&] {
    return is_refused(Code::io, "cannot open", [&] { desk.board.change(5, blocked_by(4), {}); });
  }));
  desk.board.change(5, blocked_by(4), {});  // two paths lead to 1
  CHECK(fails_with(Code::invalid_state, [&] { desk.board.change(1, blocked_by(5), {}); }));
  desk.break_file(1);
  desk.board.change(5, blocked_by(2), {});
  CHECK((desk.read(5).blocked_by == std::vector<TaskId>{4, 2}));
}

// A task that is deleted before it can be reported as ready is not reported.
void freed() {
  Desk desk;
  desk.create({draft("one"), draft("two", {1}), draft("three", {1})});
  desk.board.claim(1, actor("ann"));
  desk.age(2);
  desk.board.is_quiet({});  // the index has read the file and it is old enough that it is not read again
  int opened = 0;
  const auto look = [&](const test::CallArguments& given) {
    if (std::string_view("2.json") == reinterpret_cast<const char*>(given[1]) && ++opened == 2) desk.drop(2);
    return 0;
  };
  CHECK(where_seen(SYS_openat2, look, [&] {
    const Changed changed = desk.board.change(1, status(Status::completed), actor("ann"));
    return changed.freed.size() == 1 && changed.freed[0].id == 3;
  }));
}

// A member that owns a task according to the index, but not according to the file, may claim another.
void busy_members() {
  BoardRules one_each = rules();
  one_each.per_member = 1;
  const std::function<void(const Desk&)> edits[] = {
      [](const Desk& desk) { desk.drop(1); },
      [](const Desk& desk) { desk.break_file(1); },
      [](const Desk& desk) { desk.edit(1, [](Task& task) { task.owner = "bob"; }); },
      [](const Desk& desk) { desk.edit(1, [](Task& task) { task.status = Status::pending; }); },
  };
  for (const auto& edit : edits) {
    Desk desk(one_each);
    desk.create({draft("one"), draft("two")});
    desk.board.claim(1, actor("ann"));
    CHECK(fails_with(Code::busy, [&] { desk.board.claim(2, actor("ann")); }));
    bool edited = false;
    desk.life_of = [&](const std::string&) {
      if (!std::exchange(edited, true)) edit(desk);
      return Life::running;
    };
    CHECK(desk.board.claim(2, actor("ann")).owner == "ann");
  }
  Desk desk(one_each);
  desk.create({draft("one"), draft("two")});
  desk.board.claim(1, actor("ann"));
  CHECK(where_seen(SYS_openat2, for_file("1.json", EIO),
                   [&] { return is_refused(Code::io, "cannot open", [&] { desk.board.claim(2, actor("ann")); }); }));
}

// claim_next() follows the files, whatever the index says.
void next_tasks() {
  const std::function<void(const Desk&)> edits[] = {
      [](const Desk& desk) { desk.drop(2); },
      [](const Desk& desk) { desk.break_file(2); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.status = Status::completed; }); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.owner = "bob"; }); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.role = "tester"; }); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.blocked_by = {3}; }); },
  };
  for (const auto& edit : edits) {
    Desk desk;
    desk.create({draft("one"), draft("two"), draft("three")});
    desk.board.claim(1, actor("bob"));
    bool edited = false;
    desk.life_of = [&](const std::string&) {
      if (!std::exchange(edited, true)) edit(desk);
      return Life::running;
    };
    const auto claimed = desk.board.claim_next(actor("ann"));
    CHECK(claimed && claimed->task.id == 3);
  }
}

// A task is not reclaimed from an owner that may still work on it.
void lost_tasks() {
  const auto released = [](const std::function<void(const Desk&)>& edit, Life life, double lease) {
    BoardRules leased = rules();
    leased.lease = lease;
    Desk desk(leased);
    desk.create({draft("one")});
    desk.board.claim(1, actor("ann"));
    bool edited = false;
    desk.life_of = [&](const std::string&) {
      if (std::exchange(edited, true)) return life;
      edit(desk);
      return Life::dead;
    };
    return desk.board.reclaim().size();
  };
  const auto none = [](const Desk&) {};
  CHECK(released(none, Life::dead, 0) == 1);
  CHECK(released(none, Life::running, 0) == 0);  // the owner was restarted
  CHECK(released(none, Life::unknown, 0) == 0);
  CHECK(released(none, Life::unknown, 1000) == 0);
  CHECK(released([](const Desk& desk) { desk.drop(1); }, Life::dead, 0) == 0);
  CHECK(released([](const Desk& desk) { desk.break_file(1); }, Life::dead, 0) == 0);
  const auto pending = [](Task& task) { task.status = Status::pending; };
  CHECK(released([&](const Desk& desk) { desk.edit(1, pending); }, Life::dead, 0) == 0);
  // A lease of another boot has expired. A lease without a boot expires at its time.
  const auto of_boot = [](const std::string& boot, double until) {
    return [=](const Desk& desk) { desk.edit(1, [&](Task& task) { task.lease = Lease{boot, until}; }); };
  };
  CHECK(released(of_boot("another", 1e9), Life::unknown, 1000) == 1);
  CHECK(released(of_boot("", 1e9), Life::unknown, 1000) == 0);
  CHECK(released(of_boot("", 1), Life::unknown, 1000) == 1);
  // The same if the id of this boot is unknown.
  CHECK(where_seen(SYS_openat, for_file("/proc/sys/kernel/random/boot_id", EACCES), [&] {
    return released(of_boot("another", 1e9), Life::unknown, 1000) == 0 &&
           released(of_boot("another", 1), Life::unknown, 1000) == 1;
  }));
}

// Tasks of earlier runs are recovered according to the files.
void recovered() {
  const std::function<void(const Desk&)> edits[] = {
      [](const Desk& desk) { desk.drop(2); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.status = Status::pending; }); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.owner = "bob"; }); },
      [](const Desk& desk) { desk.edit(2, [](Task& task) { task.run = "new"; }); },
  };
  for (const auto& edit : edits) {
    Desk desk;
    desk.create({draft("one"), draft("two"), draft("three")});
    for (const TaskId id : {1, 2}) desk.board.claim(id, actor("ann", "old"));
    desk.board.claim(3, actor("bob", "old"));
    desk.recorded = [&] { edit(desk); };
    const auto tasks = desk.board.recover(actor("ann", "new"), Board::Recovery::take_over);
    CHECK(tasks.size() == 1 && tasks[0].id == 1 && tasks[0].run == "new");
  }
}

void reopened() {
  Desk desk;
  desk.create({draft("one")});
  desk.edit(1, [](Task& task) { task.status = Status::failed; });
  TaskChange change = status(Status::pending);
  change.owner = "";
  CHECK(!desk.board.change(1, change, {}).task.owner);
}

void ends() {
  const Actor coder{.name = "ann", .role = "coder", .run = std::nullopt, .leads = false};
  Desk desk;
  CHECK(desk.board.is_over_for(coder) && desk.board.is_quiet(desk.team.members));
  desk.create({draft("one")});
  CHECK(!desk.board.is_over_for(coder) && !desk.board.is_quiet(desk.team.members));
  const auto over_if = [&](const std::function<void(Task&)>& change) {
    desk.edit(1, change);
    return desk.board.is_over_for(coder);
  };
  CHECK(over_if([](Task& task) { task.role = "tester"; }));
  CHECK(!over_if([](Task& task) { task.owner = "ann"; }));
  CHECK(over_if([](Task& task) { task.owner = "bob"; }));
  CHECK(!over_if([](Task& task) { task.owner.reset(), task.role = "coder"; }));
  const auto running = [](Task& task) { task.status = Status::in_progress, task.owner = "bob"; };
  CHECK(!over_if(running));
  CHECK(over_if([](Task& task) { task.role = "tester"; }));
  // The index and the file differ.
  const auto ended = [](Task& task) { task.status = Status::completed; };
  desk.edit(1, [](Task& task) { task.role.reset(); });
  CHECK(!desk.board.is_over_for(coder));
  CHECK(where_seen(SYS_openat2,
                   before_file(
                       "1.json", [&] { desk.edit(1, ended); }, 2),
                   [&] { return desk.board.is_over_for(coder); }));
  desk.edit(1, running);
  CHECK(!desk.board.is_over_for(coder));
  CHECK(where_seen(SYS_openat2,
                   before_file(
                       "1.json", [&] { desk.drop(1); }, 2),
                   [&] { return desk.board.is_over_for(coder); }));
  desk.create({draft("two")});
  CHECK(!desk.board.is_quiet(desk.team.members));
  bool told = false;
  CHECK(where_seen(SYS_openat2, before_file("2.json", [&] { desk.edit(2, ended); }),
                   [&] { return desk.board.is_quiet(desk.team.members, [&] { told = true; }) && told; }));
}

// The first process that reads the board finishes a committed batch. A process without write permission can still read.
void batches() {
  Desk desk;
  desk.create({draft("one")});
  const auto leave_batch = [&](TaskId id) {
    Task task = desk.read(1);
    task.id = id;
    std::filesystem::create_directory(desk.path_of(".tasks/.batch"));
    desk.put(".tasks/.batch/" + layout::task_file(id), to_file(task));
  };
  leave_batch(2);
  {
    const Lock lock = Lock::acquire(*desk.root.find_store(layout::kDefaultBoard), layout::kLock, 1);
    CHECK(fails_with(Code::not_found, [&] { desk.read(2); }));
  }
  CHECK(where_seen(SYS_openat2, for_file(".lock", EROFS), [&] { return desk.read(1).id == 1; }));
  CHECK(desk.read(2).id == 2);
  std::filesystem::create_directory(desk.path_of(".tasks/.tmp/batch-of-a-dead-one"));
  leave_batch(3);
  CHECK(desk.read(3).id == 3);
  CHECK(!desk.has(".tasks/.tmp/batch-of-a-dead-one") && !desk.has(".tasks/.batch"));
  // A symbolic link is not followed, and the message says that it is one.
  std::filesystem::create_directory_symlink(".tmp", desk.path_of(".tasks/.batch"));
  CHECK(fails_with(Code::permission_denied, [&] { desk.read(1); }));
  desk.remove(".tasks/.batch");
  desk.remove(".tasks/.tmp");
  desk.remove(".tasks/.index");
  std::filesystem::create_directory_symlink("/tmp", desk.path_of(".tasks/.tmp"));
  CHECK(fails_with(Code::permission_denied, [&] { desk.board.view().standing_of(desk.read(1)); }));
}

// Small and large batches are synced to the disk.
void durable_batches() {
  Desk desk(BoardRules{}, Durability::power);
  desk.create({draft("one"), draft("two")});
  desk.create(std::vector<Draft>(20, draft("many")));
  CHECK(desk.read(22).subject == "many");
  CHECK(test::fails_where(SYS_syncfs, EIO, "cannot sync", [&] { desk.create(std::vector<Draft>(20, draft("more"))); }));
  CHECK(!desk.has(desk.file_of(23)));
}

void views() {
  Desk desk;
  desk.create({draft("one"), draft("two", {1}), draft("three", {2})});
  desk.edit(3, [](Task& task) { task.blocked_by = {2, 99}; });
  const BoardView& view = desk.board.view();
  const auto count = [&](BoardView::Detail detail) {
    std::size_t open = 0;
    view.each(
        {}, detail, [&](const SeenTask& seen) { open += seen.standing.open_blockers.size(); },
        [](TaskId, const Error&) {});
    return open;
  };
  CHECK(count(BoardView::Detail::everything) == 3 && count(BoardView::Detail::open_blockers) == 3);
  const Task one = desk.read(1);
  const Task three = desk.read(3);
  // A file that the system cannot read is an error, unlike a broken file.
  const auto refused = [&](const std::function<void()>& attempt) {
    return where_seen(SYS_openat2, for_file("2.json", EIO),
                      [&] { return is_refused(Code::io, "cannot open", attempt); });
  };
  const auto pass = [](TaskId, const Error&) {};
  CHECK(refused([&] { view.open_blockers(three); }));
  CHECK(refused([&] { view.standing_of(one); }));
  CHECK(refused([&] { count(BoardView::Detail::open_blockers); }));
  CHECK(refused([&] { view.outline(pass); }));
  CHECK(refused([&] {
    wait_all_ended(desk.board, desk.engine, &desk.team, {Deadline::in(0)}, {[](const Task&) {}, pass});
  }));
  // A file that is removed after it was listed counts as missing.
  const auto gone = [&](const std::function<bool()>& holds) {
    return where_seen(SYS_openat2, before_file("2.json", [&] { desk.drop(2); }), holds) && !desk.has(desk.file_of(2));
  };
  const std::string two = desk.text_of(desk.file_of(2));
  CHECK(gone([&] { return view.standing_of(one).blocks.empty(); }));
  desk.put(desk.file_of(2), two);
  CHECK(gone([&] { return count(BoardView::Detail::open_blockers) == 2; }));
  desk.put(desk.file_of(2), two);
  desk.edit(1, [](Task& task) { task.status = Status::completed; });
  desk.edit(3, [](Task& task) { task.status = Status::completed; });
  std::size_t seen = 0;
  const auto visit = [&](const Task&) { ++seen; };
  const auto all_end = [&](const BoardView::Report& report) {
    return wait_all_ended(desk.board, desk.engine, &desk.team, {Deadline::in(10)}, {visit, report}).kind ==
           WaitEnd::Kind::done;
  };
  CHECK(gone([&] { return all_end(pass) && seen == 2; }));
  // A broken task may depend on any task, and no task waits for it.
  desk.break_file(2);
  CHECK(view.standing_of(desk.read(1)).blocks.empty());
  TaskId broken = 0;
  CHECK(all_end([&](TaskId id, const Error&) { broken = id; }) && broken == 2);
}

void waits() {
  Desk desk;
  desk.create({draft("one"), draft("two")});
  desk.edit(2, [](Task& task) { task.status = Status::completed; });
  std::vector<TaskId> ended;
  const auto end_other = [&](const Task& task) {
    ended.push_back(task.id);
    if (task.id == 1) return;
    desk.put(".tasks/note", "no task");
    desk.edit(1, [](Task& other) { other.status = Status::failed; });
  };
  const TaskVisits visits{end_other, [](TaskId, const Error&) {}};
  const WaitEnd end = wait_ended(desk.board, desk.engine, &desk.team, {1, 2}, {Deadline::in(10)}, visits);
  CHECK(end.kind == WaitEnd::Kind::done);
  CHECK((ended == std::vector<TaskId>{2, 1}));
}

// The index can be lost at any time, because the files are the truth.
void full_disk() {
  for (int k = 1; k < 8; ++k) {
    Desk desk;
    desk.create({draft("one"), draft("two")});
    CHECK(where_seen(SYS_pwritev, test::from_the(k, ENOSPC), [&] {
      desk.board.claim(1, actor("ann"));
      return true;
    }));
    CHECK(desk.read(1).owner == "ann");
    CHECK(desk.board.claim_next(actor("bob"))->task.id == 2);
    CHECK(!desk.board.claim_next(actor("bob")));
  }
}

// Ids go up to 16777216, and tasks with distant ids are found.
void large_numbers() {
  Desk desk;
  desk.create({draft("one")});
  desk.put(".tasks/.highwatermark", "5000");
  desk.create({draft("far")});
  CHECK(desk.board.claim_next(actor("ann"))->task.id == 1);
  CHECK(desk.board.claim_next(actor("ann"))->task.id == 5001);
  for (const TaskId id : {kLargestTaskId - 1, kLargestTaskId}) {
    Task task = desk.read(1);
    task.id = id;
    task.status = Status::pending;
    task.owner.reset();
    desk.put(desk.file_of(id), to_file(task));
  }
  CHECK(desk.board.claim_next(actor("ann"))->task.id == kLargestTaskId - 1);
  const TaskFiles files(*desk.root.find_store(layout::kDefaultBoard), Durability::process);
  Index index(files);
  index.refresh();
  CHECK(index.highest() == kLargestTaskId && index.count() == 4);
  index.sweep();
  CHECK(index.running().size() == 3);
  CHECK(index.first_ready("ann", std::nullopt, {}) == kLargestTaskId);
  CHECK(!index.first_ready("ann", std::nullopt, {kLargestTaskId}));
  CHECK(fails_with(Code::invalid_state, [&] { desk.create({draft("one more")}); }));
}

// Roles share lanes of the index, and no role gets a task of another.
void roles() {
  const std::string first = "role0";
  const auto lane = [](const std::string& role) { return static_cast<std::uint32_t>(hash_name(role)) % 7; };
  int number = 1;
  while (lane("role" + std::to_string(number)) != lane(first)) ++number;
  Desk desk;
  Draft task = draft("one");
  task.task.role = first;
  desk.create({task});
  const TaskFiles files(*desk.root.find_store(layout::kDefaultBoard), Durability::process);
  Index index(files);
  index.refresh();
  CHECK(!index.first_ready("ann", "role" + std::to_string(number), {}));
  CHECK(index.first_ready("ann", first, {}) == 1);
}

// The facts that the index stores about single tasks.
void facts_of_the_index() {
  Desk desk;
  desk.create({draft("one"), draft("two")});
  desk.age(1);
  desk.age(2);
  const TaskFiles files(*desk.root.find_store(layout::kDefaultBoard), Durability::process);
  Index index(files);
  index.refresh();
  CHECK(!index.is_completed(0) && !index.is_completed(kLargestTaskId + 1) && !index.is_completed(1));
  CHECK(!index.exists(0) && !index.exists(kLargestTaskId + 1) && index.exists(1));
  desk.edit(1, [](Task& task) { task.status = Status::completed; });
  desk.age(1);
  CHECK(index.is_completed(1));
  desk.break_file(2);
  index.refresh();
  CHECK(!index.belief(3) && index.belief(2) && !index.belief(2)->status);
  CHECK(index.belief(1)->status == Status::completed);
  desk.put(desk.file_of(2), "[]");
  CHECK(where_seen(SYS_openat2, for_file("2.json", EIO),
                   [&] { return is_refused(Code::io, "cannot open", [&] { index.sweep(); }); }));
}

}  // namespace

int main() {
  if (!test::can_refuse_calls()) {
    std::puts("skipped: seccomp does not work here");
    return 0;
  }
  dependents();
  unknown_ids();
  refused_tasks();
  removal();
  dependencies();
  freed();
  busy_members();
  next_tasks();
  lost_tasks();
  recovered();
  reopened();
  ends();
  batches();
  durable_batches();
  views();
  waits();
  full_disk();
  large_numbers();
  roles();
  facts_of_the_index();
  return test::report();
}
