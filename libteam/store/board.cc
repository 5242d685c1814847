#include "libteam/store/board.h"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/record/actor.h"
#include "libteam/record/landing_rules.h"
#include "libteam/record/prospects.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

const Actor kSystem{.name = "system", .role = std::nullopt, .run = std::nullopt, .leads = true};

BootClock boot_clock() { return {boot_id(), static_cast<double>(boot_ns()) / 1e9}; }

Task get(BoardTransaction& transaction, TaskId id) {
  auto found = transaction.find(id);
  if (!found) fail(Code::not_found, "no task {}", id);
  return std::move(*found);
}

// A step that runs again may come to the same task again.
void add_once(std::vector<Task>& tasks, Task task) {
  std::erase_if(tasks, [&](const Task& one) { return one.id == task.id; });
  tasks.push_back(std::move(task));
}

// None if there is no such task or it cannot be read.
std::optional<Task> find_if_whole(BoardTransaction& transaction, TaskId id) {
  try {
    return transaction.find(id);
  } catch (const Error& error) {
    if (error.code() != Code::corrupt) throw;
    return std::nullopt;
  }
}

// The task if the actor works on it.
std::optional<Task> find_worked_on(BoardTransaction& transaction, const RunningTask& running, const Actor& actor) {
  if (running.owner != hash_name(actor.name)) return std::nullopt;
  auto task = find_if_whole(transaction, running.id);
  return task && is_worked_on_by(*task, actor) ? std::move(task) : std::nullopt;
}

void add_blocker(BoardTransaction& transaction, Task& task, TaskId blocker) {
  if (blocker == task.id) fail(Code::invalid_state, "task {} cannot wait for itself", task.id);
  if (!transaction.exists(blocker)) fail(Code::not_found, "no task {} to be blocked by", blocker);
  if (transaction.reaches({blocker}, task.id)) {
    fail(Code::invalid_state, "task {} cannot wait for {}, which waits for {}", task.id, blocker, task.id);
  }
  if (!has_id(task.blocked_by, blocker)) task.blocked_by.push_back(blocker);
}

}  // namespace

BoardRules rules_of(const Team* team) {
  BoardRules rules;
  if (team == nullptr) return rules;
  rules.per_member = static_cast<std::int64_t>(number_setting(*team, "tasks.perMember"));
  rules.most_tasks = static_cast<std::int64_t>(number_setting(*team, "tasks.max"));
  rules.lease = number_setting(*team, "tasks.lease");
  rules.check = setting(*team, "tasks.check");
  return rules;
}

Board::Board(std::shared_ptr<BoardEngine> engine, std::shared_ptr<BoardTeam> team, BoardRules rules)
    : engine_(std::move(engine)), team_(std::move(team)), rules_(std::move(rules)), view_(*engine_) {}

Life Board::life_of(const std::string& name) const {
  const auto& members = team_->members();
  return std::find(members.begin(), members.end(), name) != members.end() ? team_->life_of(name) : Life::unknown;
}

// Runs the hooks for the recorded events after the board is free again, even if the step then failed.
struct Board::Afterwards {
  Board& board;
  ~Afterwards() { board.team_->tell(std::exchange(board.recorded_, {})); }
};

// Runs a step as one transaction and returns its result.
template <class Step>
auto Board::transact(BoardScope scope, Step step) {
  using Result = decltype(step(std::declval<BoardTransaction&>()));
  const Afterwards afterwards{*this};
  if constexpr (std::is_void_v<Result>) {
    engine_->transact(scope, step);
  } else {
    std::optional<Result> result;
    engine_->transact(scope, [&](BoardTransaction& transaction) { result.emplace(step(transaction)); });
    return std::move(*result);
  }
}

EventOrigin Board::origin_of(const Actor& actor) const {
  return {team_->name(), actor.name, role_name_of(actor), actor.run};
}

void Board::record(BoardTransaction& transaction, const Actor& actor, const std::vector<Event>& events) {
  const EventOrigin origin = origin_of(actor);
  const Logged logged = transaction.record(origin, events);
  // A transaction that was undone and runs again uses the same numbers again.
  std::erase_if(recorded_,
                [&](const RecordedEvents& one) { return logged.first != 0 && one.logged.first >= logged.first; });
  recorded_.push_back({origin, events, logged});
}

