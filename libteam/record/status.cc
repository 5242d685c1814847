#include "libteam/record/status.h"

#include "libteam/record/json_fields.h"

namespace team {

namespace {

Json to_json(const MemberStatus& member) {
  return {{"name", member.name},
          {"role", or_null(member.role)},
          {"state", member.state},
          {"since", or_null(member.since)},
          {"reason", member.since ? Json(member.reason) : Json(nullptr)},
          {"pid", or_null(member.pid)},
          {"pane", or_null(member.pane)},
          {"task", or_null(member.task)},
          {"subject", member.task ? Json(member.subject) : Json(nullptr)},
          {"model", or_null(member.model)},
          {"usage", Json::parse(to_json_text(member.usage))},
          {"cost", or_null(member.cost)}};
}

}  // namespace

std::string to_line(const MemberStatus& member) { return dump_line(to_json(member)); }

std::string to_line(const TeamStatus& status) {
  Json members = Json::array();
  for (const MemberStatus& member : status.members) members.push_back(to_json(member));
  Json usage = Json::parse(to_json_text(status.usage));
  usage["cost"] = or_null(status.cost);
  const BoardStatus& tasks = status.tasks;
  return dump_line({{"team", status.team},
                    {"lead", status.lead},
                    {"board", status.board},
                    {"members", members},
                    {"tasks",
                     {{"total", tasks.total},
                      {"ready", tasks.ready},
                      {"blocked", tasks.blocked},
                      {"in_progress", tasks.in_progress},
                      {"completed", tasks.completed},
                      {"failed", tasks.failed}}},
                    {"blockedTasks", tasks.blocked_tasks},
                    {"failedTasks", tasks.failed_tasks},
                    {"usage", usage}});
}

}  // namespace team
