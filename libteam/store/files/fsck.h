// Compares the files of a store with teamkit-files(5).
#pragma once

#include <string>
#include <vector>

#include "libteam/store/files/root.h"

namespace team {

struct Finding {
  std::string file;
  std::string problem;
  bool mended = false;
};

std::string to_line(const Finding& finding);

enum class Repair { no, yes };

// Looks at every team and every board of the root, each under its lock. With Repair::yes it mends problems without any
// loss of data: modes, leftover files, the high-water mark, the index. It never changes the text of a person.
std::vector<Finding> check_store(const Root& root, double lock_timeout, Repair repair);

}  // namespace team
