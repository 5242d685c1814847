#include "libteam/agent/model/model_caller.h"

#include <algorithm>

#include "libteam/agent/life/prompt.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kTurnsKeptWhole = 4;  // when old results are cut
constexpr std::size_t kLongestOldResult = 200;
constexpr std::size_t kLongestKept = 16 * 1024;  // bytes of each part that survives a summary

// The bytes of a request besides the conversation.
std::size_t size_beside(const ModelRequest& request) {
  std::size_t bytes = request.system.size() + request.present.size();
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

}  // namespace

std::string text_of(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::text) text += part.text;
  }
  return text;
}

ModelCaller::ModelCaller(Provider& provider, const Toolbox& tools, Texts texts, const Limits& limits, const Usage& used)
    : provider_(provider), tools_(tools), texts_(std::move(texts)), limits_(limits), used_(used) {}

std::optional<ModelAnswer> ModelCaller::ask(const Place& at) {
  try {
    ModelRequest asked = request();
    // The conversation is copied only when it is short enough: a resumed transcript may be huge.
    for (int attempt = 0; is_too_long(at, asked) && attempt < 2; ++attempt) make_room(at, attempt);
    asked.turns = at.memory.turns();
    for (int refusals = 0;; ++refusals) {
      at.interrupter.rest();
      try {
        ModelAnswer answer = call(at, asked, [&](std::string_view text) { at.events.say(text); });
        at.events.end_answer(answer);
        return answer;
      } catch (const ModelError& error) {
        if (error.kind() != ModelError::Kind::window_full) throw;
        at.events.end_message(ModelEvents::Counts::no);
        // The window is smaller than configured.
        limits_.context = std::min(limits_.context, estimate(at, asked) + limits_.longest_answer);
        if (!make_room(at, refusals)) throw;
        asked.turns = at.memory.turns();
      }
    }
  } catch (const ModelError& error) {
    if (error.kind() != ModelError::Kind::interrupted) throw;
    at.events.end_message(ModelEvents::Counts::no);
    return std::nullopt;
  }
}

ModelAnswer ModelCaller::call(const Place& at, const ModelRequest& request, const Provider::Hear& hear) {
  ModelAnswer answer = provider_.ask(request, at.interrupter.fd(), hear);
  used_ += answer.usage;
  at.audience.spend(used_);
  const Usage& usage = answer.usage;
  const auto read = static_cast<double>(usage.input + usage.cache_read + usage.cache_written);
  const auto bytes = static_cast<double>(size_of(request));
  if (read > 0) tokens_per_byte_ = std::clamp(read / bytes, 0.05, 2.0);
  return answer;
}

ModelRequest ModelCaller::request() const {
  ModelRequest request;
  request.system = texts_.system();
  if (texts_.present) request.present = texts_.present();
  request.tools = tools_.specs();
  request.max_tokens = limits_.max_tokens;
  return request;
}

// Shortening the conversation does not help a request whose other parts are too long.
bool ModelCaller::is_too_long(const Place& at, const ModelRequest& request) const {
  const std::int64_t limit = limits_.context - limits_.longest_answer;
  const auto of_conversation = static_cast<double>(at.memory.size()) * tokens_per_byte_;
  return estimate(at, request) > limit && of_conversation > static_cast<double>(limit) / 4;
}

// Tokens, estimated from the counts of earlier calls.
std::int64_t ModelCaller::estimate(const Place& at, const ModelRequest& request) const {
  const std::size_t bytes = at.memory.size() + size_beside(request);
  return static_cast<std::int64_t>(static_cast<double>(bytes) * tokens_per_byte_);
}

// Cuts old results first, then asks the model for a summary, then drops turns without one. False if nothing is left to
// drop.
bool ModelCaller::make_room(const Place& at, int attempt) {
  constexpr int kLastAttempt = 3;
  if (attempt == 0 && at.memory.cut_results(kTurnsKeptWhole, kLongestOldResult)) {
    at.events.note("the conversation is long: old results are cut");
    return true;
  }
  if (attempt > kLastAttempt) return false;
  std::string summary;
  if (attempt <= 1) {
    at.events.note("the conversation is too long: it is summarized");
    summary = ask_for_summary(at);
  } else {
    at.events.note("the conversation is too long: most of it is forgotten");
  }
  // The rest must be small enough that the service accepts the next call.
  const auto room = static_cast<std::size_t>(limits_.context);
  at.memory.summarize(summary, attempt <= 1 ? std::min(kLongestKept, room) : std::size_t{1000} >> (2 * (attempt - 2)));
  return true;
}

// Empty if the model gives no summary. Leaves the results out if the conversation is too long even for this request.
std::string ModelCaller::ask_for_summary(const Place& at) {
  ModelRequest asked = request();
  asked.may_call = false;
  asked.present.clear();
  Part question;
  question.text = summary_request();
  at.interrupter.rest();
  for (const std::size_t longest : {SIZE_MAX, kLongestOldResult}) {
    // A request that would certainly be refused is not built: it needs several times the memory of the conversation.
    constexpr double kTooMuch = 3;
    const auto bytes = static_cast<double>(size_beside(asked) + size_with_short_results(at.memory.turns(), longest));
    if (bytes * tokens_per_byte_ > kTooMuch * static_cast<double>(limits_.context)) continue;
    asked.turns = with_short_results(at.memory.turns(), longest);
    if (asked.turns.empty() || asked.turns.back().role == Turn::Role::model) {
      asked.turns.push_back({Turn::Role::user, {}});
    }
    asked.turns.back().parts.push_back(question);
    try {
      const std::string text = text_of(call(at, asked, {}).parts);
      return is_blank(text) ? "" : text;
    } catch (const ModelError& error) {
      if (error.kind() != ModelError::Kind::window_full) throw;
    }
  }
  return "";
}

}  // namespace team
