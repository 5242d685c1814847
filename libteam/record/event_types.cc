#include "libteam/record/event_types.h"

#include <algorithm>

#include "libteam/base/error.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"

namespace team {

const std::vector<std::string>& event_types() {
  static const std::vector<std::string> types = {
      "TEAM_CREATED",      "TEAM_FINISHED",        "TEAM_RUN_ENDED",      "MEMBER_JOINED",       "MEMBER_LEFT",
      "MEMBER_STATE",      "SETTING_CHANGED",      "HOOK_FAILED",         "RUN_STARTED",         "RUN_FINISHED",
      "RUN_ERROR",         "STEP_STARTED",         "STEP_FINISHED",       "TEXT_MESSAGE_START",  "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",  "TOOL_CALL_START",      "TOOL_CALL_ARGS",      "TOOL_CALL_END",       "TOOL_CALL_RESULT",
      "TASK_CREATED",      "TASK_CLAIMED",         "TASK_COMPLETED",      "TASK_FAILED",         "TASK_RELEASED",
      "TASK_REOPENED",     "TASK_UPDATED",         "TASK_UNBLOCKED",      "TASK_DELETED",        "MESSAGE_SENT",
      "MESSAGE_DELIVERED", "MESSAGE_PROCESSED",    "EXCHANGE_PAUSED",     "QUOTA_PAUSED",        "QUOTA_RESUMED",
      "PLAN_SUBMITTED",    "PLAN_APPROVED",        "PLAN_REJECTED",       "SHUTDOWN_REQUESTED",  "SHUTDOWN_APPROVED",
      "SHUTDOWN_REJECTED", "PERMISSION_REQUESTED", "PERMISSION_APPROVED", "PERMISSION_REJECTED",
  };
  return types;
}

void check_event_type(std::string_view type) {
  const auto& types = event_types();
  if (std::find(types.begin(), types.end(), type) != types.end()) return;
  std::string upper(type);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const std::string hint = did_you_mean(upper, types);
  fail(Code::usage, "no event type '{}'{}", one_line(type), hint.empty() ? "; team-log(1) lists the types" : hint);
}

}  // namespace team
