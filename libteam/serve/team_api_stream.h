// The stream of a run for clients of the endpoints below /team.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "libteam/record/event.h"
#include "libteam/record/team.h"
#include "libteam/serve/http.h"

namespace team {

// Follows a run through its events, to know when it has ended.
//
// A run of team-run ends with TEAM_RUN_ENDED. If only teammates run, it ends with the last of them. A member that is
// killed leaves no event, so a run whose lead was killed does not end here.
class RunProgress {
 public:
  // `running` are the members that run at this moment.
  RunProgress(std::string lead, std::set<std::string> running) : lead_(std::move(lead)), running_(std::move(running)) {}

  struct End {
    std::optional<std::string> error;  // why it failed
  };
  // The end of the run, if this event is it.
  std::optional<End> add(const Envelope& envelope);
  // The result of the run so far: the summary of TEAM_FINISHED, else the last text of the lead.
  const std::string& result() const { return summary_.empty() ? last_text_ : summary_; }

 private:
  std::string lead_;
  std::set<std::string> running_;
  std::string summary_, last_text_, text_;
};

struct ApiStreamOptions {
  enum class Format { wrapped, envelope };
  Format format = Format::wrapped;
  // If nothing runs: the stream ends after this event.
  std::optional<std::int64_t> last;
};

// Frames {"type":"team_event","envelope":…,"session_id":…,"error":null}, then one of type complete or error.
std::unique_ptr<EventTranslator> make_api_translator(Team team, RunProgress progress, const ApiStreamOptions& options);
// The last frame of a stream that has no events.
std::string api_complete_frame(const std::string& team, ApiStreamOptions::Format format);

// Nothing until the run ends, then {"session_id":…,"result":…}, with "error" if it failed.
std::unique_ptr<EventTranslator> make_result_translator(Team team, RunProgress progress);

}  // namespace team
