#include "libteam/record/request.h"

#include "libteam/record/json_fields.h"

namespace team {

namespace {

Json to_json(const Request& request) {
  Json json = {{"id", request.id},
               {"kind", name_of(request.kind)},
               {"from", request.from},
               {"to", request.to},
               {"content", request.content},
               {"task", or_null(request.task)},
               {"status", name_of(request.status)},
               {"createdAt", request.created_at},
               {"answeredAt", or_null(request.answered_at)},
               {"answeredBy", or_null(request.answered_by)},
               {"feedback", or_null(request.feedback)},
               {"answerId", or_null(request.answer_id)},
               {"verdict", or_null(request.verdict)}};
  if (request.extra != "{}") json.update(Json::parse(request.extra));
  return json;
}

}  // namespace

std::string_view name_of(RequestKind kind) { return kind == RequestKind::shutdown ? "shutdown" : "plan"; }

std::string_view name_of(RequestStatus status) {
  switch (status) {
    case RequestStatus::pending: return "pending";
    case RequestStatus::approved: return "approved";
    case RequestStatus::rejected: return "rejected";
  }
  return "pending";
}

Request parse_request(std::string_view text, std::string_view file) {
  const Json json = parse_json(text, file);
  Fields fields(json, text, file);
  Request request;
  request.id = fields.text("id").value_or("");
  const std::string kind = fields.text("kind").value_or("");
  if (kind != "shutdown" && kind != "plan") fields.refuse("kind", "shutdown or plan");
  request.kind = kind == "shutdown" ? RequestKind::shutdown : RequestKind::plan;
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
  const Json rest = fields.rest();
  if (!rest.empty()) request.extra = dump_line(rest);
  return request;
}

std::string to_file(const Request& request) { return dump_indented(to_json(request)); }

std::string to_line(const Request& request) { return dump_line(to_json(request)); }

}  // namespace team
