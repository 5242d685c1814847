#include "libteam/agent/model/lead.h"

#include <utility>

#include "libteam/agent/life/finish.h"
#include "libteam/agent/life/supervise.h"
#include "libteam/agent/life/teammate.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/markup.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/store/life.h"
#include "libteam/store/team_summary.h"

namespace team {

namespace {

constexpr int kMostReminders = 3;
constexpr double kSecondsToEnd = 15;
constexpr double kLookEvery = 10;  // for changes without an event, such as a lost machine

std::string remind_of_tasks(const TeamSession& session, std::size_t open) {
  constexpr std::size_t kMostShown = 10;
  auto missing = what_is_missing(session);
  if (missing.size() > kMostShown) missing.resize(kMostShown);
  return fmt::format(
      "[System] {} task{} open and nobody is at work:\n{}{}", open, open == 1 ? " is" : "s are",
      enclose("board", "", join(missing, "\n")),
      "Do something about it: start a teammate with Task (one that has ended, too), change the tasks, do "
      "them yourself, or end the run with FinishTeam.");
}

// The plans that wait for an answer of the lead.
std::vector<Request> plans_for(const TeamSession& session) {
  auto requests = session.mail().requests().pending([](const Error&) {});
  std::erase_if(requests, [&](const Request& request) {
    return !is_for_approval(request.kind) || request.to != session.self().name;
  });
  return requests;
}

std::string remind_of_plans(const std::vector<Request>& plans) {
  std::string text = "[System] Nobody goes on before you have answered these plans and permissions with ApprovePlan:\n";
  for (const Request& plan : plans) {
    text += enclose("plan", attribute("request_id", plan.id) + attribute("from", plan.from),
                    cut_characters(one_line(plan.content), 400));
  }
  return text;
}

constexpr const char* kRemindToFinish =
    "[System] No task is open and nobody is at work. If the goal is reached, call FinishTeam with a summary. If you "
    "need "
    "something from the user, ask with SendMessage to 'user'. Otherwise go on.";

// What only a person can end, or a teammate that was asked to end: the run does not end before. None if there is
// nothing.
std::optional<std::string> find_awaited(const TeamSession& session) {
  constexpr std::size_t kMostLines = 20'000;
  const std::string& lead = session.self().name;
  for (const Request& request : session.mail().requests().pending([](const Error&) {})) {
    if (is_for_approval(request.kind) && request.to == "user") {
      return fmt::format("{} {} of {} waits for you: plan-approve or plan-reject", name_of(request.kind), request.id,
                         request.from);
    }
    const bool asks_to_end = request.kind == RequestKind::shutdown && request.from == lead;
    if (asks_to_end && session.lives()->life_of(request.to) == Life::running) {
      return fmt::format("{} has not answered the request to shut down", request.to);
    }
  }
  const auto questions = open_questions(session.mail().events(), kMostLines);
  if (questions.empty()) return std::nullopt;
  return fmt::format("{} asks you: {}; answer with team-send {} TEXT", questions.front().from,
                     quoted(cut_characters(questions.front().text, 200)), questions.front().from);
}

// Decides what a lead with nothing to do does next.
class Steering {
 public:
  Steering(TeamSession& session, const ModelAgent& agent, const LeadOptions& options,
           const std::function<void(std::string_view)>& note)
      : session_(session), agent_(agent), options_(options), note_(note) {}

  // `failure` is why its last piece of work failed.
  IdleDecision judge(const std::optional<std::string>& failure) {
    session_.refresh();
    const bool waits = options_.waits && options_.waits();
    const auto plans = waiting_plans();
    if (plans.empty() && (agent_.has_company() || !is_still(session_))) {
      said_.clear();
      return {};
    }
    const auto open = open_tasks(session_);
    if (has_mail() || (plans.empty() && open.empty() && !failure && is_to_listen())) return {};
    if (open != open_) reminders_ = 0;
    open_ = open;
    if (const auto awaited = failure || !plans.empty() ? std::nullopt : find_awaited(session_)) {
      say(*awaited);
      return {};
    }
    if ((!open.empty() || !plans.empty()) && !failure && reminders_ < kMostReminders) {
      ++reminders_;
      return {.prompt = plans.empty() ? remind_of_tasks(session_, open.size()) : remind_of_plans(plans),
              .ending = {},
              .status = 0};
    }
    if (waits) {
      say("the lead waits for you: type something, or Ctrl-D to end");
      return {};
    }
    if (failure) return end(*failure, static_cast<int>(Code::no));
    if (open.empty() && plans.empty()) {
      if (reminders_++ == 0) return {.prompt = kRemindToFinish, .ending = {}, .status = 0};
      is_done_ = true;
      return end("it has said all that it had to say", 0);
    }
    return end(fmt::format("{} task{} open, and the lead does nothing about it", open.size(),
                           open.size() == 1 ? " is" : "s are"),
               static_cast<int>(Code::no));
  }

  // True if it ended because nothing was left to do.
  bool is_done() const { return is_done_; }

 private:
  // Once, until something else is to be said or somebody works.
  void say(const std::string& text) {
    if (std::exchange(said_, text) != text) note_(text);
  }

