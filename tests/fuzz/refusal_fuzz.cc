// Error responses of a service: whatever their form, they give one line for people and one decision.
//
// The input is pieces that end with a zero byte: status, retry-after, an address; then the body.

#include <cmath>

#include "libteam/agent/model/address.h"
#include "libteam/agent/model/openai.h"
#include "libteam/agent/model/wire.h"
#include "libteam/base/number.h"
#include "libteam/base/utf8.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

void check_error(int status, const ServiceError& refusal, const Headers& headers) {
  const ModelError error = error_of(status, refusal, headers);
  REQUIRE(fuzz::is_safe_for_terminal(error.what()) && count_characters(error.what()) <= 500);
  REQUIRE(error.kind() != ModelError::Kind::interrupted);
  const double wait = error.retry_after().value_or(0);
  REQUIRE(std::isfinite(wait) && wait >= 0);
}

void check_address(std::string_view base) {
  std::string url;
  host_of(base);
  if (!fuzz::is_accepted([&] { url = endpoint(base, "/messages"); }, Code::usage)) return;
  REQUIRE(url.ends_with("/messages") && url.find_first_of(" \r\n\t") == std::string::npos);
  REQUIRE(endpoint(url, "/messages") == url);
  REQUIRE(host_of(url).find_first_of("/@") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const int status = static_cast<int>(parse_integer(source.piece()).value_or(0) % 1000);
  const std::string when(source.piece());
  check_address(source.piece());
  const std::string_view body = source.rest();
  const ServiceError refusal = parse_service_error(body);
  check_error(status, refusal, {{"retry-after", when}});
  check_error(status, refusal, {{"retry-after-ms", when}, {"x-should-retry", "true"}});
  if (const auto found = find_service_error_in(body)) check_error(0, *found, {});

  // The adapter changes its request only a few times, so a server that always refuses is not asked for ever.
  OpenAi wire("gpt-x", OpenAi::Limit::max_tokens);
  int changes = 0;
  while (changes < 10 && wire.adapt(status, refusal)) ++changes;
  REQUIRE(changes < 10);
  const std::string name = sanitize_name(body);
  REQUIRE(!name.empty() && name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-") ==
                               std::string::npos);
  return 0;
}
