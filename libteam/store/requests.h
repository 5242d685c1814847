// Questions and their answers: `requests/<id>.json`, each changed under the team's lock.
//
// pending → approved | rejected, once. The answer must name the question, be of its kind and come from the one who was
// asked; the record, not the text of any message, is what counts. An answer is noted, sent and then final: whoever dies
// in between can repeat it, and it goes out with the same id.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libteam/record/request.h"
#include "libteam/record/team.h"
#include "libteam/system/file.h"

namespace team {

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
  // All, oldest first; broken ones are passed over.
  std::vector<Request> all() const;
  // Notes the answer, which is to be sent as message `answer_id`; gives the request with the id that holds: that of an
  // earlier try if there was one. Throws not_found, invalid_state (answered already, or of another kind),
  // permission_denied (not the one asked).
  Request begin_answer(const Answer& answer, const Actor& actor, const std::string& answer_id) const;
  // The message is sent: the request is approved or rejected.
  void finish_answer(const std::string& id) const;

 private:
  void write(const Request& request) const;

  const Folder& folder_;
  Durability durability_;
  double lock_timeout_;
};

}  // namespace team
