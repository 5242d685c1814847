#include "libteam/store/board.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/prospects.h"
#include "libteam/record/settings.h"
#include "libteam/store/files/event_log.h"
#include "libteam/store/files/hooks.h"
#include "libteam/store/files/index.h"
#include "libteam/system/lock.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

// Somebody who takes no lock (a person, an editor) changed a file between our look and our write.
struct Interference {};

const Actor kSystem{.name = "system", .role = std::nullopt, .run = std::nullopt, .leads = true};

BootClock boot_clock() { return {boot_id(), static_cast<double>(boot_ns()) / 1e9}; }

// Whether `target` is among what the tasks `from` wait for, directly or not.
bool reaches(const TaskFiles& files, std::vector<TaskId> from, TaskId target) {
  std::set<TaskId> seen;
  while (!from.empty()) {
    const TaskId id = from.back();
    from.pop_back();
    if (id == target) return true;
    if (!seen.insert(id).second) continue;
    try {
      if (const auto file = files.read(id)) {
        from.insert(from.end(), file->task.blocked_by.begin(), file->task.blocked_by.end());
      }
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;  // a broken task waits for nothing that we know
    }
  }
  return false;
}

}  // namespace

// One change of the board, from the lock to the index.
class Board::Session {
 public:
  Session(const Board& board, Index::Care care)
      : board_(board),
        lock_(Lock::acquire(board.files_.folder(), TaskFiles::kLock, board.rules_.lock_timeout)),
        index_(board.files_) {
    index_.refresh(care);
  }

  Index& index() { return index_; }
  const TaskFiles& files() const { return board_.files_; }

