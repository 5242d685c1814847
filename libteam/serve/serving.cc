#include "libteam/serve/serving.h"

#include <unistd.h>

#include <algorithm>

#include "libteam/base/clock.h"
#include "libteam/base/json_text.h"
#include "libteam/base/text.h"
#include "libteam/record/json_fields.h"
#include "libteam/serve/access.h"
#include "libteam/serve/server.h"
#include "libteam/system/secret_file.h"

namespace team {

namespace {

constexpr std::size_t kShortestToken = 32;

std::string read_token(const std::string& path) {
  const std::string token = read_secret(path);
  const auto fits = [](char c) { return c > ' ' && c < 127 && c != '"' && c != '\\' && c != '#'; };
  if (token.size() < kShortestToken || !std::ranges::all_of(token, fits)) {
    fail(Code::usage, "--token-file: '{}' needs one line of at least {} printable characters without blanks", path,
         kShortestToken);
  }
  return token;
}

std::string url_of(const ListenAddress& address) {
  if (address.is_unix()) return "unix:" + address.path;
  return fmt::format("http://{}:{}/", address.url_host(), address.port);
}

AccessRules rules_of(const ServingOptions& options, const ListenAddress& address, std::string token) {
  AccessRules rules;
  rules.token = std::move(token);
  rules.hosts = {"127.0.0.1", "localhost", "[::1]"};
  if (!address.is_unix()) rules.hosts.push_back(address.url_host());
  rules.hosts.insert(rules.hosts.end(), options.hosts.begin(), options.hosts.end());
  rules.origins = options.origins;
  rules.any_host = address.is_unix();
  rules.read_only = options.service.read_only;
  return rules;
}

void check_names(const ServingOptions& options) {
  for (const std::string& host : options.hosts) {
    if (!host.empty() && host_in_header(host) == host) continue;
    fail(Code::usage, "--allow-host: '{}' is not a host in lower case without port", host);
  }
  for (const std::string& origin : options.origins) {
    const bool has_scheme = origin.starts_with("http://") || origin.starts_with("https://");
    if (!has_scheme || host_in_header(origin.substr(origin.find("//") + 2)).empty()) {
      fail(Code::usage, "--origin: '{}' is not an origin such as https://team.example", origin);
    }
  }
}

std::string description(const std::string& url, const std::string& token) {
  JsonText json(JsonText::Layout::indented);
  json.add("url", url);
  json.add("token", token);
  json.add("pid", std::int64_t{::getpid()});
  json.add("startedAt", now());
  return json.take();
}

std::string with_token(const std::string& url, const std::string& token) { return url + "#token=" + token; }

}  // namespace

void serve(const Engine& engine, const ServingOptions& options,
           const std::function<void(const std::string& url)>& ready) {
  check_names(options);
  const ListenAddress address = parse_listen(options.listen);
  if (!address.is_loopback() && !options.token_file) {
    fail(Code::permission_denied, "'{}' can be reached from other machines; this needs --token-file", options.listen);
  }
  const std::string token = options.token_file ? read_token(*options.token_file) : make_token();
  if (options.service.team) engine.get(*options.service.team);  // throws if there is no such team
  auto mark = engine.take_server_mark();
  std::optional<Listener> listener(address);
  ServerLimits limits;
  if (options.most_streams) limits.streams = static_cast<std::size_t>(*options.most_streams);
  constexpr std::size_t kFilesOfHandlers = 200;
  allow_open_files(limits.streams + limits.other_connections + kFilesOfHandlers);
  const Service service(engine, options.service);
  const Router router(all_routes());
  Access access(rules_of(options, listener->address(), token));
  Server server(*listener, service, router, access, limits);
  const std::string url = url_of(listener->address());
  mark->publish(description(url, token));
  ready(with_token(url, token));
  server.run();
  // Now, for the end of a server with a request that still waits is the end of the process.
  mark.reset();
  listener.reset();
}

std::optional<std::string> running_url(const Engine& engine) {
  const auto text = engine.running_server();
  if (!text) return std::nullopt;
  Fields fields(*text, "the description of the server");
  return with_token(fields.text("url").value_or(""), fields.text("token").value_or(""));
}

}  // namespace team
