#include "libteam/agent/model/model_driver.h"

#include <algorithm>
#include <cstring>

#include "libteam/agent/life/prompt.h"
#include "libteam/base/text.h"
#include "libteam/system/event_fd.h"

namespace team {

namespace {

using Kind = Outcome::Kind;

constexpr std::size_t kTurnsKeptWhole = 4;  // when old results are cut
constexpr std::size_t kLongestOldResult = 200;
constexpr std::size_t kLongestKept = 16 * 1024;  // of each part that survives a summary
constexpr int kMostContinuations = 3;            // of an answer that was cut off

std::string text_of(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::text) text += part.text;
  }
  return text;
}

bool has_calls(const std::vector<Part>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.kind == Part::Kind::tool_call; });
}

// Of what goes to the model with every call, whatever was said.
std::size_t size_beside(const ModelRequest& request) {
  std::size_t bytes = request.system.size();
  for (const ToolSpec& tool : request.tools) bytes += tool.description.size() + tool.schema.size();
  return bytes;
}

std::size_t size_of(const ModelRequest& request) {
  std::size_t bytes = size_beside(request);
  for (const Turn& turn : request.turns) {
    for (const Part& part : turn.parts) bytes += part.text.size() + part.arguments.size();
  }
  return bytes;
}

std::size_t size_with_short_results(const std::vector<Turn>& turns, std::size_t longest) {
  std::size_t bytes = 0;
  for (const Turn& turn : turns) {
    for (const Part& part : turn.parts) {
      const bool is_result = part.kind == Part::Kind::tool_result;
      bytes += part.arguments.size() + (is_result ? std::min(part.text.size(), longest) : part.text.size());
    }
  }
  return bytes;
}

std::vector<Turn> with_short_results(const std::vector<Turn>& turns, std::size_t longest) {
  std::vector<Turn> shortened;
  for (const Turn& turn : turns) {
    Turn& copy = shortened.emplace_back();
    copy.role = turn.role;
    for (const Part& part : turn.parts) {
      if (part.kind != Part::Kind::tool_result || part.text.size() <= longest) {
        copy.parts.push_back(part);
        continue;
      }
      std::string text = part.text.substr(0, longest);
      text.resize(whole_characters(text));
      copy.parts.push_back({part.kind, std::move(text), part.id, part.name, part.arguments, part.is_error});
    }
  }
  return shortened;
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

ModelDriver::ModelDriver(Provider& provider, Toolbox& tools, std::function<Memory()> remember, Background& background,
                         TurnState& turn, const Folder& folder, const Signals& signals, ModelRules rules,
                         std::function<std::string()> system, const Usage& used)
    : provider_(provider),
      tools_(tools),
      remember_(std::move(remember)),
      background_(background),
      turn_(turn),
      folder_(folder),
      signals_(signals),
      rules_(std::move(rules)),
      system_(std::move(system)),
      used_(used) {}

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
  ModelEvents narrator(audience);
  end_ = rules_.seconds ? rules_.deadline.or_in(*rules_.seconds) : rules_.deadline;
  CallInterrupter bell(folder_, signals_, work.meanwhile.is_urgent, end_, work.meanwhile.file);
  audience_ = &audience;
  narrator_ = &narrator;
  bell_ = &bell;
  turn_.begin(work);
  close_tools(work);
  narrator.begin_step(work);
  Outcome outcome = begin(work) ? converse(work) : finished("");
  outcome.heard = heard_meanwhile(work);
  narrator.end_message();
  narrator.end_step(work, outcome);
  narrator_ = nullptr;
  bell_ = nullptr;
  return outcome;
}

// What a plan gate keeps from the model, and what an approved task has left running.
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

// A plan is approved for one task: nothing that was started for it runs on when it has ended.
void ModelDriver::settle() {
  memory_->end();
  if (turn_.is_gated) stop_background();
}

void ModelDriver::stop_background() {
  background_.stop_all();
  if (const std::string ends = tell_ends(); !ends.empty()) memory_->tell(ends);
}

// Puts the work into the conversation, unless it stands there. False if there is nothing to do: all of it was heard
// before.
bool ModelDriver::begin(const Work& work) {
  answer_interrupted();
  const auto& open = memory_->open();
  const auto task = work.task ? std::optional(work.task->id) : std::nullopt;
  // What is asked of a task may have changed a little; another prompt is another piece of work.
  // A piece that is left and is no task goes on in the phase of this life: the gate is not in the transcript.
  const bool same_phase = open && (open->phase == work.phase || (work.is_left && !task));
  const bool is_same = open && open->title == work.title && open->task == task && same_phase &&
                       (task || work.prompt.empty() || open->prompt == work.prompt);
  // Given back when it died, and taken again before anybody else had it.
  const bool is_next = task && open && work.task->attempts == open->attempts + 1;
  const bool goes_on = is_same && (work.is_left || is_next);
  if (!goes_on) {
    Piece piece{work.title, work.phase, task, {}, work.prompt, work.task ? work.task->attempts : 0};
    for (const Message& message : work.messages) {
      if (!memory_->knows(message.id)) piece.messages.push_back(message);
      turn_.heard.insert(message.type);
    }
    if (!work.messages.empty()) piece.prompt = envelopes_of(piece.messages);
    if (piece.prompt.empty() && work.messages.empty()) piece.prompt = tell_ends();
    if (piece.prompt.empty()) {
      if (work.kept) work.kept();
      return false;
    }
    memory_->begin(piece);
  }
  if (work.kept) work.kept();
  return true;
}

