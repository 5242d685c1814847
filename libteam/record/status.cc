#include "libteam/record/status.h"

#include <fmt/core.h>

#include <algorithm>

#include "libteam/base/json_text.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

std::int64_t number_of(std::size_t count) { return static_cast<std::int64_t>(count); }

std::string to_text(const TaskNote& note) {
  JsonText text;
  text.add("id", note.id);
  text.add("kind", name_of(note.kind));
  text.add("owner", note.owner);
  text.add("subject", note.subject);
  text.add("note", note.note);
  return text.take();
}

std::string to_text(const PlanNote& plan) {
  JsonText text;
  text.add("id", plan.id);
  text.add("from", plan.from);
  text.add("to", plan.to);
  text.add("task", plan.task);
  text.add("since", plan.since);
  text.add("summary", plan.summary);
  return text.take();
}

std::string to_text(const Warning& warning) {
  JsonText text;
  text.add("kind", warning.kind);
  text.add("warning", warning.text);
  return text.take();
}

std::string to_text(const BoardStatus& tasks) {
  JsonText text;
  text.add("total", number_of(tasks.total));
  text.add("ready", number_of(tasks.ready));
  text.add("blocked", number_of(tasks.blocked));
  text.add("in_progress", number_of(tasks.in_progress));
  text.add("completed", number_of(tasks.completed));
  text.add("failed", number_of(tasks.failed));
  return text.take();
}

std::string to_text(const MemberStatus& member) {
  JsonText text;
  text.add("name", member.name);
  text.add("role", member.role);
  text.add("state", member.state);
  text.add("since", member.since);
  text.add("reason", member.since ? std::optional(member.reason) : std::nullopt);
  text.add("until", member.until);
  text.add("pid", member.pid);
  text.add("pane", member.pane);
  text.add("task", member.task);
  text.add("subject", member.task ? std::optional(member.subject) : std::nullopt);
  text.add("model", member.model);
  text.add_json("usage", to_json_text(member.usage));
  text.add("cost", member.cost);
  text.add("unread", number_of(member.unread));
  text.add("lastWords", member.last_words.empty() ? std::nullopt : std::optional(member.last_words));
  return text.take();
}

template <class Values>
std::string array_of(const Values& values) {
  std::vector<std::string> texts;
  for (const auto& value : values) texts.push_back(to_text(value));
  return json_array(texts);
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

std::string to_line(const MemberStatus& member) { return to_text(member); }

std::string to_line(const TeamStatus& status) {
  const BoardStatus& tasks = status.tasks;
  JsonText usage;
  usage.add_all_of(to_json_text(status.usage));
  usage.add("cost", status.cost);
  JsonText text;
  text.add("team", status.team);
  text.add("lead", status.lead);
  text.add("board", status.board);
  text.add_json("members", array_of(status.members));
  text.add_json("tasks", to_text(tasks));
  text.add("blockedTasks", tasks.blocked_tasks);
  text.add("failedTasks", tasks.failed_tasks);
  text.add_json("notes", array_of(tasks.notes));
  text.add_json("plans", array_of(status.plans));
  text.add_json("warnings", array_of(status.warnings));
  std::vector<std::string> quotas;
  for (const QuotaPause& pause : status.quotas) quotas.push_back(to_line(pause));
  text.add_json("quotas", json_array(quotas));
  text.add_json("usage", usage.take());
  return text.take();
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
