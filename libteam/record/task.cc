#include "libteam/record/task.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "libteam/base/json_text.h"
#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

std::vector<TaskId> parse_ids(const Json& array, const Fields& fields, const char* key) {
  std::vector<TaskId> ids;
  std::set<TaskId> seen;
  for (const Json& item : array) {
    const bool fits = item.is_number_integer() && item >= 1 && item <= kLargestTaskId;
    if (!fits) fields.refuse(key, "an array of task ids");
    const auto id = item.get<TaskId>();
    if (seen.insert(id).second) ids.push_back(id);
  }
  return ids;
}

std::optional<std::string> parse_name(Fields& fields, const char* key) {
  auto name = fields.text(key);
  if (name && !is_name(*name)) fields.refuse(key, "a name ([A-Za-z0-9][A-Za-z0-9_-]{0,63}) or null");
  return name;
}

std::optional<Lease> parse_lease(Fields& fields) {
  const Json* object = fields.object("lease");
  if (object == nullptr) return std::nullopt;
  const auto boot = object->find("boot");
  const auto until = object->find("until");
  if (boot == object->end() || !boot->is_string() || until == object->end() || !until->is_number()) {
    fields.refuse("lease", "{\"boot\": string, \"until\": number}");
  }
  return Lease{boot->get<std::string>(), until->get<double>()};
}

// Reads the fields that a person or a batch can set. All of them may be missing.
void read_fields(Task& task, Fields& fields) {
  task.subject = fields.text("subject").value_or("");
  task.description = fields.text("description").value_or("");
  task.active_form = fields.text("activeForm").value_or("");
  task.owner = parse_name(fields, "owner");
  if (const Json* blockers = fields.array("blockedBy")) task.blocked_by = parse_ids(*blockers, fields, "blockedBy");
  task.priority = static_cast<int>(fields.integer("priority", 0, kHighestPriority).value_or(0));
  task.role = parse_name(fields, "role");
  task.deliverable = fields.text("deliverable");
  task.check = fields.text("check");
  task.metadata = fields.object_text("metadata").value_or(task.metadata);
}

bool is_blank(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c <= ' '; });
}

JsonText to_text(const Task& task, JsonText::Layout layout) {
  JsonText text(layout);
  text.add("id", task.id);
  text.add("subject", task.subject);
  text.add("description", task.description);
  text.add("activeForm", task.active_form);
  text.add("status", name_of(task.status));
  text.add("owner", task.owner);
  text.add("blockedBy", task.blocked_by);
  text.add("priority", task.priority);
  text.add("role", task.role);
  text.add("createdBy", task.created_by);
  text.add("createdAt", task.created_at);
  text.add("updatedAt", task.updated_at);
  text.add("claimedAt", task.claimed_at);
  text.add("completedAt", task.completed_at);
  text.add("result", task.result);
  text.add("deliverable", task.deliverable);
  text.add("attempts", task.attempts);
  text.add("error", task.error);
  text.add("run", task.run);
  text.add("rev", task.rev);
  if (task.lease) {
    JsonText lease;
    lease.add("boot", task.lease->boot);
    lease.add("until", task.lease->until);
    text.add_json("lease", lease.take());
  }
  if (task.check) text.add("check", task.check);
  if (task.base) text.add("base", task.base);
  if (task.offer) text.add_json("offer", to_json_text(*task.offer));
  if (task.landing) text.add_json("landing", to_json_text(*task.landing));
  if (task.receipt) text.add_json("receipt", to_json_text(*task.receipt));
  text.add_json("metadata", task.metadata);
  text.add_all_of(task.extra);
  return text;
}

}  // namespace

std::string_view name_of(Status status) {
  switch (status) {
    case Status::pending: return "pending";
    case Status::in_progress: return "in_progress";
    case Status::completed: return "completed";
    case Status::failed: return "failed";
  }
  return "pending";
}

std::optional<Status> parse_status(std::string_view text) {
  for (const Status status : {Status::pending, Status::in_progress, Status::completed, Status::failed}) {
    if (name_of(status) == text) return status;
  }
  return std::nullopt;
}

bool may_move(Status from, Status to) {
  switch (from) {
    case Status::pending: return to == Status::in_progress;
    case Status::in_progress: return to == Status::completed || to == Status::failed || to == Status::pending;
    case Status::failed: return to == Status::pending;
    case Status::completed: return false;
  }
  return false;
}

