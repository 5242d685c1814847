#include "libteam/serve/inbox.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "libteam/base/json.h"
#include "libteam/store/quota_ledger.h"
#include "libteam/store/status.h"

namespace team {

namespace {

Json time_or_null(const std::optional<double>& time) { return time ? Json(*time) : Json(nullptr); }

Json action(const char* name, std::string path, Json body, const char* field) {
  return {{"name", name},
          {"method", "POST"},
          {"path", std::move(path)},
          {"body", std::move(body)},
          {"field", field != nullptr ? Json(field) : Json(nullptr)}};
}

Json item(std::string_view kind, std::string id, const std::string& from, Json about, std::string text, Json since,
          Json actions) {
  return {{"kind", kind},
          {"id", std::move(id)},
          {"from", from},
          {"about", std::move(about)},
          {"text", std::move(text)},
          {"since", std::move(since)},
          {"actions", std::move(actions)}};
}

void add_requests(std::vector<Json>& items, const TeamSession& session) {
  const std::string& lead = session.team().lead;
  for (const Request& one : session.mail().requests().pending([](const Error&) {})) {
    const std::string path = "/api/requests/" + one.id;
    const Json approve = action("approve", path, {{"approve", true}}, "feedback");
    const Json reject = action("reject", path, {{"approve", false}}, "feedback");
    const bool is_mine = one.to == session.self().name || one.to == lead;
    if (is_for_approval(one.kind) && is_mine) {
      items.push_back(item(name_of(one.kind), one.id, one.from,
                           one.task ? Json(std::to_string(*one.task)) : Json(nullptr), one.content, one.created_at,
                           Json::array({approve, reject})));
    } else if (one.kind == RequestKind::shutdown) {
      const Json kill = action("kill", "/api/members/" + one.to + "/stop", {{"force", true}}, nullptr);
      const bool asks_me = one.to == session.self().name;
      items.push_back(item("shutdown", one.id, one.from, one.to,
                           one.content.empty() ? one.to + " was asked to shut down" : one.content, one.created_at,
                           asks_me ? Json::array({approve, reject}) : Json::array({kill})));
    }
  }
}

void add_exchanges(std::vector<Json>& items, const TeamSession& session) {
  for (const Exchange& exchange : session.mail().engine().exchanges().all) {
    if (!exchange.told) continue;
    const std::string &one = exchange.one, &other = exchange.other;
    const auto resume = [](const std::string& name) {
      return action("continue", "/api/members/" + name + "/message", {{"content", "Go on."}}, "content");
    };
    items.push_back(item("exchange", "exchange-" + one + "-" + other, one, other,
                         describe(exchange) + "; write to either to continue (exchange.limit)", nullptr,
                         Json::array({resume(one)})));
  }
}

// A budget is not ended here: somebody raises it.
void add_quotas(std::vector<Json>& items, const std::vector<QuotaPause>& pauses) {
  for (const QuotaPause& one : pauses) {
    const bool can_end = !is_budget(one.quota);
    const Json resume = action("continue", "/api/quotas/end", {{"quota", one.quota}}, nullptr);
    const std::string text = can_end ? fmt::format("usage limit of {} {}: {}", one.quota, describe_end(one), one.reason)
                                     : fmt::format("{} {}", one.reason, describe_end(one));
    items.push_back(item("quota", "quota-" + one.quota, one.by, nullptr, text, one.since,
                         can_end ? Json::array({resume}) : Json::array()));
  }
}

// The pause of a quota is in the list already, once for all its members.
bool is_paused_by_quota(const MemberStatus& member, const std::vector<QuotaPause>& pauses) {
  return std::ranges::any_of(pauses, [&](const QuotaPause& one) {
    return member.reason.starts_with("usage limit of " + one.quota + " ") || member.reason == one.reason;
  });
}

void add_members(std::vector<Json>& items, const TeamStatus& status, const std::vector<QuotaPause>& pauses) {
  for (const MemberStatus& one : status.members) {
    if (one.state != "paused" || is_paused_by_quota(one, pauses)) continue;
    const Json write = action("message", "/api/members/" + one.name + "/message", Json::object(), "content");
    items.push_back(item("limit", "limit-" + one.name, one.name, one.name, one.reason, time_or_null(one.since),
                         Json::array({write})));
  }
  for (const Warning& warning : status.warnings) {
    if (warning.kind != "dead") continue;
    const std::string id = "dead-" + std::to_string(std::hash<std::string>()(warning.text));
    items.push_back(item("dead", id, status.lead, nullptr, warning.text, nullptr, Json::array()));
  }
}

void add_failures(std::vector<Json>& items, const TeamSession& session, const TeamStatus& status) {
  constexpr std::size_t kMost = 50;
  const BoardView& view = session.board().view();
  for (const TaskId id : status.tasks.failed_tasks) {
    if (items.size() >= kMost) return;
    const auto task = view.find(id);
    if (!task || task->status != Status::failed) continue;
    const std::string text = fmt::format("{}: {}", task->subject, task->error.value_or("failed"));
    const Json reopen = action("reopen", fmt::format("/api/tasks/{}/reopen", id), Json::object(), "reason");
    items.push_back(item("failed", fmt::format("failed-{}", id), task->owner.value_or(status.lead), std::to_string(id),
                         text, time_or_null(task->completed_at), Json::array({reopen})));
  }
}

void add_messages(std::vector<Json>& items, const TeamSession& session) {
  constexpr std::size_t kMost = 50;
  const Actor& self = session.self();
  session.mailbox().peek({}, kMost, self.run, [&](const Message& message) {
    const Json dismiss = action("dismiss", "/api/messages/" + message.id + "/ack", Json::object(), nullptr);
    Json actions = Json::array();
    const bool can_answer = message.sender == session.team().lead || session.team().find(message.sender) != nullptr;
    if (can_answer) {
      actions.push_back(
          action("reply", "/api/members/" + message.sender + "/message", {{"reply_to", message.id}}, "content"));
    }
    if (!message.id.empty()) actions.push_back(dismiss);
    items.push_back(
        item("message", message.id, message.sender, nullptr, message.content, message.timestamp, std::move(actions)));
  });
}

}  // namespace

std::string inbox_json(const TeamSession& session) {
  const TeamStatus status =
      look_at_team(session.mail().engine(), session.team(), session.board().view(), [](TaskId, const Error&) {});
  std::vector<Json> items;
  add_requests(items, session);
  add_exchanges(items, session);
  const std::vector<QuotaPause> pauses = pauses_in_force(session.mail().engine());
  add_quotas(items, pauses);
  add_members(items, status, pauses);
  add_failures(items, session, status);
  add_messages(items, session);
  std::ranges::stable_sort(items, {},
                           [](const Json& one) { return one["since"].is_number() ? one["since"].get<double>() : 0.0; });
  return dump_line(Json(items));
}

}  // namespace team
