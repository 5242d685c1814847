#include "libteam/store/files/file_board.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "libteam/base/error.h"
#include "libteam/record/task_rules.h"
#include "libteam/store/files/index.h"
#include "libteam/system/lock.h"

namespace team {

namespace {

constexpr int kTries = 100;  // of a change that others disturb

// A person or an editor, who takes no lock, changed a file between our look and our write.
struct Interference {};

// A search that changed nothing, too, saves where the next one can begin.
struct KeepHints {
  Index& index;
  ~KeepHints() {
    try {
      index.keep_hints();
    } catch (const Error&) {
      // The index is a cache.
    }
  }
};

}  // namespace

// One change of the board, from the lock to the index.
class FileBoard::Transaction : public BoardTransaction {
 public:
  Transaction(const FileBoard& board, BoardScope scope)
      : board_(board),
        lock_(Lock::acquire(board.files_.folder(), layout::kLock, board.lock_timeout_)),
        index_(board.files_) {
    index_.refresh(scope == BoardScope::one_task ? Index::Care::one_task : Index::Care::usual);
  }

  Index& index() { return index_; }
  // Whether a task was replaced: from then on a failure is no longer "nothing changed".
  bool has_put() const { return has_put_; }
  // Before a step is run again.
  void forget_reads() { stamps_.clear(); }

  std::optional<Task> find(TaskId id) override {
    auto file = id >= 1 && id <= kLargestTaskId ? files().read(id) : std::nullopt;
    return file ? std::optional(remember(std::move(*file))) : std::nullopt;
  }

  bool exists(TaskId id) override { return index_.exists(id); }
  std::int64_t count() override { return index_.count(); }
  TaskId highest_blocker() override { return index_.highest_blocker(); }

  std::optional<Task> first_ready(const std::string& member, const std::optional<std::string>& role,
                                  Search search) override {
    std::set<TaskId> passed;
    while (true) {
      const auto id = index_.first_ready(member, role, passed);
      if (!id && (search == Search::quick || index_.swept_lately())) return std::nullopt;
      if (!id) {
        index_.sweep();
        continue;
      }
      passed.insert(*id);
      auto file = read_ready(*id);
      if (file && may_take(file->task, member, role)) return remember(std::move(*file));
    }
  }

  bool has_ready_of(const std::string& member) override { return index_.has_ready_of(member); }
  std::vector<RunningTask> running() override { return index_.running(); }

  std::vector<TaskId> open_blockers(const Task& task) override {
    std::vector<TaskId> open;
    for (const TaskId blocker : task.blocked_by) {
      if (!index_.is_completed(blocker)) open.push_back(blocker);
    }
    return open;
  }

  std::vector<TaskId> waiting_for(TaskId id) override {
    std::vector<TaskId> waiting;
    for (const TaskId dependent : index_.dependents(id)) {
      if (!index_.exists(dependent)) continue;
      const auto file = read_if_whole(dependent);
      const bool waits = !file || (file->task.status != Status::completed && has_id(file->task.blocked_by, id));
      if (waits) waiting.push_back(dependent);  // a broken one may
    }
    return waiting;
  }

  bool reaches(const std::vector<TaskId>& from, TaskId target) override {
    std::vector<TaskId> left = from;
    std::set<TaskId> seen;
    while (!left.empty()) {
      const TaskId id = left.back();
      left.pop_back();
      if (id == target) return true;
      if (!seen.insert(id).second) continue;
      const auto file = read_if_whole(id);  // a broken task waits for no task that we know of
      if (file) left.insert(left.end(), file->task.blocked_by.begin(), file->task.blocked_by.end());
    }
    return false;
  }

  std::vector<TaskId> put(const Task& task) override {
    const Stamp read = stamps_.at(task.id);
    index_.begin();  // before the first file is made: a writer that dies from here on is noticed
    NewFile file = files().prepare(task);
    // The last look before the swap: a change of somebody else until now is seen and not written over.
    if (!index_.is_current()) throw Interference{};
    if (!file.exchange(files().folder(), layout::task_file(task.id), read)) throw Interference{};
    has_put_ = true;
    stamps_[task.id] = file.stamp();
    if (file.has_leftover()) index_.expect_leftover();
    auto ready = note(task.id, file.folder_mtime(), [&] { index_.put(task, file.stamp()); });
    std::erase(ready, task.id);
    return ready;
  }

