// Any program as a teammate: it is run by the shell for each piece of work, with the prompt on its stdin. Its stdout is
// the result, exit status 0 means done.
//
// Whatever it starts ends with it. Of what it says at most 1 MiB is shown and recorded, of its stdout the beginning and
// the end are kept as the result; the rest is read and dropped, so that it never waits for us.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libteam/agent/life/driver.h"
#include "libteam/system/process.h"

namespace team {

class ExecDriver : public Driver {
 public:
  using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;
  // `environment` is what every piece of work gets; `signals` outlives this.
  ExecDriver(std::string command, Environment environment, std::optional<double> time_limit, const Signals& signals);

  Outcome work(const Work& work, const Audience& audience) override;

 private:
  Program program_for(const Work& work) const;

  std::string command_;
  Environment environment_;
  std::optional<double> time_limit_;
  const Signals& signals_;
};

}  // namespace team
