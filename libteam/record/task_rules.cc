#include "libteam/record/task_rules.h"

#include <algorithm>
#include <map>
#include <set>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/task_metadata.h"

namespace team {

namespace {

std::string list_ids(const std::vector<TaskId>& ids) {
  std::vector<std::string> parts;
  for (const TaskId id : ids) parts.push_back(std::to_string(id));
  return join(parts, ", ");
}

std::optional<std::string> or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Only the owner and the lead may end a task; of the runs of the owner, only the one that claimed it.
void check_holder(const Task& task, const Actor& actor, std::string_view verb) {
  if (task.owner == actor.name) {
    check_run(task, actor);
    return;
  }
  if (!actor.leads) {
    fail(Code::permission_denied, "only its owner{} or the lead may {} task {}", task.owner ? " " + *task.owner : "",
         verb, task.id);
  }
}

void drop_repeated(std::vector<TaskId>& ids) {
  std::set<TaskId> seen;
  std::erase_if(ids, [&](TaskId id) { return !seen.insert(id).second; });
}

void assign(Task& task, const std::optional<std::string>& owner, const Actor& actor) {
  if (task.owner == owner) return;
  if (task.status != Status::pending) {
    fail(Code::invalid_state, "task {} is {}: only a pending one can be assigned", task.id, name_of(task.status));
  }
  const bool own_matter = (!owner || owner == actor.name) && (!task.owner || task.owner == actor.name);
  if (!own_matter && !actor.leads) fail(Code::permission_denied, "only the lead assigns tasks to others");
  task.owner = owner;
}

// A check would be worth nothing if its subject could set it.
void set_check(Task& task, const std::optional<std::string>& check, const Actor& actor) {
  if (task.check == check) return;
  const bool may = actor.leads || (task.created_by == actor.name && task.owner != actor.name);
  if (!may) {
    fail(Code::permission_denied, "only the lead or {}, who made it, may set the check of task {}, and not its owner",
         task.created_by, task.id);
  }
  if (has_ended(task.status)) {
    fail(Code::invalid_state, "task {} is {}: its check cannot change", task.id, name_of(task.status));
  }
  task.check = check;
}

}  // namespace

bool has_id(const std::vector<TaskId>& ids, TaskId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

void check_texts(const TaskChange& change) {
  const bool completes = change.status == Status::completed;
  const bool gives_up = change.status == Status::failed || change.status == Status::pending;
  if (change.result && !completes) fail(Code::usage, "a result needs the status completed");
  if (change.reason && !gives_up) fail(Code::usage, "a reason needs the status failed or pending");
}

void check_rev(const Task& task, const std::optional<std::int64_t>& wanted) {
  if (wanted && *wanted != task.rev) {
    fail(Code::conflict, "task {} is at rev {}, not {}", task.id, task.rev, *wanted);
  }
}

void check_drafts(const std::vector<Draft>& drafts, const Actor& actor) {
  for (const Draft& draft : drafts) {
    if (draft.task.owner && draft.task.owner != actor.name && !actor.leads) {
      fail(Code::permission_denied, "only the lead assigns tasks to others");
    }
  }
}

void check_room(std::int64_t count, std::size_t added, std::int64_t most) {
  if (most > 0 && count + static_cast<std::int64_t>(added) > most) {
    fail(Code::invalid_state, "the board has {} tasks, its limit is {} (tasks.max)", count, most);
  }
}

void check_claim(const Task& task, const Actor& actor) {
  if (has_ended(task.status)) fail(Code::invalid_state, "task {} is {}", task.id, name_of(task.status));
  if (task.status == Status::in_progress || (task.owner && task.owner != actor.name)) {
    fail(Code::conflict, "task {} is owned by {}", task.id, *task.owner);
  }
}

void check_unblocked(const Task& task, const std::vector<TaskId>& open) {
  if (!open.empty()) fail(Code::blocked, "task {} waits for {}", task.id, list_ids(open));
}

void check_capacity(const Actor& actor, const std::vector<TaskId>& held, std::int64_t most) {
  if (most > 0 && static_cast<std::int64_t>(held.size()) >= most) {
    fail(Code::busy, "{} holds task {}; finish or release it first", actor.name, list_ids(held));
  }
}

void check_removal(const Task& task, const Actor& actor) {
  if (!actor.leads && task.created_by != actor.name) {
    fail(Code::permission_denied, "only the lead or {}, who made it, may delete task {}", task.created_by, task.id);
  }
  if (task.status == Status::in_progress) {
    fail(Code::invalid_state, "task {} is in progress by {}; release it first", task.id, *task.owner);
  }
}

void check_not_needed(const Task& task, const std::vector<TaskId>& waiting) {
  if (waiting.empty()) return;
  fail(Code::conflict, "task {} is needed by {}; task-update --remove-blocked-by {} frees them", task.id,
       list_ids(waiting), task.id);
}

std::vector<Task> number_drafts(std::vector<Draft> drafts, TaskId first, const std::string& creator, double now) {
  if (first + static_cast<TaskId>(drafts.size()) - 1 > kLargestTaskId) {
    fail(Code::invalid_state, "ids have run out at {}", kLargestTaskId);
  }
  std::map<std::string, TaskId> keys;
  std::vector<Task> tasks;
  TaskId id = first;
  for (Draft& draft : drafts) {
    for (const std::string& key : draft.blocked_by_keys) {
      const auto found = keys.find(key);
      if (found == keys.end())
        fail(Code::not_found, "{}: no earlier line has the key '{}'", draft.where, one_line(key));
      draft.task.blocked_by.push_back(found->second);
    }
    drop_repeated(draft.task.blocked_by);
    if (!draft.key.empty() && !keys.emplace(draft.key, id).second) {
      fail(Code::usage, "{}: the key '{}' is taken by an earlier line", draft.where, one_line(draft.key));
    }
    draft.task.id = id++;
    draft.task.created_by = creator;
    draft.task.created_at = draft.task.updated_at = now;
    tasks.push_back(std::move(draft.task));
  }
  return tasks;
}

bool is_worked_on_by(const Task& task, const Actor& actor) {
  return task.status == Status::in_progress && task.owner == actor.name;
}

void check_run(const Task& task, const Actor& actor) {
  if (task.run && task.run != actor.run) {
    fail(Code::conflict, "task {} was claimed by another run of {}", task.id, actor.name);
  }
}

void edit_fields(Task& task, const TaskChange& wanted, const Actor& actor) {
  if (wanted.subject) task.subject = *wanted.subject;
  if (wanted.description) task.description = *wanted.description;
  if (wanted.active_form) task.active_form = *wanted.active_form;
  if (wanted.priority) task.priority = *wanted.priority;
  if (wanted.role) task.role = or_none(*wanted.role);
  if (wanted.deliverable) task.deliverable = or_none(*wanted.deliverable);
  if (wanted.check) set_check(task, or_none(*wanted.check), actor);
  if (wanted.owner) assign(task, or_none(*wanted.owner), actor);
  set_all_metadata(task, wanted.metadata);
  for (const TaskId blocker : wanted.remove_blocked_by) {
    if (std::erase(task.blocked_by, blocker) == 0) {
      fail(Code::not_found, "task {} is not blocked by {}", task.id, blocker);
    }
  }
}

void start_work(Task& task, const Actor& actor, double now, std::optional<Lease> lease) {
  task.status = Status::in_progress;
  task.owner = actor.name;
  task.run = actor.run;
  task.claimed_at = now;
  ++task.attempts;
  task.lease = std::move(lease);
}

void return_to_board(Task& task, const std::optional<std::string>& reason) {
  task.status = Status::pending;
  task.owner.reset();
  task.run.reset();
  task.claimed_at.reset();
  task.completed_at.reset();
  task.lease.reset();
  task.base.reset();
  task.offer.reset();
  task.error = reason;
}

void finish_work(Task& task, const TaskChange& wanted, const Actor& actor, double now) {
  const Status status = *wanted.status;
  if (!may_move(task.status, status)) {
    fail(Code::invalid_state, "task {} is {}: it cannot become {}", task.id, name_of(task.status), name_of(status));
  }
  if (task.status == Status::in_progress) {
    check_holder(task, actor, status == Status::completed ? "complete" : status == Status::failed ? "fail" : "release");
  } else if (!actor.leads) {
    fail(Code::permission_denied, "only the lead may reopen task {}", task.id);
  }
  if (status == Status::pending) {
    const auto assigned = wanted.owner && !wanted.owner->empty() ? wanted.owner : std::nullopt;
    const auto error = wanted.is_uncounted && task.error ? task.error : wanted.reason;
    return_to_board(task, error);
    if (wanted.is_uncounted && task.attempts > 0) --task.attempts;
    task.owner = assigned;
    return;
  }
  task.status = status;
  task.completed_at = now;
  task.lease.reset();
  if (status == Status::completed) task.receipt = wanted.receipt;
  task.base.reset();
  task.offer.reset();
  if (status == Status::failed) {
    task.error = wanted.reason.value_or("no reason given");
    return;
  }
  task.error.reset();
  if (wanted.result) task.result = wanted.result;
}

void count_change(Task& task, double now) {
  task.updated_at = now;
  ++task.rev;
}

std::optional<std::string> why_lost(const Task& task, Life life, const std::function<BootClock()>& clock) {
  if (task.status != Status::in_progress) return std::nullopt;
  if (life == Life::dead) return fmt::format("released: {} died", *task.owner);
  if (life == Life::running || !task.lease) return std::nullopt;
  const BootClock now = clock();
  const bool restarted = !now.boot.empty() && !task.lease->boot.empty() && task.lease->boot != now.boot;
  if (restarted) return fmt::format("released: the machine of {} was restarted", *task.owner);
  if (now.seconds < task.lease->until) return std::nullopt;
  return fmt::format("released: the lease of {} ran out", *task.owner);
}

std::optional<Lease> make_lease(double seconds, const std::function<BootClock()>& clock) {
  if (seconds <= 0) return std::nullopt;
  const BootClock now = clock();
  return Lease{now.boot, now.seconds + seconds};
}

bool may_take(const Task& task, const std::string& member, const std::optional<std::string>& role) {
  return task.owner ? task.owner == member : !task.role || task.role == role;
}

bool may_come_to(const Task& task, const Actor& actor) {
  const bool free = !task.owner || task.owner == actor.name || task.status == Status::in_progress;
  return free && (!task.role || task.role == actor.role || task.owner == actor.name);
}

}  // namespace team
