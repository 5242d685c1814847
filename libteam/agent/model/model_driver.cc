#include "libteam/agent/model/model_driver.h"

#include <algorithm>
#include <cstring>

#include "libteam/agent/life/prompt.h"
#include "libteam/agent/model/wire.h"
#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/event_fd.h"

namespace team {

namespace {

using Kind = Outcome::Kind;

constexpr int kMostContinuations = 3;  // of an answer that was cut, or of calls that were
constexpr int kMostPauses = 20;        // in a row

// Tools that neither run programs nor wait for others.
bool ends_soon(const std::string& tool) {
  static const std::set<std::string> kTools = {"read_file",  "write_file",  "edit_file",  "TaskCreate",
                                               "TaskGet",    "TaskList",    "TaskUpdate", "SendMessage",
                                               "SubmitPlan", "ApprovePlan", "Skill",      "TeamCreate"};
  return kTools.contains(tool);
}

bool has_calls(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.kind == Part::Kind::tool_call; });
}

Outcome interrupted_by(int signal) {
  return {.kind = Kind::interrupted,
          .reason = fmt::format("interrupted by {}", ::strsignal(signal)),
          .status = 128 + signal};
}

Outcome unavailable(std::string reason, int status) {
  return {.kind = Kind::unavailable, .reason = std::move(reason), .status = status};
}

constexpr int kLimitReached = static_cast<int>(Code::invalid_state);

}  // namespace

ModelDriver::ModelDriver(ModelCaller caller, Toolbox& tools, std::function<Memory()> remember, Background& background,
                         TurnState& turn, const Signals& signals, ModelRules rules)
    : caller_(std::move(caller)),
      tools_(tools),
      remember_(std::move(remember)),
      background_(background),
      turn_(turn),
      signals_(signals),
      rules_(std::move(rules)) {}

bool ModelDriver::has_news() { return can_be_read(background_.fd()); }

std::optional<Work> ModelDriver::left() const {
  const auto& open = memory_->open();
  if (!open) return std::nullopt;
  Work work;
  work.phase = open->phase;
  work.title = open->title;
  work.messages = open->messages;
  work.is_left = true;
  if (open->task) {
    work.task.emplace();
    work.task->id = *open->task;
  }
  return work;
}

Outcome ModelDriver::work(const Work& work, const Audience& audience) {
  ModelEvents events(audience);
  end_ = rules_.seconds ? rules_.deadline.or_in(*rules_.seconds) : rules_.deadline;
  CallInterrupter interrupter(work.meanwhile.watch_mail(), signals_, work.meanwhile.is_urgent, end_);
  audience_ = &audience;
  events_ = &events;
  interrupter_ = &interrupter;
  guard_.emplace(rules_.still_turns, rules_.folder);
  turn_.begin(work);
  close_tools(work);
  events.begin_step(work);
  Outcome outcome = begin(work) ? converse(work) : finished("");
  outcome.heard = heard_meanwhile(work);
  events.end_message();
  events.end_step(work, outcome);
  events_ = nullptr;
  interrupter_ = nullptr;
  return outcome;
}

// Closes the tools that a plan gate forbids, and stops programs that an approved task left running.
void ModelDriver::close_tools(const Work& work) {
  if (work.phase == Phase::plan) {
    stop_background();
    tools_.close(gated_tools(), plan_gate());
  } else if (work.is_approved) {
    tools_.guard(gated_tools(), [is_approved = work.is_approved]() -> std::optional<std::string> {
      return is_approved() ? std::nullopt : std::optional(void_approval());
    });
  } else {
    tools_.close({}, "");
  }
}

// A plan is approved for one task, so all programs that were started for it stop when the task ends.
void ModelDriver::settle() {
  memory_->end();
  if (turn_.is_gated) stop_background();
}

void ModelDriver::stop_background() {
  background_.stop_all();
  if (const std::string ends = tell_ends(); !ends.empty()) memory_->tell(ends);
}

// Adds the work to the conversation, unless it is there. False if there is nothing to do, since the model already had
// all of it.
bool ModelDriver::begin(const Work& work) {
  answer_interrupted();
  const auto& open = memory_->open();
  const auto task = work.task ? std::optional(work.task->id) : std::nullopt;
  // The text of a task may have changed a little; another prompt is another piece of work. Resumed work without a task
  // uses the phase of this run: the transcript does not contain the gate.
  const bool same_phase = open && (open->phase == work.phase || (work.is_left && !task));
  const bool is_same = open && open->title == work.title && open->task == task && same_phase &&
                       (task || work.prompt.empty() || open->prompt == work.prompt);
  // The task was given back when the agent died, and claimed again before anybody else had it. A usage limit counts as
  // no attempt, and leaves the piece without a last word; a rejected plan has one.
  const std::int64_t more = task && open ? work.task->attempts - open->attempts : -1;
  const bool is_next = more == 1 || (more == 0 && !memory_->last_word());
  const bool goes_on = is_same && (work.is_left || is_next);
  if (!goes_on) {
    Piece piece{work.title, work.phase, task, {}, work.prompt, work.task ? work.task->attempts : 0};
    for (const Message& message : work.messages) {
      if (!memory_->knows(message.id)) piece.messages.push_back(message);
      turn_.heard.insert(message.type);
    }
    if (!work.messages.empty()) piece.prompt = tagged_messages(piece.messages);
    if (piece.prompt.empty() && work.messages.empty()) piece.prompt = notice_ends();
    if (piece.prompt.empty()) {
      if (work.kept) work.kept();
      return false;
    }
    memory_->begin(piece);
  }
  if (work.kept) work.kept();
  return true;
}

