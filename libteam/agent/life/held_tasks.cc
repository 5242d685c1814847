#include "libteam/agent/life/held_tasks.h"

#include <algorithm>

namespace team {

std::string title_of(const Job& job) { return job.task ? fmt::format("task {}", job.task->id) : kPromptTitle; }

std::string describe_attempt(std::int64_t attempt, std::int64_t retries) {
  return fmt::format("attempt {} of {}", attempt, std::max(attempt, retries + 1));
}

void HeldTasks::recover() {
  const TeamSession& session = life_.session();
  // Nobody waits for their answers any more: the agent that asked has ended.
  for (const Request& request : session.mail().requests().pending([](const Error&) {})) {
    const bool is_own = request.kind == RequestKind::permission && request.from == life_.self().name;
    if (is_own) session.mail().requests().withdraw(request.id);
  }
  const bool keeps = life_.options().auto_claim && !life_.options().task;
  const auto recovery = keeps ? Board::Recovery::take_over : Board::Recovery::release;
  for (Task& task : session.board().recover(life_.self(), recovery)) {
    life_.note(fmt::format("task {} is left from the last life", task.id));
    for (const Request& request : session.mail().requests().pending([](const Error&) {})) {
      const bool stale =
          request.kind == RequestKind::plan && request.from == life_.self().name && request.task == task.id;
      if (stale) session.mail().requests().withdraw(request.id);
    }
    if (keeps) waiting_.push_back({std::move(task), false, std::nullopt, true});
  }
}

void HeldTasks::claim(TaskId id) {
  TaskChange claim;
  claim.status = Status::in_progress;
  Changed claimed = life_.session().board().change(id, claim, life_.self());
  waiting_.push_front({std::move(claimed.task), claimed.owner_before == life_.self().name, std::nullopt, false});
}

std::optional<Job> HeldTasks::claim_next() {
  if (!life_.options().auto_claim || !life_.session().has_board()) return std::nullopt;
  try {
    const auto claim = [&](std::optional<TaskId> id) -> std::optional<Changed> {
      if (!id) return life_.session().board().claim_next(life_.self());
      TaskChange change;
      change.status = Status::in_progress;
      return life_.session().board().change(*id, change, life_.self());
    };
    auto claimed = life_.order().claim_next(claim);
    if (!claimed) return std::nullopt;
    const bool assigned = claimed->owner_before == life_.self().name;
    return Job{std::move(claimed->task), assigned, std::nullopt, false};
  } catch (const Error& error) {
    if (error.code() != Code::busy) throw;
    find_left_tasks();
    return std::nullopt;
  }
}

// Its program has taken others by hand and left them: they are its own, and done like any.
void HeldTasks::find_left_tasks() {
  TaskFilter filter;
  filter.statuses = {Status::in_progress};
  filter.owner = life_.self().name;
  const auto keep = [&](const SeenTask& seen) {
    if (seen.task.run == life_.self().run) waiting_.push_back({seen.task, false, std::nullopt, true});
  };
  life_.session().board().view().each(filter, BoardView::Detail::open_blockers, keep, [](TaskId, const Error&) {});
}

Job HeldTasks::next() {
  Job job = std::move(waiting_.front());
  waiting_.pop_front();
  return job;
}

std::optional<Job> HeldTasks::take(TaskId id) {
  if (waiting_.empty()) find_left_tasks();
  const auto held = std::find_if(waiting_.begin(), waiting_.end(), [&](const Job& job) { return job.id() == id; });
  if (held == waiting_.end()) return std::nullopt;
  Job job = std::move(*held);
  waiting_.erase(held);
  return job;
}

bool HeldTasks::is_mine(const Job& job) const {
  if (!job.task) return true;
  try {
    const Task now = life_.session().board().view().get(job.task->id);
    return now.status == Status::in_progress && now.owner == life_.self().name && now.run == life_.self().run;
  } catch (const Error& error) {
    return error.code() != Code::not_found;  // a broken file: whoever mends it decides
  }
}

bool HeldTasks::has_status(const Job& job, Status status) const {
  try {
    return job.task && life_.session().board().view().get(job.task->id).status == status;
  } catch (const Error&) {
    return false;  // it is gone or broken, which is not this member's fault
  }
}

void HeldTasks::complete(const Task& task, const std::string& result) {
  std::optional<TaskUpdate> update;
  life_.persist([&] {
    update = life_.session().tasks().complete(task.id, result.empty() ? std::nullopt : std::optional(result));
  });
  if (update) note_completed(task, *update);
}

void HeldTasks::note_completed(const Task& task, const TaskUpdate& update) const {
  life_.note(fmt::format("completed task {}", task.id));
  note_trouble(update);
}

// Reports a failure after the change. The change stands.
void HeldTasks::note_trouble(const TaskUpdate& update) const {
  if (!update.trouble.empty()) life_.note(fmt::format("{}: {}", name_of(Code::unknown), update.trouble));
}

void HeldTasks::fail(const Task& task, const std::string& reason) {
  life_.persist([&] { note_trouble(life_.session().tasks().fail(task.id, reason)); });
  life_.note(fmt::format("failed task {} after {} attempts", task.id, task.attempts));
}

void HeldTasks::put_back(const Job& job, const std::string& reason, Attempt attempt) {
  if (!job.task) return;
  const auto owner = job.assigned ? std::optional(life_.self().name) : std::nullopt;
  std::optional<TaskUpdate> update;
  TaskChange release;
  release.status = Status::pending;
  release.reason = reason;
  release.owner = owner;
  release.is_uncounted = attempt == Attempt::does_not_count;
  life_.persist([&] { update = life_.session().tasks().update(job.task->id, release); });
  if (!update) return;
  note_trouble(*update);
  if (job.plan && job.plan->approved) approved_ = {update->changed.task, *job.plan};
}

void HeldTasks::put_back_claimed(const std::string& reason) {
  for (const Job& job : waiting_) put_back(job, reason);
}

void HeldTasks::put_back_all(const std::string& reason) {
  find_left_tasks();
  while (!waiting_.empty()) {
    if (is_mine(waiting_.front())) put_back(waiting_.front(), reason);
    waiting_.pop_front();
  }
}

std::optional<PlanAnswer> HeldTasks::take_approval(const Job& job) {
  const auto approved = std::exchange(approved_, std::nullopt);
  // Its own claim is the only change since.
  const bool untouched =
      job.task && approved && approved->first.id == job.task->id && approved->first.rev + 1 == job.task->rev;
  return untouched ? std::optional(approved->second) : std::nullopt;
}

}  // namespace team
