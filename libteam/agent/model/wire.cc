#include "libteam/agent/model/wire.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "libteam/base/clock.h"
#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

using Kind = ModelError::Kind;

constexpr std::size_t kMostOfEvent = std::size_t{16} << 20;
constexpr std::size_t kMostOfAnswer = std::size_t{32} << 20;
constexpr std::size_t kMostOfStream = std::size_t{256} << 20;

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos; }

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// A limit of spending looks like a limit of speed (429), but waiting does not help.
bool is_about_money(const ServiceError& complaint) {
  constexpr std::array<std::string_view, 9> kWords = {
      "insufficient_quota",           "billing_error",
      "billing_not_active",           "credit_balance_exhausted",
      "billing_hard_limit_reached",   "organization_spend_limit_exceeded",
      "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
      "enforced_spend_limit_reached"};
  return is_one_of(complaint.type, kWords) || is_one_of(complaint.code, kWords);
}

// No two services say it alike.
bool is_about_length(int status, const ServiceError& complaint) {
  constexpr std::array<std::string_view, 3> kWords = {"context_length_exceeded", "exceed_context_size_error",
                                                      "request_too_large"};
  if (status == 413 || is_one_of(complaint.type, kWords) || is_one_of(complaint.code, kWords)) return true;
  const std::string message = lower(complaint.message);
  const auto says = [&](std::string_view phrase) { return message.find(phrase) != std::string::npos; };
  // More at once than is allowed in a minute: no waiting makes it fit.
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

bool is_about_speed(int status, const ServiceError& complaint) {
  constexpr std::array<std::string_view, 5> kWords = {"rate_limit_error", "rate_limit_exceeded", "overloaded_error",
                                                      "slow_down", "server_is_overloaded"};
  return status == 429 || status == 529 || is_one_of(complaint.type, kWords) || is_one_of(complaint.code, kWords);
}

std::string_view header(const Headers& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

Kind kind_of(int status, const ServiceError& complaint, const Headers& headers) {
  if (is_about_money(complaint)) return Kind::final;
  if (is_about_length(status, complaint)) return Kind::window_full;
  const std::string_view advice = header(headers, "x-should-retry");
  if (advice == "false") return Kind::final;
  if (is_about_speed(status, complaint)) return Kind::limited;
  if (advice == "true" || status == 408 || status == 409 || status == 425 || status >= 500) return Kind::passing;
  if (status != 0) return Kind::final;
  constexpr std::array<std::string_view, 4> kOurFault = {"invalid_request_error", "authentication_error",
                                                         "permission_error", "not_found_error"};
  return is_one_of(complaint.type, kOurFault) ? Kind::final : Kind::passing;
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

std::string describe(const ServiceError& complaint) {
  constexpr std::size_t kLongest = 400;
  std::string_view message = complaint.message;
  while (message.ends_with('.') || message.ends_with('\n')) message.remove_suffix(1);
  // The code is the more precise of the two.
  std::string text = complaint.code.empty() ? complaint.type : complaint.code;
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

bool is_version(std::string_view segment) {
  return segment.size() >= 2 && segment[0] == 'v' && segment[1] >= '0' && segment[1] <= '9';
}

// What follows "http://" or "https://"; none if it does not begin so.
std::optional<std::string_view> after_scheme(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (url.size() > scheme.size() && lower(url.substr(0, scheme.size())) == scheme) return url.substr(scheme.size());
  }
  return std::nullopt;
}

}  // namespace

std::optional<ServiceError> find_complaint(const Json& value) {
  if (!value.is_object()) return std::nullopt;
  const auto inner = value.find("error");
  if (inner != value.end() && inner->is_string()) return ServiceError{"", "", inner->get<std::string>()};
  const Json& error = inner != value.end() && inner->is_object() ? *inner : value;
  ServiceError complaint{text_of(error, "type"), text_of(error, "code"), text_of(error, "message")};
  // A limit of spending says so in its details only.
  const auto details = error.find("details");
  if (complaint.code.empty() && details != error.end() && details->is_object()) {
    complaint.code = text_of(*details, "error_code");
  }
  if (&error != &value) return complaint;
  const bool is_error = text_of(value, "object") == "error" || text_of(value, "type") == "error";
  return is_error ? std::optional(complaint) : std::nullopt;
}

std::optional<ServiceError> find_complaint_in(std::string_view body) {
  const auto value = parse_if_json(body);
  return value ? find_complaint(*value) : std::nullopt;
}

ServiceError parse_complaint(std::string_view body) {
  if (is_blank(body)) return {};
  if (const auto value = parse_if_json(body)) {
    if (const auto complaint = find_complaint(*value)) return *complaint;
    const std::string message = text_of(*value, "message");
    return {"", "", message.empty() ? text_of(*value, "detail") : message};
  }
  // Something that stands between us and the service has answered.
  const std::size_t start = body.find_first_not_of(" \t\r\n");
  if (body[start] == '<') return {"", "", "a page of HTML"};
  return {"", "", std::string(body.substr(start))};
}

ModelError error_of(int status, const ServiceError& complaint, const Headers& headers) {
  std::string text = status == 0 ? "the service broke off" : std::to_string(status);
  const std::string words = describe(complaint);
  if (!words.empty()) text += (status == 0 ? ": " : " ") + words;
  return ModelError(kind_of(status, complaint, headers), text, retry_after(headers));
}

AnswerReader::AnswerReader(Provider::Hear hear)
    : hear_(std::move(hear)),
      events_(
          [this](const ServerEvent& event) {
            // What keeps the connection is not always a comment.
            if (complete_ || is_blank(event.data)) return;
            try {
              take(event);
            } catch (const nlohmann::json::exception&) {
              throw ModelError(Kind::passing, "an event of the stream makes no sense");
            }
            const std::string said = std::move(said_);
            said_.clear();
            if (!said.empty() && hear_) hear_(said);
          },
          kMostOfEvent) {}

void AnswerReader::feed(std::string_view piece) {
  read_ += piece.size();
  if (read_ > kMostOfStream) throw ModelError(Kind::final, "the answer is a stream without end");
  events_.feed(piece);
}

ModelAnswer AnswerReader::finish() {
  ModelAnswer answer;
  if (!conclude(answer)) throw ModelError(Kind::passing, "the stream ended before the answer did");
  const bool calls = std::any_of(answer.parts.begin(), answer.parts.end(),
                                 [](const Part& part) { return part.kind == Part::Kind::tool_call; });
  // Servers are not at one about what they call an answer that ends with calls.
  if (calls && answer.stop == ModelAnswer::Stop::end) answer.stop = ModelAnswer::Stop::tool_calls;
  if (!calls && answer.stop == ModelAnswer::Stop::tool_calls) answer.stop = ModelAnswer::Stop::end;
  return answer;
}

void AnswerReader::say(std::string_view text) { said_ += text; }

void AnswerReader::grow(std::size_t bytes) {
  kept_ += bytes;
  if (kept_ > kMostOfAnswer)
    throw ModelError(Kind::final, fmt::format("the answer is larger than {} bytes", kMostOfAnswer));
}

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

Part text_part(std::string text) {
  Part part;
  part.text = std::move(text);
  return part;
}

Part call_part(std::string id, std::string name) {
  Part part;
  part.kind = Part::Kind::tool_call;
  part.id = std::move(id);
  part.name = std::move(name);
  return part;
}

std::vector<Turn> normalize_turns(const std::vector<Turn>& turns) {
  std::vector<Turn> tidied;
  for (const Turn& turn : turns) {
    Turn next{turn.role, {}};
    for (const Part& part : turn.parts) {
      if (part.kind != Part::Kind::text || !is_blank(part.text)) next.parts.push_back(part);
    }
    if (next.parts.empty() && turn.role == Turn::Role::model) continue;
    if (next.parts.empty()) next.parts.push_back(text_part("(empty)"));
    if (tidied.empty() || tidied.back().role != turn.role) tidied.push_back({turn.role, {}});
    auto& parts = tidied.back().parts;
    parts.insert(parts.end(), std::make_move_iterator(next.parts.begin()), std::make_move_iterator(next.parts.end()));
  }
  for (Turn& turn : tidied) {
    std::stable_partition(turn.parts.begin(), turn.parts.end(),
                          [](const Part& part) { return part.kind == Part::Kind::tool_result; });
    for (Part& part : turn.parts) {
      if (part.kind == Part::Kind::tool_result && is_blank(part.text)) part.text = "(empty)";
    }
  }
  return tidied;
}

Json parse_event(const ServerEvent& event) {
  try {
    Json json = parse_json(event.data, "event", {.bytes = kMostOfEvent});
    if (json.is_object()) return json;
  } catch (const Error&) {
    // Told below.
  }
  throw ModelError(Kind::passing, "an event of the stream is malformed");
}

Json as_object(const std::string& arguments) {
  if (is_blank(arguments)) return Json::object();
  try {
    Json json = parse_json(arguments, "arguments", {.bytes = kMostOfAnswer});
    if (json.is_object()) return json;
  } catch (const Error&) {
    // It is told to the model as it wrote it.
  }
  return {{"INVALID_JSON", repair_utf8(arguments)}};
}

std::string schema_of(const ToolSpec& spec) { return dump_line(parse_json(spec.schema, "schema of " + spec.name)); }

std::string sanitize_name(std::string_view name) {
  std::string tamed(name);
  for (char& c : tamed) {
    const bool fits =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '-';
    if (!fits) c = '_';
  }
  return tamed.empty() ? "unknown" : tamed;
}

std::int64_t count_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  constexpr std::int64_t kMost = 1'000'000'000'000;  // of one answer; more is nonsense, and sums must not overflow
  if (found == object.end() || !found->is_number_integer()) return 0;
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMost);
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace team
