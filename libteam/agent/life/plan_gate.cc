#include "libteam/agent/life/plan_gate.h"

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/id.h"

namespace team {

PlanGate::Result PlanGate::agree(Job& job) {
  while (true) {
    Outcome outcome = work_.drive(work_.make_work(job, Phase::plan));
    job.left = false;
    if (outcome.kind == Outcome::Kind::done && is_blank(outcome.result)) {
      outcome = {.kind = Outcome::Kind::failed, .reason = "the plan is empty"};
    }
    // The work failed, or the task was given back or lost: there is nothing to approve.
    if (outcome.kind != Outcome::Kind::done || !held_.is_mine(job)) return {.outcome = std::move(outcome)};
    const std::string request = new_id();  // chosen here: it is known even if sending fails with `unknown`
    if (auto refused = submit(outcome.result, request, job)) return {.outcome = std::move(refused)};
    if (life_.has_ended()) {
      held_.put_back(job, life_.ending().reason);
      return {};
    }
    life_.become(State::plan_pending, fmt::format("plan {} waits for {}", request, life_.team().lead), job.id());
    const auto answer = await_answer(request, job);
    if (!answer) return {};
    job.plan = answer;
    if (answer->approved) {
      life_.become(State::active, fmt::format("{}: the plan is approved", title_of(job)), job.id());
      return {.approved = true};
    }
    life_.become(State::active, fmt::format("{}: the plan was rejected: {}", title_of(job), one_line(answer->feedback)),
                 job.id());
  }
}

// Gives the outcome of the job if a hook refuses the plan.
std::optional<Outcome> PlanGate::submit(const std::string& plan, const std::string& request, const Job& job) {
  OutgoingMessage outgoing;
  outgoing.to = life_.team().lead;
  outgoing.content = plan;
  outgoing.task = job.id();
  outgoing.request_id = request;
  try {
    life_.order().run(Step::Kind::plan, "",
                      [&] { life_.persist([&] { life_.session().messages().submit_plan(outgoing); }); });
  } catch (const Error& error) {
    if (error.code() != Code::permission_denied) throw;
    return Outcome{.kind = Outcome::Kind::failed, .reason = error.what()};
  }
  return std::nullopt;
}

// Waits for the lead, and works on messages meanwhile. None if there is no more reason to wait.
std::optional<PlanAnswer> PlanGate::await_answer(const std::string& id, const Job& job) {
  Wakeups& wakeups = life_.wakeups();
  while (true) {
    try {
      wakeups.watch_all();
      const Request request = life_.session().mail().requests().get(id);
      std::optional<PlanAnswer> answer;
      const auto look = [&]() -> std::optional<std::string> {
        answer = answer_to(request, job);
        if (!answer) return std::nullopt;
        return answer->approved ? "approved" : "rejected";
      };
      if (life_.order().notice(Step::Kind::answer, StepOrder::Look::now, look)) return answer;
      if (has_other_work()) continue;
      if (life_.has_ended() || !held_.is_mine(job)) {
        stop_waiting(request, job);
        return std::nullopt;
      }
      // An answer is noted, sent and then final. No change of a file tells of the last step.
      if (life_.session().mail().requests().get(id).verdict) wakeups.look_in(0.02);
      if (life_.order().is_replay()) wakeups.look_at_latest_in(1);
      wakeups.sleep_until_news();
    } catch (const Error& error) {
      if (!may_pass(error)) throw;
      life_.wait_after(error);
      if (!life_.has_ended()) continue;
      held_.put_back(job, life_.ending().reason);
      return std::nullopt;
    }
  }
}

std::optional<PlanAnswer> PlanGate::answer_to(const Request& request, const Job& job) const {
  if (request.status == RequestStatus::pending || !held_.is_mine(job)) return std::nullopt;
  return PlanAnswer{request.status == RequestStatus::approved, request.feedback.value_or(""),
                    request.answered_by.value_or("")};
}

// Looks around as between two tasks. True if there was something, and this life goes on.
bool PlanGate::has_other_work() {
  life_.end_on_signal();
  if (!life_.has_ended()) life_.refresh();
  if (!life_.has_ended() && work_.work_on_messages(Phase::plan) && !life_.has_ended()) return true;
  if (life_.has_ended() || !life_.order().may(Step::Kind::news) || !life_.driver().has_news()) return false;
  work_.work_on_text("what has ended", "");
  return !life_.has_ended();
}

// This life ends, or the task is lost.
void PlanGate::stop_waiting(const Request& request, const Job& job) {
  const bool lost = !held_.is_mine(job);
  if (request.status == RequestStatus::pending) {
    life_.persist([&] { life_.session().mail().requests().withdraw(request.id); });
  }
  if (life_.has_ended()) {
    if (!lost) held_.put_back(job, life_.ending().reason);
    return;
  }
  life_.note(fmt::format("{} is no longer its own", title_of(job)));
  work_.finish_piece(held_.has_status(job, Status::completed));
}

}  // namespace team
