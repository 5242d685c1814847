#include "libteam/agent/life/task_runner.h"

#include <algorithm>
#include <cmath>

#include "libteam/base/environment_variable.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/record/settings.h"

namespace team {

void TaskRunner::run(Job job) {
  life_.wakeups().stop();
  const std::string subject = job.task ? ": " + one_line(job.task->subject) : "";
  std::string title = title_of(job) + subject;
  if (job.task && job.task->attempts > 1) {
    title += fmt::format(" ({})", describe_attempt(job.task->attempts, life_.options().retries));
  }
  life_.become(State::active, title, job.id());
  if (!finish_.begin(job)) return;
  if (life_.options().plan) {
    if (auto approval = held_.take_approval(job)) {
      job.plan = std::move(approval);
    } else if (PlanGate::Result result = gate_.agree(job); !result.approved) {
      if (!result.outcome) return;
      life_.order().run(Step::Kind::settle, "", [&] { settle(job, std::move(*result.outcome)); });
      return;
    }
  }
  Outcome outcome = work_.drive(work_.make_work(job, Phase::work));
  life_.order().run(Step::Kind::settle, "", [&] { settle(job, std::move(outcome)); });
}

// Decides what becomes of the task.
void TaskRunner::settle(const Job& job, Outcome outcome) {
  if (job.task) {
    life_.await_board();
    finish_.keep(job);
    finish_.take_offer(job, outcome);
  }
  if (is_broken_off(job, outcome)) return;
  if (outcome.kind == Outcome::Kind::hopeless && !work_.has_succeeded()) life_.end_with(outcome, State::error);
  if (!job.task) report_prompt(outcome);
  if (!outcome.heard.empty()) work_.answer({}, outcome);
  // The program may have completed or released it by itself, or the lead has taken it away.
  if (!job.task || !held_.is_mine(job)) {
    work_.finish_piece(outcome.kind == Outcome::Kind::done && !held_.has_status(job, Status::failed));
    return;
  }
  std::string reason = outcome.reason;
  Job next = job;
  const bool is_refused = outcome.kind == Outcome::Kind::done;
  if (outcome.kind == Outcome::Kind::done) {
    const auto refusal = complete(job, outcome.result);
    if (!refusal || !held_.is_mine(job)) {  // it may have been taken away while the hook looked at it
      work_.finish_piece(!refusal);
      return;
    }
    reason = *refusal;
    if (finish_.was_interrupted()) {
      held_.put_back(job, reason, HeldTasks::Attempt::does_not_count);
      return;
    }
    // Its author knows best what to do about it.
    next.assigned = job.assigned || (is_gated(job) && !life_.options().once);
  }
  const std::int64_t attempt = job.task->attempts, retries = life_.options().retries;
  life_.note(fmt::format("{}, {}: {}", title_of(job), describe_attempt(attempt, retries), reason));
  if (attempt > retries) {
    held_.fail(*job.task, reason);
  } else {
    // The feedback of a gate makes the next attempt another one.
    if (!is_refused && !life_.options().once) back_off(job);
    if (held_.is_mine(job)) held_.put_back(next, reason);
    else life_.note(fmt::format("{} is no longer its own", title_of(job)));
  }
  work_.finish_piece(false);
}

// The task stays with this member meanwhile, so that nobody else tries it too early. The lead may take it away.
void TaskRunner::back_off(const Job& job) {
  constexpr double kLongest = 60;
  const auto given = environment_variable("TEAM_BACKOFF");
  const auto first = given ? parse_seconds(*given) : number_setting(life_.team(), "tasks.backoff");
  const double pause = std::min(kLongest, std::ldexp(first.value_or(1), static_cast<int>(job.task->attempts - 1)));
  if (pause <= 0) return;
  life_.note(fmt::format("{}: again in {:g} s", title_of(job), pause));
  life_.wakeups().watch_all();
  const Deadline end = Deadline::in(pause);
  while (!end.passed() && !life_.has_ended() && held_.is_mine(job) && !work_.ends_by_request()) {
    life_.wakeups().sleep_until_configured(end);
    life_.end_on_signal();
  }
  life_.wakeups().stop();
}

// The attempt was interrupted and says nothing about the task, which is given back.
bool TaskRunner::is_broken_off(const Job& job, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::interrupted: life_.end_with(outcome, State::shutdown); break;
    case Outcome::Kind::unavailable: life_.end_with(outcome, State::error); break;
    case Outcome::Kind::stopped: break;
    case Outcome::Kind::limited:
    case Outcome::Kind::over_budget:
      life_.note(fmt::format("{}: not now: {}", title_of(job), outcome.reason));
      if (!held_.is_mine(job)) return true;
      held_.put_back(job, "not now: " + outcome.reason, HeldTasks::Attempt::does_not_count);
      broken_off_ = job;
      return true;
    default: return false;
  }
  if (held_.is_mine(job)) held_.put_back(job, life_.ending().reason);
  return true;
}

bool TaskRunner::is_gated(const Job& job) const {
  return job.base || !life_.session().board().check_of(*job.task).empty();
}

// Gives the reason if the task may not be completed: its deliverable is missing, or a hook refused it.
std::optional<std::string> TaskRunner::complete(const Job& job, const std::string& result) {
  if (is_gated(job)) return finish_.complete(job, result);
  try {
    held_.complete(*job.task, result);
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() != Code::invalid_state && error.code() != Code::permission_denied) throw;
    return error.what();
  }
}

// The prompt is done, well or not: a restarted teammate does not begin with it.
void TaskRunner::report_prompt(const Outcome& outcome) {
  life_.presence().set_start(life_.options().start);
  if (outcome.kind == Outcome::Kind::done) {
    work_.report(outcome);
    return;
  }
  life_.note(outcome.reason);
  const std::string& name = life_.self().name;
  if (name == life_.team().lead) return;
  life_.session().mail().notify(
      life_.team().lead, "error",
      fmt::format("[System] {} could not do what its prompt asks: {}", name, one_line(outcome.reason)));
}

}  // namespace team