// What was running when the last life ended: whether it was done nobody knows.
void ModelDriver::answer_interrupted() {
  for (const Part& call : memory_->unanswered()) {
    memory_->answer(call, "[interrupted: it is not known how much of this was done]", true);
  }
}

Outcome ModelDriver::converse(const Work& work) {
  if (const auto word = memory_->last_word()) return finished(*word);
  int continued = 0;
  std::string said;  // of an answer that was cut off
  for (std::int64_t turn = 0;; ++turn) {
    if (auto outcome = look_around(work, turn)) return std::move(*outcome);
    std::optional<ModelAnswer> answer;
    try {
      answer = ask();
    } catch (const ModelError& error) {
      narrator_->end_message(ModelEvents::Counts::no);
      if (error.kind() == ModelError::Kind::window_full) return {.kind = Kind::failed, .reason = error.what()};
      return unavailable(error.what(), kModelUnavailable);
    }
    if (!answer) continue;
    memory_->add(*answer);
    if (answer->stop == ModelAnswer::Stop::refused) {
      const std::string why = first_line(text_of(answer->parts));
      return {.kind = Kind::failed, .reason = why.empty() ? "the model refused" : "the model refused: " + why};
    }
    if (has_calls(answer->parts)) {
      said.clear();
      run_calls();
      if (turn_.conclusion) return finished(*turn_.conclusion);
    } else if (answer->stop == ModelAnswer::Stop::too_long && continued++ < kMostContinuations) {
      said += text_of(answer->parts);
      memory_->tell("Your answer was cut off, as it was longer than an answer may be. Go on where you were.");
    } else {
      return finished(said + text_of(answer->parts));
    }
  }
}

// What may have come since the last call. An outcome if the work ends by it.
std::optional<Outcome> ModelDriver::look_around(const Work& work, std::int64_t turn) {
  if (const auto signal = signals_.take()) return interrupted_by(*signal);
  if (work.meanwhile.hear) {
    const bool stays = work.meanwhile.hear([&](const std::vector<Message>& messages) {
      std::vector<Message> fresh;
      for (const Message& message : messages) {
        if (!memory_->knows(message.id)) fresh.push_back(message);
        turn_.heard.insert(message.type);
      }
      if (!fresh.empty()) memory_->hear(fresh, envelopes_of(fresh));
    });
    if (!stays) return Outcome{.kind = Kind::stopped, .reason = "asked to end"};
  }
  if (const std::string ends = tell_ends(); !ends.empty()) memory_->tell(ends);
  if (end_.passed() && !rules_.deadline.passed()) {
    return Outcome{.kind = Kind::failed, .reason = fmt::format("not done within {:g} s", *rules_.seconds)};
  }
  if (rules_.deadline.passed()) return unavailable("the time is over", static_cast<int>(Code::no));
  if (rules_.objection) {
    if (const auto objection = rules_.objection(used_)) return unavailable(*objection, kLimitReached);
  }
  if (rules_.most_turns > 0 && turn >= rules_.most_turns) {
    return Outcome{.kind = Kind::failed, .reason = fmt::format("not done within {} turns", rules_.most_turns)};
  }
  return std::nullopt;
}

// None if it was broken off. A conversation that is too long is shortened, further each time that it is refused.
std::optional<ModelAnswer> ModelDriver::ask() {
  const auto limit = rules_.context - rules_.longest_answer;
  try {
    ModelRequest asked = request();
    // The conversation is copied when it is short enough: a transcript of an earlier life may be huge.
    for (int attempt = 0; is_too_long(asked, limit) && attempt < 2; ++attempt) make_room(attempt);
    asked.turns = memory_->turns();
    for (int refusals = 0;; ++refusals) {
      bell_->rest();
      try {
        ModelAnswer answer = call_model(asked, bell_->fd(), [this](std::string_view text) { narrator_->say(text); });
        narrator_->end_message();
        return answer;
      } catch (const ModelError& error) {
        if (error.kind() != ModelError::Kind::window_full) throw;
        narrator_->end_message(ModelEvents::Counts::no);
        // The window is smaller than we were told.
        rules_.context = std::min(rules_.context, estimate(asked) + rules_.longest_answer);
        if (!make_room(refusals)) throw;
        asked.turns = memory_->turns();
      }
    }
  } catch (const ModelError& error) {
    if (error.kind() != ModelError::Kind::interrupted) throw;
    narrator_->end_message(ModelEvents::Counts::no);
    return std::nullopt;
  }
}

