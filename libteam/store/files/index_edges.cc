#include "libteam/store/files/index_edges.h"

#include <algorithm>
#include <map>

namespace team {

std::vector<TaskId> IndexEdges::dependents(TaskId id) {
  std::vector<TaskId> found;
  std::uint32_t edge = file_.record(id).first_dependent;
  for (std::uint32_t steps = file_.header().edges; edge != 0; --steps) {
    if (steps == 0) throw Damage();  // a ring
    const IndexFile::Edge& entry = file_.edge(edge);
    if (entry.dependent != 0) found.push_back(entry.dependent);
    edge = entry.next_dependent;
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::uint32_t> IndexEdges::edges_to_blockers(TaskId id) {
  std::vector<std::uint32_t> found;
  std::uint32_t edge = file_.record(id).first_blocker;
  for (std::uint32_t steps = file_.header().edges; edge != 0; --steps) {
    if (steps == 0) throw Damage();
    found.push_back(edge);
    edge = file_.edge(edge).next_blocker;
  }
  return found;
}

std::vector<TaskId> IndexEdges::blockers(TaskId id) {
  std::vector<TaskId> found;
  for (const std::uint32_t edge : edges_to_blockers(id)) found.push_back(file_.edge(edge).blocker);
  return found;
}

void IndexEdges::set_blockers(TaskId id, std::vector<TaskId> wanted) {
  if (wanted.empty() && file_.record(id).first_blocker == 0) return;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::map<TaskId, std::uint32_t> known;
  for (const std::uint32_t edge : edges_to_blockers(id)) known[file_.edge(edge).blocker] = edge;
  // Most often they are its blockers already.
  if (std::equal(known.begin(), known.end(), wanted.begin(), wanted.end(),
                 [](const auto& entry, TaskId blocker) { return entry.first == blocker; })) {
    return;
  }
  std::uint32_t first = 0;
  for (const TaskId blocker : wanted) {
    const auto kept = known.find(blocker);
    const std::uint32_t edge = kept != known.end() ? kept->second : add(blocker, id);
    file_.edit_edge(edge).next_blocker = first;
    first = edge;
    known.erase(blocker);
  }
  file_.edit_record(id).first_blocker = first;
  for (const auto& [blocker, edge] : known) {
    file_.edit_edge(edge).dependent = 0;
    ++file_.edit_header().dropped;
  }
}

std::uint32_t IndexEdges::add(TaskId blocker, TaskId dependent) {
  IndexFile::Header& now = file_.edit_header();
  now.highest_blocker = std::max(now.highest_blocker, blocker);
  IndexFile::Record& head = file_.edit_record(blocker);
  const std::uint32_t edge = ++now.edges;
  file_.edit_edge(edge) = {static_cast<std::uint32_t>(dependent), static_cast<std::uint32_t>(blocker),
                           head.first_dependent, 0};
  head.first_dependent = edge;
  return edge;
}

bool IndexEdges::has_too_many_dropped() {
  constexpr std::uint32_t kFew = 4096;
  const IndexFile::Header& now = file_.header();
  return now.dropped > kFew && now.dropped > now.edges / 2;
}

}  // namespace team