  void remove(TaskId id) override {
    // The id of the highest task is known only by its file: from now on by the mark alone.
    const TaskId given = files().highest_given();
    if (id >= given) files().give(id, board_.durability_);
    else if (id == index_.highest()) files().give(given, board_.durability_);
    index_.begin();
    if (!index_.is_current()) throw Interference{};
    files().remove(id);
    note(id, files().changed_at(), [&] { index_.forget(id); });
  }

  Logged record(const EventOrigin& origin, const std::vector<Event>& events) override {
    return board_.record_ ? board_.record_(origin, events) : Logged{};
  }

  // The new tasks of an insertion. `given` is the highest id that was given before.
  std::vector<Task> make(const Insertion& insertion, TaskId given) {
    std::vector<Task> tasks = insertion.make(std::max(index_.highest(), given) + 1);
    insertion.check(*this, tasks);
    return tasks;
  }

  // Writes new tasks.
  std::vector<Stamp> create(const std::vector<Task>& tasks, TaskId given) {
    index_.begin();
    files().give(tasks.back().id, Durability::process);
    try {
      std::vector<Stamp> stamps;
      if (files().create(tasks, stamps, [&] { return index_.is_current(); })) return stamps;
    } catch (const Error& error) {
      if (error.code() != Code::unknown) files().give(given, Durability::process);
      throw;
    }
    files().give(given, Durability::process);
    throw Interference{};
  }

  // Tells the index of new tasks, which are written.
  void enter(const std::vector<Task>& tasks, const std::vector<Stamp>& stamps) {
    note(tasks.front().id, files().changed_at(), [&] {
      for (std::size_t i = 0; i < tasks.size(); ++i) index_.put(tasks[i], stamps[i]);
    });
  }

 private:
  const TaskFiles& files() const { return board_.files_; }

  // put() replaces the task only if it is still what the first read of this transaction saw.
  Task remember(TaskFile file) {
    stamps_.emplace(file.task.id, file.stamp);
    return std::move(file.task);
  }

  // None if there is no such task or its file is broken.
  std::optional<TaskFile> read_if_whole(TaskId id) const {
    try {
      return files().read(id);
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      return std::nullopt;
    }
  }

  // The task if its file and those of its blockers, as they are now, say that it is ready.
  std::optional<TaskFile> read_ready(TaskId id) {
    auto file = read_if_whole(id);
    if (file && index_.confirm_ready(*file)) return file;
    if (!file) index_.look_at(id);
    return std::nullopt;
  }

  // Tells the index of a change; returns the tasks that became ready by it. A damaged index is made anew from the
  // files, which say the same.
  std::vector<TaskId> note(TaskId id, std::int64_t folder_mtime, const std::function<void()>& tell) {
    return after_change([&] {
      try {
        tell();
        return index_.commit(folder_mtime);
      } catch (const Damage&) {
        index_.rebuild();
        return index_.ready_dependents(id);
      }
    });
  }

