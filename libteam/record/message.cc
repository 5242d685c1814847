#include "libteam/record/message.h"

#include <algorithm>
#include <array>

#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::array<std::string_view, 6> kSendable = {
    "message", "broadcast", "shutdown_request", "shutdown_response", "plan_approval_request", "plan_approval_response"};
constexpr std::array<std::string_view, 5> kOfSystem = {"task_assigned", "task_unblocked", "idle_notification",
                                                       "all_idle", "error"};

Json to_json(const Message& message) {
  Json json = {{"id", message.id},
               {"type", message.type},
               {"sender", message.sender},
               {"recipient", message.recipient},
               {"content", message.content},
               {"summary", message.summary},
               {"timestamp", message.timestamp}};
  if (message.request_id) json["request_id"] = *message.request_id;
  if (message.reply_to) json["reply_to"] = *message.reply_to;
  if (message.approve) json["approve"] = *message.approve;
  if (message.feedback) json["feedback"] = *message.feedback;
  if (message.interrupt) json["interrupt"] = true;
  if (message.body_size > 0) json["body_size"] = message.body_size;
  if (message.extra != "{}") json.update(Json::parse(message.extra));
  return json;
}

}  // namespace

bool is_sendable(std::string_view type) {
  return std::find(kSendable.begin(), kSendable.end(), type) != kSendable.end();
}

bool is_message_type(std::string_view type) {
  return is_sendable(type) || std::find(kOfSystem.begin(), kOfSystem.end(), type) != kOfSystem.end();
}

std::string summarize(std::string_view content) {
  constexpr std::size_t kLongestSummary = 80;
  return cut_characters(one_line(first_line(content)), kLongestSummary);
}

Message parse_message(std::string_view line, std::string_view recipient, std::string_view where) {
  const Json json = parse_json(line, where);
  Fields fields(json, line, where);
  Message message;
  message.id = fields.text("id").value_or("");
  message.type = fields.text("type").value_or("message");
  if (!is_message_type(message.type)) fields.refuse("type", "a type of message");
  message.sender = fields.text("sender").value_or("");
  if (!is_name(message.sender)) fields.refuse("sender", "a name");
  message.recipient = fields.text("recipient").value_or(std::string(recipient));
  message.content = fields.text("content").value_or("");
  message.summary = fields.text("summary").value_or(summarize(message.content));
  message.timestamp = fields.number("timestamp").value_or(0);
  message.request_id = fields.text("request_id");
  message.reply_to = fields.text("reply_to");
  message.approve = fields.boolean("approve");
  message.feedback = fields.text("feedback");
  message.interrupt = fields.boolean("interrupt").value_or(false);
  message.body_size = fields.integer("body_size", 0, INT64_MAX).value_or(0);
  const Json rest = fields.rest();
  if (!rest.empty()) message.extra = dump_line(rest);
  return message;
}

std::string to_line(const Message& message) { return dump_line(to_json(message)); }

SplitLine to_split_line(const Message& message) {
  constexpr std::string_view kMark = "\"content\":\"";
  Message hollow = message;
  hollow.content.clear();
  const std::string line = to_line(hollow);
  const std::size_t at = line.find(kMark) + kMark.size();
  return {line.substr(0, at), line.substr(at)};
}

std::string escape_json(std::string_view piece) {
  std::string quoted = dump_line(Json(piece));
  return quoted.substr(1, quoted.size() - 2);
}

std::string rejection_line(std::string_view line, std::string_view reason, double timestamp) {
  constexpr std::size_t kLongestLine = 65536;
  return dump_line(
             {{"timestamp", timestamp}, {"reason", reason}, {"line", repair_utf8(line.substr(0, kLongestLine))}}) +
         "\n";
}

bool MessageFilter::fits(const Message& message) const {
  return (!from || message.sender == *from) && (!type || message.type == *type) &&
         (!reply_to || message.reply_to == *reply_to);
}

}  // namespace team
