// The report of a team as one HTML page that needs nothing else: no script, no other file, no network.
//
// It is well-formed XML too. Whatever members, tasks and messages are called, it stays text.
#pragma once

#include <string>
#include <vector>

#include "libteam/record/graph.h"
#include "libteam/record/history.h"
#include "libteam/record/status.h"
#include "libteam/record/team.h"

namespace team {

struct Report {
  Team team;
  TeamStatus status;
  std::vector<Task> board;  // in order of id
  TaskGraph graph;
  History history;
};

std::string to_page(const Report& report);

// The pictures alone, as SVG documents.
std::string to_timeline(const Report& report);
std::string to_graph(const Report& report);

}  // namespace team