  const FileBoard& board_;
  Lock lock_;
  Index index_;
  std::map<TaskId, Stamp> stamps_;  // of the tasks that were read
  bool has_put_ = false;
};

FileBoard::FileBoard(const Root& root, std::string path, Folder folder, Durability durability, double lock_timeout,
                     Record record)
    : root_(root),
      path_(std::move(path)),
      durability_(durability),
      lock_timeout_(lock_timeout),
      record_(std::move(record)),
      files_(std::move(folder), durability) {}

void FileBoard::fail_disturbed() const {
  fail(Code::again, "'{}' is being changed by something else all the time", files_.folder().path());
}

void FileBoard::run(BoardScope scope, const std::function<void(Transaction&)>& step) const {
  Transaction transaction(*this, scope);
  for (int i = 0; i < kTries; ++i) {
    try {
      const KeepHints keep{transaction.index()};
      step(transaction);
      return;
    } catch (const Interference&) {
      transaction.index().sweep();
    } catch (const Damage&) {
      transaction.index().rebuild();
    } catch (const Error&) {
      if (transaction.has_put()) after_change([] { throw; });
      throw;
    }
    transaction.forget_reads();
  }
  fail_disturbed();
}

void FileBoard::transact(BoardScope scope, const Step& step) {
  run(scope, [&](Transaction& transaction) { step(transaction); });
}

void FileBoard::insert(const Insertion& insertion) {
  if (insertion.count == 1) insert_one(insertion);
  else insert_batch(insertion);
}

void FileBoard::insert_one(const Insertion& insertion) const {
  run(insertion.scope, [&](Transaction& transaction) {
    const TaskId given = files_.highest_given();
    const std::vector<Task> tasks = transaction.make(insertion, given);
    transaction.enter(tasks, transaction.create(tasks, given));
    insertion.inserted(transaction, tasks);
  });
}

// The lock is free while the files are written, which may take long: before that ids are reserved, after it the tasks
// are checked again. A program without the lock may have used one of the ids meanwhile. Then other ids are reserved.
void FileBoard::insert_batch(const Insertion& insertion) const {
  for (int i = 0; i < kTries; ++i) {
    TaskId given = 0;
    std::vector<Task> tasks;
    std::optional<TaskBatch> batch;
    run(insertion.scope, [&](Transaction& transaction) {
      given = files_.highest_given();
      tasks = transaction.make(insertion, given);
      transaction.index().expect_batch();
      files_.give(tasks.back().id, Durability::process);
      try {
        batch.emplace(files_);
      } catch (const Error&) {
        files_.give(given, Durability::process);
        throw;
      }
    });
    bool is_used = false;
    try {
      batch->write(tasks);
      run(insertion.scope, [&](Transaction& transaction) {
        Index& index = transaction.index();
        is_used = index.highest() >= tasks.front().id &&
                  std::any_of(tasks.begin(), tasks.end(), [&](const Task& task) { return index.exists(task.id); });
        if (is_used) return;
        insertion.check(transaction, tasks);
        index.begin();
        if (!batch->commit([&] { return index.is_current(); })) throw Interference{};
        transaction.enter(tasks, batch->stamps());
        insertion.inserted(transaction, tasks);
      });
    } catch (const Error& error) {
      if (error.code() != Code::unknown) return_ids(tasks.back().id, given);
      throw;
    }
    if (!is_used) return;
    return_ids(tasks.back().id, given);
  }
  fail_disturbed();
}

// Ids that were reserved and not used, unless others were given since.
void FileBoard::return_ids(TaskId last, TaskId given) const {
  try {
    const auto lock = Lock::acquire(files_.folder(), layout::kLock, lock_timeout_);
    if (files_.highest_given() == last) files_.give(given, Durability::process);
  } catch (const Error&) {
    // They are never used then.
  }
}

std::optional<Task> FileBoard::find(TaskId id) const {
  auto file = files_.read(id);
  return file ? std::optional(std::move(file->task)) : std::nullopt;
}

// From the index if nobody is using it at this moment, else all tasks.
std::vector<TaskId> FileBoard::dependents(TaskId id) const {
  try {
    if (const auto lock = Lock::try_acquire(files_.folder(), layout::kLock)) {
      Index index(files_);
      index.refresh();
      return index.dependents(id);
    }
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;  // a board that we may only read
  }
  return files_.ids();
}

// A writer that died in the middle may leave a complete batch that is not yet in its place.
void FileBoard::settle() const {
  if (!files_.unsettled()) return;
  try {
    if (const auto lock = Lock::try_acquire(files_.folder(), layout::kLock)) files_.settle();
  } catch (const Error& error) {
    if (error.code() != Code::io) throw;
  }
}

BoardEngine::Place FileBoard::reopen() {
  if (files_.folder().is_in_place()) return Place::same;
  auto folder = root_.find_store(path_);
  if (!folder) return Place::missing;
  files_ = TaskFiles(std::move(*folder), durability_);
  return Place::another;
}

}  // namespace team
