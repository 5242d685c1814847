#include "libteam/agent/lead.h"

#include <utility>

#include "libteam/agent/finish.h"
#include "libteam/agent/supervise.h"
#include "libteam/agent/teammate.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr int kMostReminders = 3;
constexpr double kSecondsToEnd = 15;
constexpr double kLookEvery = 10;  // for what nothing tells of, such as a machine that is gone

std::string remind(const Workplace& place, std::size_t open) {
  constexpr std::size_t kMostShown = 10;
  auto missing = what_is_missing(place);
  if (missing.size() > kMostShown) missing.resize(kMostShown);
  return fmt::format(
      "[System] {} task{} open and nobody is at work:\n{}\nDo something about it: start a teammate with Task, change "
      "the "
      "tasks, do them yourself, or end the run with FinishTeam.",
      open, open == 1 ? " is" : "s are", join(missing, "\n"));
}

// Decides what becomes of a lead that has nothing to do.
class Steering {
 public:
  Steering(Workplace& place, const ModelAgent& agent, const LeadOptions& options,
           const std::function<void(std::string_view)>& note)
      : place_(place), agent_(agent), options_(options), note_(note) {}

  Verdict judge() {
    place_.refresh();
    if (agent_.has_company() || !is_still(place_)) {
      has_said_ = has_listened_ = false;
      return {};
    }
    const auto open = open_tasks(place_);
    if (has_mail() || (open.empty() && is_to_listen())) return {};
    if (open != open_) reminders_ = 0;
    open_ = open;
    if (!open.empty() && reminders_ < kMostReminders) {
      ++reminders_;
      return {.prompt = remind(place_, open.size()), .ending = {}, .status = 0};
    }
    if (options_.waits && options_.waits()) {
      if (!has_said_) note_("the lead waits for you: type something, or Ctrl-D to end");
      has_said_ = true;
      return {};
    }
    if (open.empty()) {
      is_done_ = true;
      return {.prompt = {}, .ending = "it has said all that it had to say", .status = 0};
    }
    const std::string reason = fmt::format("{} task{} open, and the lead does nothing about it", open.size(),
                                           open.size() == 1 ? " is" : "s are");
    return {.prompt = {}, .ending = reason, .status = static_cast<int>(Code::no)};
  }

  // Whether it ended because nothing was left to do.
  bool is_done() const { return is_done_; }

 private:
  bool has_mail() const {
    bool any = false;
    place_.mailbox().peek({}, 1, std::nullopt, [&](const Message&) { any = true; });
    return any;
  }

  // What it said last it may have said while others worked: it idles once, and by that is told that everybody does.
  bool is_to_listen() {
    if (place_.running().empty() || agent_.conduct().heard.contains("all_idle")) return false;
    return !std::exchange(has_listened_, true);
  }

  Workplace& place_;
  const ModelAgent& agent_;
  const LeadOptions& options_;
  const std::function<void(std::string_view)>& note_;
  std::vector<TaskId> open_;  // at the last reminder
  int reminders_ = 0;
  bool has_said_ = false;  // that it waits
  bool has_listened_ = false;
  bool is_done_ = false;
};

// Everybody goes home.
void dismiss(Workplace& place, const LeadEnd& end, const LeadOptions& options) {
  place.refresh();
  const auto staying = end.status == 0 ? finish_team(place, {end.summary, Insist::yes, kSecondsToEnd})
                                       : stop_teammates(place, running_teammates(place), kSecondsToEnd, Insist::yes);
  for (const Stopped& one : staying) {
    if (runs_on(one)) options.warn(describe(one));
  }
}

}  // namespace

LeadEnd run_lead(Workplace& place, const LeadOptions& options, const Signals& signals, const Audience& audience) {
  ModelPart part;
  part.leads = true;
  part.delegates = options.delegates;
  part.role_prompt = options.role.prompt;
  part.tools = options.role.tools;
  part.deadline = options.deadline;
  part.recruiting = {options.mode, options.model, {}, options.warn};
  ModelAgent agent(place, signals, options.model, part);
  Steering steering(place, agent, options, audience.note);
  TeammateOptions life;
  life.prompt = options.goal;
  life.role_prompt = options.role.prompt;
  life.auto_claim = false;
  life.model = options.model.model;
  life.start.mode = "foreground";
  life.deadline = options.deadline;
  life.before_idle = [&] { return steering.judge(); };
  life.is_over = [&] { return agent.conduct().finished; };
  life.look_every = kLookEvery;
  life.waker = options.waker;
  life.user_listens = options.waits != nullptr;
  Teammate lead(place, life, agent.driver(), signals, audience);

  LeadEnd end;
  end.status = lead.run();
  end.reason = lead.reason();
  end.summary = lead.last_word();
  const bool is_finished = agent.conduct().finished;
  // One that was asked to end has not reached its goal.
  if (end.status == 0 && !is_finished && !steering.is_done()) end.status = static_cast<int>(Code::no);
  if (!is_finished) dismiss(place, end, options);
  place.mail().record(place.self(), {make_event("TEAM_RUN_ENDED", {{"reason", end.reason}})});
  return end;
}

}  // namespace team
