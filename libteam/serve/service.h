// The context of the endpoints: the store, the options of the server, and sessions of members.
//
// Several threads may use a service.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libteam/serve/http.h"
#include "libteam/serve/task_cache.h"
#include "libteam/store/engine.h"
#include "libteam/store/team_session.h"

namespace team {

struct ServiceOptions {
  std::optional<std::string> team;    // -t
  std::optional<std::string> member;  // the member that started the server, which may act only as itself
  std::optional<std::string> run;     // TEAM_RUN_ID
  bool read_only = false;
  bool allow_run = false;
  double started_at = 0;
};

// Counts for /metrics, since the start of the server.
struct ServiceCounts {
  std::atomic<std::int64_t> requests = 0;
  std::atomic<std::int64_t> refused = 0;  // responses with a status of 400 or more
  std::atomic<std::int64_t> streams = 0;  // open now
  std::atomic<std::int64_t> events = 0;   // sent to streams
};

class Service {
 public:
  // `engine` outlives this.
  Service(const Engine& engine, ServiceOptions options);

  const Engine& engine() const { return engine_; }
  const ServiceOptions& options() const { return options_; }
  ServiceCounts& counts() const { return counts_; }
  TaskCache& task_cache() const { return task_cache_; }

  // The team of the query key `team`, else of -t, else the only team. Throws not_found and usage.
  std::string team_of(const WebRequest& request) const;
  std::string choose_team(const std::optional<std::string>& name) const;

  // A session for the time of one request. It returns to the service and is used again.
  using Session = std::unique_ptr<TeamSession, std::function<void(TeamSession*)>>;
  // In the name of `as`, else of the caller of the server. Throws permission_denied, usage, not_found.
  Session open_session(const std::string& team, const std::optional<std::string>& as) const;
  // In the name of the caller, for a request that only reads.
  Session open_session(const WebRequest& request) const { return open_session(team_of(request), std::nullopt); }

 private:
  const Engine& engine_;
  ServiceOptions options_;
  mutable ServiceCounts counts_;
  mutable TaskCache task_cache_;
  // Free sessions by team and member.
  using FreeSessions = std::map<std::pair<std::string, std::string>, std::vector<std::unique_ptr<TeamSession>>>;
  void keep(const FreeSessions::key_type& key, std::unique_ptr<TeamSession> session) const;

  mutable std::mutex mutex_;  // of the next two
  mutable FreeSessions free_;
  mutable std::size_t kept_ = 0;  // in `free_`
};

}  // namespace team
