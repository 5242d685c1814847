#include "libteam/record/status.h"

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"

namespace team {

namespace {

Json to_json(const MemberStatus& member) {
  return {{"name", member.name},
          {"role", or_null(member.role)},
          {"state", member.state},
          {"since", or_null(member.since)},
          {"reason", member.since ? Json(member.reason) : Json(nullptr)},
          {"pid", or_null(member.pid)},
          {"pane", or_null(member.pane)},
          {"task", or_null(member.task)},
          {"subject", member.task ? Json(member.subject) : Json(nullptr)},
          {"model", or_null(member.model)},
          {"usage", Json::parse(to_json_text(member.usage))},
          {"cost", or_null(member.cost)},
          {"unread", member.unread},
          {"lastWords", member.last_words.empty() ? Json(nullptr) : Json(member.last_words)}};
}

Json to_json(const TaskNote& note) {
  return {{"id", note.id},
          {"kind", name_of(note.kind)},
          {"owner", or_null(note.owner)},
          {"subject", note.subject},
          {"note", note.note}};
}

Json to_json(const PlanNote& plan) {
  return {{"id", plan.id},       {"from", plan.from},      {"to", plan.to}, {"task", or_null(plan.task)},
          {"since", plan.since}, {"summary", plan.summary}};
}

// Collects lines up to a limit and counts the rest.
class Lines {
 public:
  explicit Lines(std::size_t most) : most_(most) {}
  void add(std::string line) {
    if (lines_.size() < most_) lines_.push_back(std::move(line));
    else ++left_out_;
  }
  // The number of omitted lines replaces the last line.
  std::vector<std::string> finish() {
    if (left_out_ > 0) lines_.back() = fmt::format("and {} more", left_out_ + 1);
    return std::move(lines_);
  }

 private:
  std::size_t most_;
  std::size_t left_out_ = 0;
  std::vector<std::string> lines_;
};

std::string count_states(const std::vector<MemberStatus>& members) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const MemberStatus& member : members) {
    const auto found =
        std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return one.first == member.state; });
    if (found != counts.end()) ++found->second;
    else if (member.state != "-" && member.state != "lead") counts.emplace_back(member.state, 1);
  }
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  return parts.empty() ? "nobody runs" : join(parts, ", ");
}

}  // namespace

std::string to_line(const MemberStatus& member) { return dump_line(to_json(member)); }

std::string to_line(const TeamStatus& status) {
  Json members = Json::array();
  for (const MemberStatus& member : status.members) members.push_back(to_json(member));
  Json usage = Json::parse(to_json_text(status.usage));
  usage["cost"] = or_null(status.cost);
  Json notes = Json::array(), plans = Json::array(), warnings = Json::array();
  for (const TaskNote& note : status.tasks.notes) notes.push_back(to_json(note));
  for (const PlanNote& plan : status.plans) plans.push_back(to_json(plan));
  for (const Warning& one : status.warnings) warnings.push_back({{"kind", one.kind}, {"warning", one.text}});
  const BoardStatus& tasks = status.tasks;
  return dump_line({{"team", status.team},
                    {"lead", status.lead},
                    {"board", status.board},
                    {"members", members},
                    {"tasks",
                     {{"total", tasks.total},
                      {"ready", tasks.ready},
                      {"blocked", tasks.blocked},
                      {"in_progress", tasks.in_progress},
                      {"completed", tasks.completed},
                      {"failed", tasks.failed}}},
                    {"blockedTasks", tasks.blocked_tasks},
                    {"failedTasks", tasks.failed_tasks},
                    {"notes", notes},
                    {"plans", plans},
                    {"warnings", warnings},
                    {"usage", usage}});
}

std::string_view name_of(TaskNote::Kind kind) {
  switch (kind) {
    case TaskNote::Kind::in_progress: return "in_progress";
    case TaskNote::Kind::ready: return "ready";
    case TaskNote::Kind::blocked: return "blocked";
    case TaskNote::Kind::failed: break;
  }
  return "failed";
}

std::vector<std::string> brief(const TeamStatus& status) {
  constexpr std::size_t kMostLines = 16;
  constexpr std::size_t kLongest = 160;
  const BoardStatus& tasks = status.tasks;
  Lines lines(kMostLines);
  lines.add(fmt::format("team {}: {}", status.team, count_states(status.members)));
  lines.add(fmt::format("tasks: {} of {} completed, {} in progress, {} ready, {} blocked, {} failed", tasks.completed,
                        tasks.total, tasks.in_progress, tasks.ready, tasks.blocked, tasks.failed));
  for (const Warning& warning : status.warnings)
    lines.add("warning: " + cut_characters(one_line(warning.text), kLongest));
  for (const PlanNote& plan : status.plans) {
    lines.add(fmt::format("plan {} of {} waits for {}: {}", plan.id, plan.from, plan.to,
                          cut_characters(one_line(plan.summary), kLongest / 2)));
  }
  for (const TaskNote& note : tasks.notes) {
    const std::string owner = note.owner ? fmt::format(" ({})", *note.owner) : "";
    const std::string why = note.note.empty() ? "" : ": " + note.note;
    lines.add(cut_characters(
        one_line(fmt::format("#{} {}{} {}{}", note.id, name_of(note.kind), owner, note.subject, why)), kLongest));
  }
  return lines.finish();
}

}  // namespace team
