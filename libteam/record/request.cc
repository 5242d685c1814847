#include "libteam/record/request.h"

#include "libteam/base/json_text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

std::string to_text(const Request& request, JsonText::Layout layout) {
  JsonText text(layout);
  text.add("id", request.id);
  text.add("kind", name_of(request.kind));
  text.add("from", request.from);
  text.add("to", request.to);
  text.add("content", request.content);
  text.add("task", request.task);
  text.add("status", name_of(request.status));
  text.add("createdAt", request.created_at);
  text.add("answeredAt", request.answered_at);
  text.add("answeredBy", request.answered_by);
  text.add("feedback", request.feedback);
  text.add("answerId", request.answer_id);
  text.add("verdict", request.verdict);
  text.add_all_of(request.extra);
  return text.take();
}

}  // namespace

std::string_view name_of(RequestKind kind) {
  switch (kind) {
    case RequestKind::shutdown: return "shutdown";
    case RequestKind::plan: return "plan";
    case RequestKind::permission: return "permission";
  }
  return "plan";
}

std::string_view name_of(RequestStatus status) {
  switch (status) {
    case RequestStatus::pending: return "pending";
    case RequestStatus::approved: return "approved";
    case RequestStatus::rejected: return "rejected";
  }
  return "pending";
}

Request parse_request(std::string_view text, std::string_view file) {
  Fields fields(text, file);
  Request request;
  request.id = fields.text("id").value_or("");
  const std::string kind = fields.text("kind").value_or("");
  if (kind == "shutdown") request.kind = RequestKind::shutdown;
  else if (kind == "permission") request.kind = RequestKind::permission;
  else if (kind != "plan") fields.refuse("kind", "shutdown, plan or permission");
  request.from = fields.text("from").value_or("");
  request.to = fields.text("to").value_or("");
  request.content = fields.text("content").value_or("");
  request.task = fields.integer("task", 1, INT64_MAX);
  const std::string status = fields.text("status").value_or("");
  if (status == "approved") request.status = RequestStatus::approved;
  else if (status == "rejected") request.status = RequestStatus::rejected;
  else if (status != "pending") fields.refuse("status", "pending, approved or rejected");
  request.created_at = fields.number("createdAt").value_or(0);
  request.answered_at = fields.number("answeredAt");
  request.answered_by = fields.text("answeredBy");
  request.feedback = fields.text("feedback");
  request.answer_id = fields.text("answerId");
  request.verdict = fields.boolean("verdict");
  request.extra = fields.rest_text();
  return request;
}

std::string to_file(const Request& request) { return to_text(request, JsonText::Layout::indented); }

std::string to_line(const Request& request) { return to_text(request, JsonText::Layout::line); }

}  // namespace team
