#include "libteam/agent/model/model_events.h"

#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"
#include "libteam/system/id.h"

namespace team {

namespace {

constexpr double kPause = 0.1;
constexpr std::size_t kMostWaiting = 32 * 1024;
constexpr std::size_t kLongestDetail = 16 * 1024;  // of arguments and results; the transcript has them whole
constexpr std::size_t kLongestNote = 120;

std::string in_short(const std::string& text) {
  std::string part = text.substr(0, kLongestDetail);
  part.resize(whole_characters(part));
  part = repair_utf8(part);
  return text.size() > kLongestDetail ? part + fmt::format("\n[cut: {} bytes in all]", text.size()) : part;
}

// A call for people: the values without their names.
std::string describe(const Part& call) {
  std::string text = call.name;
  try {
    const Json arguments = parse_json(call.arguments, "arguments", {.bytes = kLongestDetail});
    for (const auto& argument : arguments.items()) {
      const Json& value = argument.value();
      text += (text == call.name ? " " : ", ") + (value.is_string() ? value.get<std::string>() : dump_line(value));
    }
  } catch (const Error&) {
    text += " " + call.arguments.substr(0, 4 * kLongestNote);
  }
  return cut_characters(one_line(repair_utf8(text.substr(0, 4 * kLongestNote))), kLongestNote);
}

Json about(const Work& work) {
  return {{"step_name", work.title},
          {"phase", work.phase == Phase::plan ? "plan" : "work"},
          {"task", work.task ? Json(work.task->id) : Json(nullptr)}};
}

}  // namespace

void ModelEvents::begin_step(const Work& work) {
  began_ = now();
  audience_.record({{"STEP_STARTED", dump_line(about(work))}});
}

void ModelEvents::end_step(const Work& work, const Outcome& outcome) {
  Json details = about(work);
  details["outcome"] = outcome.kind == Outcome::Kind::done ? "done" : outcome.reason;
  details["seconds"] = now() - began_;
  audience_.record({{"STEP_FINISHED", dump_line(details)}});
}

void ModelEvents::say(std::string_view text) {
  if (text.empty()) return;
  if (message_.empty()) {
    message_ = new_id();
    audience_.record({{"TEXT_MESSAGE_START", dump_line({{"message_id", message_}, {"role", "assistant"}})}});
    next_ = Deadline::in(kPause);
  }
  show(text);
  line_ = text.back() == '\n' ? "" : "...";
  unsaid_ += text;
  if (next_.passed() || unsaid_.size() >= kMostWaiting) flush();
}

// A piece may end in the middle of a character.
void ModelEvents::show(std::string_view text) {
  unshown_ += text;
  const std::size_t length = whole_characters(unshown_);
  audience_.out(printable(unshown_.substr(0, length)));
  unshown_.erase(0, length);
}

void ModelEvents::flush() {
  const std::size_t length = whole_characters(unsaid_);
  if (length == 0) return;
  const std::string delta = repair_utf8(unsaid_.substr(0, length));
  unsaid_.erase(0, length);
  audience_.record({{"TEXT_MESSAGE_CONTENT", dump_line({{"message_id", message_}, {"delta", delta}})}});
  next_ = Deadline::in(kPause);
}

void ModelEvents::end_message(Counts counts) {
  if (message_.empty()) return;
  flush();
  unsaid_.clear();
  unshown_.clear();
  if (counts == Counts::no) audience_.out(" [broken off]");
  if (!line_.empty() || counts == Counts::no) audience_.out("\n");
  Json details = {{"message_id", message_}};
  if (counts == Counts::no) details["void"] = true;
  audience_.record({{"TEXT_MESSAGE_END", dump_line(details)}});
  message_.clear();
  line_.clear();
}

void ModelEvents::call(const Part& call) {
  audience_.note(describe(call));
  audience_.record({{"TOOL_CALL_START", dump_line({{"tool_call_id", call.id}, {"tool_call_name", call.name}})},
                    {"TOOL_CALL_ARGS", dump_line({{"tool_call_id", call.id}, {"delta", in_short(call.arguments)}})},
                    {"TOOL_CALL_END", dump_line({{"tool_call_id", call.id}})}});
}

void ModelEvents::result(const Part& call, const ToolResult& result) {
  if (result.is_error) {
    const std::string text = one_line(repair_utf8(result.text.substr(0, 4 * kLongestNote)));
    const bool names_itself = text.starts_with(call.name + ":");
    audience_.note(cut_characters(names_itself ? text : fmt::format("{}: {}", call.name, text), kLongestNote));
  }
  audience_.record({{"TOOL_CALL_RESULT", dump_line({{"tool_call_id", call.id},
                                                    {"role", "tool"},
                                                    {"content", in_short(result.text)},
                                                    {"is_error", result.is_error}})}});
}

}  // namespace team