ModelAnswer ModelDriver::call_model(const ModelRequest& request, int interrupt, const Provider::Hear& hear) {
  ModelAnswer answer = provider_.ask(request, interrupt, hear);
  used_ += answer.usage;
  audience_->spend(used_);
  const Usage& usage = answer.usage;
  const auto read = static_cast<double>(usage.input + usage.cache_read + usage.cache_written);
  const auto bytes = static_cast<double>(size_of(request));
  if (read > 0) tokens_per_byte_ = std::clamp(read / bytes, 0.05, 2.0);
  return answer;
}

ModelRequest ModelDriver::request() const {
  ModelRequest request;
  request.system = system_();
  request.tools = tools_.specs();
  request.max_tokens = rules_.longest_answer;
  return request;
}

// By the service's own count of earlier calls. What is not the conversation's fault cannot be mended by shortening it.
bool ModelDriver::is_too_long(const ModelRequest& request, std::int64_t limit) const {
  const auto of_conversation = static_cast<double>(memory_->size()) * tokens_per_byte_;
  return estimate(request) > limit && of_conversation > static_cast<double>(limit) / 4;
}

// Tokens, by what earlier calls had.
std::int64_t ModelDriver::estimate(const ModelRequest& request) const {
  const std::size_t bytes = memory_->size() + size_beside(request);
  return static_cast<std::int64_t>(static_cast<double>(bytes) * tokens_per_byte_);
}

// Old results first, then a summary by the model, then without its help. False if nothing is left to be left out.
bool ModelDriver::make_room(int attempt) {
  constexpr int kLastAttempt = 3;
  if (attempt == 0 && memory_->cut_results(kTurnsKeptWhole, kLongestOldResult)) {
    narrator_->note("the conversation is long: old results are cut");
    return true;
  }
  if (attempt > kLastAttempt) return false;
  std::string summary;
  if (attempt <= 1) {
    narrator_->note("the conversation is too long: it is summarized");
    summary = ask_for_summary();
  } else {
    narrator_->note("the conversation is too long: most of it is forgotten");
  }
  // Never so much that the next call is refused again.
  const auto room = static_cast<std::size_t>(rules_.context);
  memory_->summarize(summary, attempt <= 1 ? std::min(kLongestKept, room) : std::size_t{1000} >> (2 * (attempt - 2)));
  return true;
}

// Empty if the model has none to give. Where the conversation is too long even for that, its results are left out.
std::string ModelDriver::ask_for_summary() {
  ModelRequest asked = request();
  asked.may_call = false;
  Part question;
  question.text = summary_request();
  bell_->rest();
  for (const std::size_t longest : {SIZE_MAX, kLongestOldResult}) {
    // A request that is certainly refused is not even built: it would take several times the memory of the
    // conversation.
    constexpr double kTooMuch = 3;
    const auto bytes = static_cast<double>(size_beside(asked) + size_with_short_results(memory_->turns(), longest));
    if (bytes * tokens_per_byte_ > kTooMuch * static_cast<double>(rules_.context)) continue;
    asked.turns = with_short_results(memory_->turns(), longest);
    if (asked.turns.empty() || asked.turns.back().role == Turn::Role::model) {
      asked.turns.push_back({Turn::Role::user, {}});
    }
    asked.turns.back().parts.push_back(question);
    try {
      const std::string text = text_of(call_model(asked, bell_->fd(), {}).parts);
      return text.find_first_not_of(" \t\r\n") == std::string::npos ? "" : text;
    } catch (const ModelError& error) {
      if (error.kind() != ModelError::Kind::window_full) throw;
    }
  }
  return "";
}

void ModelDriver::run_calls() {
  for (const Part& call : memory_->unanswered()) {
    narrator_->call(call);
    const ToolResult result = run_call(call);
    memory_->answer(call, result.text, result.is_error);
    narrator_->result(call, result);
  }
  if (turn_.conclusion) memory_->conclude(*turn_.conclusion);
}

ToolResult ModelDriver::run_call(const Part& call) {
  if (turn_.conclusion) return {"[not done: what was called before has ended this piece of work]", true};
  if (can_be_read(bell_->fd())) return {"[not done: something urgent came]", true};
  return tools_.call(call.name, call.arguments, bell_->fd());
}

// What has ended that ran beside the conversation; empty if nothing has.
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
  // Those who are agents it has to write to by itself; a person gets an answer.
  outcome.answers.emplace();
  if (!turn_.written_to.contains("user")) outcome.answers->insert("user");
  outcome.paused = turn_.paused;
  return outcome;
}

void ModelDriver::delayed(const Delay& delay) {
  if (narrator_ == nullptr) return;
  if (delay.is_void) narrator_->end_message(ModelEvents::Counts::no);
  narrator_->note(delay.reason);
}

}  // namespace team
