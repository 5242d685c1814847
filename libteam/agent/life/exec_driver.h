// Any program as a teammate. The shell runs it for each piece of work, with the prompt on its stdin. Its stdout is the
// result; exit status 0 means done.
//
// All its child processes end with it. At most 1 MiB of its output is shown and recorded. The beginning and the end of
// its stdout are the result. The rest is read and dropped, so the program never blocks on a full pipe.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/system/program.h"
#include "libteam/system/signals.h"

namespace team {

class ExecDriver : public Driver {
 public:
  using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;
  // `environment` is the environment of every piece of work; `limit_texts` are further texts of usage limits. `signals`
  // outlives this.
  ExecDriver(std::string command, Environment environment, std::optional<double> time_limit,
             std::vector<std::string> limit_texts, const Signals& signals);

  Outcome work(const Work& work, const Audience& audience) override;

 private:
  Program program_for(const Work& work) const;

  std::string command_;
  Environment environment_;
  std::optional<double> time_limit_;
  std::vector<std::string> limit_texts_;
  const Signals& signals_;
};

}  // namespace team
