#include "libteam/record/message.h"

#include <algorithm>
#include <array>

#include "libteam/base/json_text.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::array<std::string_view, 8> kSendable = {"message",
                                                       "broadcast",
                                                       "shutdown_request",
                                                       "shutdown_response",
                                                       "plan_approval_request",
                                                       "plan_approval_response",
                                                       "permission_request",
                                                       "permission_response"};
constexpr std::array<std::string_view, 5> kOfSystem = {"task_assigned", "task_unblocked", "idle_notification",
                                                       "all_idle", "error"};

}  // namespace

bool is_sendable(std::string_view type) {
  return std::find(kSendable.begin(), kSendable.end(), type) != kSendable.end();
}

bool is_message_type(std::string_view type) {
  return is_sendable(type) || std::find(kOfSystem.begin(), kOfSystem.end(), type) != kOfSystem.end();
}

bool may_be_empty(std::string_view type) { return type.ends_with("_response") || type == "shutdown_request"; }

std::string summarize(std::string_view content) {
  constexpr std::size_t kLongestSummary = 80;
  return cut_characters(one_line(first_line(content)), kLongestSummary);
}

Message parse_message(std::string_view line, std::string_view recipient, std::string_view where) {
  Fields fields(line, where);
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
  message.task = fields.integer("task", 1, INT64_MAX);
  message.interrupt = fields.boolean("interrupt").value_or(false);
  message.automatic = fields.boolean("auto").value_or(false);
  message.body_size = fields.integer("body_size", 0, INT64_MAX).value_or(0);
  message.extra = fields.rest_text();
  return message;
}

std::string to_line(const Message& message) {
  JsonText text;
  text.add("id", message.id);
  text.add("type", message.type);
  text.add("sender", message.sender);
  text.add("recipient", message.recipient);
  text.add("content", message.content);
  text.add("summary", message.summary);
  text.add("timestamp", message.timestamp);
  if (message.request_id) text.add("request_id", message.request_id);
  if (message.reply_to) text.add("reply_to", message.reply_to);
  if (message.approve) text.add("approve", message.approve);
  if (message.feedback) text.add("feedback", message.feedback);
  if (message.task) text.add("task", message.task);
  if (message.interrupt) text.add("interrupt", true);
  if (message.automatic) text.add("auto", true);
  if (message.body_size > 0) text.add("body_size", message.body_size);
  text.add_all_of(message.extra);
  return text.take();
}

SplitLine to_split_line(const Message& message) {
  constexpr std::string_view kMark = "\"content\":\"";
  Message hollow = message;
  hollow.content.clear();
  const std::string line = to_line(hollow);
  const std::size_t at = line.find(kMark) + kMark.size();
  return {line.substr(0, at), line.substr(at)};
}

std::string escape_json(std::string_view piece) {
  std::string quoted;
  append_quoted(quoted, piece);
  return quoted.substr(1, quoted.size() - 2);
}

std::string rejection_line(std::string_view line, std::string_view reason, double timestamp) {
  constexpr std::size_t kLongestLine = 65536;
  JsonText text;
  text.add("timestamp", timestamp);
  text.add("reason", reason);
  text.add("line", repair_utf8(line.substr(0, kLongestLine)));
  return text.take() + "\n";
}

bool MessageFilter::fits(const Message& message) const {
  return (!from || message.sender == *from) && (!type || message.type == *type) &&
         (!reply_to || message.reply_to == *reply_to) && (!id || message.id == *id);
}

}  // namespace team