  TaskFile read(TaskId id) const {
    auto found = id >= 1 && id <= kLargestTaskId ? files().read(id) : std::nullopt;
    if (!found) fail(Code::not_found, "no task {}", id);
    return std::move(*found);
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

  // The task if it and its blockers, as their files are now, say that it is ready.
  std::optional<TaskFile> read_ready(TaskId id) {
    auto file = read_if_whole(id);
    if (file && index_.confirm_ready(*file)) return file;
    if (!file) index_.look_at(id);
    return std::nullopt;
  }

  std::vector<TaskId> open_blockers(const Task& task) {
    std::vector<TaskId> open;
    for (const TaskId blocker : task.blocked_by) {
      if (!index_.is_completed(blocker)) open.push_back(blocker);
    }
    return open;
  }

  // A member holds one task at a time, or as many as the rules say.
  void check_free(const Actor& actor) {
    std::vector<TaskId> held;
    for (const auto& running : index_.running()) {
      if (running.owner != hash_name(actor.name)) continue;
      const auto file = read_if_whole(running.id);
      if (file && file->task.status == Status::in_progress && file->task.owner == actor.name)
        held.push_back(running.id);
    }
    check_capacity(actor, held, board_.rules_.per_member);
  }

  void add_blocker(Task& task, TaskId blocker) {
    if (blocker == task.id) fail(Code::invalid_state, "task {} cannot wait for itself", task.id);
    if (!index_.exists(blocker)) fail(Code::not_found, "no task {} to be blocked by", blocker);
    if (reaches(files(), {blocker}, task.id)) {
      fail(Code::invalid_state, "task {} cannot wait for {}, which waits for {}", task.id, blocker, task.id);
    }
    if (!has_id(task.blocked_by, blocker)) task.blocked_by.push_back(blocker);
  }

  // Those not completed that name `id` among their blockers.
  std::vector<TaskId> waiting_for(TaskId id) {
    std::vector<TaskId> waiting;
    for (const TaskId dependent : index_.dependents(id)) {
      if (!index_.exists(dependent)) continue;
      const auto file = read_if_whole(dependent);
      const bool waits = !file || (file->task.status != Status::completed && has_id(file->task.blocked_by, id));
      if (waits) waiting.push_back(dependent);  // a broken one may
    }
    return waiting;
  }

  // Replaces the task; gives those that became ready by it.
  std::vector<TaskId> write(const TaskFile& before, const Task& after) {
    index_.begin();  // before the first file is made: a writer that dies from here on is noticed
    NewFile file = files().prepare(after);
    // The last look before the swap: whatever somebody else changed until now is seen and not written over.
    if (!index_.is_current()) throw Interference{};
    if (!file.exchange(files().folder(), TaskFiles::file_of(after.id), before.stamp)) throw Interference{};
    written_ = true;
    return note(after.id, file.folder_mtime(), [&] { index_.put(after, file.stamp()); });
  }

  // Tells the index what was done; gives those that became ready by it. A damaged one is made anew from the files,
  // which say the same.
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

  // Whether this session has replaced a task: from then on a failure is no longer "nothing changed".
  bool has_written() const { return written_; }

  // `given` is the highest id that was given before.
  std::vector<Stamp> create(const std::vector<Task>& tasks, TaskId given) {
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

  void sweep() { index_.sweep(); }

 private:
  const Board& board_;
  Lock lock_;
  Index index_;
  bool written_ = false;
};

Board::Board(const Root& root, std::string path, Folder folder, BoardRules rules, Crew crew, Record record,
             Hooked hooked)
    : root_(root),
      path_(std::move(path)),
      rules_(rules),
      crew_(std::move(crew)),
      record_(std::move(record)),
      hooked_(std::move(hooked)),
      files_(std::move(folder), rules.durability),
      view_(files_) {}

// After a search that changed nothing, too, the next one begins where this one found something.
struct KeepHints {
  Index& index;
  ~KeepHints() {
    try {
      index.keep_hints();
    } catch (const Error&) {
      // The files are what counts.
    }
  }
};

Life Board::life_of(const std::string& name) const {
  const auto& members = crew_.members;
  return std::find(members.begin(), members.end(), name) != members.end() ? crew_.life_of(name) : Life::unknown;
}

Board::Place Board::reopen() {
  if (files_.folder().is_in_place()) return Place::same;
  auto folder = root_.find_store(path_);
  if (!folder) return Place::missing;
  files_ = TaskFiles(std::move(*folder), rules_.durability);
  return Place::another;
}

Board::Place Board::reopen_team() {
  if (!crew_.folder) return Place::same;
  try {
    auto [team, folder] = Roster(root_, rules_.lock_timeout).open(crew_.team);
    crew_.members.clear();
    for (const Member& member : team.members) crew_.members.push_back(member.name);
    if (folder->inode() == crew_.folder->inode()) return Place::same;
    crew_.life_of = lives_in(folder);
    crew_.folder = std::move(folder);
    hooked_.reopen();
    return Place::another;
  } catch (const Error& error) {
    if (error.code() == Code::corrupt) return Place::same;  // somebody edits the configuration
    if (error.code() != Code::not_found) throw;
    return Place::missing;
  }
}

template <class Verb>
auto Board::under_lock(Verb verb, Index::Care care) {
  // Ends after the session: the hooks hear, without the lock, of what was recorded, even if the verb then refused.
  const struct Afterwards {
    const Hooked& hooked;
    ~Afterwards() { hooked.tell(); }
  } afterwards{hooked_};
  Session session(*this, care);
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    try {
      const KeepHints keep{session.index()};
      return verb(session);
    } catch (const Interference&) {
      session.sweep();
    } catch (const Damage&) {
      session.index().rebuild();
    } catch (const Error&) {
      if (session.has_written()) after_change([] { throw; });
      throw;
    }
  }
  fail(Code::again, "'{}' is being changed by something else all the time", files_.folder().path());
}

std::vector<TaskId> Board::create(std::vector<Draft> drafts, const Actor& actor) {
  if (drafts.empty()) return {};
  check_drafts(drafts, actor);
  hooked_.ask(actor, "task-created", [&] {
    std::vector<Event> events;
    for (const Draft& draft : drafts) {
      Task task = draft.task;
      task.created_by = actor.name;
      task.created_at = task.updated_at = now();
      events.push_back(with_task(task_event("TASK_CREATED", task), task));
    }
    return events;
  });
  if (drafts.size() > 1) return create_batch(drafts, actor);
  const auto make = [&](Session& session) {
    const TaskId given = files_.highest_given();
    const std::vector<Task> tasks = make_tasks(session, drafts, given, actor);
    session.index().begin();
    return enter(session, tasks, session.create(tasks, given), actor);
  };
  return under_lock(make, drafts[0].task.blocked_by.empty() ? Index::Care::one_task : Index::Care::usual);
}

// The tasks that the drafts become, with the next ids; `given` is the last one that was given out.
std::vector<Task> Board::make_tasks(Session& session, const std::vector<Draft>& drafts, TaskId given,
                                    const Actor& actor) const {
  const TaskId first = std::max(session.index().highest(), given) + 1;
  std::vector<Task> tasks = number_drafts(drafts, first, actor.name, now());
  check_new(session, tasks);
  return tasks;
}

// Whether these tasks may come to the board.
void Board::check_new(Session& session, const std::vector<Task>& tasks) const {
  Index& index = session.index();
  check_room(index.count(), tasks.size(), rules_.most_tasks);
  for (const Task& task : tasks) {
    for (const TaskId blocker : task.blocked_by) {
      const bool in_batch = blocker >= tasks.front().id && blocker < task.id;
      if (!in_batch && !index.exists(blocker)) fail(Code::not_found, "no task {} to be blocked by", blocker);
    }
    // Only if somebody wrote the number of a task to come into a file can a new task close a cycle.
    if (task.id <= index.highest_blocker() && reaches(files_, task.blocked_by, task.id)) {
      fail(Code::invalid_state, "task {} would wait for itself", task.id);
    }
  }
}

// Tells the index and the log of new tasks; gives their ids.
std::vector<TaskId> Board::enter(Session& session, const std::vector<Task>& tasks, const std::vector<Stamp>& stamps,
                                 const Actor& actor) {
  std::vector<TaskId> ids;
  std::vector<Event> events;
  for (const Task& task : tasks) {
    ids.push_back(task.id);
    events.push_back(task_event("TASK_CREATED", task));
  }
  session.note(tasks.front().id, files_.changed_at(), [&] {
    for (std::size_t i = 0; i < tasks.size(); ++i) session.index().put(tasks[i], stamps[i]);
  });
  record_(actor, events);
  return ids;
}

// The lock is free while the files are written, which may take long: before that ids are reserved, after it the tasks
// are checked again. Somebody who takes no lock may have used one of the ids meanwhile: then others are reserved.
std::vector<TaskId> Board::create_batch(const std::vector<Draft>& drafts, const Actor& actor) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    TaskId given = 0;
    std::vector<Task> tasks;
    std::optional<TaskBatch> batch;
    under_lock([&](Session& session) {
      given = files_.highest_given();
      tasks = make_tasks(session, drafts, given, actor);
      session.index().expect_batch();
      files_.give(tasks.back().id, Durability::process);
      try {
        batch.emplace(files_);
      } catch (const Error&) {
        files_.give(given, Durability::process);
        throw;
      }
    });
    try {
      batch->write(tasks);
      const auto ids = under_lock([&](Session& session) -> std::optional<std::vector<TaskId>> {
        Index& index = session.index();
        const auto is_used = [&](const Task& task) { return index.exists(task.id); };
        const bool used = index.highest() >= tasks.front().id && std::any_of(tasks.begin(), tasks.end(), is_used);
        if (used) return std::nullopt;
        check_new(session, tasks);
        index.begin();
        if (!batch->commit([&] { return index.is_current(); })) throw Interference{};
        return enter(session, tasks, batch->stamps(), actor);
      });
      if (ids) return *ids;
    } catch (const Error& error) {
      if (error.code() != Code::unknown) return_ids(tasks.back().id, given);
      throw;
    }
    return_ids(tasks.back().id, given);
  }
  fail(Code::again, "'{}' is being changed by something else all the time", files_.folder().path());
}

