#include "libteam/store/task_operations.h"

#include "libteam/base/markup.h"
#include "libteam/base/text.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

// `failed` are clauses: "bob was not told of task 4: disk full".
std::string describe(const std::string& failure, const std::vector<std::string>& failed) {
  if (failed.empty()) return failure;
  const std::string untold = join(failed, "; ");
  return failure.empty() ? "the change is made, but " + untold : failure + "; " + untold;
}

}  // namespace

bool TaskOperations::announces() const {
  return mail_ != nullptr && team_ != nullptr && switch_setting(*team_, "rotation.enabled");
}

// Empty if the owner of the task has the message.
std::string TaskOperations::tell(const Task& task, const char* type, const std::string& text) const {
  try {
    mail_->notify(*task.owner, type, text);
    return "";
  } catch (const Error& error) {
    if (error.code() == Code::unknown) {
      return fmt::format("it is not certain that {} was told of task {}: {}", *task.owner, task.id, error.what());
    }
    return fmt::format("{} was not told of task {}: {}", *task.owner, task.id, error.what());
  }
}

void TaskOperations::tell_of_freed(const Changed& changed, std::vector<std::string>& troubles) const {
  if (!announces() || changed.task.status != Status::completed) return;
  for (const Task& task : changed.freed) {
    if (!task.owner) continue;
    const std::string trouble =
        tell(task, "task_unblocked",
             fmt::format("[System] Task {} completed by {}. {}, your task {} is now unblocked.",
                         quoted(changed.task.subject), actor_.name, *task.owner, quoted(task.subject)));
    if (!trouble.empty()) troubles.push_back(trouble);
  }
}

void TaskOperations::tell_of_assigned(const Task& task, std::vector<std::string>& troubles) const {
  if (!announces() || !task.owner || *task.owner == actor_.name) return;
  const std::string trouble =
      tell(task, "task_assigned",
           fmt::format("[System] Task {} {} was assigned to you by {}.", task.id, quoted(task.subject), actor_.name));
  if (!trouble.empty()) troubles.push_back(trouble);
}

// The change was visible and then something failed, such as the log. Reads from the board what change() would have
// returned. If the task does not have the wanted status, the failure stays.
Changed TaskOperations::look_again(TaskId id, const TaskChange& change, const Error& error) const {
  try {
    Changed changed;
    changed.task = board_.view().get(id);
    const bool is_offered = change.status == Status::completed && changed.task.offer;
    if (is_offered) return changed;
    if (change.status && changed.task.status != *change.status) throw error;
    if (change.status != Status::completed) return changed;
    const BoardView& view = board_.view();
    for (const TaskId dependent : view.standing_of(changed.task).blocks) {
      const Task task = view.get(dependent);
      if (task.status == Status::pending && view.standing_of(task).open_blockers.empty()) changed.freed.push_back(task);
    }
    return changed;
  } catch (const Error&) {
    throw error;
  }
}

TaskUpdate TaskOperations::update(TaskId id, const TaskChange& change) const {
  TaskUpdate update;
  std::vector<std::string> troubles;
  try {
    update.changed = board_.change(id, change, actor_);
  } catch (const Error& error) {
    if (error.code() != Code::unknown) throw;
    update.changed = look_again(id, change, error);
    update.trouble = error.what();
  }
  tell_of_freed(update.changed, troubles);
  const bool is_assigned = change.owner && update.changed.task.owner != update.changed.owner_before;
  if (is_assigned) tell_of_assigned(update.changed.task, troubles);
  update.trouble = describe(update.trouble, troubles);
  return update;
}

TaskUpdate TaskOperations::complete(TaskId id, const std::optional<std::string>& result) const {
  TaskChange change;
  change.status = Status::completed;
  change.result = result;
  return update(id, change);
}

TaskUpdate TaskOperations::fail(TaskId id, const std::string& reason) const {
  TaskChange change;
  change.status = Status::failed;
  change.reason = reason;
  return update(id, change);
}

TaskUpdate TaskOperations::release(TaskId id, const std::string& reason,
                                   const std::optional<std::string>& owner) const {
  TaskChange change;
  change.status = Status::pending;
  change.reason = reason;
  change.owner = owner;
  return update(id, change);
}

TaskUpdate TaskOperations::end_landing(TaskId id, const Receipt& landing, bool landed) const {
  TaskUpdate update;
  std::vector<std::string> troubles;
  try {
    update.changed = board_.end_landing(id, landing, landed);
  } catch (const Error& error) {
    if (error.code() != Code::unknown) throw;
    TaskChange wanted;
    if (landed) wanted.status = Status::completed;
    update.changed = look_again(id, wanted, error);
    update.trouble = error.what();
  }
  tell_of_freed(update.changed, troubles);
  update.trouble = describe(update.trouble, troubles);
  return update;
}

void TaskOperations::tell_of_landed(const Changed& landed) const {
  std::vector<std::string> troubles;
  tell_of_freed(landed, troubles);
}

TaskCreation TaskOperations::create(std::vector<Draft> drafts) const {
  TaskCreation creation;
  creation.ids = board_.create(drafts, actor_);
  std::vector<std::string> troubles;
  for (std::size_t i = 0; i < creation.ids.size(); ++i) {
    drafts[i].task.id = creation.ids[i];
    tell_of_assigned(drafts[i].task, troubles);
  }
  creation.trouble = describe("", troubles);
  return creation;
}

}  // namespace team
