// The endpoints below /team: tasks, messages and runs of a session, in the form of RFC-0002 AgentTeam of NexAU.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/record/task_rules.h"
#include "libteam/serve/run_routes.h"
#include "libteam/serve/team_api.h"
#include "libteam/serve/team_api_stream.h"
#include "libteam/serve/team_runs.h"
#include "libteam/store/status.h"

namespace team {

namespace {

constexpr std::size_t kMostHistory = 10'000;
constexpr std::size_t kMostHistoryBytes = std::size_t{8} << 20;

// A session in the name of the lead: the endpoints do what the tools of a leader do.
Service::Session lead_of(const Service& service, const std::string& team) {
  return service.open_session(team, service.engine().get(team).lead);
}

WebResponse list_teammates(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(ApiParameters(request).team(service), std::nullopt);
  const Team& team = session->team();
  std::vector<std::string> all;
  for (const MemberStatus& member : look_at_members(session->mail().engine(), team)) {
    if (member.name == team.lead) continue;
    JsonText json;
    json.add("agent_id", member.name);
    json.add("role_name", member.role ? *member.role : member.name);
    json.add("status", api_status_of(member));
    all.push_back(json.take());
  }
  return json_response(json_array(all));
}

WebResponse list_tasks(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const auto session = service.open_session(parameters.team(service), std::nullopt);
  TaskFilter filter;
  if (const auto wanted = parameters.text("status")) {
    const auto status = parse_status(*wanted);
    if (!status) fail(Code::usage, "'status' must be pending, in_progress, completed or failed");
    filter.statuses = {*status};
  }
  std::vector<std::string> all;
  session->board().view().each(
      filter, BoardView::Detail::open_blockers,
      [&](const SeenTask& seen) { all.push_back(to_api_task(seen.task, seen.standing.open_blockers)); },
      [](TaskId, const Error&) {});
  return json_response(json_array(all));
}

WebResponse create_task(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  Draft draft;
  draft.task.subject = parameters.need_text("title");
  draft.task.description = parameters.text("description").value_or("");
  const std::int64_t priority = parameters.number("priority").value_or(0);
  if (priority < 0 || priority > kHighestPriority) {
    fail(Code::usage, "'priority' must be a number from 0 to {}", kHighestPriority);
  }
  draft.task.priority = static_cast<int>(priority);
  draft.task.blocked_by = parameters.tasks("dependencies");
  check_task(draft.task);
  const auto session = lead_of(service, parameters.team(service));
  const TaskCreation made = session->tasks().create({draft});
  if (!made.trouble.empty()) fail(Code::unknown, "{}", made.trouble);
  const Task task = session->board().view().get(made.ids.at(0));
  return json_response(to_api_task(task, session->board().view().open_blockers(task)));
}

WebResponse answer_of(const TaskUpdate& update, std::string json) {
  if (!update.trouble.empty()) fail(Code::unknown, "{}", update.trouble);
  return json_response(std::move(json));
}

std::string describe_claim(const Task& task, const std::string& assignee) {
  JsonText json;
  json.add("task_id", std::to_string(task.id));
  json.add("title", task.subject);
  json.add("status", "claimed");
  json.add("assignee_agent_id", assignee);
  json.add("deliverable_path", task.deliverable);
  return json.take();
}

// A running teammate begins a task that is assigned to it by itself. For others the task is claimed in their name.
WebResponse claim_task(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const auto id = parameters.task("task_id");
  if (!id) fail(Code::usage, "'task_id' is missing: a task is claimed by its id");
  const std::string team = parameters.team(service);
  const auto lead = lead_of(service, team);
  const std::string assignee = resolve_agent(lead->team(), parameters.text("assignee_agent_id").value_or("leader"));
  lead->mail().check_member(assignee, "member");
  const bool begins_by_itself =
      assignee != lead->team().lead && lead->engine().life_of(team, assignee) == Life::running;
  TaskChange change;
  if (begins_by_itself) {
    const BoardView& view = lead->board().view();
    const Task task = view.get(*id);
    check_claim(task, Actor{.name = assignee, .role = {}, .run = {}, .leads = false});
    check_unblocked(task, view.open_blockers(task));
    change.owner = assignee;
    change.if_rev = task.rev;
    const TaskUpdate update = lead->tasks().update(*id, change);
    return answer_of(update, describe_claim(update.changed.task, assignee));
  }
  const auto session = service.open_session(team, assignee);
  change.status = Status::in_progress;
  const TaskUpdate update = session->tasks().update(*id, change);
  return answer_of(update, describe_claim(update.changed.task, assignee));
}

WebResponse update_task(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const auto id = parse_task_reference(request.parameters.at(0));
  if (!id) fail(Code::usage, "'{}' is not the id of a task", request.parameters.at(0));
  const auto status = parse_status(parameters.need_text("status"));
  if (!status) fail(Code::usage, "'status' must be pending, in_progress, completed or failed");
  const auto summary = parameters.text("result_summary");
  const std::string team = parameters.team(service);
  const auto lead = lead_of(service, team);
  const Task task = lead->board().view().get(*id);
  TaskChange change;
  change.status = status;
  (*status == Status::completed ? change.result : change.reason) = summary;
  // A task that is assigned to somebody is begun in its owner's name.
  const bool is_owners = *status == Status::in_progress && task.owner && *task.owner != lead->team().lead;
  const auto session = is_owners ? service.open_session(team, *task.owner) : lead_of(service, team);
  const TaskUpdate update = session->tasks().update(*id, change);
  const Task& now = update.changed.task;
  JsonText json;
  json.add("task_id", std::to_string(now.id));
  json.add("title", now.subject);
  json.add("status", name_of(now.status));
  json.add("result_summary", now.result ? now.result : now.error);
  return answer_of(update, json.take());
}

WebResponse send_message(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const std::string team = parameters.team(service);
  const Team config = service.engine().get(team);
  const auto to = parameters.text("to_agent_id");
  OutgoingMessage message;
  message.content = parameters.need_text("content");
  message.to = to ? resolve_agent(config, *to) : "";
  message.type = to ? "message" : "broadcast";
  const auto session = service.open_session(team, resolve_agent(config, parameters.need_text("from_agent_id")));
  const SentMessages sent = session->messages().send(message);
  std::vector<std::string> names;
  for (const Message& one : sent.messages) names.push_back(dump_line(Json(one.recipient)));
  JsonText json;
  json.add("message_id", sent.messages.empty() ? std::string() : sent.messages.front().id);
  json.add("status", to ? "sent" : "broadcast");
  json.add_json("delivered_to", json_array(names));
  return json_response(json.take());
}

WebResponse send_user_message(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const std::string team = parameters.team(service);
  const Team config = service.engine().get(team);
  const std::string to = parameters.text("to_agent_id").value_or("leader");
  OutgoingMessage message;
  message.content = parameters.need_text("content");
  message.to = resolve_agent(config, to);
  if (!is_running(service.engine(), config)) fail(Code::not_found, "team {} does not run", team);
  service.open_session(team, std::nullopt)->messages().send(message);
  JsonText json;
  json.add("status", "enqueued");
  json.add("to_agent_id", to);
  return json_response(json.take());
}

WebResponse stop(const Service& service, const WebRequest& request) {
  const bool stopped = stop_team(service, ApiParameters(request).team(service));
  return json_response(fmt::format(R"({{"status":"{}"}})", stopped ? "stopped" : "no_active_team"));
}

WebResponse show_status(const Service& service, const WebRequest& request) {
  const std::string team = ApiParameters(request).team(service);
  const auto session = service.open_session(team, std::nullopt);
  const Team& config = session->team();
  JsonText json;
  json.add("running", is_running(service.engine(), config));
  json.add("session_id", team);
  json.add("team_id", team);
  json.add("leader_agent_id", config.lead);
  json.add("leader_running", service.engine().life_of(team, config.lead) == Life::running);
  json.add("finished", config.finished_at.has_value());
  json.add("summary", config.summary);
  json.add("last_event", session->mail().events().last_sequence());
  return json_response(json.take());
}

ApiStreamOptions::Format format_of(const WebRequest& request) {
  const auto format = request.find_query("format");
  if (!format || *format == "wrapped") return ApiStreamOptions::Format::wrapped;
  if (*format != "envelope") fail(Code::usage, "'format' must be wrapped or envelope");
  return ApiStreamOptions::Format::envelope;
}

WebResponse stream_response(const Team& team, std::int64_t after, EventStream::Form form,
                            std::unique_ptr<EventTranslator> translator) {
  WebResponse response;
  response.stream = std::make_unique<EventStream>();
  response.stream->team = team.name;
  response.stream->after = after;
  response.stream->form = form;
  response.stream->translator = std::move(translator);
  return response;
}

WebResponse subscribe(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const std::string name = parameters.team(service);
  const auto session = service.open_session(name, std::nullopt);
  const Team team = session->team();
  std::int64_t after = parameters.number("after").value_or(0);
  if (const auto last = request.find_header("last-event-id")) {
    if (const auto seq = parse_integer(*last)) after = *seq;
  }
  if (after < 0) fail(Code::usage, "'after' must not be negative");
  ApiStreamOptions options;
  options.format = format_of(request);
  // Reads the life first and then the log, so that the log has all that a member did before it ended.
  RunProgress progress = progress_of(service.engine(), team);
  const bool runs = is_running(service.engine(), team);
  const std::int64_t newest = session->mail().events().last_sequence();
  // A larger number is of a log that was deleted with its team.
  if (after > newest) after = 0;
  if (!runs) options.last = newest;
  if (options.last && *options.last <= after) {
    WebResponse response;
    response.type = "text/event-stream";
    response.body = api_complete_frame(name, options.format);
    return response;
  }
  return stream_response(team, after, EventStream::Form::sse, make_api_translator(team, std::move(progress), options));
}

WebResponse show_history(const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const auto session = service.open_session(parameters.team(service), std::nullopt);
  const std::int64_t after = parameters.number("after").value_or(0);
  if (after < 0) fail(Code::usage, "'after' must not be negative");
  std::vector<std::string> all;
  std::size_t bytes = 0;
  session->mail().events().each_after(after, [&](std::string_view line) {
    for (std::string& envelope : to_api_envelopes(line, session->team())) {
      bytes += envelope.size();
      all.push_back(std::move(envelope));
    }
    return all.size() < kMostHistory && bytes < kMostHistoryBytes;
  });
  return json_response(json_array(all));
}

// The team of a run: it need not exist yet.
std::string team_to_run(const Service& service, const ApiParameters& parameters) {
  const auto session = parameters.text("session_id");
  if (!session && !service.options().team && service.engine().names().empty()) return "team";
  return parameters.team(service);
}

WebResponse stream_run(TeamRuns& runs, const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  ApiStreamOptions options;
  options.format = format_of(request);
  const std::string goal = parameters.need_text("message");
  const std::string name = team_to_run(service, parameters);
  const TeamRuns::Begun begun = runs.begin(service, name, goal);
  const Team team = service.engine().get(name);
  return stream_response(team, begun.after, EventStream::Form::sse,
                         make_api_translator(team, RunProgress(team.lead, {team.lead}), options));
}

WebResponse query_run(TeamRuns& runs, const Service& service, const WebRequest& request) {
  const ApiParameters parameters(request);
  const std::string goal = parameters.need_text("message");
  const std::string name = team_to_run(service, parameters);
  const TeamRuns::Begun begun = runs.begin(service, name, goal);
  const Team team = service.engine().get(name);
  WebResponse response = stream_response(team, begun.after, EventStream::Form::ndjson,
                                         make_result_translator(team, RunProgress(team.lead, {team.lead})));
  response.stream->type = "application/json";
  return response;
}

}  // namespace

std::vector<Route> team_api_routes(const std::shared_ptr<TeamRuns>& runs) {
  const auto with_runs = [&](auto handler) -> Handler {
    return
        [runs, handler](const Service& service, const WebRequest& request) { return handler(*runs, service, request); };
  };
  using Kind = Route::Kind;
  return {
      {"POST", "/team/stream", Kind::change, with_runs(stream_run)},
      {"POST", "/team/query", Kind::change, with_runs(query_run)},
      {"GET", "/team/teammates", Kind::read, list_teammates},
      {"GET", "/team/tasks", Kind::read, list_tasks},
      {"POST", "/team/tasks", Kind::change, create_task},
      {"POST", "/team/tasks/claim", Kind::change, claim_task},
      {"PATCH", "/team/tasks/{id}", Kind::change, update_task},
      {"POST", "/team/message", Kind::change, send_message},
      {"POST", "/team/user-message", Kind::change, send_user_message},
      {"POST", "/team/stop", Kind::change, stop},
      {"GET", "/team/status", Kind::read, show_status},
      {"GET", "/team/subscribe", Kind::read, subscribe},
      {"GET", "/team/history", Kind::read, show_history},
  };
}

}  // namespace team
