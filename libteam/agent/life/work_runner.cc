#include "libteam/agent/life/work_runner.h"

#include <algorithm>
#include <filesystem>

#include "libteam/agent/life/permission_desk.h"
#include "libteam/base/clock.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::size_t kMostMessages = 50;  // in one piece of work

std::string senders_of(const std::vector<Message>& messages) {
  std::vector<std::string> names;
  for (const Message& message : messages) {
    if (std::find(names.begin(), names.end(), message.sender) == names.end()) names.push_back(message.sender);
  }
  return join(names, ", ");
}

std::vector<Event> events_of(const char* type, const Batch& batch) {
  std::vector<Event> events;
  for (const Message& message : batch.messages()) events.push_back(message_event(type, message));
  return events;
}

}  // namespace

Work WorkRunner::make_work(Phase phase, std::string title) const {
  const Actor& self = life_.self();
  Work work;
  work.phase = phase;
  work.is_gated = life_.options().plan;
  work.title = std::move(title);
  work.introduction = introduce({self.name, self.role, life_.team().name, life_.options().role_prompt});
  return work;
}

Work WorkRunner::make_work(const Job& job, Phase phase) const {
  const Board& board = life_.session().board();
  Work work = make_work(phase, title_of(job));
  work.task = job.task;
  work.is_left = job.left;
  if (job.task) {
    std::vector<Task> done;
    for (const TaskId id : job.task->blocked_by) {
      try {
        done.push_back(board.view().get(id));
      } catch (const Error&) {
        continue;  // its result is missing, no more
      }
    }
    work.prompt = prompt_for_task(*job.task, done, job.plan) + job.about_tree;
    work.task_file = std::filesystem::absolute(board.path_of(job.task->id));
  } else {
    work.prompt = prompt_for_text(*life_.options().prompt, job.plan);
  }
  if (job.task && job.task->attempts > 1) {
    work.prompt += fmt::format("\nThis is {}.\n", describe_attempt(job.task->attempts, life_.options().retries));
  }
  if (phase == Phase::plan) work.prompt += ask_for_plan();
  work.wants_plan = phase == Phase::plan;
  if (life_.options().plan && phase == Phase::work) work.is_approved = [this, job] { return held_.is_mine(job); };
  return work;
}

Outcome WorkRunner::drive(const Work& work) {
  life_.wakeups().stop();
  if (const auto reason = limits_.over_budget()) return {.kind = Outcome::Kind::over_budget, .reason = *reason};
  const double began = now();
  Outcome outcome = life_.driver().converses() ? converse(work) : life_.driver().work(work, life_.audience());
  limits_.note(outcome, std::max(0.0, now() - began));
  return outcome;
}

Outcome WorkRunner::converse(const Work& work) {
  Driver& driver = life_.driver();
  Work open = work;
  open.over_budget = [this] { return limits_.over_budget(); };
  open.meanwhile.watch_mail = [this] { return life_.wakeups().watch_mail(); };
  open.meanwhile.hear = [this](const Meanwhile::Keep& keep) { return hear(keep); };
  open.meanwhile.is_urgent = life_.wakeups().urgent_mail_check();
  open.permissions = make_permission_desk(life_, work.task ? std::optional(work.task->id) : std::nullopt);
  Outcome outcome = driver.work(open, life_.audience());
  if (outcome.kind == Outcome::Kind::done) last_word_ = outcome.result;
  last_failure_ = outcome.kind == Outcome::Kind::failed ? std::optional(outcome.reason) : std::nullopt;
  if (outcome.paused) life_.become(State::paused, *outcome.paused);
  return outcome;
}

void WorkRunner::finish_piece(bool success) {
  const TeammateOptions& options = life_.options();
  life_.driver().settle();
  succeeded_ = succeeded_ || success;
  objections_ = 0;
  life_.restart_idle_time();
  if (!life_.has_ended() && options.is_over && options.is_over()) life_.end({.reason = "all is done"});
  if (!options.once || life_.has_ended()) return;
  if (success) life_.end({.reason = "one piece of work is done"});
  else life_.end({.reason = "one piece of work is not done", .status = static_cast<int>(Code::no)});
}

// True if one of them ends this life. The other messages are not lost: they wait for the next life.
bool WorkRunner::ends_by(Batch& batch) {
  for (const Message& message : batch.messages()) {
    const auto who = mail_.agree_to_end(message);
    if (!who) continue;
    life_.end({.reason = fmt::format("asked to by {}", *who)});
    if (batch.messages().size() == 1) life_.persist([&] { batch.acknowledge(); });
    else batch.release();
    return true;
  }
  return false;
}

std::vector<Message> WorkRunner::deliver(const Batch& batch) const {
  auto messages = mail_.select(batch);
  life_.record(events_of("MESSAGE_DELIVERED", batch));
  return messages;
}

void WorkRunner::acknowledge(Batch& batch) {
  const auto events = events_of("MESSAGE_PROCESSED", batch);
  life_.persist([&] { batch.acknowledge(); });
  life_.record(events);
}

std::unique_ptr<Batch> WorkRunner::take_mail(StepOrder::Look look) {
  return life_.order().take_mail(life_.session().mailbox(), kMostMessages, life_.self().run, look);
}

bool WorkRunner::ends_by_request() {
  MessageFilter filter;
  filter.type = "shutdown_request";
  auto batch = life_.session().mailbox().take(filter, kMostMessages, life_.self().run);
  if (!batch) return false;
  if (ends_by(*batch)) return true;
  acknowledge(*batch);
  return false;
}

