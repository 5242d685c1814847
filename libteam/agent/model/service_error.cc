#include "libteam/agent/model/service_error.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/agent/model/wire_text.h"
#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

using Kind = ModelError::Kind;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// A spending limit looks like a rate limit (429), but waiting does not help.
bool is_about_money(const ServiceError& refusal) {
  constexpr std::array<std::string_view, 9> kWords = {
      "insufficient_quota",           "billing_error",
      "billing_not_active",           "credit_balance_exhausted",
      "billing_hard_limit_reached",   "organization_spend_limit_exceeded",
      "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
      "enforced_spend_limit_reached"};
  return is_one_of(refusal.type, kWords) || is_one_of(refusal.code, kWords);
}

// Every service has its own text for this.
bool is_about_length(int status, const ServiceError& refusal) {
  constexpr std::array<std::string_view, 3> kWords = {"context_length_exceeded", "exceed_context_size_error",
                                                      "request_too_large"};
  if (status == 413 || is_one_of(refusal.type, kWords) || is_one_of(refusal.code, kWords)) return true;
  const std::string message = lower(refusal.message);
  const auto says = [&](std::string_view phrase) { return message.find(phrase) != std::string::npos; };
  // More tokens than the limit of a minute: waiting does not help.
  if (status == 429) return says("request too large");
  if (status == 401 || status == 403 || status == 404) return false;
  constexpr std::array<std::string_view, 10> kPhrases = {"prompt is too long",
                                                         "input is too long",
                                                         "maximum context length",
                                                         "context length exceeded",
                                                         "exceed context limit",
                                                         "available context size",
                                                         "context window",
                                                         "input token count",
                                                         "reduce the length of the messages",
                                                         "max_tokens must be at least 1, got -"};
  return std::any_of(kPhrases.begin(), kPhrases.end(), says);
}

bool is_about_speed(int status, const ServiceError& refusal) {
  constexpr std::array<std::string_view, 5> kWords = {"rate_limit_error", "rate_limit_exceeded", "overloaded_error",
                                                      "slow_down", "server_is_overloaded"};
  return status == 429 || status == 529 || is_one_of(refusal.type, kWords) || is_one_of(refusal.code, kWords);
}

std::string_view header(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

Kind kind_of(int status, const ServiceError& refusal, const Headers& headers) {
  if (is_about_money(refusal)) return Kind::final;
  if (is_about_length(status, refusal)) return Kind::window_full;
  const std::string_view advice = header(headers, "x-should-retry");
  if (advice == "false") return Kind::final;
  if (is_about_speed(status, refusal)) return Kind::limited;
  if (advice == "true" || status == 408 || status == 409 || status == 425 || status >= 500) return Kind::passing;
  if (status != 0) return Kind::final;
  constexpr std::array<std::string_view, 4> kOurFault = {"invalid_request_error", "authentication_error",
                                                         "permission_error", "not_found_error"};
  return is_one_of(refusal.type, kOurFault) ? Kind::final : Kind::passing;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

// Seconds, milliseconds in a header of their own, or a date.
std::optional<double> retry_after(const Headers& headers) {
  if (const auto milliseconds = parse_number(header(headers, "retry-after-ms"))) return *milliseconds / 1000;
  const std::string value(header(headers, "retry-after"));
  if (const auto seconds = parse_number(value)) return seconds;
  tm date{};
  if (::strptime(value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) return std::nullopt;
  return std::max(0.0, static_cast<double>(::timegm(&date)) - now());
}

std::string describe(const ServiceError& refusal) {
  constexpr std::size_t kLongest = 400;
  std::string_view message = refusal.message;
  while (message.ends_with('.') || message.ends_with('\n')) message.remove_suffix(1);
  // The code is the more precise of the two.
  std::string text = refusal.code.empty() ? refusal.type : refusal.code;
  if (!text.empty() && !message.empty()) text += ": ";
  return cut_characters(one_line(text.append(message)), kLongest);
}

std::optional<Json> parse_if_json(std::string_view text) {
  try {
    return parse_json(text, "answer");
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<ServiceError> find_service_error(const Json& value) {
  if (!value.is_object()) return std::nullopt;
  const auto inner = value.find("error");
  if (inner != value.end() && inner->is_string()) return ServiceError{"", "", inner->get<std::string>()};
  const Json& error = inner != value.end() && inner->is_object() ? *inner : value;
  ServiceError refusal{text_of(error, "type"), text_of(error, "code"), text_of(error, "message")};
  // Only the details tell that it is a spending limit.
  const auto details = error.find("details");
  if (refusal.code.empty() && details != error.end() && details->is_object()) {
    refusal.code = text_of(*details, "error_code");
  }
  if (&error != &value) return refusal;
  const bool is_error = text_of(value, "object") == "error" || text_of(value, "type") == "error";
  return is_error ? std::optional(refusal) : std::nullopt;
}

std::optional<ServiceError> find_service_error_in(std::string_view body) {
  const auto value = parse_if_json(body);
  return value ? find_service_error(*value) : std::nullopt;
}

ServiceError parse_service_error(std::string_view body) {
  if (is_blank(body)) return {};
  if (const auto value = parse_if_json(body)) {
    if (const auto refusal = find_service_error(*value)) return *refusal;
    const std::string message = text_of(*value, "message");
    return {"", "", message.empty() ? text_of(*value, "detail") : message};
  }
  // A proxy between us and the service has answered.
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  if (body[start] == '<') return {"", "", "a page of HTML"};
  return {"", "", std::string(body.substr(start))};
}

ModelError error_of(int status, const ServiceError& refusal, const Headers& headers) {
  std::string text = status == 0 ? "the service broke off" : std::to_string(status);
  const std::string words = describe(refusal);
  if (!words.empty()) text += (status == 0 ? ": " : " ") + words;
  return ModelError(kind_of(status, refusal, headers), text, retry_after(headers));
}

}  // namespace team