Task parse_task(std::string_view text, TaskId id, std::string_view file) {
  Fields fields(text, file);
  Task task;
  task.id = fields.integer("id", 1, kLargestTaskId).value_or(id);
  if (task.id != id) fields.refuse("id", fmt::format("{}, as the file is named", id));
  read_fields(task, fields);
  if (const auto status = fields.text("status")) {
    const auto known = parse_status(*status);
    if (!known) fields.refuse("status", "pending, in_progress, completed or failed");
    task.status = *known;
  }
  task.created_by = fields.text("createdBy").value_or("");
  task.created_at = fields.number("createdAt").value_or(0);
  task.updated_at = fields.number("updatedAt").value_or(0);
  task.claimed_at = fields.number("claimedAt");
  task.completed_at = fields.number("completedAt");
  task.result = fields.text("result");
  task.attempts = fields.integer("attempts", 0, kLargestCount).value_or(0);
  task.error = fields.text("error");
  task.run = fields.text("run");
  task.rev = fields.integer("rev", 0, kLargestCount).value_or(0);
  task.lease = parse_lease(fields);
  task.base = read_commit(fields, "base");
  task.offer = read_offer(fields, text, file);
  task.landing = read_receipt(fields, "landing", text, file);
  task.receipt = read_receipt(fields, "receipt", text, file);
  if (task.status == Status::in_progress && !task.owner) fields.refuse("owner", "set while the task is in progress");
  task.extra = fields.rest_text();
  return task;
}

std::string to_file(const Task& task) { return to_text(task, JsonText::Layout::indented).take(); }

std::string to_line(const Task& task, const TaskLinks& links) {
  JsonText text = to_text(task, JsonText::Layout::line);
  text.add("blocks", links.blocks);
  text.add("openBlockers", links.open_blockers);
  text.add("blocked", !links.open_blockers.empty() && !has_ended(task.status));
  return text.take();
}

Draft parse_draft(std::string_view line, std::string_view where) {
  Json json;
  try {
    json = parse_json(line, where);
  } catch (const Error& error) {
    // The document is one line, so "line 3:1:7" becomes "line 3, column 7".
    std::string_view text = error.what();
    const std::string place = fmt::format("{}:1:", where);
    if (!text.starts_with(place)) throw Error(Code::usage, error.what());
    text.remove_prefix(place.size());
    fail(Code::usage, "{}, column {}", where, text);
  }
  Fields fields(json, {}, where, Code::usage);
  for (const char* ours : {"id",     "status",   "createdBy", "createdAt", "updatedAt", "claimedAt",   "completedAt",
                           "result", "attempts", "error",     "run",       "rev",       "lease",       "base",
                           "offer",  "landing",  "receipt",   "blocks",    "blocked",   "openBlockers"}) {
    if (json.contains(ours)) fail(Code::usage, "{}: '{}' cannot be given: the board sets it", where, ours);
  }
  Draft draft;
  draft.where = where;
  draft.key = fields.text("key").value_or("");
  Json numbers = Json::array();
  if (const auto blockers = json.find("blockedBy"); blockers != json.end() && blockers->is_array()) {
    for (Json& item : *blockers) {
      if (item.is_string()) draft.blocked_by_keys.push_back(item.get<std::string>());
      else numbers.push_back(std::move(item));
    }
    *blockers = std::move(numbers);
  }
  read_fields(draft.task, fields);
  static const std::vector<std::string> known = {"key",         "subject",   "description", "activeForm",
                                                 "owner",       "blockedBy", "priority",    "role",
                                                 "deliverable", "check",     "metadata"};
  fields.refuse_misspelt(known);
  draft.task.extra = fields.rest_text();
  try {
    check_task(draft.task);
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", where, error.what());
  }
  return draft;
}

void check_task(const Task& task) {
  constexpr std::size_t kLongestSubject = 1000;
  if (is_blank(task.subject)) fail(Code::usage, "the subject is empty");
  if (cut_characters(task.subject, kLongestSubject) != task.subject) {
    fail(Code::usage, "the subject is longer than {} characters; use the description", kLongestSubject);
  }
  if (task.priority < 0 || task.priority > kHighestPriority) {
    fail(Code::usage, "priority {} is not 0 (normal), 1 (high) or 2 (critical)", task.priority);
  }
  if (task.owner && !is_name(*task.owner)) fail(Code::usage, "owner '{}' is not a name", one_line(*task.owner));
  if (task.role && !is_name(*task.role)) fail(Code::usage, "role '{}' is not a name", one_line(*task.role));
  if (task.deliverable && !is_inner_path(*task.deliverable)) {
    fail(Code::usage, "deliverable '{}' is not a path beneath the root", one_line(*task.deliverable));
  }
  if (task.check && is_blank(*task.check)) fail(Code::usage, "the check is empty");
}

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash | 1U << 31;
}

}  // namespace team
