#include "libteam/record/stored_task.h"

#include <string_view>

namespace team {

// The computed fields stand last, and without links they are always the same text.
std::string to_stored_line(const Task& task) {
  constexpr std::string_view kComputed = R"(,"blocks":[],"openBlockers":[],"blocked":false})";
  std::string line = to_line(task, {});
  line.resize(line.size() - kComputed.size());
  return line + '}';
}

}  // namespace team
