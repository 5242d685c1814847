// The prompts of a teammate.
//
// Text of other authors is data: it is escaped and enclosed in a tag that names its author if known, and the prompt
// says so. See base/markup.h.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
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
  std::string role_prompt;  // the instructions of the role
};

// The decision about a plan.
struct PlanAnswer {
  bool approved = false;
  std::string feedback;
  std::string by = {};  // the member that decided it
};

// Names the addressee; the beginning of a prompt.
std::string introduce(const Identity& self);
// `answer` is the answer to the last plan, if there was one.
std::string prompt_for_text(const std::string& text, const std::optional<PlanAnswer>& answer);
// A demand of a hook of the team.
std::string prompt_for_objection(const std::string& hook, const std::string& objection);
std::string prompt_for_messages(const std::vector<Message>& messages);
// `done` are the blockers of the task; the prompt contains their results.
std::string prompt_for_task(const Task& task, const std::vector<Task>& done, const std::optional<PlanAnswer>& answer);
// Added if a plan is wanted and not yet the work.
std::string ask_for_plan();

// Each message in its tag. For a model, which keeps a conversation. Equal messages give equal text, so that recordings
// can be replayed.
std::string tagged_messages(const std::vector<Message>& messages);
// Reports that a background program has ended. Without a status it was stopped.
std::string notification_of(const std::string& id, const std::string& what, const std::string& file,
                            std::optional<int> status);
std::string summary_request();
// The tools that are closed until a plan is approved, and the reason for the model.
std::set<std::string> gated_tools();
std::string plan_gate();
// Why they are closed again: the task of the approved plan has ended or belongs to another member.
std::string void_approval();

// The facts that stay the same in the life of a member.
struct Briefing {
  Identity self;
  bool leads = false;
  bool delegates = false;           // the lead does no work itself
  std::string lead;                 // the name of the lead
  std::string directory;            // where relative paths start
  std::int64_t most_teammates = 0;  // limits of a lead; 0: none
  std::int64_t most_rounds = 0;
  std::vector<std::string> roles;  // the roles that a lead can give, a line each
  std::vector<std::string> skills;
};
// Contains no time and no part of the board, so the text stays the same and services can cache it.
std::string system_prompt(const Briefing& briefing);
// The facts that change from call to call.
struct TeamNow {
  std::string members;  // a line each
  std::string board;    // escaped, from summarize_board()
  std::vector<std::string> digest;
};
std::string present_state(const TeamNow& now);
// Added after a conversation was shortened.
std::string reminder(const Briefing& briefing);

}  // namespace team
