#include "libteam/record/team_view.h"

#include <fmt/core.h>

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kLongestPiece = 1024;

TaskState state_of(const TeamView& view, const Task& task) {
  switch (task.status) {
    case Status::in_progress: return TaskState::running;
    case Status::failed: return TaskState::failed;
    case Status::completed: return TaskState::done;
    case Status::pending: break;
  }
  const bool waits = std::any_of(task.blocked_by.begin(), task.blocked_by.end(), [&](TaskId id) {
    const Task* blocker = view.find_task(id);
    return blocker == nullptr || blocker->status != Status::completed;
  });
  return waits ? TaskState::blocked : TaskState::ready;
}

// The order of tasks in the same state: first the oldest claim, the highest priority, the latest end.
double rank_of(const Task& task, TaskState state) {
  switch (state) {
    case TaskState::running: return task.claimed_at.value_or(0);
    case TaskState::ready: return -task.priority;
    case TaskState::failed:
    case TaskState::done: return -since(task).value_or(0);
    default: return 0;
  }
}

int rank_of(const ViewMember& member) {
  const std::string& state = member.status.state;
  if (member.plan || state == "plan_pending") return 0;
  if (state == "error" || state == "dead" || state == "paused") return 1;
  if (state == "active") return 2;
  return state == "shutdown" ? 4 : 3;
}

void arrange_tasks(TeamView& view) {
  struct Place {
    ViewTask task;
    double rank;
  };
  std::vector<Place> places;
  places.reserve(view.board.size() + view.broken.size());
  for (const auto& [id, task] : view.board) {
    const TaskState state = state_of(view, task);
    places.push_back({{id, state}, rank_of(task, state)});
  }
  for (const auto& [id, reason] : view.broken) places.push_back({{id, TaskState::broken}, 0});
  std::sort(places.begin(), places.end(), [](const Place& one, const Place& other) {
    if (one.task.state != other.task.state) return one.task.state < other.task.state;
    return one.rank != other.rank ? one.rank < other.rank : one.task.id < other.task.id;
  });
  view.tasks.clear();
  view.counts.clear();
  for (const Place& place : places) {
    view.tasks.push_back(place.task);
    ++view.counts[place.task.state];
  }
}

std::string describe_blocker(const TeamView& view, TaskId id) {
  const Task* blocker = view.find_task(id);
  if (blocker == nullptr) return fmt::format("#{} ({})", id, view.broken.contains(id) ? "broken" : "missing");
  if (blocker->status == Status::failed) return fmt::format("#{} (failed)", id);
  return blocker->owner ? fmt::format("#{} ({})", id, *blocker->owner) : fmt::format("#{}", id);
}

}  // namespace

std::string_view name_of(TaskState state) {
  switch (state) {
    case TaskState::running: return "running";
    case TaskState::failed: return "failed";
    case TaskState::broken: return "broken";
    case TaskState::ready: return "ready";
    case TaskState::blocked: return "blocked";
    case TaskState::done: return "done";
  }
  return "";
}

std::optional<LogEntry> log_entry_of(const Envelope& envelope) {
  const std::string& type = envelope.type;
  if (type == "TEXT_MESSAGE_START" || type == "TEXT_MESSAGE_END" || type == "TOOL_CALL_END") return std::nullopt;
  LogEntry entry{envelope.seq, envelope.timestamp, envelope.agent, type, "", "", ""};
  entry.line = cut_characters(std::string_view(envelope.line).substr(0, kLongestLine), kLongestLine);
  if (type == "TEXT_MESSAGE_CONTENT") {
    entry.type = "says";
    entry.text = detail(envelope, "delta");
    entry.speech = detail(envelope, "message_id");
  } else if (type == "TOOL_CALL_START") {
    entry.type = "calls";
    entry.text = detail(envelope, "tool_call_name");
    entry.speech = detail(envelope, "tool_call_id");
  } else if (type == "TOOL_CALL_ARGS") {
    entry.type = "calls";
    entry.text = " " + one_line(detail(envelope, "delta"));
    entry.speech = detail(envelope, "tool_call_id");
  } else if (type == "TOOL_CALL_RESULT") {
    entry.type = "result";
    entry.text = detail(envelope, "content");
  } else {
    entry.text = describe(envelope);
  }
  return entry;
}

const ViewMember* TeamView::find_member(std::string_view name) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const ViewMember& member) { return member.status.name == name; });
  return found == members.end() ? nullptr : &*found;
}

const Task* TeamView::find_task(TaskId id) const {
  const auto found = board.find(id);
  return found == board.end() ? nullptr : &found->second;
}

void arrange(TeamView& view) {
  arrange_tasks(view);
  arrange_members(view);
}

void arrange_members(TeamView& view) {
  const auto place_of = [](const ViewMember& member) { return std::pair(rank_of(member), member.number); };
  std::sort(view.members.begin(), view.members.end(),
            [&](const ViewMember& one, const ViewMember& other) { return place_of(one) < place_of(other); });
  for (ViewMember& member : view.members) {
    member.status.task.reset();
    member.status.subject.clear();
  }
  for (const ViewTask& seen : view.tasks) {
    if (seen.state != TaskState::running) break;
    const Task& task = *view.find_task(seen.id);
    for (ViewMember& member : view.members) {
      if (member.status.name != task.owner) continue;
      member.status.task = task.id;
      member.status.subject = task.subject;
    }
  }
}

void add(TeamView& view, LogEntry entry, std::size_t most) {
  const bool goes_on = !entry.speech.empty() && !view.events.empty() && view.events.back().speech == entry.speech &&
                       view.events.back().type == entry.type;
  if (goes_on) {
    LogEntry& last = view.events.back();
    last.text += entry.text;
    // The end of a long text is more useful than its beginning.
    if (last.text.size() > kLongestPiece) last.text = repair_utf8(last.text.substr(last.text.size() - kLongestPiece));
    last.seq = entry.seq;
    last.line = std::move(entry.line);
    return;
  }
  view.events.push_back(std::move(entry));
  while (view.events.size() > most) view.events.pop_front();
}

std::string why(const TeamView& view, const ViewTask& seen) {
  if (seen.state == TaskState::broken) return view.broken.at(seen.id);
  const Task* task = view.find_task(seen.id);
  if (task == nullptr) return "";
  switch (seen.state) {
    case TaskState::failed: return task->error.value_or("no reason given");
    case TaskState::blocked: {
      std::vector<std::string> open;
      for (const TaskId id : task->blocked_by) {
        const Task* blocker = view.find_task(id);
        if (blocker == nullptr || blocker->status != Status::completed) open.push_back(describe_blocker(view, id));
      }
      return "waits for " + join(open, ", ");
    }
    case TaskState::running: {
      const ViewMember* owner = view.find_member(task->owner.value_or(""));
      return owner != nullptr && owner->status.state == "dead" ? "its owner died" : "";
    }
    case TaskState::ready: {
      const auto has_role = [&](const ViewMember& member) { return member.status.role == task->role; };
      const bool nobody =
          task->role && !task->owner && std::none_of(view.members.begin(), view.members.end(), has_role);
      return nobody ? fmt::format("nobody has role {}", *task->role) : "";
    }
    default: return "";
  }
}

std::optional<double> since(const Task& task) {
  switch (task.status) {
    case Status::in_progress: return task.claimed_at;
    case Status::completed: return task.completed_at;
    default: return task.updated_at > 0 ? std::optional(task.updated_at) : std::nullopt;
  }
}

}  // namespace team
