// The look of a graph node, the same in every kind of drawing.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/cli/output.h"
#include "libteam/record/graph.h"
#include "libteam/report/report_style.h"

namespace team {

struct Look {
  std::string_view name;
  std::string_view symbol;
  Output::Tone tone;
  BoxColours colours;
  bool is_dashed;
};

inline constexpr std::size_t kLookCount = 7;
// ready and waiting are both pending. missing and broken are blockers whose files cannot be read.
const std::array<Look, kLookCount>& all_looks();

// The looks of the nodes, in their order.
std::vector<const Look*> looks_of(const TaskGraph& graph);

// The subject on one line, valid in XML after escaping; "missing" or "broken" for a node without a subject.
std::string label_of(const GraphTask& task);

}  // namespace team
