#include "libteam/serve/task_json.h"

#include <nlohmann/json.hpp>

#include "libteam/base/json.h"
#include "libteam/base/json_text.h"
#include "libteam/base/own_json.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

namespace team {

namespace {

TaskFilter filter_of(const WebRequest& request) {
  TaskFilter filter;
  for (const auto& [key, value] : request.query) {
    if (key != "status") continue;
    for (const std::string& name : split(value, ',')) {
      const auto status = parse_status(name);
      if (!status) fail(Code::usage, "status: '{}' is not a status of tasks", one_line(name));
      filter.statuses.push_back(*status);
    }
  }
  filter.owner = request.find_query("owner");
  filter.ready = flag_in_query(request, "ready");
  filter.blocked = flag_in_query(request, "blocked");
  return filter;
}

std::string broken_task(TaskId id, const Error& error) {
  JsonText json;
  json.add("id", id);
  json.add("code", name_of(error.code()));
  json.add("error", error.what());
  return json.take();
}

// Keeps only these keys of an object.
std::string pick(const std::string& object, const std::vector<std::string>& keys) {
  const Json whole = parse_own(object);
  Json picked = Json::object();
  for (const std::string& key : keys) {
    const auto found = whole.find(key);
    if (found != whole.end()) picked[key] = *found;
  }
  return dump_line(picked);
}

}  // namespace

std::string task_json(const BoardView& view, const Task& task) { return to_line(task, view.standing_of(task)); }

std::string task_list_json(const BoardView& view, const WebRequest& request) {
  const auto fields = request.find_query("fields");
  const std::vector<std::string> keys = fields ? split(*fields, ',') : std::vector<std::string>();
  const TaskFilter filter = filter_of(request);
  const TaskId after = number_in_query(request, "after", 0);
  const auto limit = static_cast<std::size_t>(number_in_query(request, "limit", INT64_MAX));
  std::vector<std::string> tasks;
  const auto add = [&](const std::string& object) { tasks.push_back(fields ? pick(object, keys) : object); };
  const auto broken = [&](TaskId id, const Error& error) {
    if (id > after && tasks.size() < limit) tasks.push_back(broken_task(id, error));
  };
  const auto wanted = ids_in_query(request, "ids");
  if (wanted) {
    for (const TaskId id : *wanted) {
      try {
        const auto task = view.find(id);
        if (task) add(task_json(view, *task));
      } catch (const Error& error) {
        if (error.code() != Code::corrupt) throw;
        broken(id, error);
      }
    }
    return json_array(tasks);
  }
  const auto visit = [&](const SeenTask& seen) {
    if (seen.task.id > after && tasks.size() < limit) add(to_line(seen.task, seen.standing));
  };
  view.each(filter, BoardView::Detail::everything, visit, broken);
  return json_array(tasks);
}

TaskChange read_task_change(const RequestBody& body) {
  TaskChange change;
  change.subject = body.text("subject");
  change.description = body.text("description");
  change.active_form = body.text("activeForm");
  change.owner = body.text("owner");
  change.role = body.text("role");
  change.deliverable = body.text("deliverable");
  if (const auto priority = body.integer("priority", 0, kHighestPriority))
    change.priority = static_cast<int>(*priority);
  change.add_blocked_by = body.ids("addBlockedBy");
  change.remove_blocked_by = body.ids("removeBlockedBy");
  change.metadata = body.members("metadata");
  change.result = body.text("result");
  change.reason = body.text("reason");
  change.if_rev = body.integer("ifRev", 1, INT64_MAX);
  if (const auto status = body.text("status")) {
    change.status = parse_status(*status);
    if (!change.status) body.refuse("status", "a status of tasks");
  }
  check_texts(change);
  return change;
}

WebResponse changed_task(const BoardView& view, const TaskUpdate& update) {
  if (!update.trouble.empty()) fail(Code::unknown, "{}", update.trouble);
  JsonText json;
  json.add_all_of(task_json(view, update.changed.task));
  std::vector<std::int64_t> freed;
  for (const Task& task : update.changed.freed) freed.push_back(task.id);
  json.add("freed", freed);
  return json_response(json.take());
}

}  // namespace team
