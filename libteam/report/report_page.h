// The report of a team as one HTML page that needs nothing else: no script, no other file, no network.
//
// The page is also well-formed XML. Names, subjects and messages are always escaped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libteam/cli/output.h"
#include "libteam/record/graph.h"
#include "libteam/record/history.h"
#include "libteam/record/status.h"
#include "libteam/record/team.h"

namespace team {

struct Failure {
  TaskId task = 0;
  std::string subject;
  std::optional<std::string> owner;
  std::int64_t attempts = 0;
  std::optional<std::string> error;
};

struct Report {
  Team team;
  TeamStatus status;
  TaskGraph board;
  std::vector<Failure> failures;
  History history;
};

void print_page(Output& out, const Report& report);

// The pictures alone, as SVG documents. `path` is the critical path of the history, to highlight.
std::string timeline_document(const History& history);
std::string graph_document(const TaskGraph& graph, const std::vector<TaskId>& path);

}  // namespace team
