#include <vector>

#include "libteam/base/json_text.h"
#include "libteam/base/markup.h"
#include "libteam/base/text.h"
#include "libteam/mcp/team_features.h"
#include "libteam/store/board_summary.h"

namespace team {

namespace {

constexpr std::size_t kMostListed = 200;

std::string brief_json(const SeenTask& seen) {
  const Task& task = seen.task;
  JsonText json;
  json.add("id", task.id);
  json.add("subject", task.subject);
  json.add("status", name_of(task.status));
  json.add("owner", task.owner);
  json.add("role", task.role);
  json.add("priority", task.priority);
  json.add("openBlockers", seen.standing.open_blockers);
  return json.take();
}

void add_list(Toolbox& tools, TeamFeatures& features, TeamToolCall& call) {
  const ToolSpec spec{"task_list", "Lists tasks.",
                      R"({"type":"object","properties":{
    "status":{"type":"string","enum":["pending","in_progress","completed","failed"]},
    "owner":{"type":"string"},
    "ready":{"type":"boolean","description":"only tasks that can be claimed now"}}})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    TaskFilter filter;
    if (const auto status = arguments.find_text("status")) filter.statuses = {*parse_status(*status)};
    filter.owner = arguments.find_text("owner");
    filter.ready = arguments.flag("ready");
    std::vector<std::string> lines, objects;
    std::size_t total = 0;
    const auto visit = [&](const SeenTask& seen) {
      if (++total > kMostListed) return;
      lines.push_back(summary_of(seen, SummaryDetail::lines));
      objects.push_back(brief_json(seen));
    };
    const auto broken = [&](TaskId id, const Error& error) {
      lines.push_back(fmt::format("#{} cannot be read: {}", id, escape_line(error.what())));
    };
    features.session().view().each(filter, BoardView::Detail::open_blockers, visit, broken);
    JsonText json;
    json.add_json("tasks", json_array(objects));
    json.add("total", static_cast<std::int64_t>(total));
    call.structured = json.take();
    if (total > kMostListed) lines.push_back(fmt::format("and {} more", total - kMostListed));
    return {lines.empty() ? "No task." : join(lines, "\n")};
  });
}

void add_get(Toolbox& tools, TeamFeatures& features, TeamToolCall& call) {
  const ToolSpec spec{"task_get", "Gives everything about a task, as JSON.",
                      R"({"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    const BoardView& view = features.session().view();
    const Task task = view.get(*arguments.find_integer("id"));
    call.structured = to_line(task, view.standing_of(task));
    return {call.structured};
  });
}

void add_create(Toolbox& tools, TeamFeatures& features) {
  const ToolSpec spec{"task_create", "Puts a task on the board and gives its id.",
                      R"({"type":"object","properties":{
    "subject":{"type":"string","description":"what to do, in a few words"},
    "description":{"type":"string","description":"all that one needs to know to do it"},
    "blocked_by":{"type":"array","items":{"type":"integer"},"description":"tasks to complete first"},
    "owner":{"type":"string","description":"the member who is to do it; absent: whoever is free"},
    "role":{"type":"string","description":"only members of this role take it"},
    "priority":{"type":"integer","minimum":0,"description":"0 normal, 1 high, 2 critical"}},
    "required":["subject"]})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    Draft draft;
    draft.task.subject = arguments.text("subject");
    draft.task.description = arguments.text("description");
    draft.task.owner = arguments.find_text("owner");
    draft.task.role = arguments.find_text("role");
    draft.task.priority = static_cast<int>(arguments.find_integer("priority").value_or(0));
    draft.task.blocked_by = arguments.integers("blocked_by");
    check_task(draft.task);
    const TaskCreation creation = features.session().tasks().create({draft});
    return {fmt::format("Task #{} is on the board.", creation.ids.front()) + describe_trouble(creation.trouble)};
  });
}

