// Starts and stops the run of a team for a client of the server.
//
// team-run(1) does the work, as a process of its own: neither a client that goes away nor the end of the server stops
// it.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "libteam/serve/service.h"
#include "libteam/serve/team_api_stream.h"
#include "libteam/store/team_session.h"

namespace team {

// True if the lead or a teammate runs.
bool is_running(const Engine& engine, const Team& team);
// The run of a team at this moment.
RunProgress progress_of(const Engine& engine, const Team& team);

class TeamRuns {
 public:
  // Starts team-run with this goal and waits until its lead is at work. Makes the team if there is none of this name.
  // If the lead runs already, sends the goal to it as a message of the user. Throws permission_denied unless the server
  // may start programs, and the error of a run that ends at once.
  struct Begun {
    std::int64_t after = 0;  // the last event before it
    bool is_new = false;
  };
  Begun begin(const Service& service, const std::string& team, const std::string& goal);

 private:
  // What becomes of the team if the run ends at once.
  enum class IfRefused { keep_team, remove_team };
  Begun start(const Service& service, const Team& team, const std::string& goal, IfRefused then);
  void reap();

  std::mutex mutex_;
  std::vector<int> pids_;  // of the runs that this server started
};

// Stops the lead and all teammates, and kills the ones that do not agree in time. Returns false if nobody ran.
bool stop_team(const Service& service, const std::string& team);

}  // namespace team
