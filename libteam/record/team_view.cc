#include "libteam/record/team_view.h"

#include <algorithm>

#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

constexpr std::size_t kLongestLine = 8192;
constexpr std::size_t kLongestPiece = 1024;

TaskState posture_of(const TeamView& scene, const Task& task) {
  switch (task.status) {
    case Status::in_progress: return TaskState::running;
    case Status::failed: return TaskState::failed;
    case Status::completed: return TaskState::done;
    case Status::pending: break;
  }
  const bool waits = std::any_of(task.blocked_by.begin(), task.blocked_by.end(), [&](TaskId id) {
    const Task* blocker = scene.find_task(id);
    return blocker == nullptr || blocker->status != Status::completed;
  });
  return waits ? TaskState::blocked : TaskState::ready;
}

// Within one posture: who has waited longest, what is most urgent, what ended last.
double rank_of(const Task& task, TaskState posture) {
  switch (posture) {
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

void arrange_tasks(TeamView& scene) {
  struct Place {
    ViewTask task;
    double rank;
  };
  std::vector<Place> places;
  places.reserve(scene.board.size() + scene.broken.size());
  for (const auto& [id, task] : scene.board) {
    const TaskState posture = posture_of(scene, task);
    places.push_back({{id, posture}, rank_of(task, posture)});
  }
  for (const auto& [id, reason] : scene.broken) places.push_back({{id, TaskState::broken}, 0});
  std::sort(places.begin(), places.end(), [](const Place& one, const Place& other) {
    if (one.task.posture != other.task.posture) return one.task.posture < other.task.posture;
    return one.rank != other.rank ? one.rank < other.rank : one.task.id < other.task.id;
  });
  scene.tasks.clear();
  scene.counts.clear();
  for (const Place& place : places) {
    scene.tasks.push_back(place.task);
    ++scene.counts[place.task.posture];
  }
}

std::string describe_blocker(const TeamView& scene, TaskId id) {
  const Task* blocker = scene.find_task(id);
  if (blocker == nullptr) return fmt::format("#{} ({})", id, scene.broken.contains(id) ? "broken" : "missing");
  if (blocker->status == Status::failed) return fmt::format("#{} (failed)", id);
  return blocker->owner ? fmt::format("#{} ({})", id, *blocker->owner) : fmt::format("#{}", id);
}

}  // namespace

std::string_view name_of(TaskState posture) {
  switch (posture) {
    case TaskState::running: return "running";
    case TaskState::failed: return "failed";
    case TaskState::broken: return "broken";
    case TaskState::ready: return "ready";
    case TaskState::blocked: return "blocked";
    case TaskState::done: return "done";
  }
  return "";
}

std::optional<LogEntry> happening_of(const Envelope& envelope) {
  const std::string& type = envelope.type;
  if (type == "TEXT_MESSAGE_START" || type == "TEXT_MESSAGE_END" || type == "TOOL_CALL_END") return std::nullopt;
  LogEntry happening{envelope.seq, envelope.timestamp, envelope.agent, type, "", "", ""};
  happening.line = cut_characters(std::string_view(envelope.line).substr(0, kLongestLine), kLongestLine);
  if (type == "TEXT_MESSAGE_CONTENT") {
    happening.type = "says";
    happening.text = detail(envelope, "delta");
    happening.speech = detail(envelope, "message_id");
  } else if (type == "TOOL_CALL_START") {
    happening.type = "calls";
    happening.text = detail(envelope, "tool_call_name");
    happening.speech = detail(envelope, "tool_call_id");
  } else if (type == "TOOL_CALL_ARGS") {
    happening.type = "calls";
    happening.text = " " + one_line(detail(envelope, "delta"));
    happening.speech = detail(envelope, "tool_call_id");
  } else if (type == "TOOL_CALL_RESULT") {
    happening.type = "result";
    happening.text = detail(envelope, "content");
  } else {
    happening.text = describe(envelope);
  }
  return happening;
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

void arrange(TeamView& scene) {
  arrange_tasks(scene);
  arrange_members(scene);
}

void arrange_members(TeamView& scene) {
  const auto place_of = [](const ViewMember& member) { return std::pair(rank_of(member), member.number); };
  std::sort(scene.members.begin(), scene.members.end(),
            [&](const ViewMember& one, const ViewMember& other) { return place_of(one) < place_of(other); });
  for (ViewMember& member : scene.members) {
    member.status.task.reset();
    member.status.subject.clear();
  }
  for (const ViewTask& seen : scene.tasks) {
    if (seen.posture != TaskState::running) break;
    const Task& task = *scene.find_task(seen.id);
    for (ViewMember& member : scene.members) {
      if (member.status.name != task.owner) continue;
      member.status.task = task.id;
      member.status.subject = task.subject;
    }
  }
}

void add(TeamView& scene, LogEntry happening, std::size_t most) {
  const bool goes_on = !happening.speech.empty() && !scene.events.empty() &&
                       scene.events.back().speech == happening.speech && scene.events.back().type == happening.type;
  if (goes_on) {
    LogEntry& last = scene.events.back();
    last.text += happening.text;
    // What is said at last is what somebody wants to see.
    if (last.text.size() > kLongestPiece) last.text = repair_utf8(last.text.substr(last.text.size() - kLongestPiece));
    last.seq = happening.seq;
    last.line = std::move(happening.line);
    return;
  }
  scene.events.push_back(std::move(happening));
  while (scene.events.size() > most) scene.events.pop_front();
}

std::string why(const TeamView& scene, const ViewTask& seen) {
  if (seen.posture == TaskState::broken) return scene.broken.at(seen.id);
  const Task* task = scene.find_task(seen.id);
  if (task == nullptr) return "";
  switch (seen.posture) {
    case TaskState::failed: return task->error.value_or("no reason given");
    case TaskState::blocked: {
      std::vector<std::string> open;
      for (const TaskId id : task->blocked_by) {
        const Task* blocker = scene.find_task(id);
        if (blocker == nullptr || blocker->status != Status::completed) open.push_back(describe_blocker(scene, id));
      }
      return "waits for " + join(open, ", ");
    }
    case TaskState::running: {
      const ViewMember* owner = scene.find_member(task->owner.value_or(""));
      return owner != nullptr && owner->status.state == "dead" ? "its owner died" : "";
    }
    case TaskState::ready: {
      const auto has_role = [&](const ViewMember& member) { return member.status.role == task->role; };
      const bool nobody =
          task->role && !task->owner && std::none_of(scene.members.begin(), scene.members.end(), has_role);
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
