// The operations of team-batch: each reads the keys of a request, calls a session and returns its result as JSON.
//
// Like the commands of the same names, an operation contains no rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/serve/batch/session_pool.h"
#include "libteam/serve/request_body.h"

namespace team {

// One request while it is carried out.
class BatchCall {
 public:
  using Deliver = std::function<bool(std::string_view result)>;
  // All outlive this.
  BatchCall(const RequestBody& request, SessionPool& pool, const Deliver& deliver)
      : request_(request), pool_(pool), deliver_(deliver) {}

  const RequestBody& request() const { return request_; }
  const Engine& engine() const { return pool_.engine(); }
  // The session in the name of the caller. With Missing::make, a board that was removed is made again.
  TeamSession& session(Missing missing = Missing::refuse) const {
    return pool_.session(request_.text("team"), request_.as(), missing);
  }

  // Call it after a change: a later failure of the system is then not reported as "nothing changed".
  void made() { made_ = true; }
  bool has_made() const { return made_; }

  // Writes the answer now, for an operation that must know whether it arrived. False if nobody reads it.
  bool deliver(std::string_view result) {
    delivered_ = true;
    return deliver_(result);
  }
  bool has_delivered() const { return delivered_; }

 private:
  const RequestBody& request_;
  SessionPool& pool_;
  const Deliver& deliver_;
  bool made_ = false;
  bool delivered_ = false;
};

struct BatchOperation {
  const char* name;
  std::vector<std::string> keys;  // besides id, op, as and team
  // The result, as JSON; unused if the call has delivered it.
  std::string (*run)(BatchCall& call);
};

std::vector<BatchOperation> task_batch_operations();
std::vector<BatchOperation> mail_batch_operations();
std::vector<BatchOperation> team_batch_operations();

}  // namespace team
