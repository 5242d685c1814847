#include "libteam/agent/model/address.h"

#include <algorithm>
#include <optional>

#include "libteam/agent/model/wire_text.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

namespace team {

namespace {

bool is_version(std::string_view segment) {
  return segment.size() >= 2 && segment[0] == 'v' && segment[1] >= '0' && segment[1] <= '9';
}

// The rest of a URL after "http://" or "https://"; none for other texts.
std::optional<std::string_view> after_scheme(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.size() > scheme.size() && lower(url.substr(0, scheme.size())) == scheme) return url.substr(scheme.size());
  }
  return std::nullopt;
}

}  // namespace

std::string endpoint(std::string_view base, std::string_view path) {
  const auto rest = after_scheme(base);
  const bool clean = std::all_of(base.begin(), base.end(), [](char c) { return c > ' ' && c < 127; });
  if (!rest || rest->front() == '/' || !clean || rest->find_first_of("?#") != std::string_view::npos) {
    fail(Code::usage, "'{}' is not an http or https address", one_line(base));
  }
  while (base.ends_with('/')) base.remove_suffix(1);
  if (base.ends_with(path)) return std::string(base);
  const auto segments = split(*after_scheme(base), '/');
  const bool versioned = std::any_of(segments.begin() + 1, segments.end(), is_version);
  return fmt::format("{}{}{}", base, versioned ? "" : "/v1", path);
}

std::string host_of(std::string_view url) {
  std::string_view host = after_scheme(url).value_or(url);
  host = host.substr(0, host.find('/'));
  const std::size_t at = host.rfind('@');
  return std::string(at == std::string_view::npos ? host : host.substr(at + 1));
}

}  // namespace team