// Ids that were reserved and not used, unless others were given since.
void Board::return_ids(TaskId last, TaskId given) const {
  try {
    const auto lock = Lock::acquire(files_.folder(), TaskFiles::kLock, rules_.lock_timeout);
    if (files_.highest_given() == last) files_.give(given, Durability::process);
  } catch (const Error&) {
    // They are never used then.
  }
}

// The reason to release a task; none if its owner may be working on it.
std::optional<std::string> Board::why_released(const Task& task) const {
  return task.status == Status::in_progress ? why_lost(task, life_of(*task.owner), boot_clock) : std::nullopt;
}

void Board::reclaim_lost(Session& session, std::vector<Task>& released) {
  lapses_ = {};
  const auto all = session.index().running();
  if (all.empty()) return;
  std::map<std::uint64_t, std::string> names;
  for (const std::string& member : crew_.members) names.emplace(hash_name(member), member);
  std::map<std::uint64_t, Life> lives;
  const std::int64_t moment = boot_ns();
  for (const auto& running : all) {
    if (!lives.contains(running.owner)) {
      const auto member = names.find(running.owner);
      const Life life = member == names.end() ? Life::unknown : life_of(member->second);
      lives[running.owner] = life;
      if (life == Life::running) lapses_.holders.push_back(member->second);
    }
    const Life life = lives[running.owner];
    const bool expired = running.lease_end != 0 && running.lease_end <= moment;
    if (life == Life::running || (life == Life::unknown && !expired)) {
      const bool counts = life == Life::unknown && running.lease_end != 0;
      if (counts && (lapses_.lease_end == 0 || running.lease_end < lapses_.lease_end)) {
        lapses_.lease_end = running.lease_end;
      }
      continue;
    }
    const auto file = session.read_if_whole(running.id);
    const auto lost = file ? why_released(file->task) : std::nullopt;
    if (!lost) continue;
    Task task = file->task;
    return_to_board(task, lost);
    count_change(task, now());
    session.write(*file, task);
    record_(kSystem, {task_change_event(file->task, task)});
    released.push_back(std::move(task));
  }
}

