// The values of the endpoints below /team, which follow RFC-0002 AgentTeam of NexAU: sessions, tasks, envelopes.
//
// A session is a team, and its id is the name of the team. `leader` stands for the name of the lead.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/record/event.h"
#include "libteam/record/status.h"
#include "libteam/record/task.h"
#include "libteam/record/team.h"
#include "libteam/serve/http.h"
#include "libteam/serve/service.h"
#include "libteam/store/board_view.h"

namespace team {

// The parameters of a request: the keys of its body, or of its query. Throws usage for a value of the wrong type.
class ApiParameters {
 public:
  // Throws usage for a body that is not a JSON object.
  explicit ApiParameters(const WebRequest& request);
  ~ApiParameters();

  // None if the key is absent or null.
  std::optional<std::string> text(const char* key) const;
  std::optional<std::int64_t> number(const char* key) const;
  // "1", 1, "#1" or "T-001". Throws usage for anything else.
  std::optional<TaskId> task(const char* key) const;
  std::vector<TaskId> tasks(const char* key) const;
  // The same as text(), but throws usage if the key is absent.
  std::string need_text(const char* key) const;

  // The team of the key session_id, else the only team. Throws not_found and usage.
  std::string team(const Service& service) const;

 private:
  const Json* find(const char* key) const;

  std::unique_ptr<const Json> body_;
  const WebRequest& request_;
};

// A task id in any of the forms; none for other texts.
std::optional<TaskId> parse_task_reference(std::string_view text);

// The name of a member; `leader` stands for the lead.
std::string resolve_agent(const Team& team, const std::string& name);

// The object of a task, on one line.
std::string to_api_task(const Task& task, const std::vector<TaskId>& open_blockers);
// idle, running or stopped.
std::string_view api_status_of(const MemberStatus& member);

// The envelopes that a client of this API gets for an event: the event itself and, after it, what it means for another
// member. A message is also a TEAM_MESSAGE or USER_MESSAGE at its recipient. A member that becomes idle has finished a
// run. The role of the lead is `leader`.
std::vector<std::string> to_api_envelopes(std::string_view line, const Team& team);

}  // namespace team
