#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/record/stored_task.h"
#include "libteam/serve/batch/operation.h"
#include "libteam/serve/task_json.h"
#include "libteam/store/status.h"

namespace team {

namespace {

void refuse_trouble(const std::string& trouble) {
  if (!trouble.empty()) fail(Code::unknown, "{}", trouble);
}

std::vector<std::int64_t> ids_of(const std::vector<Task>& tasks) {
  std::vector<std::int64_t> ids;
  for (const Task& task : tasks) ids.push_back(task.id);
  return ids;
}

// The task as it is now, and the ids of the tasks that became ready.
std::string changed_json(BatchCall& call, const TaskUpdate& update) {
  call.made();
  refuse_trouble(update.trouble);
  JsonText json;
  json.add_json("task", to_stored_line(update.changed.task));
  json.add("freed", ids_of(update.changed.freed));
  return json.take();
}

std::string update_task(BatchCall& call, TaskId id, const TaskChange& change) {
  return changed_json(call, call.session().tasks().update(id, change));
}

std::string create(BatchCall& call) {
  const RequestBody& request = call.request();
  std::vector<Draft> drafts;
  const auto lines = request.lines("tasks");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    drafts.push_back(parse_draft(lines[i], fmt::format("request: task {}", i + 1)));
  }
  if (!request.has("tasks")) drafts.push_back(parse_draft(request.line({"id", "op", "team"}), "request"));
  const TaskCreation creation = call.session(Missing::make).tasks().create(std::move(drafts));
  call.made();
  refuse_trouble(creation.trouble);
  JsonText json;
  if (request.has("tasks")) json.add("tasks", creation.ids);
  else json.add("task", creation.ids.front());
  return json.take();
}

std::string get(BatchCall& call) {
  const BoardView& view = call.session().view();
  return task_json(view, view.get(call.request().needed_task("task")));
}

// The keys are those of GET /api/tasks.
std::string list(BatchCall& call) {
  const RequestBody& request = call.request();
  WebRequest query;
  for (const char* key : {"owner", "ready", "blocked", "after", "limit"}) {
    if (auto value = request.value(key)) query.query.emplace_back(key, std::move(*value));
  }
  for (std::string& status : request.texts("status")) query.query.emplace_back("status", std::move(status));
  if (request.has("fields")) query.query.emplace_back("fields", join(request.texts("fields"), ","));
  return task_list_json(call.session().view(), query);
}

WaitRules wait_rules_of(const RequestBody& request, const char* key) {
  WaitRules rules;
  if (const auto seconds = request.number(key)) rules.deadline = Deadline::in(*seconds);
  rules.keep_waiting = request.boolean("keepWaiting").value_or(false);
  return rules;
}

std::string claim_next(BatchCall& call) {
  const RequestBody& request = call.request();
  const TeamSession& session = call.session();
  std::string reason = "nothing is ready";
  std::optional<Changed> claimed;
  if (request.has("wait")) {
    ClaimEnd end = session.wait_next(wait_rules_of(request, "wait"));
    claimed = std::move(end.claimed);
    const bool is_stuck = end.end.kind == WaitEnd::Kind::hopeless && !end.end.reason.empty();
    if (is_stuck) reason = "nothing can become ready: " + end.end.reason;
  } else {
    claimed = session.claim_next();
  }
  if (!claimed) fail(Code::no, "{}", reason);
  return changed_json(call, {*claimed, ""});
}

std::string claim(BatchCall& call) {
  const RequestBody& request = call.request();
  const bool next = request.boolean("next").value_or(false);
  const auto id = request.task("task");
  if (next == id.has_value()) fail(Code::usage, "request: either 'task' or 'next' is needed");
  if (next) return claim_next(call);
  TaskChange change;
  change.status = Status::in_progress;
  change.if_rev = request.integer("ifRev", 1, INT64_MAX);
  return update_task(call, *id, change);
}

std::string update(BatchCall& call) {
  const TaskId id = call.request().needed_task("task");
  return update_task(call, id, read_task_change(call.request()));
}

// A change of status by name; `text` is the key of its text.
std::string move(BatchCall& call, Status status, const char* key, std::optional<std::string> TaskChange::*text) {
  const RequestBody& request = call.request();
  TaskChange change;
  change.status = status;
  change.*text = request.text(key);
  change.deliverable = request.text("deliverable");
  change.if_rev = request.integer("ifRev", 1, INT64_MAX);
  return update_task(call, request.needed_task("task"), change);
}

std::string complete(BatchCall& call) { return move(call, Status::completed, "result", &TaskChange::result); }
std::string give_up(BatchCall& call) { return move(call, Status::failed, "reason", &TaskChange::reason); }
std::string give_back(BatchCall& call) { return move(call, Status::pending, "reason", &TaskChange::reason); }

std::string remove(BatchCall& call) {
  const RequestBody& request = call.request();
  call.session().remove(request.needed_task("task"), request.integer("ifRev", 1, INT64_MAX));
  call.made();
  return "{}";
}

std::string reclaim(BatchCall& call) {
  const auto released = call.session().reclaim();
  call.made();
  JsonText json;
  json.add("tasks", ids_of(released));
  return json.take();
}

std::string explain(BatchCall& call) {
  std::vector<std::string> reasons;
  for (const Reason& reason : call.session().explain(call.request().needed_task("task"))) {
    reasons.push_back(to_line(reason));
  }
  return json_array(reasons);
}

std::string wait(BatchCall& call) {
  const RequestBody& request = call.request();
  std::vector<std::string> ended;
  const WaitRules rules = wait_rules_of(request, "timeout");
  const auto ids = request.ids("tasks");
  const TeamSession& session = call.session();
  const auto add = [&](const Task& task) { ended.push_back(to_stored_line(task)); };
  const TaskVisits visits{add, [](TaskId, const Error&) {}};
  const WaitEnd end = ids.empty() ? session.wait_all_ended(rules, visits) : session.wait_ended(ids, rules, visits);
  if (end.kind == WaitEnd::Kind::hopeless) fail(Code::no, "{}", end.reason);
  if (end.kind == WaitEnd::Kind::too_late) fail(Code::no, "not within {} s", *request.number("timeout"));
  return json_array(ended);
}

}  // namespace

std::vector<BatchOperation> task_batch_operations() {
  return {
      {"task-claim", {"task", "next", "wait", "keepWaiting", "ifRev"}, claim},
      {"task-complete", {"task", "result", "deliverable", "ifRev"}, complete},
      {"task-create",
       {"tasks", "subject", "description", "activeForm", "owner", "role", "deliverable", "priority", "blockedBy",
        "metadata"},
       create},
      {"task-delete", {"task", "ifRev"}, remove},
      {"task-fail", {"task", "reason", "ifRev"}, give_up},
      {"task-get", {"task"}, get},
      {"task-list", {"status", "owner", "ready", "blocked", "after", "limit", "fields"}, list},
      {"task-reclaim", {}, reclaim},
      {"task-release", {"task", "reason", "ifRev"}, give_back},
      {"task-update",
       {"task", "subject", "description", "activeForm", "status", "owner", "role", "deliverable", "priority", "result",
        "reason", "addBlockedBy", "removeBlockedBy", "metadata", "ifRev"},
       update},
      {"task-wait", {"tasks", "timeout", "keepWaiting"}, wait},
      {"task-why", {"task"}, explain},
  };
}

}  // namespace team
