#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/text.h"
#include "libteam/mcp/team_features.h"

namespace team {

namespace {

constexpr std::string_view kJoin =
    "Work as a member of the team until it needs you no more. Call status once. Then repeat: call wait with claim; do "
    "the "
    "task or answer the message that it gives; end a task with task_update and a result that others can use. If wait "
    "gives nothing, call it again. Stop when a message tells you to, or when status shows that every task has ended.";

constexpr std::string_view kLead =
    "Lead the team. Call status and task_list. Split the goal into tasks with task_create: small, each with everything "
    "that its owner must know, blocked_by where one needs the result of another. Do not do the work of members. Then "
    "call "
    "wait: answer questions with send, approve or reject plans with plan, and look at results with task_get. When "
    "every "
    "task has ended, check the results against the goal, and report to the user with send.";

std::string prompt_json(const char* name, const char* description, std::string_view arguments) {
  JsonText json;
  json.add("name", name);
  json.add("description", description);
  json.add_json("arguments", arguments);
  return json.take();
}

McpOutcome one_message(const std::string& text) {
  JsonText message;
  message.add("role", "user");
  message.add_json("content", text_content(text));
  JsonText result;
  result.add_json("messages", json_array({message.take()}));
  McpOutcome outcome;
  outcome.result = result.take();
  return outcome;
}

}  // namespace

std::vector<std::string> TeamFeatures::prompts() {
  return {prompt_json("join", "Work as a member of the team: take tasks, answer messages.", "[]"),
          prompt_json("lead", "Lead the team: plan tasks, watch, check the results.",
                      R"([{"name":"goal","description":"what the team is to achieve","required":false}])")};
}

McpOutcome TeamFeatures::get_prompt(const McpRequest&, const std::string& name, const Json& arguments) {
  if (name == "join") return one_message(std::string(kJoin));
  if (name != "lead") refuse_params(fmt::format("no prompt '{}'", name.substr(0, 100)));
  const auto goal = arguments.find("goal");
  const bool has_goal = goal != arguments.end() && goal->is_string() && !is_blank(goal->get_ref<const std::string&>());
  return one_message(std::string(kLead) + (has_goal ? "\n\nThe goal: " + goal->get<std::string>() : ""));
}

}  // namespace team