std::vector<Task> Board::reclaim() {
  std::vector<Task> released;
  under_lock([&](Session& session) { reclaim_lost(session, released); });
  return released;
}

std::vector<Task> Board::recover(const Actor& actor, Recovery recovery) {
  std::vector<Task> recovered;
  under_lock([&](Session& session) {
    for (const auto& running : session.index().running()) {
      if (running.owner != hash_name(actor.name)) continue;
      const auto file = session.read_if_whole(running.id);
      const bool mine = file && file->task.status == Status::in_progress && file->task.owner == actor.name;
      if (!mine || file->task.run == actor.run) continue;
      Task released = file->task;
      return_to_board(released, fmt::format("released: {} was started again", actor.name));
      Task task = released;
      if (recovery == Recovery::take_over) start_work(task, actor, now(), make_lease(rules_.lease, boot_clock));
      count_change(task, now());
      session.write(*file, task);
      // One step, and in the log the two that it stands for.
      std::vector<Event> events = {task_change_event(file->task, released)};
      if (recovery == Recovery::take_over) events.push_back(task_change_event(released, task));
      record_(actor, events);
      recovered.push_back(std::move(task));
    }
  });
  return recovered;
}

std::optional<Changed> Board::claim_next(const Actor& actor) {
  return under_lock([&](Session& session) -> std::optional<Changed> {
    std::vector<Task> released;
    reclaim_lost(session, released);
    session.check_free(actor);
    Index& index = session.index();
    std::set<TaskId> passed;
    while (true) {
      const auto id = index.first_ready(actor.name, actor.role, passed);
      if (!id && index.swept_lately()) return std::nullopt;
      if (!id) {
        index.sweep();
        continue;
      }
      passed.insert(*id);
      const auto file = session.read_ready(*id);
      if (!file) continue;
      Task task = file->task;
      if (!may_take(task, actor.name, actor.role)) continue;
      start_work(task, actor, now(), make_lease(rules_.lease, boot_clock));
      count_change(task, now());
      session.write(*file, task);
      record_(actor, {task_change_event(file->task, task)});
      return Changed{std::move(task), file->task.owner, {}};
    }
  });
}

