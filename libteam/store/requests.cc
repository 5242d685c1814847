#include "libteam/store/requests.h"

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/text.h"
#include "libteam/system/id.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"

namespace team {

namespace {

constexpr const char* kLock = ".lock";
constexpr std::string_view kSuffix = ".json";

std::string file_of(const std::string& id) { return id + std::string(kSuffix); }

}  // namespace

Requests::Requests(const Folder& folder, Durability durability, double lock_timeout)
    : folder_(folder), durability_(durability), lock_timeout_(lock_timeout) {}

void Requests::open(const Request& request) const {
  const Lock lock = Lock::acquire(folder_, kLock, lock_timeout_);
  const Folder requests = folder_.make_beneath(kRequestsFolder, durability_);
  requests.sweep_temporaries();
  NewFile file(requests, to_file(request), durability_);
  if (!file.create(requests, file_of(request.id))) fail(Code::conflict, "there is a request {} already", request.id);
}

Request Requests::get(const std::string& id) const {
  const auto requests = is_id(id) ? folder_.find_beneath(kRequestsFolder) : std::nullopt;
  const auto contents = requests ? requests->read(file_of(id), JsonLimits{}.bytes) : std::nullopt;
  if (!contents) fail(Code::not_found, "no request '{}'", one_line(id));
  return parse_request(contents->text, requests->path_of(file_of(id)));
}

std::vector<Request> Requests::all(const std::function<void(const Error&)>& broken) const {
  std::vector<Request> found;
  const auto requests = folder_.find_beneath(kRequestsFolder);
  if (!requests) return found;
  std::vector<std::string> ids;
  requests->each_name([&](const char* entry) {
    const std::string_view name = entry;
    if (name.ends_with(kSuffix) && is_id(name.substr(0, name.size() - kSuffix.size()))) {
      ids.emplace_back(name.substr(0, name.size() - kSuffix.size()));
    }
  });
  std::sort(ids.begin(), ids.end());
  for (const std::string& id : ids) {
    try {
      found.push_back(get(id));
    } catch (const Error& error) {
      if (error.code() == Code::not_found) continue;
      if (error.code() != Code::corrupt) throw;
      broken(error);
    }
  }
  return found;
}

void Requests::answer(const Answer& answer, const Actor& actor, const std::string& answer_id, const Send& send) const {
  const Lock lock = Lock::acquire(folder_, kLock, lock_timeout_);
  const Request before = get(answer.request_id);
  Request request = before;
  if (request.kind != answer.kind) {
    fail(Code::invalid_state, "request {} is about a {}, not a {}", request.id, name_of(request.kind),
         name_of(answer.kind));
  }
  // A plan may be judged by the lead and the user alike; a shutdown is answered by nobody but who is to shut down.
  const bool asked = request.to == actor.name || (request.kind == RequestKind::plan && actor.leads);
  if (!asked) fail(Code::permission_denied, "request {} was put to {}, not to {}", request.id, request.to, actor.name);
  if (request.status != RequestStatus::pending) {
    fail(Code::invalid_state, "request {} is {} already", request.id, name_of(request.status));
  }
  if (request.verdict && *request.verdict != answer.approve) {
    fail(Code::invalid_state, "another answer to request {} is under way", request.id);
  }
  request.verdict = answer.approve;
  request.answered_by = actor.name;
  request.feedback = answer.feedback;
  if (!request.answer_id) request.answer_id = answer_id;
  write(request);
  try {
    send(*request.answer_id);
  } catch (const Error& error) {
    if (error.code() != Code::unknown) after_change([&] { write(before); });
    throw;
  }
  request.status = answer.approve ? RequestStatus::approved : RequestStatus::rejected;
  request.answered_at = now();
  after_change([&] { write(request); });
}

void Requests::withdraw(const std::string& id) const {
  const auto requests = folder_.find_beneath(kRequestsFolder);
  if (!requests) return;
  requests->remove(file_of(id));
  if (durability_ == Durability::power) requests->sync();
}

void Requests::write(const Request& request) const {
  const Folder requests = folder_.make_beneath(kRequestsFolder, durability_);
  requests.sweep_temporaries();
  requests.replace(file_of(request.id), to_file(request), durability_);
}

}  // namespace team
