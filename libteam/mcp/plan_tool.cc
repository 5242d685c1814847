#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/base/markup.h"
#include "libteam/base/text.h"
#include "libteam/mcp/team_features.h"
#include "libteam/record/actor.h"

namespace team {

namespace {

constexpr const char* kQuestion = "plan";

std::string text_or(const Arguments& arguments, const char* key, const char* what) {
  auto text = arguments.text(key);
  if (is_blank(text)) fail(Code::usage, "'{}' is missing: {}", key, what);
  return text;
}

// A form for the user: the plan, and the answer to it.
McpQuestion ask_user(const Request& plan) {
  JsonText params;
  params.add("message", fmt::format("{} asks you to approve this plan:\n\n{}", plan.from, plan.content));
  params.add_json("requestedSchema",
                  R"({"type":"object","properties":{"approve":{"type":"boolean","title":"Approve the plan"},)"
                  R"("feedback":{"type":"string","title":"Feedback"}},"required":["approve"]})");
  return {kQuestion, "elicitation/create", params.take()};
}

std::string describe_wait(const Request& plan) {
  return fmt::format("The plan was put to {} as {}. The answer comes as a message: call wait.", plan.to, plan.id);
}

std::string describe_answer(const Request& plan) {
  if (plan.status == RequestStatus::pending) return describe_wait(plan);
  std::string text =
      fmt::format("{} {} the plan {}.", plan.answered_by.value_or(plan.to), name_of(plan.status), plan.id);
  if (plan.feedback) text += "\n" + enclose("feedback", attribute("from", plan.to), *plan.feedback);
  return text;
}

// Notes what the user said in the form. A user who closed the form has said nothing.
void take_answer(const TeamSession& session, const Request& plan, const Json& answer) {
  const std::string action = answer.value("action", "");
  const auto content = answer.find("content");
  const Arguments form(content != answer.end() && content->is_object() ? *content : answer);
  const auto approve = action == "accept" ? form.find_flag("approve") : std::optional(false);
  if ((action != "accept" && action != "decline") || !approve) return;
  auto feedback = form.find_text("feedback");
  if (feedback && is_blank(*feedback)) feedback.reset();
  const Actor user = make_actor("user", std::nullopt, &session.team());
  MailOperations(session.mail(), user).answer(RequestKind::plan, plan.id, *approve, feedback);
}

// The plan that an earlier call of this member put to the user. Throws RpcError for any other.
Request find_asked(const TeamSession& session, const std::string& id) {
  try {
    Request plan = session.mail().requests().get(id);
    if (plan.kind == RequestKind::plan && plan.from == session.self().name && plan.to == "user") return plan;
  } catch (const Error&) {
    // The refusal is the same.
  }
  refuse_params("'requestState' is not that of an earlier answer");
}

ToolResult submit(TeamSession& session, const Arguments& arguments, TeamToolCall& call) {
  const McpRequest& request = *call.request;
  if (request.state) {
    const Request plan = find_asked(session, *request.state);
    if (const Json* answer = request.find_answer(kQuestion)) {
      if (plan.status == RequestStatus::pending) take_answer(session, plan, *answer);
    }
    return {describe_answer(session.mail().requests().get(plan.id))};
  }
  OutgoingMessage outgoing;
  outgoing.to = session.self().name == session.team().lead ? "user" : session.team().lead;
  outgoing.content = text_or(arguments, "text", "the plan");
  outgoing.task = arguments.find_integer("task");
  if (outgoing.task) session.view().get(*outgoing.task);  // throws not_found
  const std::string id = session.messages().submit_plan(outgoing);
  const Request plan = session.mail().requests().get(id);
  if (plan.to == "user" && request.client.elicits) {
    call.outcome.questions = {ask_user(plan)};
    call.outcome.state = id;
    return {};
  }
  return {describe_wait(plan)};
}

ToolResult answer(const TeamSession& session, const Arguments& arguments, bool approve) {
  const std::string id = text_or(arguments, "id", "the id of the plan");
  session.messages().approve_or_reject(id, approve, arguments.find_text("text"));
  const RequestKind kind = session.mail().requests().get(id).kind;
  return {fmt::format("The {} {} is {}.", name_of(kind), id, approve ? "approved" : "rejected")};
}

ToolResult list(const TeamSession& session) {
  std::vector<std::string> lines;
  for (const Request& plan : session.mail().requests().pending([](const Error&) {})) {
    if (!is_for_approval(plan.kind)) continue;
    const std::string task = plan.task ? attribute("task", std::to_string(*plan.task)) : "";
    lines.push_back(
        enclose(name_of(plan.kind), attribute("id", plan.id) + attribute("from", plan.from) + task, plan.content));
  }
  return {lines.empty() ? "No plan waits for an answer." : join(lines, "\n")};
}

}  // namespace

void add_plan_tool(Toolbox& tools, TeamFeatures& features, TeamToolCall& call) {
  const ToolSpec spec{"plan", "Submits a plan for approval, or lists plans. The lead approves and rejects them.",
                      R"({"type":"object","properties":{
    "action":{"type":"string","enum":["submit","approve","reject","list"]},
    "text":{"type":"string","description":"the plan; with approve and reject: feedback"},
    "task":{"type":"integer","description":"the task that the plan is for"},
    "id":{"type":"string","description":"the plan to approve or reject"}},
    "required":["action"]})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    TeamSession& session = features.session();
    const std::string action = arguments.text("action");
    if (action == "submit") return submit(session, arguments, call);
    if (action == "list") return list(session);
    return answer(session, arguments, action == "approve");
  });
}

}  // namespace team
