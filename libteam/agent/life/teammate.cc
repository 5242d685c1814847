#include "libteam/agent/life/teammate.h"

#include <deque>
#include <utility>

#include "libteam/agent/life/life_bounds.h"
#include "libteam/record/settings.h"

namespace team {

namespace {

constexpr double kLookForBoard = 0.5;  // while it is missing
constexpr double kLookInReplay = 1;

}  // namespace

Teammate::Teammate(TeamSession& session, TeammateOptions options, Driver& driver, const Signals& signals,
                   Audience audience)
    : life_(session, std::move(options), driver, signals, std::move(audience)),
      mail_(session,
            {life_.options().auto_claim, life_.options().plan, driver.converses(), life_.options().user_listens},
            [this](const std::string& line) { life_.note(line); }),
      held_(life_),
      limits_(life_),
      work_(life_, held_, mail_, limits_),
      tasks_(life_, held_, work_) {}

int Teammate::run() {
  begin_life(life_, held_);
  has_begun_ = true;
  try {
    life_.order().begin();
    live();
  } catch (const ReplayEnded& ended) {
    life_.end({ended.what(), ReplayEnded::kStatus, State::error, false});
  } catch (const Error& error) {
    life_.end({error.what(), static_cast<int>(error.code()), State::error, true});
    end_life(life_, held_, mail_);
    throw;
  }
  end_life(life_, held_, mail_);
  return life_.ending().status;
}

void Teammate::live() {
  // The first pieces of work of a run, each done once. The loop below finds all others.
  std::deque<std::function<void()>> steps;
  if (life_.options().task) {
    steps.emplace_back([this] {
      if (!held_.empty()) tasks_.run(held_.next());
    });
  }
  steps.emplace_back([this] { resume(); });
  if (life_.options().prompt) steps.emplace_back([this] { tasks_.run(Job{.left = true}); });
  bool was_disturbed = false;
  while (!life_.has_ended()) {
    try {
      // After a system error the driver resumes its piece of work.
      if (std::exchange(was_disturbed, false)) resume();
      if (life_.has_ended()) break;
      if (steps.empty()) {
        step();
      } else {
        const auto next = std::move(steps.front());
        steps.pop_front();
        next();
      }
      life_.reset_pause();
    } catch (const Error& error) {
      if (!may_pass(error)) throw;
      life_.wait_after(error);
      was_disturbed = true;
    }
  }
}

// Resumes the piece of work that the last run left, if its task still belongs to this member. A prompt that is given
// again is new work.
void Teammate::resume() {
  const auto left = life_.has_ended() ? std::nullopt : life_.driver().left();
  if (!left || (life_.options().prompt && left->title == kPromptTitle)) return;
  if (!left->task) {
    work_.resume(*left);
  } else if (auto job = held_.take(left->task->id)) {
    tasks_.run(std::move(*job));
  }
}

// One look around, and one piece of work if there is one.
void Teammate::step() {
  if (life_.end_on_signal()) return;
  life_.refresh();
  if (life_.has_ended() || waits_for_limit()) return;
  if (is_pausing_) go_on_after_pause();
  if (life_.has_ended()) return;
  if (work_.work_on_messages(work_.phase()) || life_.has_ended()) return;
  if (life_.order().may(Step::Kind::news) && life_.driver().has_news()) {
    work_.work_on_text("what has ended", "");
    return;
  }
  if (!held_.empty()) {
    tasks_.run(held_.next());
    return;
  }
  if (auto claimed = held_.claim_next()) {
    tasks_.run(std::move(*claimed));
    return;
  }
  if (!held_.empty()) return;
  // Not at once after tasks were removed: they may come back.
  const bool is_done = life_.options().until_done && life_.order().is_over() && life_.session().has_board() &&
                       life_.session().board().is_over_for(life_.self()) && !life_.wakeups().is_board_in_doubt();
  if (is_done) life_.end({.reason = "the board has nothing left for it"});
  else idle();
}

// True if a limit keeps this member from working. Then it has slept, or this life has ended.
bool Teammate::waits_for_limit() {
  const auto pause = limits_.find_pause();
  if (!pause) return false;
  is_pausing_ = true;
  const TeammateOptions& options = life_.options();
  life_.presence().set_until(pause->until);
  life_.become(State::paused, pause->reason);
  if (work_.ends_by_request()) return true;
  // Nobody can wait for the end of such a pause.
  if (pause->is_final && (options.once || options.until_done || options.before_idle)) {
    life_.end({pause->reason, static_cast<int>(Code::paused), State::shutdown, true});
    return true;
  }
  const bool has_message = !pause->until && !pause->is_final && life_.session().messages().unread() > 0;
  if (has_message) {  // it ends the pause of a loop
    limits_.forgive();
    return true;
  }
  Wakeups& wakeups = life_.wakeups();
  if (!wakeups.is_pausing()) {
    wakeups.pause_until(pause->until);
    return true;  // and look once more
  }
  const bool is_woken = wakeups.sleep(options.deadline);
  if (is_woken) wakeups.stop();
  else life_.end({"the time is over", static_cast<int>(Code::no), State::shutdown, true});
  life_.restart_idle_time();
  return true;
}

// First with the work that the limit interrupted.
void Teammate::go_on_after_pause() {
  is_pausing_ = false;
  life_.wakeups().stop();
  auto job = tasks_.take_broken_off();
  if (job && !job->task) {
    tasks_.run(std::move(*job));
    return;
  }
  if (job) {
    try {
      held_.claim(*job->id());
    } catch (const Error& error) {
      if (may_pass(error)) throw;
      life_.note(error.what());  // somebody else has it
    }
  } else {
    resume();
  }
}

// Sleeps until something happens that may concern this member.
void Teammate::idle() {
  Wakeups& wakeups = life_.wakeups();
  if (!wakeups.is_watching()) {
    wakeups.doze();
    return;  // and look once more
  }
  if (work_.work_on_objection() || follows_decision()) return;
  if (!is_idle(life_.state())) announce_idle();
  const Deadline end = life_.idle_end();
  if (life_.order().is_replay()) wakeups.look_at_latest_in(kLookInReplay);
  TeamSession& session = life_.session();
  if (session.has_board()) {
    life_.presence().tell_if_all_idle(session.team(), session.board(), session.mail());
    wakeups.prepare_to_sleep();
  } else {
    wakeups.look_at_latest_in(kLookForBoard);
  }
  if (wakeups.sleep(end)) return;
  if (life_.options().deadline.passed()) {
    life_.end({"the time is over", static_cast<int>(Code::no), State::shutdown, true});
  } else {
    life_.end({.reason = fmt::format("idle for {} s", *life_.options().idle_timeout)});
  }
}

// Asks the lead for its next step when there is no work. False if it may idle.
bool Teammate::follows_decision() {
  if (!life_.options().before_idle) return false;
  IdleDecision decision;
  const auto decide = [&]() -> std::optional<std::string> {
    decision = life_.options().before_idle();
    if (!decision.prompt && !decision.ending) return std::nullopt;
    return decision.prompt ? "prompt" : "end";
  };
  if (!life_.order().notice(Step::Kind::decide, StepOrder::Look::now, decide)) return false;
  if (decision.prompt) {
    work_.work_on_text("a reminder", *decision.prompt);
    return true;
  }
  if (decision.ending) life_.end({.reason = *decision.ending, .status = decision.status});
  return decision.ending.has_value();
}

void Teammate::announce_idle() {
  life_.become(State::idle, "nothing to do");
  if (!is_idle(life_.state())) life_.wakeups().look_in(1);
  if (!switch_setting(life_.team(), "idle.notify")) return;
  life_.session().mail().notify(life_.team().lead, "idle_notification",
                                fmt::format("[Idle] {} is idle.", life_.self().name));
}

}  // namespace team