// Answers tool calls that were running when the last run ended. Nobody knows whether they finished.
void ModelDriver::answer_interrupted() {
  for (const Part& call : memory_->unanswered()) {
    memory_->answer(call, "[interrupted: it is not known how much of this was done]", true);
  }
}

Outcome ModelDriver::converse(const Work& work) {
  if (const auto word = memory_->last_word()) return finished(*word);
  // An earlier run ended in the middle of an answer. Services want the last word to be ours.
  const auto& turns = memory_->turns();
  if (!turns.empty() && turns.back().role == Turn::Role::model) memory_->tell("Your last answer is incomplete. Go on.");
  int continued = 0, cut_calls = 0, pauses = 0;
  std::string said;  // the text of an answer that was cut
  for (std::int64_t turn = 0;; ++turn) {
    if (auto outcome = look_around(work, turn)) return std::move(*outcome);
    std::optional<ModelAnswer> answer;
    try {
      answer = caller_.ask({*memory_, *interrupter_, *events_, *audience_});
    } catch (const ModelError& error) {
      events_->end_message(ModelEvents::Counts::no);
      if (error.kind() == ModelError::Kind::window_full) return {.kind = Kind::failed, .reason = error.what()};
      if (error.kind() == ModelError::Kind::limited) {
        const auto until = error.retry_after() ? std::optional(now() + *error.retry_after()) : std::nullopt;
        return {.kind = Kind::limited, .reason = error.what(), .until = until};
      }
      return unavailable(error.what(), kModelUnavailable);
    }
    if (!answer) continue;
    memory_->add(*answer);
    const std::string text = text_of(answer->parts);
    const bool is_cut = answer->stop == ModelAnswer::Stop::too_long;
    if (answer->stop == ModelAnswer::Stop::refused) {
      const std::string why = answer->refusal.empty() ? first_line(text) : one_line(answer->refusal);
      return {.kind = Kind::failed, .reason = why.empty() ? "the model refused" : "the model refused: " + why};
    }
    if (answer->stop == ModelAnswer::Stop::paused && !has_calls(answer->parts) && pauses++ < kMostPauses) {
      said += text;
      memory_->tell("Go on.");
      continue;
    }
    if (has_calls(answer->parts)) {
      said.clear();
      cut_calls = is_cut ? cut_calls + 1 : 0;
      if (cut_calls > kMostContinuations) {
        return {.kind = Kind::failed, .reason = fmt::format("{} tool calls in a row were {}", cut_calls, cut_at())};
      }
      run_calls(is_cut ? CallsEnd::cut : CallsEnd::whole);
      if (turn_.conclusion) return finished(*turn_.conclusion);
      if (auto outcome = judge_turn()) return std::move(*outcome);
    } else if (is_cut && !is_blank(text) && continued++ < kMostContinuations) {
      said += text;
      memory_->tell("Your answer was cut off, as it was longer than an answer may be. Go on where you were.");
    } else if (is_blank(said + text) && !may_be_silent(work)) {
      return {.kind = Kind::failed,
              .reason = is_cut ? fmt::format("the answer was {} before it had any text (--max-tokens)", cut_at())
                               : "the model gave an empty answer"};
    } else {
      return finished(said + text);
    }
  }
}

// Messages need no answer. A task and a prompt do.
bool ModelDriver::may_be_silent(const Work& work) { return !work.task && !work.messages.empty(); }

std::string ModelDriver::cut_at() const {
  const std::int64_t limit = caller_.limits().max_tokens;
  return limit > 0 ? fmt::format("cut at {} tokens", limit) : "cut at the longest answer of the model";
}

