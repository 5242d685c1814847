// Decides which requests the server accepts, by token, Host, Origin and limits.
//
// A page of another site, and a name that somebody else controls (DNS rebinding), must not reach the store through the
// browser of the user. So the Host must be one of ours, and the Origin the same host or a listed one. Every request for
// data needs the token, which a browser never sends by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/serve/http.h"
#include "libteam/serve/router.h"

namespace team {

struct AccessRules {
  std::string token;
  std::vector<std::string> hosts;    // allowed hosts, without ports
  std::vector<std::string> origins;  // allowed besides the own one, such as "https://team.example"
  bool any_host = false;             // on a Unix socket, which no browser reaches
  bool read_only = false;
  std::int64_t most_changes = 50;       // in a second
  std::int64_t most_wrong_tokens = 10;  // in a second
};

// Counts events in the current second.
class RateLimit {
 public:
  explicit RateLimit(std::int64_t most) : most_(most) {}
  // Counts one more at this time; false if there were too many.
  bool count(double now);

 private:
  std::int64_t most_;
  std::int64_t second_ = 0;
  std::int64_t counted_ = 0;
};

class Access {
 public:
  explicit Access(AccessRules rules);

  // The refusal of a request before its body is read; none if it may go on. `route` is null for an unknown path.
  std::optional<WebResponse> refuse(const WebRequest& request, const Route* route, double now);
  // The headers that let a listed origin read the response.
  NameValues origin_headers(const WebRequest& request) const;
  // The answer to the question of a browser whether a listed origin may send a request (OPTIONS).
  std::optional<WebResponse> answer_preflight(const WebRequest& request) const;

 private:
  bool is_allowed_host(const WebRequest& request) const;
  bool is_listed(const std::optional<std::string>& origin) const;
  bool is_foreign(const WebRequest& request, bool is_open) const;

  AccessRules rules_;
  RateLimit changes_, wrong_tokens_;
};

// The host of a Host header in lower case, without the port; empty if it is malformed.
std::string host_in_header(std::string_view header);

// A new token: 256 random bits.
std::string make_token();

// Compares in a time that depends on the length of `given` only.
bool is_same_secret(std::string_view secret, std::string_view given);

}  // namespace team