Task Board::claim(TaskId id, const Actor& actor) {
  TaskChange wanted;
  wanted.status = Status::in_progress;
  return change(id, wanted, actor).task;
}

// For the hook: the task as it stands, completed. Who may not complete it is refused before anything is run.
Event Board::completion(TaskId id, const TaskChange& wanted, const Actor& actor) const {
  const Task before = view_.get(id);
  check_rev(before, wanted.if_rev);
  Task after = before;
  if (wanted.deliverable && wanted.deliverable->empty()) after.deliverable.reset();
  else if (wanted.deliverable) after.deliverable = wanted.deliverable;
  finish(after, wanted, actor);
  return with_task(task_change_event(before, after), after);
}

Changed Board::change(TaskId id, const TaskChange& wanted, const Actor& actor) {
  if (wanted.status == Status::completed) {
    hooked_.ask(actor, "task-completed", [&] { return std::vector{completion(id, wanted, actor)}; });
  }
  const auto change_it = [&](Session& session) {
    std::vector<Task> released;
    if (wanted.status == Status::in_progress) reclaim_lost(session, released);
    const TaskFile file = session.read(id);
    Task task = file.task;
    check_rev(task, wanted.if_rev);
    edit(session, task, wanted, actor);
    if (wanted.status == Status::in_progress) {
      start(session, task, actor);
    } else if (wanted.status) {
      finish(task, wanted, actor);
    }
    check_task(task);
    count_change(task, now());
    Changed changed{task, file.task.owner, {}};
    std::vector<Event> events = block(session, task, wanted.add_blocks);
    events.push_back(task_change_event(file.task, task));
    for (const TaskId freed : session.write(file, task)) {
      const auto other = after_change([&] { return session.read_if_whole(freed); });
      if (!other || freed == id) continue;
      changed.freed.push_back(other->task);
      events.push_back(task_event("TASK_UNBLOCKED", other->task));
    }
    record_(actor, events);
    return changed;
  };
  const bool alone =
      !wanted.status && wanted.add_blocked_by.empty() && wanted.remove_blocked_by.empty() && wanted.add_blocks.empty();
  return under_lock(change_it, alone ? Index::Care::one_task : Index::Care::usual);
}

// Lets the dependents wait for `task`, which is not written yet. All are checked before the first one is written; a
// dependent that waits for it already stays as it is, so that the step can be repeated.
std::vector<Event> Board::block(Session& session, const Task& task, const std::vector<TaskId>& dependents) const {
  std::vector<std::pair<TaskFile, Task>> changes;
  std::set<TaskId> seen;
  for (const TaskId id : dependents) {
    if (!seen.insert(id).second) continue;
    if (id == task.id) fail(Code::invalid_state, "task {} cannot wait for itself", id);
    TaskFile file = session.read(id);
    if (reaches(files_, task.blocked_by, id)) {
      fail(Code::invalid_state, "task {} cannot wait for {}, which waits for {}", id, task.id, id);
    }
    Task after = file.task;
    if (has_id(after.blocked_by, task.id)) continue;
    after.blocked_by.push_back(task.id);
    check_task(after);
    count_change(after, now());
    changes.emplace_back(std::move(file), std::move(after));
  }
  std::vector<Event> events;
  for (const auto& [file, after] : changes) {
    session.write(file, after);
    events.push_back(task_change_event(file.task, after));
  }
  return events;
}

void Board::edit(Session& session, Task& task, const TaskChange& wanted, const Actor& actor) const {
  if (is_worked_on_by(task, actor)) {
    check_run(task, actor);
    task.lease = make_lease(rules_.lease, boot_clock);
  }
  edit_fields(task, wanted, actor);
  for (const TaskId blocker : wanted.add_blocked_by) session.add_blocker(task, blocker);
}

