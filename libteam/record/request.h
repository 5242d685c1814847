// A request for a shutdown, for the approval of a plan or for a permission, which gets one answer:
// `requests/<id>.json` as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace team {

// permission: an agent asks before it uses a tool; answered like a plan.
enum class RequestKind { shutdown, plan, permission };
enum class RequestStatus { pending, approved, rejected };

std::string_view name_of(RequestKind kind);
// True for requests that the lead or the user approves or rejects: all but the shutdown.
inline bool is_for_approval(RequestKind kind) { return kind != RequestKind::shutdown; }
std::string_view name_of(RequestStatus status);

struct Request {
  std::string id;
  RequestKind kind = RequestKind::plan;
  std::string from;
  std::string to;
  std::string content;  // the plan, the use of a tool, or the reason for the shutdown
  std::optional<std::int64_t> task;
  RequestStatus status = RequestStatus::pending;
  double created_at = 0;
  std::optional<double> answered_at;
  std::optional<std::string> answered_by;
  std::optional<std::string> feedback;
  std::optional<std::string> answer_id;  // the id of the message with the answer
  std::optional<bool> verdict;           // set before that message is sent; `status` is set after it was sent
  std::string extra = "{}";
};

Request parse_request(std::string_view text, std::string_view file);
std::string to_file(const Request& request);
std::string to_line(const Request& request);

}  // namespace team
