// A request to team-serve, up to its handler. Only a request with the token, from an allowed host and from no foreign
// page, may reach a handler that is not open. The rest of a request is read without a handler: query and body.
//
// The input is a request as on the wire, with plain line ends.

#include <algorithm>
#include <set>

#include "libteam/base/text.h"
#include "libteam/serve/front.h"
#include "libteam/serve/request_body.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

constexpr const char* kToken = "0123456789abcdef";

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// As the server reads it: names in lower case.
WebRequest read_request(std::string_view text, std::string& target) {
  WebRequest request;
  const std::string_view first = next_line(text);
  const std::size_t blank = std::min(first.find(' '), first.size());
  request.method = first.substr(0, blank);
  target = first.substr(std::min(blank + 1, first.size()));
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.empty()) break;
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string name(line.substr(0, colon));
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    request.headers.emplace_back(std::move(name), std::string(value));
  }
  request.body = text;
  return request;
}

// Every way to read a value ends with a value or with usage.
void read_values(const WebRequest& request) {
  for (const auto& [key, value] : request.query) {
    REQUIRE(fuzz::is_utf8(key) && fuzz::is_utf8(value));
    std::int64_t number = 0;
    if (fuzz::is_accepted([&] { number = number_in_query(request, key, 0); }, Code::usage)) REQUIRE(number >= 0);
    fuzz::is_accepted([&] { flag_in_query(request, key); }, Code::usage);
    fuzz::is_accepted([&] { ids_in_query(request, key); }, Code::usage);
  }
  const auto read = [&](auto call) { fuzz::is_accepted(call, Code::usage); };
  read([&] {
    const RequestBody body(request, {"subject", "blockedBy", "metadata", "priority", "approve"});
    REQUIRE(fuzz::is_utf8(body.line()));
    read([&] { body.text("subject"); });
    read([&] { body.ids("blockedBy"); });
    read([&] { body.members("metadata"); });
    read([&] { body.integer("priority", 0, 2); });
    read([&] { body.boolean("approve"); });
    read([&] { body.number("priority"); });
    read([&] { body.needed_text("as"); });
    body.value("subject");
  });
}

void check_decision(const WebRequest& request, const Decision& decision) {
  const std::set<int> kStatuses = {204, 400, 401, 403, 404, 405, 415, 429};
  if (decision.refusal) {
    REQUIRE(kStatuses.contains(decision.refusal->status));
    REQUIRE(fuzz::is_utf8(decision.refusal->body));
    return;
  }
  REQUIRE(decision.route != nullptr);
  REQUIRE(request.path.starts_with('/') && request.path.find('\0') == std::string::npos);
  for (const std::string& part : request.parameters) REQUIRE(!part.empty() && part.find('/') == std::string::npos);
  const std::string host = request.find_header("host").value_or("");
  REQUIRE(host_in_header(host) == "127.0.0.1" || host_in_header(host) == "localhost");
  const auto origin = request.find_header("origin");
  REQUIRE(!origin || *origin == "http://" + host || *origin == "https://team.example");
  if (decision.route->access == Route::Access::open) return;
  const std::string given = request.find_header("authorization").value_or("");
  REQUIRE(given.size() == 7 + std::string_view(kToken).size() && given.ends_with(kToken));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Router router(all_routes());
  AccessRules rules;
  rules.token = kToken;
  rules.hosts = {"127.0.0.1", "localhost"};
  rules.origins = {"https://team.example"};
  Access access(rules);
  std::string target;
  WebRequest request = read_request(fuzz::text_of(bytes, size), target);
  const Decision decision = decide(target, !request.body.empty(), request, router, access, 1);
  check_decision(request, decision);
  read_values(request);
  return 0;
}
