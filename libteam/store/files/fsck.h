// Whether everything on disk is as teamkit-files(5) says.
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

// Looks at every team and every board of the root, each under its lock. With Repair::yes mends what can lose nothing:
// modes, litter, the high-water mark, the index. What a person wrote is never touched.
std::vector<Finding> check_store(const Root& root, double lock_timeout, Repair repair);

}  // namespace team
