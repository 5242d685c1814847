// Runs the check of a task: a shell command that says whether the work may be completed.
#pragma once

#include <optional>
#include <string>

#include "libteam/record/receipt.h"
#include "libteam/system/environment.h"

namespace team {

struct CheckRequest {
  std::string command;
  std::string folder;
  Variables environment;
  double seconds = 0;     // its time limit; 0: none
  std::string output;     // the file for its output; empty: none
  bool is_clean = false;  // for the receipt
  int interrupt = -1;     // a descriptor that is readable if the check must stop
};

struct CheckResult {
  enum class Kind { passed, failed, interrupted };
  Kind kind = Kind::passed;
  CheckReceipt receipt;
  std::string reason;  // why it failed, and below that the end of its output
};

// All processes that the command leaves are ended. Its output has no limit; the file gets the first MiB and the end.
CheckResult run_check(const CheckRequest& request);

}  // namespace team
