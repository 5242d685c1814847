#include "libteam/agent/life/task_finish.h"

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"

namespace team {

namespace {

constexpr double kLookAtLine = 1;  // seconds, while a person has checked it out

}  // namespace

bool TaskFinish::begin(Job& job) {
  kept_.reset();
  if (life_.tree() == nullptr || !job.task) return true;
  try {
    MemberTree::Begun begun = life_.tree()->begin(life_.session(), *job.task);
    job.base = std::move(begun.base);
    job.about_tree = std::move(begun.about);
    return true;
  } catch (const Error& error) {
    if (held_.is_mine(job)) throw;
    life_.note(error.what());
    return false;
  }
}

void TaskFinish::keep(const Job& job) {
  if (!job.base) return;
  // Another member may have begun it meanwhile: the branch of the task is that member's.
  if (!held_.is_mine(job) && held_.has_status(job, Status::in_progress)) return;
  life_.persist([&] { kept_ = life_.tree()->keep(life_.session(), *job.task, *job.base); });
}

void TaskFinish::take_offer(const Job& job, Outcome& outcome) const {
  const auto kind = outcome.kind;
  if (kind == Outcome::Kind::interrupted || kind == Outcome::Kind::stopped || !held_.is_mine(job)) return;
  try {
    const Task now = life_.session().board().view().get(job.task->id);
    if (!now.offer) return;
    outcome.kind = Outcome::Kind::done;
    if (now.offer->result) outcome.result = *now.offer->result;
  } catch (const Error&) {
    return;  // a broken file: whoever mends it decides
  }
}

std::optional<std::string> TaskFinish::complete(const Job& job, const std::string& result) {
  was_interrupted_ = false;
  try {
    while (true) {
      Finished finished = finish(job, result);
      switch (finished.kind) {
        case Finished::Kind::completed: held_.note_completed(*job.task, finished.update); return std::nullopt;
        case Finished::Kind::refused: return finished.reason;
        case Finished::Kind::held:
          if (wait_for_line(job, finished.reason)) continue;
          break;
        case Finished::Kind::interrupted: life_.end_on_signal(); break;
      }
      was_interrupted_ = true;
      return finished.reason;
    }
  } catch (const Error& error) {
    const bool is_lost = !held_.is_mine(job);  // the caller sees that too
    if (error.code() != Code::invalid_state && error.code() != Code::permission_denied && !is_lost) throw;
    return error.what();
  }
}

Finished TaskFinish::finish(const Job& job, const std::string& result) {
  FinishedWork work;
  work.task = life_.session().board().view().get(job.task->id);
  if (!result.empty()) work.result = result;
  work.interrupt = life_.signal_fd();
  Finished finished;
  life_.persist([&] {
    finished = job.base ? life_.tree()->finish(life_.session(), *kept_, work) : finish_in_root(life_.session(), work);
  });
  return finished;
}

// Tells the user, and waits until the line may move. False if this life ends first.
bool TaskFinish::wait_for_line(const Job& job, const std::string& reason) {
  life_.become(State::paused, one_line(reason), job.id());
  life_.session().mail().notify("user", "error", "[System] " + reason);
  while (!life_.tree()->is_line_free(life_.session())) {
    life_.wakeups().watch_all();
    const Deadline end = Deadline::in(kLookAtLine);
    while (!end.passed() && !life_.end_on_signal()) life_.wakeups().sleep_until_configured(end);
    if (life_.has_ended()) break;
    life_.refresh();
    if (life_.has_ended() || !held_.is_mine(job)) break;
  }
  life_.wakeups().stop();
  if (life_.has_ended()) return false;
  life_.become(State::active, fmt::format("{}: lands", title_of(job)), job.id());
  return true;
}

}  // namespace team