std::vector<TaskId> Board::create(std::vector<Draft> drafts, const Actor& actor) {
  if (drafts.empty()) return {};
  check_drafts(drafts, actor);
  team_->ask(origin_of(actor), "task-created", [&] {
    std::vector<Event> events;
    for (const Draft& draft : drafts) {
      Task task = draft.task;
      task.created_by = actor.name;
      task.created_at = task.updated_at = now();
      events.push_back(with_task(task_event("TASK_CREATED", task), task));
    }
    return events;
  });
  std::vector<TaskId> ids;
  Insertion insertion;
  insertion.count = drafts.size();
  const bool alone = drafts.size() == 1 && drafts[0].task.blocked_by.empty();
  insertion.scope = alone ? BoardScope::one_task : BoardScope::board;
  insertion.make = [&](TaskId first) { return number_drafts(drafts, first, actor.name, now()); };
  insertion.check = [&](BoardTransaction& transaction, const auto& tasks) { check_new(transaction, tasks); };
  insertion.inserted = [&](BoardTransaction& transaction, const std::vector<Task>& tasks) {
    std::vector<Event> events;
    ids.clear();
    for (const Task& task : tasks) {
      ids.push_back(task.id);
      events.push_back(task_event("TASK_CREATED", task));
    }
    record(transaction, actor, events);
  };
  const Afterwards afterwards{*this};
  engine_->insert(insertion);
  return ids;
}

// Whether these tasks may come to the board.
void Board::check_new(BoardTransaction& transaction, const std::vector<Task>& tasks) const {
  check_room(transaction.count(), tasks.size(), rules_.most_tasks);
  for (const Task& task : tasks) {
    for (const TaskId blocker : task.blocked_by) {
      const bool in_batch = blocker >= tasks.front().id && blocker < task.id;
      if (!in_batch && !transaction.exists(blocker)) fail(Code::not_found, "no task {} to be blocked by", blocker);
    }
    // A new task can close a cycle only if somebody wrote its id into another task before.
    if (task.id <= transaction.highest_blocker() && transaction.reaches(task.blocked_by, task.id)) {
      fail(Code::invalid_state, "task {} would wait for itself", task.id);
    }
  }
}