  static IdleDecision end(std::string reason, int status) {
    return {.prompt = {}, .ending = std::move(reason), .status = status};
  }

  // The plans that everybody waits for. None while a running member still works on something.
  std::vector<Request> waiting_plans() const {
    auto plans = plans_for(session_);
    if (plans.empty() || agent_.has_company()) return {};
    const auto lives = session_.lives();
    for (const Member& member : session_.running()) {
      const auto state = lives->state_of(member.name);
      if (!state || (!is_idle(*state) && state->state != State::plan_pending)) return {};
    }
    return plans;
  }

  bool has_mail() const {
    bool any = false;
    session_.mailbox().peek({}, 1, std::nullopt, [&](const Message&) { any = true; });
    return any;
  }

  // Its last text may be from a time when others still worked. So the lead idles once more, which tells it that all
  // members are idle.
  bool is_to_listen() {
    if (session_.running().empty() || agent_.turn().heard.contains("all_idle")) return false;
    return !std::exchange(has_listened_, true);
  }

  TeamSession& session_;
  const ModelAgent& agent_;
  const LeadOptions& options_;
  const std::function<void(std::string_view)>& note_;
  std::vector<TaskId> open_;  // at the last reminder
  int reminders_ = 0;
  std::string said_;  // why it waits
  bool has_listened_ = false;
  bool is_done_ = false;
};

// Ends all teammates.
void dismiss(TeamSession& session, const LeadEnd& end, const LeadOptions& options) {
  session.refresh();
  const auto staying = end.status == 0
                           ? finish_team(session, {end.summary, Insist::yes, kSecondsToEnd})
                           : stop_teammates(session, running_teammates(session), kSecondsToEnd, Insist::yes);
  for (const Stopped& one : staying) {
    if (runs_on(one)) options.warn(describe(one));
  }
}

}  // namespace

std::optional<std::string> describe_failure(const LeadEnd& end) {
  if (end.status == 0) return std::nullopt;
  if (end.status > 128) return end.reason;
  if (end.status == kModelUnavailable) return "unavailable: " + end.reason;
  return fmt::format("{}: {}", name_of(static_cast<Code>(end.status)), end.reason);
}

void complete(LeadOptions& options, const Team& team) {
  if (options.goal && is_blank(*options.goal)) {
    fail(Code::usage, "the goal is empty");
  }
  if (!options.goal && team.created_at == 0) fail(Code::usage, "what is the goal?");
  if (const Role* role = team.find_role(team.lead)) options.role = parse_role(*role, team.place);
  complete(options.model, options.role);
  if (!is_chosen(options.model)) fail(Code::usage, "which model is the lead? --model MODEL, or TEAM_MODEL");
  check_key(options.model, environment_variable(key_variable(options.model).c_str()).value_or(""));
}

LeadEnd run_lead(TeamSession& session, const LeadOptions& options, const Signals& signals, const Audience& audience) {
  ModelChoice model = options.model;
  const TeamRecording& recording = options.recording;
  begin_recording(recording, session);
  use_recording(model, recording, session.self().name);
  const auto order = make_order(recording, session, signals);
  ModelPart part;
  part.order = order.get();
  part.leads = true;
  part.delegates = options.delegates;
  part.role_prompt = options.role.prompt;
  part.tools = options.role.tools;
  part.deadline = options.deadline;
  part.keys = options.keys;
  part.recruiting = {options.mode, options.model, {}, options.warn, recording};
  ModelAgent agent(session, signals, model, part);
  Steering steering(session, agent, options, audience.note);
  TeammateOptions life;
  life.prompt = options.goal;
  life.role_prompt = options.role.prompt;
  life.auto_claim = false;
  life.order = order.get();
  life.model = options.model.model;
  if (!options.model.replay) life.quota = options.role.quota.value_or(quota_of(options.model));
  life.budget = options.role.budget;
  life.start.mode = "foreground";
  life.deadline = options.deadline;
  life.is_over = [&] { return agent.turn().finished; };
  life.look_every = kLookEvery;
  life.waker = options.waker;
  life.user_listens = options.waits != nullptr;
  std::optional<Teammate> lead;
  life.before_idle = [&] { return steering.judge(lead->last_failure()); };
  lead.emplace(session, life, agent.driver(), signals, audience);

  LeadEnd end;
  try {
    end.status = lead->run();
  } catch (const Error& error) {
    // A lead that never began must not stop others: the real lead may run elsewhere.
    if (lead->has_begun()) {
      end.status = static_cast<int>(error.code());
      dismiss(session, end, options);
      session.mail().record(session.self(), {make_event("TEAM_RUN_ENDED", {{"reason", error.what()}})});
    }
    throw;
  }
  end.reason = lead->reason();
  end.summary = lead->last_word();
  const bool is_finished = agent.turn().finished;
  // A lead that was asked to end has not reached its goal.
  if (end.status == 0 && !is_finished && !steering.is_done()) end.status = static_cast<int>(Code::no);
  if (!is_finished) dismiss(session, end, options);
  session.mail().record(
      session.self(),
      {make_event("TEAM_RUN_ENDED", {{"reason", end.reason}, {"exit_status", std::to_string(end.status)}})});
  return end;
}

}  // namespace team
