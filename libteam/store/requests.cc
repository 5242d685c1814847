#include "libteam/store/requests.h"

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/terminal_text.h"
#include "libteam/system/id.h"
#include "libteam/system/lock.h"
#include "libteam/system/new_file.h"

namespace team {

namespace {

constexpr const char* kLock = ".lock";
constexpr std::string_view kSuffix = ".json";

// Answered requests that stay beside the pending ones, and the number of files at which the others move.
constexpr std::size_t kKeptAnswered = 32;
constexpr std::size_t kMostFiles = 64;
// Files that move in one go: the team's lock is held meanwhile.
constexpr std::size_t kMostAtOnce = 256;

std::string file_of(const std::string& id) { return id + std::string(kSuffix); }

std::optional<Request> read(const Folder& folder, const std::string& id) {
  const auto contents = folder.read(file_of(id), JsonLimits{}.bytes);
  if (!contents) return std::nullopt;
  return parse_request(contents->text, folder.path_of(file_of(id)));
}

// Oldest first.
std::vector<std::string> ids_in(const Folder& folder) {
  std::vector<std::string> ids;
  folder.each_name([&](const char* entry) {
    const std::string_view name = entry;
    if (name.ends_with(kSuffix) && is_id(name.substr(0, name.size() - kSuffix.size()))) {
      ids.emplace_back(name.substr(0, name.size() - kSuffix.size()));
    }
  });
  std::sort(ids.begin(), ids.end());
  return ids;
}

template <class Read>
std::vector<Request> read_each(const std::vector<std::string>& ids, Read read_one,
                               const std::function<void(const Error&)>& broken) {
  std::vector<Request> found;
  for (const std::string& id : ids) {
    try {
      if (auto request = read_one(id)) found.push_back(std::move(*request));
    } catch (const Error& error) {
      if (error.code() == Code::not_found) continue;  // withdrawn meanwhile
      if (error.code() != Code::corrupt) throw;
      broken(error);
    }
  }
  return found;
}

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

// Under the team's lock. A crash leaves each request in one of the two folders, whole; if the system refuses, the next
// answer tries again.
void Requests::archive_answered() const try {
  const auto requests = folder_.find_beneath(kRequestsFolder);
  const auto ids = requests ? ids_in(*requests) : std::vector<std::string>();
  if (ids.size() <= kMostFiles) return;
  auto answered = read_each(
      ids, [&](const std::string& id) { return read(*requests, id); }, [](const Error&) {});
  std::erase_if(answered, [](const Request& request) { return request.status == RequestStatus::pending; });
  if (answered.size() <= kKeptAnswered) return;
  answered.resize(std::min(answered.size() - kKeptAnswered, kMostAtOnce));
  const Folder archive = requests->make_beneath(kAnsweredFolder, durability_);
  for (const Request& request : answered) requests->rename_into(file_of(request.id), archive, file_of(request.id));
} catch (const Error&) {
  // The request is answered whatever becomes of the older ones.
}

Request Requests::get(const std::string& id) const {
  const auto requests = is_id(id) ? folder_.find_beneath(kRequestsFolder) : std::nullopt;
  auto found = requests ? read(*requests, id) : std::nullopt;
  if (requests && !found) {
    if (const auto archive = requests->find_beneath(kAnsweredFolder)) found = read(*archive, id);
  }
  if (!found) fail(Code::not_found, "no request '{}'", one_line(id));
  return std::move(*found);
}

std::vector<Request> Requests::pending(const std::function<void(const Error&)>& broken) const {
  const auto requests = folder_.find_beneath(kRequestsFolder);
  if (!requests) return {};
  auto found = read_each(
      ids_in(*requests), [&](const std::string& id) { return read(*requests, id); }, broken);
  std::erase_if(found, [](const Request& request) { return request.status != RequestStatus::pending; });
  return found;
}

std::vector<Request> Requests::all(const std::function<void(const Error&)>& broken) const {
  const auto requests = folder_.find_beneath(kRequestsFolder);
  if (!requests) return {};
  std::vector<std::string> ids = ids_in(*requests);
  if (const auto archive = requests->find_beneath(kAnsweredFolder)) {
    const auto archived = ids_in(*archive);
    ids.insert(ids.end(), archived.begin(), archived.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // one may have moved between the two listings
  return read_each(
      ids, [&](const std::string& id) { return std::optional(get(id)); }, broken);
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
  archive_answered();
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