void Board::start(Session& session, Task& task, const Actor& actor) const {
  check_claim(task, actor);
  check_unblocked(task, session.open_blockers(task));
  session.check_free(actor);
  start_work(task, actor, now(), make_lease(rules_.lease, boot_clock));
}

void Board::finish(Task& task, const TaskChange& wanted, const Actor& actor) const {
  finish_work(task, wanted, actor, now());
  if (task.status == Status::completed && task.deliverable && !root_.folder().has(*task.deliverable)) {
    fail(Code::invalid_state, "task {} has no deliverable '{}'", task.id, *task.deliverable);
  }
}

void Board::remove(TaskId id, const Actor& actor, std::optional<std::int64_t> if_rev) {
  under_lock([&](Session& session) {
    const Task task = session.read(id).task;
    check_rev(task, if_rev);
    check_removal(task, actor);
    check_not_needed(task, session.waiting_for(id));
    // The number of the highest task is known only by its file: from now on by the mark alone.
    if (id >= files_.highest_given()) files_.give(id, rules_.durability);
    else if (id == session.index().highest()) files_.give(files_.highest_given(), rules_.durability);
    session.index().begin();
    if (!session.index().is_current()) throw Interference{};
    files_.remove(id);
    session.note(id, files_.changed_at(), [&] { session.index().forget(id); });
    record_(actor, {task_event("TASK_DELETED", task)});
  });
}

std::vector<std::string> Board::owners_of_ready() {
  return under_lock([&](Session& session) {
    std::vector<std::string> owners;
    for (const std::string& member : crew_.members) {
      if (session.index().has_ready_of(member)) owners.push_back(member);
    }
    return owners;
  });
}

bool Board::is_quiet(const std::vector<Member>& members, const std::function<void()>& then) {
  return under_lock([&](Session& session) {
    Index& index = session.index();
    if (!index.running().empty()) return false;
    for (const Member& member : members) {
      std::set<TaskId> passed;
      while (const auto id = index.first_ready(member.name, member.role, passed)) {
        if (session.read_ready(*id)) return false;
        passed.insert(*id);
      }
    }
    if (then) then();
    return true;
  });
}

Outlook Board::outlook_for(const Actor& actor) {
  const auto fits = [&](const Task& task) { return may_come_to(task, actor); };
  // What somebody works on may be given back. Usually there is such a task, and it saves reading all of them.
  const bool may_return = under_lock([&](Session& session) {
    for (const auto& running : session.index().running()) {
      const auto file = session.read_if_whole(running.id);
      if (file && file->task.status == Status::in_progress && fits(file->task)) return true;
    }
    return false;
  });
  if (may_return) return {.is_over = false, .stuck = std::nullopt};
  std::map<TaskId, OpenTask> open;
  std::vector<TaskId> fitting;
  view_.each(
      {}, BoardView::Detail::open_blockers,
      [&](const SeenTask& seen) {
        if (has_ended(seen.task.status)) return;
        open[seen.task.id] = {seen.task.status, seen.standing.open_blockers, false};
        if (fits(seen.task)) fitting.push_back(seen.task.id);
      },
      [](TaskId, const Error&) {});
  const auto able = able_to_end(open);
  if (std::any_of(fitting.begin(), fitting.end(), [&](TaskId id) { return able.contains(id); })) {
    return {.is_over = false, .stuck = std::nullopt};
  }
  Outlook outlook;
  if (!fitting.empty()) outlook.stuck = fitting.front();
  else if (!open.empty()) outlook.stuck = open.begin()->first;
  return outlook;
}

namespace {

// The log and the hooks of a team. Opened when there is something to ask or to record, and for one change only: in a
// long life the team may be made anew and hooks may come and go.
class Journal {
 public:
  Journal(const Root& root, const Team& team, double lock_timeout, std::shared_ptr<const Folder> folder)
      : root_(root),
        team_(team.name),
        hook_seconds_(hook_seconds(team)),
        lock_timeout_(lock_timeout),
        first_(std::move(folder)) {}

