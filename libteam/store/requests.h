// Questions and their answers: `requests/<id>.json`, each changed under the team's lock.
//
// pending → approved | rejected, once. The answer must name the question, be of its kind and come from the one who was
// asked; the record, not the text of any message, is what counts.
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
  // Throws not_found, invalid_state (answered already, or of another kind), permission_denied (not the one asked).
  Request answer(const Answer& answer, const Actor& actor, const std::string& answer_id) const;

 private:
  const Folder& folder_;
  Durability durability_;
  double lock_timeout_;
};

}  // namespace team
