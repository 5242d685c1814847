#include "libteam/store/files/request_files.h"

#include <algorithm>

#include "libteam/base/json.h"
#include "libteam/store/files/layout.h"
#include "libteam/system/id.h"
#include "libteam/system/new_file.h"
#include "libteam/system/temporary.h"

namespace team {

namespace {

// Answered requests that stay beside the pending ones, and the number of files at which the others move.
constexpr std::size_t kKeptAnswered = 32;
constexpr std::size_t kMostFiles = 64;
// Files that move in one go: the team's lock is held meanwhile.
constexpr std::size_t kMostAtOnce = 256;

std::optional<Request> read(const Folder& folder, const std::string& id) {
  const auto contents = folder.read(layout::request_file(id), JsonLimits{}.bytes);
  if (!contents) return std::nullopt;
  return parse_request(contents->text, folder.path_of(layout::request_file(id)));
}

// Oldest first.
std::vector<std::string> ids_in(const Folder& folder) {
  std::vector<std::string> ids;
  folder.each_name([&](const char* entry) {
    if (auto id = layout::request_of(entry)) ids.push_back(std::move(*id));
  });
  std::sort(ids.begin(), ids.end());
  return ids;
}

// A request that was withdrawn meanwhile is passed over.
template <class Read>
std::vector<Request> read_each(const std::vector<std::string>& ids, Read read_one,
                               const std::function<void(const Error&)>& broken) {
  std::vector<Request> found;
  for (const std::string& id : ids) {
    try {
      if (auto request = read_one(id)) found.push_back(std::move(*request));
    } catch (const Error& error) {
      if (error.code() != Code::corrupt) throw;
      broken(error);
    }
  }
  return found;
}

}  // namespace

std::optional<Request> RequestFiles::find(const std::string& id) const {
  const auto requests = is_id(id) ? folder_.find_beneath(layout::kRequests) : std::nullopt;
  auto found = requests ? read(*requests, id) : std::nullopt;
  if (requests && !found) {
    if (const auto archive = requests->find_beneath(layout::kAnswered)) found = read(*archive, id);
  }
  return found;
}

std::vector<Request> RequestFiles::pending(const std::function<void(const Error&)>& broken) const {
  const auto requests = folder_.find_beneath(layout::kRequests);
  if (!requests) return {};
  auto found = read_each(
      ids_in(*requests), [&](const std::string& id) { return read(*requests, id); }, broken);
  std::erase_if(found, [](const Request& request) { return request.status != RequestStatus::pending; });
  return found;
}

std::vector<Request> RequestFiles::all(const std::function<void(const Error&)>& broken) const {
  const auto requests = folder_.find_beneath(layout::kRequests);
  if (!requests) return {};
  std::vector<std::string> ids = ids_in(*requests);
  if (const auto archive = requests->find_beneath(layout::kAnswered)) {
    const auto archived = ids_in(*archive);
    ids.insert(ids.end(), archived.begin(), archived.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());  // one may have moved between the two listings
  return read_each(
      ids, [&](const std::string& id) { return find(id); }, broken);
}

void RequestFiles::remove(const std::string& id) const {
  const auto requests = folder_.find_beneath(layout::kRequests);
  if (!requests) return;
  requests->remove(layout::request_file(id));
  if (durability_ == Durability::power) requests->sync();
}

bool RequestFiles::insert(const Request& request) const {
  const Folder requests = folder_.make_beneath(layout::kRequests, durability_);
  sweep_temporaries(requests);
  NewFile file(requests, to_file(request), durability_);
  return file.create(requests, layout::request_file(request.id));
}

void RequestFiles::put(const Request& request) const {
  const Folder requests = folder_.make_beneath(layout::kRequests, durability_);
  sweep_temporaries(requests);
  replace_file(requests, layout::request_file(request.id), to_file(request), durability_);
}

void RequestFiles::archive_answered() const try {
  const auto requests = folder_.find_beneath(layout::kRequests);
  const auto ids = requests ? ids_in(*requests) : std::vector<std::string>();
  if (ids.size() <= kMostFiles) return;
  auto answered = read_each(
      ids, [&](const std::string& id) { return read(*requests, id); }, [](const Error&) {});
  std::erase_if(answered, [](const Request& request) { return request.status == RequestStatus::pending; });
  if (answered.size() <= kKeptAnswered) return;
  answered.resize(std::min(answered.size() - kKeptAnswered, kMostAtOnce));
  const Folder archive = requests->make_beneath(layout::kAnswered, durability_);
  for (const Request& request : answered)
    requests->rename_into(layout::request_file(request.id), archive, layout::request_file(request.id));
} catch (const Error&) {
  // The request is answered whatever becomes of the older ones.
}

}  // namespace team
