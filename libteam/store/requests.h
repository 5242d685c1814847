// Requests and their answers: a shutdown, the approval of a plan, a permission.
//
// A request is pending, and then approved or rejected, once. The answer must name the request, be of its kind and come
// from the member that was asked. Only the stored request counts, not the text of a message. An answer is stored, then
// sent, then final. After a crash in between it can be repeated: its message has the same id.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/request.h"
#include "libteam/record/team.h"
#include "libteam/store/team_engine.h"

namespace team {

struct Answer {
  std::string request_id;
  RequestKind kind = RequestKind::plan;
  bool approve = false;
  std::optional<std::string> feedback;
};

class Requests {
 public:
  // `engine` outlives this.
  explicit Requests(const TeamEngine& engine) : engine_(engine) {}

  // Throws conflict if there is one of that id.
  void open(const Request& request) const;
  // Throws not_found.
  Request get(const std::string& id) const;
  // Requests without an answer, oldest first; a broken one is reported and passed over.
  std::vector<Request> pending(const TeamEngine::Report& broken) const { return engine_.pending_requests(broken); }
  std::vector<Request> all(const TeamEngine::Report& broken) const { return engine_.all_requests(broken); }
  // Calls `send` with `answer_id`, or with the id of an earlier try; then the request is approved or rejected. Throws
  // not_found, invalid_state (answered already, or of another kind), permission_denied (not the member that was asked).
  using Send = std::function<void(const std::string& answer_id)>;
  void answer(const Answer& answer, const Actor& actor, const std::string& answer_id, const Send& send) const;
  // Removes a request whose message could not be sent, or that nobody will answer.
  void withdraw(const std::string& id) const { engine_.remove_request(id); }

 private:
  const TeamEngine& engine_;
};

}  // namespace team