void add_claim(Toolbox& tools, TeamFeatures& features) {
  const ToolSpec spec{"task_claim", "Takes a task; you become its owner. Gives what you need to do it.",
                      R"({"type":"object","properties":{
    "id":{"type":"integer","description":"absent: the next ready task"}}})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    TeamSession& session = features.session();
    const auto id = arguments.find_integer("id");
    if (!id) {
      const auto claimed = session.claim_next();
      return {claimed ? describe_claim(session, claimed->task) : "Nothing is ready."};
    }
    TaskChange change;
    change.status = Status::in_progress;
    const TaskUpdate update = session.tasks().update(*id, change);
    return {describe_claim(session, update.changed.task) + describe_trouble(update.trouble)};
  });
}

// The texts of `fields`, and the keys that they have there.
void read_fields(const Json& fields, TaskChange& change) {
  const Arguments arguments(fields);
  change.subject = arguments.find_text("subject");
  change.description = arguments.find_text("description");
  change.owner = arguments.find_text("owner");
  change.role = arguments.find_text("role");
  if (const auto priority = arguments.find_integer("priority")) change.priority = static_cast<int>(*priority);
  change.add_blocked_by = arguments.integers("addBlockedBy");
  change.remove_blocked_by = arguments.integers("removeBlockedBy");
  change.metadata = arguments.entries("metadata");
}

void add_update(Toolbox& tools, TeamFeatures& features) {
  const ToolSpec spec{"task_update", "Ends a task of yours, gives it back (released), or changes fields of a task.",
                      R"({"type":"object","properties":{
    "id":{"type":"integer"},
    "status":{"type":"string","enum":["completed","failed","released"]},
    "result":{"type":"string","description":"what was done; with failed and released: why"},
    "fields":{"type":"object","properties":{"subject":{"type":"string"},"description":{"type":"string"},
      "owner":{"type":"string","description":"empty: nobody"},"role":{"type":"string"},"priority":{"type":"integer"},
      "addBlockedBy":{"type":"array","items":{"type":"integer"}},
      "removeBlockedBy":{"type":"array","items":{"type":"integer"}},"metadata":{"type":"object"}}},
    "if_rev":{"type":"integer","description":"refuse if the task has another rev by now"}},
    "required":["id"]})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    TaskChange change;
    if (const Json* fields = arguments.find_object("fields")) read_fields(*fields, change);
    const auto status = arguments.find_text("status");
    if (status) change.status = *status == "released" ? Status::pending : *parse_status(*status);
    (change.status == Status::completed ? change.result : change.reason) = arguments.find_text("result");
    change.if_rev = arguments.find_integer("if_rev");
    check_texts(change);
    const TaskUpdate update = features.session().tasks().update(*arguments.find_integer("id"), change);
    const Task& task = update.changed.task;
    std::string text = fmt::format("Task #{} is {} (rev {}).", task.id, name_of(task.status), task.rev);
    for (const Task& freed : update.changed.freed) {
      text += fmt::format("\nTask #{} can start now: {}", freed.id, escape_line(freed.subject));
    }
    return {text + describe_trouble(update.trouble)};
  });
}

}  // namespace

std::string describe_claim(const TeamSession& session, const Task& task) {
  return fmt::format("Task #{} is yours: {}", task.id, escape_line(task.subject)) +
         describe_claimed(session.view(), task);
}

void add_task_tools(Toolbox& tools, TeamFeatures& features, TeamToolCall& call) {
  add_list(tools, features, call);
  add_get(tools, features, call);
  add_create(tools, features);
  add_claim(tools, features);
  add_update(tools, features);
}

bool is_reading_tool(const std::string& name) { return name == "task_list" || name == "task_get" || name == "status"; }

std::string tool_hints(const std::string& name) {
  if (is_reading_tool(name)) return R"({"readOnlyHint":true})";
  return name == "task_update" ? R"({"idempotentHint":true})" : "";
}

}  // namespace team
