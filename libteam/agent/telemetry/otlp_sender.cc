#include "libteam/agent/telemetry/otlp_sender.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "libteam/agent/model/address.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/service_error.h"
#include "libteam/agent/model/wire_text.h"
#include "libteam/base/error.h"
#include "libteam/base/json.h"
#include "libteam/base/secrets.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/system/watch.h"

namespace team {

namespace {

using Kind = ModelError::Kind;

constexpr double kFirstPause = 0.5, kLongestPause = 10;

std::string decode_percent(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_code =
        text[at] == '%' && at + 2 < text.size() && digit(text[at + 1]) >= 0 && digit(text[at + 2]) >= 0;
    if (!is_code) {
      decoded += text[at];
      continue;
    }
    decoded += static_cast<char>(digit(text[at + 1]) * 16 + digit(text[at + 2]));
    at += 2;
  }
  return decoded;
}

bool is_header_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Headers parse_otlp_headers(std::string_view text) {
  Headers headers;
  for (const std::string& part : split(text, ',')) {
    if (trim(part).empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string name = lower(trim(std::string_view(part).substr(0, equals)));
    const std::string value =
        equals == std::string::npos ? "" : decode_percent(trim(std::string_view(part).substr(equals + 1)));
    const bool is_clean = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 127; });
    if (equals == std::string::npos || !is_header_name(name) || !is_clean) {
      fail(Code::usage, "OTEL_EXPORTER_OTLP_HEADERS: header {} is not NAME=VALUE", headers.size() + 1);
    }
    headers.emplace_back(name, value);
  }
  return headers;
}

OtlpSender::OtlpSender(std::string_view base, Headers headers, double retry_seconds, Note note)
    : url_(endpoint(base, "/traces")),
      headers_(std::move(headers)),
      retry_seconds_(retry_seconds),
      note_(std::move(note)),
      http_({.connect_seconds = 10, .silence_seconds = 30, .answer_seconds = 60}) {}

void OtlpSender::send(const std::string& request) {
  const Deadline end = Deadline::in(retry_seconds_);
  for (int tries = 1;; ++tries) {
    try {
      const HttpAnswer answer = http_.post({url_, headers_, request}, -1, nullptr);
      has_answered_ = true;
      if (answer.status >= 200 && answer.status < 300) return check_accepted(answer.body);
      throw error_of(answer.status, parse_service_error(answer.body), answer.headers);
    } catch (const ModelError& error) {
      const std::string line = fmt::format("{}: {}", host_of(url_), clean(error.what()));
      const bool may_retry = error.kind() == Kind::passing || error.kind() == Kind::limited ||
                             (error.kind() == Kind::unreachable && has_answered_);
      const double pause = pause_after(error, tries);
      if (!may_retry || end.or_in(pause).left_ms() < std::lround(pause * 1000)) fail(Code::unavailable, "{}", line);
      note_(fmt::format("{}; next try in {:.1f} s", line, pause));
      sleep_until(Deadline::in(pause));
    }
  }
}

// A collector may repeat a header in its answer, or only the key of "Bearer KEY".
std::string OtlpSender::clean(std::string text) const {
  for (const auto& [name, value] : headers_) {
    text = redact(std::move(text), value);
    for (const std::string& word : split(value, ' ')) text = redact(std::move(text), word);
  }
  return one_line(text);
}

double OtlpSender::pause_after(const ModelError& error, int tries) const {
  const double grown = std::min(kLongestPause, kFirstPause * std::pow(2, tries - 1));
  return std::max(0.0, error.retry_after().value_or(grown));
}

// A collector that takes only some of the spans says so in an answer with status 200.
void OtlpSender::check_accepted(const std::string& body) const {
  Json json;
  try {
    json = parse_json(body, "answer");
  } catch (const Error&) {
    return;  // an empty body means that all was accepted
  }
  const auto partial = json.is_object() ? json.find("partialSuccess") : json.end();
  if (!json.is_object() || partial == json.end() || !partial->is_object()) return;
  const auto rejected = partial->find("rejectedSpans");
  const std::string count = rejected == partial->end() ? "0"
                            : rejected->is_string()    ? rejected->get<std::string>()
                                                       : rejected->dump();
  const std::string message = clean(text_of(*partial, "errorMessage"));
  if (count != "0") fail(Code::unavailable, "{}: rejected {} spans: {}", host_of(url_), one_line(count), message);
  if (!message.empty()) note_(fmt::format("{}: {}", host_of(url_), message));
}

}  // namespace team
