#include "libteam/agent/model/model_events.h"

#include <nlohmann/json.hpp>

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

// Cuts the long strings of a document.
void cut_strings(Json& json, std::size_t longest) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    if (text.size() <= longest) return;
    const std::size_t size = text.size();
    text.resize(longest);
    text.resize(whole_characters(text));
    text += fmt::format("[cut: {} bytes in all]", size);
  } else if (json.is_structured()) {
    for (Json& value : json) cut_strings(value, longest);
  }
}

// The arguments of a call, in at most kLongestDetail bytes or little more, and always JSON if the model wrote JSON.
std::string short_arguments(const std::string& arguments) {
  if (arguments.size() <= kLongestDetail) return repair_utf8(arguments);
  constexpr std::size_t kMost = std::size_t{64} << 20;
  try {
    Json json = parse_json(arguments, "arguments", {.bytes = kMost});
    for (std::size_t longest = kLongestDetail / 2; longest >= 16; longest /= 4) {
      cut_strings(json, longest);
      std::string text = dump_line(json);
      if (text.size() <= kLongestDetail) return text;
    }
  } catch (const Error&) {
    // Reported below.
  }
  return dump_line({{"cut", fmt::format("{} bytes in all", arguments.size())}});
}

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
  begin_message();
  show(text);
  is_in_line_ = text.back() != '\n';
  unsaid_ += text;
  if (next_.passed() || unsaid_.size() >= kMostWaiting) flush();
}

void ModelEvents::begin_message() {
  if (!message_.empty()) return;
  message_ = new_id();
  audience_.record({{"TEXT_MESSAGE_START", dump_line({{"message_id", message_}, {"role", "assistant"}})}});
  next_ = Deadline::in(kPause);
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
  Json details = {{"message_id", message_}};
  if (counts == Counts::no) details["void"] = true;
  finish_message(dump_line(details), counts == Counts::no ? " [broken off]" : "");
}

void ModelEvents::end_answer(const ModelAnswer& answer) {
  begin_message();
  Json details = {
      {"message_id", message_}, {"model", answer.model}, {"usage", Json::parse(to_json_text(answer.usage))}};
  if (!answer.provider.empty()) details["provider"] = answer.provider;
  finish_message(dump_line(details), "");
}

void ModelEvents::finish_message(const std::string& details, std::string_view remark) {
  flush();
  unsaid_.clear();
  unshown_.clear();
  audience_.out(remark);
  if (is_in_line_ || !remark.empty()) audience_.out("\n");
  audience_.record({{"TEXT_MESSAGE_END", details}});
  message_.clear();
  is_in_line_ = false;
}

void ModelEvents::call(const Part& call) {
  audience_.note(describe(call));
  audience_.record(
      {{"TOOL_CALL_START", dump_line({{"tool_call_id", call.id}, {"tool_call_name", call.name}})},
       {"TOOL_CALL_ARGS", dump_line({{"tool_call_id", call.id}, {"delta", short_arguments(call.arguments)}})},
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
