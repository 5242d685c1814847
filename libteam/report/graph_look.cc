#include "libteam/report/graph_look.h"

#include <algorithm>

#include "libteam/base/terminal_text.h"
#include "libteam/cli/tones.h"

namespace team {

namespace {

constexpr std::array<Look, kLookCount> kLooks = {{
    {"ready", "○", tone_of(TaskState::ready), colour::kReady, false},
    {"waiting", "·", tone_of(TaskState::blocked), colour::kWaiting, true},
    {"in_progress", "◐", tone_of(TaskState::running), colour::kInProgress, false},
    {"completed", "✓", tone_of(TaskState::done), colour::kCompleted, false},
    {"failed", "✗", tone_of(TaskState::failed), colour::kFailed, false},
    {"missing", "?", tone_of(TaskState::broken), colour::kMissing, true},
    {"broken", "?", tone_of(TaskState::broken), colour::kBroken, true},
}};

std::string_view name_of_look(const TaskGraph& graph, const GraphNode& node) {
  switch (node.task.kind) {
    case GraphTask::Kind::missing: return "missing";
    case GraphTask::Kind::broken: return "broken";
    case GraphTask::Kind::task: break;
  }
  if (node.task.status != Status::pending) return name_of(node.task.status);
  return graph.open_blockers(node).empty() ? "ready" : "waiting";
}

}  // namespace

const std::array<Look, kLookCount>& all_looks() { return kLooks; }

std::vector<const Look*> looks_of(const TaskGraph& graph) {
  std::vector<const Look*> looks;
  for (const GraphNode& node : graph.nodes()) {
    const auto is_it = [name = name_of_look(graph, node)](const Look& look) { return look.name == name; };
    looks.push_back(std::find_if(kLooks.begin(), kLooks.end(), is_it));
  }
  return looks;
}

std::string label_of(const GraphTask& task) {
  switch (task.kind) {
    case GraphTask::Kind::missing: return "missing";
    case GraphTask::Kind::broken: return "broken";
    case GraphTask::Kind::task: break;
  }
  constexpr std::string_view kNonCharacter = "\xEF\xBF";  // U+FFFE and U+FFFF, which XML forbids
  std::string label = one_line(task.subject);
  for (std::size_t at = label.find(kNonCharacter); at != std::string::npos; at = label.find(kNonCharacter, at + 1)) {
    char& last = label[at + 2];
    if (last == '\xBE' || last == '\xBF') last = '\xBD';
  }
  return label;
}

}  // namespace team