// The mail that came while its driver works. False if this life ends by it.
bool WorkRunner::hear(const Meanwhile::Keep& keep) {
  life_.session().refresh();
  auto batch = take_mail(StepOrder::Look::at_turn);
  if (!batch) return true;
  if (ends_by(*batch)) return false;
  const auto messages = deliver(*batch);
  if (!messages.empty()) keep(messages);
  acknowledge(*batch);
  return true;
}

bool WorkRunner::work_on_messages(Phase phase) {
  auto batch = take_mail(StepOrder::Look::now);
  if (!batch || ends_by(*batch)) return false;
  const auto messages = deliver(*batch);
  bool kept = false;
  const auto keep = [&] {
    acknowledge(*batch);
    kept = true;
  };
  if (!messages.empty()) {
    limits_.forgive();
    life_.wakeups().stop();
    if (phase == Phase::work || life_.state() != State::plan_pending) {
      life_.become(State::active, fmt::format("messages from {}", senders_of(messages)));
    }
    if (!settle(messages, work_on(messages, phase, keep)) && !kept) {
      batch->release();
      return true;
    }
  }
  if (!kept) keep();
  return true;
}

Outcome WorkRunner::work_on(const std::vector<Message>& messages, Phase phase, const std::function<void()>& kept) {
  Work work = make_work(phase, "messages");
  work.prompt = prompt_for_messages(messages);
  work.messages = messages;
  work.kept = kept;
  Outcome outcome;
  for (std::int64_t attempt = 0; attempt <= life_.options().retries; ++attempt) {
    outcome = drive(work);
    if (outcome.kind != Outcome::Kind::failed || life_.driver().retries()) break;
    life_.note(outcome.reason);
  }
  return outcome;
}

// Decides what becomes of messages that were worked on. False if they wait for the next life.
bool WorkRunner::settle(const std::vector<Message>& messages, const Outcome& outcome) {
  bool is_over = false;
  life_.order().run(Step::Kind::settle, "", [&] { is_over = settle_now(messages, outcome); });
  return is_over;
}

bool WorkRunner::settle_now(const std::vector<Message>& messages, const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::interrupted: life_.end_with(outcome, State::shutdown); return false;
    case Outcome::Kind::unavailable: life_.end_with(outcome, State::error); return false;
    case Outcome::Kind::stopped:
    case Outcome::Kind::limited:
    case Outcome::Kind::over_budget: return false;
    case Outcome::Kind::hopeless:
      if (succeeded_) break;
      life_.end_with(outcome, State::error);
      return false;
    default: break;
  }
  const bool done = outcome.kind == Outcome::Kind::done;
  if (!done) life_.note(outcome.reason);
  answer(messages, outcome);
  if (life_.state() == State::plan_pending) life_.driver().settle();
  else finish_piece(done);
  return true;
}

void WorkRunner::answer(std::vector<Message> messages, const Outcome& outcome) {
  messages.insert(messages.end(), outcome.heard.begin(), outcome.heard.end());
  if (outcome.kind != Outcome::Kind::done) {
    mail_.regret(messages, outcome.reason);
  } else if (const auto paused = mail_.reply(messages, outcome)) {
    life_.become(State::paused, *paused);
  }
}

void WorkRunner::report(const Outcome& outcome) {
  const auto is_answered = [&](const Message& message) {
    return message.sender == life_.team().lead && message.type == "message" && !message.automatic;
  };
  // A lead that wrote meanwhile gets the result as the answer to that.
  if (!outcome.reports || std::any_of(outcome.heard.begin(), outcome.heard.end(), is_answered)) return;
  life_.persist([&] { mail_.report(outcome.result); });
}

void WorkRunner::work_on_text(const std::string& title, const std::string& text) {
  life_.wakeups().stop();
  if (life_.state() != State::plan_pending) life_.become(State::active, title);
  Work work = make_work(phase(), title);
  if (!text.empty()) work.prompt = prompt_for_text(text, {});
  settle({}, drive(work));
}

void WorkRunner::resume(const Work& left) {
  // The phase of this life, not that of the transcript: an approval of an earlier life is none.
  Work work = make_work(phase(), left.title);
  work.messages = left.messages;
  work.is_left = true;
  life_.become(State::active, fmt::format("goes on with {}", left.title));
  settle(left.messages, drive(work));
}

bool WorkRunner::work_on_objection() {
  constexpr int kMostObjections = 3;
  const MemberState& now = life_.presence().now();
  if (!life_.order().may(Step::Kind::objection)) return false;
  if (is_idle(now.state) || objections_ >= kMostObjections) return false;
  MemberState wanted = now;
  wanted.state = State::idle;
  wanted.reason = "nothing to do";
  wanted.task.reset();
  const Event event = member_state_event(now.state, wanted);
  std::optional<std::string> objection;
  const auto look = [&]() -> std::optional<std::string> {
    objection = life_.session().mail().objection("teammate-idle", life_.self(), event);
    return objection ? std::optional(std::string()) : std::nullopt;
  };
  if (!life_.order().notice(Step::Kind::objection, StepOrder::Look::now, look)) return false;
  ++objections_;
  life_.become(State::active, fmt::format("the hook teammate-idle: {}", *objection));
  Work work = make_work(phase(), "a hook");
  work.prompt = prompt_for_objection("teammate-idle", *objection);
  const Outcome outcome = drive(work);
  life_.driver().settle();
  if (outcome.kind == Outcome::Kind::interrupted) life_.end_with(outcome, State::shutdown);
  if (outcome.kind == Outcome::Kind::unavailable) life_.end_with(outcome, State::error);
  return true;
}

}  // namespace team
