#include "libteam/store/requests.h"

#include "libteam/base/clock.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/file.h"

namespace team {

namespace {

[[noreturn]] void fail_not_found(const std::string& id) { fail(Code::not_found, "no request '{}'", one_line(id)); }

void check_answer(const Request& request, const Answer& answer, const Actor& actor) {
  if (request.kind != answer.kind) {
    fail(Code::invalid_state, "request {} is about a {}, not a {}", request.id, name_of(request.kind),
         name_of(answer.kind));
  }
  // The lead and the user may both judge a plan. Only the member that is to shut down answers that request.
  const bool asked = request.to == actor.name || (is_for_approval(request.kind) && actor.leads);
  if (!asked) fail(Code::permission_denied, "request {} was put to {}, not to {}", request.id, request.to, actor.name);
  if (request.status != RequestStatus::pending) {
    fail(Code::invalid_state, "request {} is {} already", request.id, name_of(request.status));
  }
  if (request.verdict && *request.verdict != answer.approve) {
    fail(Code::invalid_state, "another answer to request {} is under way", request.id);
  }
}

}  // namespace

void Requests::open(const Request& request) const {
  engine_.transact([&](TeamTransaction& team) {
    if (!team.insert(request)) fail(Code::conflict, "there is a request {} already", request.id);
  });
}

Request Requests::get(const std::string& id) const {
  auto found = engine_.find_request(id);
  if (!found) fail_not_found(id);
  return std::move(*found);
}

void Requests::answer(const Answer& answer, const Actor& actor, const std::string& answer_id, const Send& send) const {
  engine_.transact([&](TeamTransaction& team) {
    const auto before = team.find(answer.request_id);
    if (!before) fail_not_found(answer.request_id);
    check_answer(*before, answer, actor);
    Request request = *before;
    request.verdict = answer.approve;
    request.answered_by = actor.name;
    request.feedback = answer.feedback;
    if (!request.answer_id) request.answer_id = answer_id;
    team.put(request);
    try {
      send(*request.answer_id);
    } catch (const Error& error) {
      if (error.code() != Code::unknown) after_change([&] { team.put(*before); });
      throw;
    }
    request.status = answer.approve ? RequestStatus::approved : RequestStatus::rejected;
    request.answered_at = now();
    after_change([&] { team.put(request); });
  });
}

}  // namespace team
