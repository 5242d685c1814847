// Questions and their answers: `requests/<id>.json`, each changed under the team's lock.
//
// The oldest answered ones move to `requests/answered/`, by a rename: reading the pending ones costs the same in the
// life of any team. Nothing comes back from there, so a reader that looks in `requests/` first finds every request.
//
// pending → approved | rejected, once. The answer must name the question, be of its kind and come from the one who was
// asked; the record, not the text of any message, is what counts. An answer is noted, sent and then final: whoever dies
// in between can repeat it, and it goes out with the same id.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/request.h"
#include "libteam/record/team.h"
#include "libteam/system/file.h"

namespace team {

// In the folder of a team.
inline constexpr const char* kRequestsFolder = "requests";
inline constexpr const char* kAnsweredFolder = "answered";  // in that one

struct Answer {
  std::string request_id;
  RequestKind kind = RequestKind::plan;
  bool approve = false;
  std::optional<std::string> feedback;
};

class Requests {
 public:
  // In the folder of a team, which must outlive this.
  Requests(const Folder& folder, Durability durability, double lock_timeout);

  // Throws conflict if there is one of that id.
  void open(const Request& request) const;
  // Throws not_found.
  Request get(const std::string& id) const;
  // Those that wait for an answer, oldest first; a broken one is reported and passed over.
  std::vector<Request> pending(const std::function<void(const Error&)>& broken) const;
  // The same for all of them.
  std::vector<Request> all(const std::function<void(const Error&)>& broken) const;
  // Lets `send` send the answer as message `answer_id`, or by the id of an earlier try if there was one; then the
  // request is approved or rejected. Throws not_found, invalid_state (answered already, or of another kind),
  // permission_denied (not the one asked).
  using Send = std::function<void(const std::string& answer_id)>;
  void answer(const Answer& answer, const Actor& actor, const std::string& answer_id, const Send& send) const;
  // Takes back one whose message could not be sent.
  void withdraw(const std::string& id) const;

 private:
  void write(const Request& request) const;
  void archive_answered() const;

  const Folder& folder_;
  Durability durability_;
  double lock_timeout_;
};

}  // namespace team