// Checks for events since the last call. Returns an outcome if one of them ends the work.
std::optional<Outcome> ModelDriver::look_around(const Work& work, std::int64_t turn) {
  if (const auto signal = signals_.take()) return interrupted_by(*signal);
  if (work.meanwhile.hear) {
    const bool stays = work.meanwhile.hear([&](const std::vector<Message>& messages) {
      std::vector<Message> fresh;
      for (const Message& message : messages) {
        if (!memory_->knows(message.id)) fresh.push_back(message);
        turn_.heard.insert(message.type);
      }
      if (fresh.empty()) return;
      memory_->hear(fresh, tagged_messages(fresh));
      guard_->note_change();
    });
    if (!stays) return Outcome{.kind = Kind::stopped, .reason = "asked to end"};
  }
  if (const std::string ends = notice_ends(); !ends.empty()) memory_->tell(ends);
  if (end_.passed() && !rules_.deadline.passed()) {
    return Outcome{.kind = Kind::failed, .reason = fmt::format("not done within {:g} s", *rules_.seconds)};
  }
  if (rules_.deadline.passed()) return unavailable("the time is over", static_cast<int>(Code::no));
  if (work.over_budget) {
    if (const auto reason = work.over_budget()) return Outcome{.kind = Kind::over_budget, .reason = *reason};
  }
  if (rules_.objection) {
    if (const auto objection = rules_.objection()) return unavailable(*objection, kLimitReached);
  }
  if (rules_.most_turns > 0 && turn >= rules_.most_turns) {
    return Outcome{.kind = Kind::failed, .reason = fmt::format("not done within {} turns", rules_.most_turns)};
  }
  return std::nullopt;
}

// Of calls that were cut the last one is incomplete: it is answered and not run, unless its arguments are whole.
void ModelDriver::run_calls(CallsEnd end) {
  const std::vector<Part> calls = memory_->unanswered();
  for (const Part& call : calls) {
    events_->call(call);
    const bool is_cut = end == CallsEnd::cut && &call == &calls.back() && !is_object(call.arguments);
    const ToolResult result =
        is_cut ? ToolResult{fmt::format("[not done: the call was {}; write in several smaller pieces]", cut_at()), true}
               : run_call(call);
    memory_->answer(call, result.text, result.is_error);
    events_->result(call, result);
    if (!result.is_error && is_changing(call.name)) guard_->note_change();
    verdict_ = std::max(verdict_, guard_->add_call(call.name, call.arguments, result.text));
  }
  if (turn_.conclusion) memory_->conclude(*turn_.conclusion);
}

// Warns a model that makes no progress, and stops it if that does not help.
std::optional<Outcome> ModelDriver::judge_turn() {
  const auto verdict = std::max(std::exchange(verdict_, LoopGuard::Verdict::fine), guard_->end_turn());
  if (verdict == LoopGuard::Verdict::stop) return Outcome{.kind = Kind::looping, .reason = guard_->reason()};
  if (verdict == LoopGuard::Verdict::warn) memory_->tell(guard_->warning());
  return std::nullopt;
}

ToolResult ModelDriver::run_call(const Part& call) {
  if (turn_.conclusion) return {"[not done: what was called before has ended this piece of work]", true};
  StepOrder& order = *rules_.order;
  const auto look = [&]() -> std::optional<std::string> {
    return order.is_replay() || can_be_read(interrupter_->fd()) ? std::optional(call.name) : std::nullopt;
  };
  if (order.notice(Step::Kind::skip, StepOrder::Look::at_turn, look)) {
    return {"[not done: something urgent came]", true};
  }
  ToolResult result;
  const auto act = [&] { result = tools_.call(call.name, call.arguments, interrupter_->fd()); };
  if (ends_soon(call.name)) order.run(Step::Kind::tool, call.name, act);
  else order.run_long(call.name, act);
  return result;
}

// In a replay, only the ends that the model noticed then.
std::string ModelDriver::notice_ends() {
  StepOrder& order = *rules_.order;
  const auto look = [&]() -> std::optional<std::string> {
    return has_news() ? std::optional(std::string()) : std::nullopt;
  };
  return order.notice(Step::Kind::news, StepOrder::Look::at_turn, look) ? tell_ends() : "";
}

// Describes the background programs that have ended; empty if none has.
std::string ModelDriver::tell_ends() {
  std::string text;
  for (const Background::Job& job : background_.take_ended()) {
    text += notification_of(job.id, job.what, job.file, job.stopped ? std::nullopt : job.status);
  }
  return text;
}

std::vector<Message> ModelDriver::heard_meanwhile(const Work& work) const {
  std::vector<Message> heard;
  if (!memory_->open()) return heard;
  for (const Message& message : memory_->open()->messages) {
    const bool is_known = std::any_of(work.messages.begin(), work.messages.end(),
                                      [&](const Message& other) { return other.id == message.id; });
    if (!is_known) heard.push_back(message);
  }
  return heard;
}

Outcome ModelDriver::finished(std::string result) const {
  Outcome outcome{.kind = Kind::done, .result = std::move(result)};
  // Whoever wrote and got no message of the model gets its last words. After the end of the team nobody is left but
  // the user.
  outcome.answers = std::set<std::string>{"user"};
  if (!turn_.finished && memory_->open()) {
    for (const Message& message : memory_->open()->messages) outcome.answers->insert(message.sender);
  }
  for (const std::string& name : turn_.written_to) outcome.answers->erase(name);
  outcome.reports = !turn_.writes_to_lead;
  outcome.paused = turn_.paused;
  return outcome;
}

void ModelDriver::delayed(const Delay& delay) {
  if (events_ == nullptr) return;
  if (delay.is_void) events_->end_message(ModelEvents::Counts::no);
  events_->note(delay.reason);
}

}  // namespace team
