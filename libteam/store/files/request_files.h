// Requests in files: `requests/<id>.json`, each written under the lock of the team.
//
// The oldest answered requests move to `requests/answered/`, by a rename: reading the pending ones costs the same in
// the life of any team. No request comes back from there, so a reader that looks in `requests/` first finds every
// request.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libteam/base/error.h"
#include "libteam/record/request.h"
#include "libteam/system/file.h"

namespace team {

class RequestFiles {
 public:
  // In the folder of a team, which must outlive this.
  RequestFiles(const Folder& folder, Durability durability) : folder_(folder), durability_(durability) {}

  // None if there is no such request.
  std::optional<Request> find(const std::string& id) const;
  // Oldest first; a broken one is reported and passed over.
  std::vector<Request> pending(const std::function<void(const Error&)>& broken) const;
  std::vector<Request> all(const std::function<void(const Error&)>& broken) const;
  void remove(const std::string& id) const;

  // The callers of these hold the lock of the team.

  // False if there is one of that id.
  bool insert(const Request& request) const;
  void put(const Request& request) const;
  // Moves old answered requests. A crash leaves each in one of the two folders, whole. If the system refuses, the next
  // call tries again.
  void archive_answered() const;

 private:
  const Folder& folder_;
  Durability durability_;
};

}  // namespace team