void Board::reclaim_lost(BoardTransaction& transaction, std::vector<Task>& released) {
  lapses_ = {};
  landings_.clear();
  const auto all = transaction.running();
  if (all.empty()) return;
  std::map<std::uint64_t, std::string> names;
  for (const std::string& member : team_->members()) names.emplace(hash_name(member), member);
  std::map<std::uint64_t, Life> lives;
  const std::int64_t moment = boot_ns();
  for (const RunningTask& running : all) {
    if (!lives.contains(running.owner)) {
      const auto member = names.find(running.owner);
      const Life life = member == names.end() ? Life::unknown : team_->life_of(member->second);
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
    const auto before = find_if_whole(transaction, running.id);
    if (!before || before->status != Status::in_progress) continue;
    const auto reason = why_lost(*before, life_of(*before->owner), boot_clock);
    if (!reason) continue;
    if (before->landing) {  // perhaps it is done
      landings_.push_back(before->id);
      continue;
    }
    Task task = *before;
    return_to_board(task, reason);
    count_change(task, now());
    transaction.put(task);
    record(transaction, kSystem, {task_change_event(*before, task)});
    add_once(released, std::move(task));
  }
}

std::vector<Task> Board::reclaim() {
  std::vector<Task> released;
  const auto look = [&](BoardTransaction& transaction) { reclaim_lost(transaction, released); };
  transact(BoardScope::board, look);
  if (judge_found_landings()) transact(BoardScope::board, look);
  return released;
}

std::vector<Task> Board::recover(const Actor& actor, Recovery recovery) {
  std::vector<Task> recovered;
  std::vector<TaskId> landings;
  const auto look = [&](BoardTransaction& transaction) {
    landings.clear();
    for (const RunningTask& running : transaction.running()) {
      const auto before = find_worked_on(transaction, running, actor);
      if (!before || before->run == actor.run) continue;
      if (before->landing) {
        landings.push_back(before->id);
        continue;
      }
      Task released = *before;
      return_to_board(released, fmt::format("released: {} was started again", actor.name));
      Task task = released;
      if (recovery == Recovery::take_over) take(task, actor);
      count_change(task, now());
      transaction.put(task);
      // One change, recorded as the two events that it stands for.
      std::vector<Event> events = {task_change_event(*before, released)};
      if (recovery == Recovery::take_over) events.push_back(task_change_event(released, task));
      record(transaction, actor, events);
      add_once(recovered, std::move(task));
    }
  };
  transact(BoardScope::board, look);
  for (const TaskId id : landings) judge_landing(id);
  if (!landings.empty()) transact(BoardScope::board, look);
  return recovered;
}

// A member works on one task at a time, or on as many as the rules allow.
void Board::check_free(BoardTransaction& transaction, const Actor& actor) const {
  if (rules_.per_member == 0) return;
  std::vector<TaskId> held;
  for (const RunningTask& running : transaction.running()) {
    if (find_worked_on(transaction, running, actor)) held.push_back(running.id);
  }
  check_capacity(actor, held, rules_.per_member);
}

void Board::take(Task& task, const Actor& actor) const {
  start_work(task, actor, now(), make_lease(rules_.lease, boot_clock));
}

std::optional<Changed> Board::claim_next(const Actor& actor) {
  auto claimed = try_claim_next(actor);
  const bool looks_again = judge_found_landings() && !claimed;
  return looks_again ? try_claim_next(actor) : claimed;
}

std::optional<Changed> Board::try_claim_next(const Actor& actor) {
  return transact(BoardScope::board, [&](BoardTransaction& transaction) -> std::optional<Changed> {
    std::vector<Task> released;
    reclaim_lost(transaction, released);
    check_free(transaction, actor);
    const auto before = transaction.first_ready(actor.name, actor.role, BoardTransaction::Search::thorough);
    if (!before) return std::nullopt;
    Task task = *before;
    take(task, actor);
    count_change(task, now());
    transaction.put(task);
    record(transaction, actor, {task_change_event(*before, task)});
    return Changed{std::move(task), before->owner, {}};
  });
}

Task Board::claim(TaskId id, const Actor& actor) {
  TaskChange wanted;
  wanted.status = Status::in_progress;
  return change(id, wanted, actor).task;
}

// For the hook: the task as it stands, completed. An actor that may not complete it is refused before a hook runs.
// Nothing for a task with gates, which is only offered.
std::vector<Event> Board::completion(TaskId id, const TaskChange& wanted, const Actor& actor) const {
  const Task before = view_.get(id);
  check_rev(before, wanted.if_rev);
  if (needs_gates(before, wanted, rules_.check)) return {};
  Task after = before;
  if (wanted.deliverable && wanted.deliverable->empty()) after.deliverable.reset();
  else if (wanted.deliverable) after.deliverable = wanted.deliverable;
  finish(after, wanted, actor);
  return {with_task(task_change_event(before, after), after)};
}

Changed Board::change(TaskId id, const TaskChange& wanted, const Actor& actor) {
  if (wanted.status == Status::completed) {
    team_->ask(origin_of(actor), "task-completed", [&] { return completion(id, wanted, actor); });
  }
  const bool alone =
      !wanted.status && wanted.add_blocked_by.empty() && wanted.remove_blocked_by.empty() && wanted.add_blocks.empty();
  while (true) {
    auto changed = transact(alone ? BoardScope::one_task : BoardScope::board,
                            [&](BoardTransaction& transaction) { return try_change(transaction, id, wanted, actor); });
    if (changed) return std::move(*changed);
    judge_landing(id);
  }
}

// None if the task has a landing: nothing else may change it.
std::optional<Changed> Board::try_change(BoardTransaction& transaction, TaskId id, const TaskChange& wanted,
                                         const Actor& actor) {
  std::vector<Task> released;
  if (wanted.status == Status::in_progress) reclaim_lost(transaction, released);
  const Task before = get(transaction, id);
  if (before.landing) return std::nullopt;
  Task task = before;
  check_rev(task, wanted.if_rev);
  edit(transaction, task, wanted, actor);
  if (wanted.status == Status::in_progress) {
    start(transaction, task, actor);
  } else if (wanted.status) {
    finish(task, wanted, actor);
  }
  check_task(task);
  count_change(task, now());
  Changed changed{task, before.owner, {}};
  std::vector<Event> events = block(transaction, task, wanted.add_blocks);
  events.push_back(task_change_event(before, task));
  changed.freed = freed_by(transaction, task, events);
  record(transaction, actor, events);
  return changed;
}

// Writes the task; returns the tasks that became ready by it, and adds their events.
std::vector<Task> Board::freed_by(BoardTransaction& transaction, const Task& task, std::vector<Event>& events) {
  std::vector<Task> freed;
  for (const TaskId id : transaction.put(task)) {
    auto other = find_if_whole(transaction, id);
    if (!other) continue;
    events.push_back(task_event("TASK_UNBLOCKED", *other));
    freed.push_back(std::move(*other));
  }
  return freed;
}

// Lets the dependents wait for `task`, which is not written yet. Checks all before it writes the first. A dependent
// that waits for the task already stays as it is, so that the step can be run again.
std::vector<Event> Board::block(BoardTransaction& transaction, const Task& task,
                                const std::vector<TaskId>& dependents) {
  std::vector<std::pair<Task, Task>> changes;
  std::set<TaskId> seen;
  for (const TaskId id : dependents) {
    if (!seen.insert(id).second) continue;
    if (id == task.id) fail(Code::invalid_state, "task {} cannot wait for itself", id);
    Task before = get(transaction, id);
    if (transaction.reaches(task.blocked_by, id)) {
      fail(Code::invalid_state, "task {} cannot wait for {}, which waits for {}", id, task.id, id);
    }
    Task after = before;
    if (has_id(after.blocked_by, task.id)) continue;
    after.blocked_by.push_back(task.id);
    check_task(after);
    count_change(after, now());
    changes.emplace_back(std::move(before), std::move(after));
  }
  std::vector<Event> events;
  for (const auto& [before, after] : changes) {
    transaction.put(after);
    events.push_back(task_change_event(before, after));
  }
  return events;
}

void Board::edit(BoardTransaction& transaction, Task& task, const TaskChange& wanted, const Actor& actor) const {
  if (is_worked_on_by(task, actor)) {
    check_run(task, actor);
    task.lease = make_lease(rules_.lease, boot_clock);
  }
  edit_fields(task, wanted, actor);
  for (const TaskId blocker : wanted.add_blocked_by) add_blocker(transaction, task, blocker);
}

void Board::start(BoardTransaction& transaction, Task& task, const Actor& actor) const {
  check_claim(task, actor);
  check_unblocked(task, transaction.open_blockers(task));
  check_free(transaction, actor);
  take(task, actor);
}

void Board::finish(Task& task, const TaskChange& wanted, const Actor& actor) const {
  if (needs_gates(task, wanted, rules_.check)) {
    offer_work(task, wanted, actor, rules_.check, now());
    return;
  }
  finish_work(task, wanted, actor, now());
  const bool is_checked = wanted.receipt.has_value();
  if (task.status == Status::completed && !is_checked && task.deliverable && !rules_.has_file(*task.deliverable)) {
    fail(Code::invalid_state, "task {} has no deliverable '{}'", task.id, *task.deliverable);
  }
}

Task Board::begin_work(TaskId id, const std::optional<std::string>& base, const Actor& actor) {
  return transact(BoardScope::one_task, [&](BoardTransaction& transaction) {
    const Task before = get(transaction, id);
    Task task = before;
    begin_with(task, base, actor);
    if (task.base == before.base && task.offer == before.offer) return task;
    count_change(task, now());
    transaction.put(task);
    record(transaction, actor, {task_change_event(before, task)});
    return task;
  });
}

void Board::ask_landing(TaskId id, const Offer& offer, const Receipt& landing, const Actor& actor) {
  team_->ask(origin_of(actor), "task-completed", [&] {
    const Task before = view_.get(id);
    Task after = before;
    team::announce_landing(after, offer, landing, actor);
    team::end_landing(after, true, now());
    return std::vector{with_task(task_change_event(before, after), after)};
  });
}

Task Board::announce_landing(TaskId id, const Offer& offer, const Receipt& landing, const Actor& actor) {
  return transact(BoardScope::one_task, [&](BoardTransaction& transaction) {
    Task task = get(transaction, id);
    team::announce_landing(task, offer, landing, actor);
    count_change(task, now());
    transaction.put(task);
    return task;
  });
}

Changed Board::end_landing(TaskId id, const Receipt& landing, bool landed) {
  return transact(BoardScope::board,
                  [&](BoardTransaction& transaction) { return try_end_landing(transaction, id, landing, landed); });
}

Changed Board::try_end_landing(BoardTransaction& transaction, TaskId id, const Receipt& landing, bool landed) {
  const Task before = get(transaction, id);
  Changed changed{before, before.owner, {}};
  if (before.landing != landing) return changed;
  team::end_landing(changed.task, landed, now());
  count_change(changed.task, now());
  std::vector<Event> events;
  if (landed) events.push_back(task_change_event(before, changed.task));
  changed.freed = freed_by(transaction, changed.task, events);
  if (!events.empty()) record(transaction, owner_of(before), events);
  return changed;
}

std::string Board::check_of(const Task& task) const { return team::check_of(task, rules_.check); }

// Asks the judge about a landing, outside of any transaction, and ends it.
void Board::judge_landing(TaskId id) {
  const Task task = view_.get(id);
  if (!task.landing) return;
  if (!rules_.judge) fail(Code::again, "task {} is landing on {}", id, one_line(task.landing->line.value_or("-")));
  Changed ended;
  {
    const Afterwards afterwards{*this};  // no hook runs while the judge holds the line
    rules_.judge->judge(*task.landing, [&](bool landed) {
      engine_->transact(BoardScope::board, [&](BoardTransaction& transaction) {
        ended = try_end_landing(transaction, id, *task.landing, landed);
      });
    });
  }
  if (tell_of_landed_ && !ended.freed.empty()) tell_of_landed_(ended);
}

// The landings of dead owners. True if one of them has ended. A repository that does not answer must not keep others
// from their work.
bool Board::judge_found_landings() {
  bool has_ended = false;
  for (const TaskId id : std::exchange(landings_, {})) {
    try {
      judge_landing(id);
      has_ended = true;
    } catch (const Error&) {
      continue;
    }
  }
  return has_ended;
}

void Board::remove(TaskId id, const Actor& actor, std::optional<std::int64_t> if_rev) {
  transact(BoardScope::board, [&](BoardTransaction& transaction) {
    const Task task = get(transaction, id);
    check_rev(task, if_rev);
    check_removal(task, actor);
    check_not_needed(task, transaction.waiting_for(id));
    transaction.remove(id);
    record(transaction, actor, {task_event("TASK_DELETED", task)});
  });
}

std::vector<std::string> Board::owners_of_ready() {
  return transact(BoardScope::board, [&](BoardTransaction& transaction) {
    std::vector<std::string> owners;
    for (const std::string& member : team_->members()) {
      if (transaction.has_ready_of(member)) owners.push_back(member);
    }
    return owners;
  });
}

bool Board::is_quiet(const std::vector<Member>& members, const std::function<void()>& then) {
  return transact(BoardScope::board, [&](BoardTransaction& transaction) {
    if (!transaction.running().empty()) return false;
    for (const Member& member : members) {
      if (transaction.first_ready(member.name, member.role, BoardTransaction::Search::quick)) return false;
    }
    if (then) then();
    return true;
  });
}

Outlook Board::outlook_for(const Actor& actor) {
  // A task in progress may be given back. Usually there is one, and it saves reading all tasks.
  const bool may_return = transact(BoardScope::board, [&](BoardTransaction& transaction) {
    for (const RunningTask& running : transaction.running()) {
      const auto task = find_if_whole(transaction, running.id);
      if (task && task->status == Status::in_progress && may_come_to(*task, actor)) return true;
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
        if (may_come_to(seen.task, actor)) fitting.push_back(seen.task.id);
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

}  // namespace team
