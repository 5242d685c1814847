#include "libteam/record/step.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

using Kind = Step::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 13> kKinds = {{{"begin", Kind::begin},
                                                                       {"mail", Kind::mail},
                                                                       {"claim", Kind::claim},
                                                                       {"tool", Kind::tool},
                                                                       {"start", Kind::start},
                                                                       {"end", Kind::end},
                                                                       {"skip", Kind::skip},
                                                                       {"settle", Kind::settle},
                                                                       {"plan", Kind::plan},
                                                                       {"answer", Kind::answer},
                                                                       {"decide", Kind::decide},
                                                                       {"news", Kind::news},
                                                                       {"objection", Kind::objection}}};

Step::Mail parse_mail(const Json& json, std::string_view where) {
  Fields fields(json, "", where);
  Step::Mail mail;
  mail.sender = fields.text("sender").value_or("");
  mail.type = fields.text("type").value_or("message");
  if (!is_name(mail.sender)) fields.refuse("sender", "the name of a member");
  mail.request_id = fields.text("request_id");
  mail.content = fields.text("content");
  return mail;
}

}  // namespace

std::string_view name_of(Kind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.second == kind; })->first;
}

std::string to_line(const Step& step) {
  Json json = {{"member", step.member}, {"step", name_of(step.kind)}};
  if (!step.name.empty()) json["name"] = repair_utf8(step.name);
  if (step.kind == Kind::claim) json["task"] = step.task;
  if (step.kind == Kind::begin) json["calls"] = step.calls;
  if (step.kind == Kind::mail) {
    Json messages = Json::array();
    for (const Step::Mail& mail : step.messages) {
      Json entry = {{"sender", mail.sender}, {"type", repair_utf8(mail.type)}};
      if (mail.request_id) entry["request_id"] = repair_utf8(*mail.request_id);
      if (mail.content) entry["content"] = repair_utf8(*mail.content);
      messages.push_back(std::move(entry));
    }
    json["messages"] = std::move(messages);
  }
  return dump_line(json);
}

Step parse_step(std::string_view line, std::string_view where) {
  const Json json = parse_json(line, where);
  Fields fields(json, line, where);
  Step step;
  step.member = fields.text("member").value_or("");
  if (!is_name(step.member)) fields.refuse("member", "the name of a member");
  const std::string kind = fields.text("step").value_or("");
  const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& entry) { return entry.first == kind; });
  if (found == kKinds.end()) fields.refuse("step", "a kind of step");
  step.kind = found->second;
  step.name = fields.text("name").value_or("");
  step.calls = fields.integer("calls", 0, INT64_MAX).value_or(0);
  const auto task = fields.integer("task", 1, kLargestTaskId);
  if (step.kind == Kind::claim && !task) fields.refuse("task", "the id of a task");
  step.task = task.value_or(0);
  const Json* messages = fields.array("messages");
  if (step.kind != Kind::mail) return step;
  if (messages == nullptr || messages->empty()) fields.refuse("messages", "a list of messages");
  for (const Json& entry : *messages) step.messages.push_back(parse_mail(entry, where));
  return step;
}

std::string describe(const Step& step) {
  const std::string& who = step.member;
  const std::string name = one_line(step.name);
  switch (step.kind) {
    case Kind::begin: return fmt::format("{} begins", who);
    case Kind::claim: return fmt::format("{} claims task {}", who, step.task);
    case Kind::tool: return fmt::format("{} calls {}", who, name);
    case Kind::start: return fmt::format("{} calls {}", who, name);
    case Kind::end: return fmt::format("the call of {} by {} ends", name, who);
    case Kind::skip: return fmt::format("{} does not run a call of {}", who, name);
    case Kind::settle: return fmt::format("{} ends a piece of work", who);
    case Kind::plan: return fmt::format("{} submits a plan", who);
    case Kind::answer: return fmt::format("the plan of {} is {}", who, name);
    case Kind::decide: return fmt::format("{} {}", who, step.name == "end" ? "ends the run" : "gets a reminder");
    case Kind::news: return fmt::format("{} notices the end of a background program", who);
    case Kind::objection: return fmt::format("a hook has more work for {}", who);
    case Kind::mail: break;
  }
  std::vector<std::string> from;
  for (const Step::Mail& mail : step.messages) from.push_back(fmt::format("{} ({})", mail.sender, one_line(mail.type)));
  return fmt::format("{} gets mail from {}", who, join(from, ", "));
}

}  // namespace team
