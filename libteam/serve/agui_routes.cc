// The endpoint /agui: a team as an agent for clients of the AG-UI protocol.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/serve/agui_stream.h"
#include "libteam/serve/run_routes.h"
#include "libteam/serve/team_runs.h"

namespace team {

namespace {

// The input of a run, RunAgentInput of the protocol. Unknown keys are ignored.
struct AguiInput {
  std::string thread, run;
  std::optional<std::string> message;  // the last message, if it is one of the user
  std::optional<std::string> team;
  std::optional<std::int64_t> after;
  struct Answer {
    std::string id;
    bool approve = false;
    std::optional<std::string> feedback;
  };
  std::vector<Answer> answers;
};

std::string need_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) fail(Code::usage, "'{}' must be a string", key);
  return found->get<std::string>();
}

const Json* find(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

// The text of a message: a string, or the text parts of a list.
std::string content_of(const Json& message) {
  const Json* content = find(message, "content");
  if (content == nullptr) return "";
  if (content->is_string()) return content->get<std::string>();
  std::string text;
  if (content->is_array()) {
    for (const Json& part : *content) {
      const Json* piece = part.is_object() ? find(part, "text") : nullptr;
      if (piece != nullptr && piece->is_string()) text += piece->get<std::string>();
    }
  }
  return text;
}

AguiInput::Answer parse_answer(const Json& entry) {
  if (!entry.is_object()) fail(Code::usage, "an entry of 'resume' must be an object");
  AguiInput::Answer answer{.id = need_text(entry, "interruptId"), .approve = false, .feedback = {}};
  const std::string status = need_text(entry, "status");
  if (status == "cancelled") {
    answer.feedback = "The user gave no answer.";
    return answer;
  }
  if (status != "resolved") fail(Code::usage, "'status' of an entry of 'resume' must be resolved or cancelled");
  const Json* payload = find(entry, "payload");
  const Json* approve = payload != nullptr && payload->is_object() ? find(*payload, "approve") : payload;
  if (approve == nullptr || !approve->is_boolean()) {
    fail(Code::usage, "the payload of an entry of 'resume' must have 'approve', true or false");
  }
  answer.approve = approve->get<bool>();
  const Json* feedback = payload->is_object() ? find(*payload, "feedback") : nullptr;
  if (feedback != nullptr && feedback->is_string()) answer.feedback = feedback->get<std::string>();
  return answer;
}

AguiInput parse_input(const WebRequest& request) {
  Json json;
  try {
    json = parse_json(request.body, "body");
  } catch (const Error& error) {
    fail(Code::usage, "{}", error.what());
  }
  if (!json.is_object()) fail(Code::usage, "the body is not a JSON object");
  AguiInput input;
  input.thread = need_text(json, "threadId");
  input.run = need_text(json, "runId");
  if (const Json* messages = find(json, "messages")) {
    if (!messages->is_array()) fail(Code::usage, "'messages' must be an array");
    if (!messages->empty() && messages->back().is_object() && messages->back().value("role", Json()) == "user") {
      input.message = content_of(messages->back());
    }
  }
  if (const Json* resume = find(json, "resume")) {
    if (!resume->is_array()) fail(Code::usage, "'resume' must be an array");
    for (const Json& entry : *resume) input.answers.push_back(parse_answer(entry));
  }
  if (const Json* properties = find(json, "forwardedProps"); properties != nullptr && properties->is_object()) {
    if (const Json* after = find(*properties, "after")) {
      if (!after->is_number_unsigned()) fail(Code::usage, "'after' must be the number of an event");
      input.after = static_cast<std::int64_t>(std::min<std::uint64_t>(after->get<std::uint64_t>(), kLargestSequence));
    }
    if (find(*properties, "team") != nullptr) input.team = need_text(*properties, "team");
  }
  return input;
}

// The query or the client names the team. Otherwise the thread does, if a team has its name or if there is none at all.
std::string team_of(const Service& service, const WebRequest& request, const AguiInput& input) {
  if (const auto named = request.find_query("team")) return *named;
  if (input.team) return *input.team;
  const auto names = service.engine().names();
  const bool is_there = std::find(names.begin(), names.end(), input.thread) != names.end();
  if (is_there || (names.empty() && !service.options().team)) return input.thread;
  return service.choose_team(std::nullopt);
}

WebResponse run_agent(TeamRuns& runs, const Service& service, const WebRequest& request) {
  const AguiInput input = parse_input(request);
  const std::string name = team_of(service, request, input);
  std::optional<std::int64_t> after = input.after;
  bool is_new_run = false;
  if (!input.answers.empty()) {
    const auto session = service.open_session(name, std::nullopt);
    if (!after) after = session->mail().events().last_sequence();
    for (const auto& answer : input.answers) {
      session->messages().approve_or_reject(answer.id, answer.approve, answer.feedback);
    }
  } else if (input.message) {
    const TeamRuns::Begun begun = runs.begin(service, name, *input.message);
    if (!after) after = begun.after;
    is_new_run = begun.is_new;
  }
  const auto session = service.open_session(name, std::nullopt);
  const Team& team = session->team();
  const Engine& engine = service.engine();
  RunProgress progress = progress_of(engine, team);
  const bool runs_now = is_new_run || is_running(engine, team);
  const std::int64_t last = session->mail().events().last_sequence();
  AguiRun run{.thread = input.thread,
              .run = input.run,
              .lead = team.lead,
              .lead_runs = is_new_run || engine.life_of(name, team.lead) == Life::running,
              .last = runs_now ? std::nullopt : std::optional(last)};
  WebResponse response;
  if (!runs_now && last <= after.value_or(last)) {
    response.type = "text/event-stream";
    response.body = agui_start(run) + agui_end(run);
    return response;
  }
  response.stream = std::make_unique<EventStream>();
  response.stream->team = name;
  response.stream->after = after.value_or(last);
  response.stream->first = agui_start(run);
  response.stream->translator = std::make_unique<AguiTranslator>(std::move(run), std::move(progress));
  return response;
}

}  // namespace

std::vector<Route> agui_routes(const std::shared_ptr<TeamRuns>& runs) {
  return {{"POST", "/agui", Route::Kind::change,
           [runs](const Service& service, const WebRequest& request) { return run_agent(*runs, service, request); }}};
}

}  // namespace team
