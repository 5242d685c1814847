// A team as an agent of the AG-UI protocol: one run for each request, with the teammates as its subagents.
//
// The protocol is strict: everything that was opened must be closed before the run ends, and only opened things can be
// continued. So the translator knows everything that is open. A stream that begins in the middle of a team's run opens
// what it meets, and leaves out a rest whose beginning it has not seen.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/record/event.h"
#include "libteam/record/usage.h"
#include "libteam/serve/http.h"
#include "libteam/serve/team_api_stream.h"

namespace team {

struct AguiRun {
  std::string thread, run;           // the ids of the client
  std::string lead;                  // of the team
  bool lead_runs = false;            // a plan for a lead that does not run waits for the user
  std::optional<std::int64_t> last;  // if nothing runs: the stream ends after this event
};

// The first event: RUN_STARTED.
std::string agui_start(const AguiRun& run);
// The last event of a run in which nothing was opened: RUN_FINISHED.
std::string agui_end(const AguiRun& run);

class AguiTranslator : public EventTranslator {
 public:
  AguiTranslator(AguiRun run, RunProgress progress) : run_(std::move(run)), progress_(std::move(progress)) {}

  bool translate(std::string_view line, std::string& to) override;

 private:
  // Everything that is open is closed in the name of the member that opened it; "" is the lead.
  struct Open {
    std::map<std::string, std::string> messages;          // id and subagent
    std::map<std::string, std::string> calls;             // id and subagent
    std::set<std::pair<std::string, std::string>> steps;  // subagent and name
    std::set<std::string> subagents;                      // run ids
  };

  void add_text(const Envelope& envelope, const Json& details);
  void add_call(const Envelope& envelope, const Json& details);
  void add_step(const Envelope& envelope, const Json& details);
  void add_run(const Envelope& envelope, const Json& details);
  void add_custom(const Envelope& envelope, const Json& details);
  void open_subagent(const Envelope& envelope);
  void close_all();
  void finish(const std::optional<std::string>& error);
  void interrupt(const Envelope& envelope, const Json& details);
  void count(const Json& details);
  void put(const char* type, const std::string& subagent, Json fields);

  AguiRun run_;
  RunProgress progress_;
  Open open_;
  std::set<std::string> closed_;                                // subagents
  std::map<std::string, std::string> last_message_;             // by subagent
  std::map<std::pair<std::string, std::string>, Usage> usage_;  // by provider and model
  double now_ = 0;
  std::string subagent_;             // of the present event; empty: the lead, the user or the toolkit
  std::vector<std::string> events_;  // for the present event of the log
};

}  // namespace team
