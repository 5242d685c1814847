#include "libteam/view/top_pages.h"

#include <algorithm>

#include "libteam/base/columns.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/cli/tones.h"
#include "libteam/view/top_table.h"

namespace team {

namespace {

using Tone = Output::Tone;

constexpr std::size_t kLabel = 12;
constexpr std::size_t kMostText = 65536;  // bytes of one field; each drawing wraps them again

std::string start_of(std::string_view text) {
  if (text.size() <= kMostText) return std::string(text);
  text = text.substr(0, kMostText);
  return std::string(text.substr(0, whole_characters(text))) + "…";
}

// Adds "label     text". Further lines of the text are aligned with the first.
void put(Page& page, std::string_view label, std::string_view text, std::size_t width, Tone tone = Tone::plain) {
  if (text.empty()) return;
  const bool beside = width > 2 * kLabel;
  std::string lead = fit(label, beside ? kLabel : columns(label));
  if (!beside) {
    page.push_back({cut_columns(lead, width), Tone::strong});
    lead = " ";
  }
  for (const std::string& line : wrap(start_of(text), width - std::min(width, columns(lead)))) {
    page.push_back({lead + line, tone});
    lead.assign(columns(lead), ' ');
  }
}

std::string ago(std::optional<double> moment, double now) {
  if (!moment || *moment <= 0) return "";
  return time_and_age(*moment, now);
}

std::string describe_usage(const MemberStatus& status) {
  const Usage& usage = status.usage;
  std::string text = status.model.value_or("");
  if (total(usage) == 0) return text;
  if (!text.empty()) text += ", ";
  text += fmt::format("{} tokens: {} read, {} written, {} from the cache", describe_count(total(usage)),
                      describe_count(usage.input + usage.cache_written), describe_count(usage.output),
                      describe_count(usage.cache_read));
  if (status.cost) text += fmt::format(", ${:.4f}", *status.cost);
  return text;
}

std::string name_task(const TeamView& snapshot, TaskId id) {
  const Task* task = snapshot.find_task(id);
  if (task == nullptr) return fmt::format("#{} ({})", id, snapshot.broken.contains(id) ? "broken" : "missing");
  const std::string owner = task->owner ? ", " + *task->owner : std::string();
  return fmt::format("#{} {} ({}{})", id, one_line(task->subject), name_of(task->status), owner);
}

std::string list_tasks(const TeamView& snapshot, const std::vector<TaskId>& ids) {
  constexpr std::size_t kMost = 50;
  std::vector<std::string> names;
  for (const TaskId id : ids) {
    if (names.size() == kMost) {
      names.push_back(fmt::format("and {} more", ids.size() - kMost));
      break;
    }
    names.push_back(name_task(snapshot, id));
  }
  return join(names, "\n");
}

std::vector<TaskId> blocked_by(const TeamView& snapshot, TaskId id) {
  std::vector<TaskId> found;
  for (const auto& [other, task] : snapshot.board) {
    if (std::find(task.blocked_by.begin(), task.blocked_by.end(), id) != task.blocked_by.end()) found.push_back(other);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Tone tone_of_state(const ViewMember& member) {
  return member.plan ? Tone::waiting : tone_of_member(member.status.state);
}

std::string shown_state(const ViewMember& member) { return member.plan ? "plan?" : member.status.state; }

Page facts_of(const ViewMember& member, std::size_t width, double now) {
  const MemberStatus& status = member.status;
  Page page;
  std::string state = shown_state(member);
  if (status.since) state += fmt::format(" for {}", describe_seconds(now - *status.since));
  if (!status.reason.empty()) state += fmt::format(": {}", one_line(status.reason));
  put(page, "state", state, width, tone_of_state(member));
  put(page, "role", status.role.value_or(""), width);
  if (status.task) put(page, "task", fmt::format("#{} {}", *status.task, status.subject), width);
  put(page, "model", describe_usage(status), width);
  std::string place = status.pid ? fmt::format("pid {}", *status.pid) : std::string();
  if (status.pane) place += fmt::format(", pane {}", *status.pane);
  put(page, "runs as", place, width);
  if (status.unread > 0) put(page, "unread", std::to_string(status.unread), width);
  return page;
}

Page speech_of(const ViewMember& member, const TeamView& snapshot, std::size_t width) {
  Page page;
  const bool is_heard = snapshot.speaker == member.status.name && !snapshot.speech.empty();
  std::string speech = is_heard ? snapshot.speech : member.status.last_words;
  while (speech.ends_with('\n')) speech.pop_back();
  if (speech.empty()) speech = "(it has said nothing yet)";
  for (std::string& line : wrap(speech, width)) {
    const Tone tone = line.starts_with("== ") ? Tone::strong : line.starts_with("> ") ? Tone::waiting : Tone::plain;
    page.push_back({std::move(line), tone});
  }
  if (!member.plan) return page;
  page.push_back({"", Tone::plain});
  const std::string about = member.plan->task ? fmt::format(" for task {}", *member.plan->task) : std::string();
  for (std::string& line : wrap(fmt::format("Its plan{} (a approves it, r rejects it):", about), width)) {
    page.push_back({std::move(line), Tone::strong});
  }
  for (std::string& line : wrap(start_of(member.plan->content), width))
    page.push_back({std::move(line), Tone::waiting});
  return page;
}

Page page_of(TaskId id, const TeamView& snapshot, std::size_t width, double now) {
  Page page;
  const Task* task = snapshot.find_task(id);
  if (task == nullptr) {
    const auto broken = snapshot.broken.find(id);
    put(page, "state", broken != snapshot.broken.end() ? broken->second : "deleted", width, Tone::bad);
    return page;
  }
  const auto seen =
      std::find_if(snapshot.tasks.begin(), snapshot.tasks.end(), [&](const ViewTask& one) { return one.id == id; });
  const ViewTask shown = seen != snapshot.tasks.end() ? *seen : ViewTask{id, TaskState::ready};
  std::string state(name_of(shown.state));
  if (const std::string reason = why(snapshot, shown); !reason.empty()) state += ": " + reason;
  put(page, "subject", task->subject, width, Tone::strong);
  put(page, "state", state, width, tone_of(shown.state));
  put(page, "owner", task->owner.value_or(""), width);
  put(page, "role", task->role.value_or(""), width);
  if (task->priority > 0) put(page, "priority", task->priority == 1 ? "high" : "critical", width);
  put(page, "doing", task->active_form, width);
  put(page, "description", task->description, width);
  put(page, "waits for", list_tasks(snapshot, task->blocked_by), width);
  put(page, "blocks", list_tasks(snapshot, blocked_by(snapshot, id)), width);
  put(page, "result", task->result.value_or(""), width);
  put(page, "error", task->error.value_or(""), width, Tone::bad);
  put(page, "deliverable", task->deliverable.value_or(""), width);
  put(page, "created", fmt::format("{} by {}", ago(task->created_at, now), task->created_by), width);
  put(page, "updated", ago(task->updated_at, now), width);
  put(page, "claimed", ago(task->claimed_at, now), width);
  put(page, "completed", ago(task->completed_at, now), width);
  put(page, "attempts", std::to_string(task->attempts), width);
  put(page, "revision", std::to_string(task->rev), width);
  if (task->metadata != "{}") put(page, "metadata", task->metadata, width);
  if (task->extra != "{}") put(page, "other", task->extra, width);
  return page;
}

Page page_of(const LogEntry& event, std::size_t width) {
  Page page;
  put(page, "number", std::to_string(event.seq), width);
  put(page, "time", clock_time(event.timestamp), width);
  put(page, "who", event.agent, width);
  put(page, "what", event.type, width, Tone::strong);
  put(page, "about", event.text, width);
  put(page, "line", event.line, width, Tone::faint);
  return page;
}

Page help_page(std::size_t width) {
  Page page;
  put(page, "up, down", "choose a member, a task or an event (also k and j; PgUp, PgDn, Home, End)", width);
  put(page, "Tab", "go to the next pane: members, tasks, events", width);
  put(page, "Enter", "show all details; for a member also its output", width);
  put(page, "Esc", "go back", width);
  put(page, "m", "write a message to the member", width);
  put(page, "a, r", "approve or reject the plan of a member that shows plan?", width);
  put(page, "s", "ask the member to shut down", width);
  put(page, "^L", "redraw the screen", width);
  put(page, "?", "this page", width);
  put(page, "q", "quit; the team continues", width);
  page.push_back({"", Tone::plain});
  for (std::string& line : wrap("Members that need attention are first: those with a plan to answer, then failed, dead "
                                "and paused ones. Tasks: running, failed, broken, ready, blocked, done. In the panes "
                                "of tasks and events, m, a, r and s act on the owner.",
                                width)) {
    page.push_back({std::move(line), Tone::faint});
  }
  return page;
}

}  // namespace team