  void ask(const Actor& actor, const std::string& hook, const Board::Hooked::Events& events) {
    opened_.reset();
    open();
    if (!opened_->hooked || !opened_->hooks.has(hook)) return;
    for (const Event& event : events()) opened_->hooks.ask(hook, origin(actor), event);
  }

  void record(const Actor& actor, const std::vector<Event>& events) {
    after_change([&] { open(); });
    const Logged logged = opened_->log.record(origin(actor), events);
    if (opened_->hooked) happened_.push_back({origin(actor), events, logged});
  }

  // The folder that was open at first is no longer the team's.
  void reopen() { first_.reset(); }

  void tell() {
    for (const Happened& one : std::exchange(happened_, {})) opened_->hooks.tell(one.origin, one.events, one.logged);
    opened_.reset();
  }

 private:
  struct Opened {
    Opened(std::shared_ptr<const Folder> found, const Journal& witness)
        : folder(std::move(found)),
          log(*folder, witness.lock_timeout_),
          hooks(*folder, witness.root_, witness.team_, witness.hook_seconds_),
          hooked(hooks.any()) {}
    std::shared_ptr<const Folder> folder;
    EventLog log;
    Hooks hooks;
    bool hooked;
  };
  struct Happened {
    EventOrigin origin;
    std::vector<Event> events;
    Logged logged;
  };

  void open() {
    if (opened_) return;
    auto folder = std::exchange(first_, nullptr);
    if (!folder) folder = Roster(root_, lock_timeout_).shared_folder_of(team_);
    opened_.emplace(std::move(folder), *this);
  }

  EventOrigin origin(const Actor& actor) const { return {team_, actor.name, actor.role, actor.run}; }

  const Root& root_;
  std::string team_;
  double hook_seconds_;
  double lock_timeout_;
  std::shared_ptr<const Folder> first_;  // for the first change: it was opened just now
  std::optional<Opened> opened_;
  std::vector<Happened> happened_;
};

}  // namespace

Board open_board(const Root& root, const Team* team, double lock_timeout, Missing missing,
                 std::shared_ptr<const Folder> team_folder) {
  BoardRules rules;
  rules.lock_timeout = lock_timeout;
  rules.durability = durability_of(team);
  const std::string path = team != nullptr ? team->board : kDefaultBoard;
  auto folder = missing == Missing::make ? root.make_store(path, rules.durability) : root.find_store(path);
  if (!folder) fail(Code::not_found, "no board '{}' in '{}'; task-create makes one", path, root.path());
  Board::Crew crew;
  Board::Record record = [](const Actor&, const std::vector<Event>&) {};
  Board::Hooked hooked = {[](const Actor&, const std::string&, const Board::Hooked::Events&) {}, [] {}, [] {}};
  if (team != nullptr) {
    rules.per_member = static_cast<std::int64_t>(number_setting(*team, "tasks.perMember"));
    rules.most_tasks = static_cast<std::int64_t>(number_setting(*team, "tasks.max"));
    rules.lease = number_setting(*team, "tasks.lease");
    if (!team_folder) team_folder = Roster(root, lock_timeout).shared_folder_of(team->name);
    crew.team = team->name;
    for (const Member& member : team->members) crew.members.push_back(member.name);
    crew.life_of = lives_in(team_folder);
    crew.folder = team_folder;
    const auto witness = std::make_shared<Journal>(root, *team, lock_timeout, std::move(team_folder));
    record = [witness](const Actor& actor, const std::vector<Event>& events) { witness->record(actor, events); };
    hooked.ask = [witness](const Actor& actor, const std::string& hook, const Board::Hooked::Events& events) {
      witness->ask(actor, hook, events);
    };
    hooked.tell = [witness] { witness->tell(); };
    hooked.reopen = [witness] { witness->reopen(); };
  }
  return {root, path, std::move(*folder), rules, std::move(crew), std::move(record), std::move(hooked)};
}

}  // namespace team
