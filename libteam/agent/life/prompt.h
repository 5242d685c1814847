// What a teammate is told about a piece of work.
//
// Everything that others wrote is data: it is escaped, it stands in an envelope that names its author where he is
// known, and the prompt says so. See base/envelope.h.
#pragma once

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
  std::string role_prompt;  // what the role is about
};

// What was decided about a plan.
struct PlanAnswer {
  bool approved = false;
  std::string feedback;
  std::string by = {};  // who decided it
};

// Who is addressed; stands in front of what follows.
std::string introduce(const Identity& self);
// `answer` is what the last plan was answered, if there was one.
std::string prompt_for_text(const std::string& text, const std::optional<PlanAnswer>& answer);
// Work that a hook of the team asks for.
std::string prompt_for_objection(const std::string& hook, const std::string& objection);
std::string prompt_for_messages(const std::vector<Message>& messages);
// `done` are the tasks before it, for their results.
std::string prompt_for_task(const Task& task, const std::vector<Task>& done, const std::optional<PlanAnswer>& answer);
// Added where a plan is wanted and not yet the work.
std::string ask_for_plan();

// For a model, which keeps a conversation: the same text for the same messages, so that one can be played back.
std::string envelopes_of(const std::vector<Message>& messages);
// Something that ran beside the conversation has ended; without a status it was stopped.
std::string notification_of(const std::string& id, const std::string& what, const std::string& file,
                            std::optional<int> status);
std::string summary_request();
// Until a plan is approved these are closed, and that is why.
std::set<std::string> gated_tools();
std::string plan_gate();
// Why they are closed when the task of an approved plan has ended or has gone to somebody else.
std::string void_approval();

// What a system prompt is made of.
struct Briefing {
  Identity self;
  bool leads = false;
  bool delegates = false;          // a lead that does nothing itself
  std::string members;             // who else there is, a line each
  std::vector<std::string> roles;  // that a lead can give, a line each
  std::vector<std::string> skills;
  std::string board;  // as summarize_board() gives it: escaped
  std::vector<std::string> digest;
};
// What changes from call to call stands at its end. It names no path and no time: the same team gives the same text.
std::string system_prompt(const Briefing& briefing);
// Put back when a conversation was shortened.
std::string reminder(const Briefing& briefing);

}  // namespace team
