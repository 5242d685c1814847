// What a teammate is told about a piece of work.
//
// What others wrote is data: it stands inside an envelope that it cannot close, and the prompt says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/message.h"
#include "libteam/record/task.h"
#include "libteam/record/team.h"

namespace team {

struct Identity {
  std::string name;
  std::optional<std::string> role;
  std::string team;
  std::string role_prompt;  // what the role is about
};

// What was decided about a plan.
struct PlanAnswer {
  bool approved = false;
  std::string feedback;
};

// Each begins with who is addressed. `answer` is what the last plan was answered, if there was one.
std::string prompt_for_text(const Identity& self, const std::string& text, const std::optional<PlanAnswer>& answer);
std::string prompt_for_messages(const Identity& self, const std::vector<Message>& messages);
// `done` are the tasks before it, for their results.
std::string prompt_for_task(const Identity& self, const Task& task, const std::vector<Task>& done,
                            const std::optional<PlanAnswer>& answer);
// Added where a plan is wanted and not yet the work.
std::string ask_for_plan();

}  // namespace team
