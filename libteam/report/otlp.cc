#include "libteam/report/otlp.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "libteam/base/json_text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

// The usual batch of the OpenTelemetry SDKs; collectors refuse requests of many megabytes.
constexpr std::size_t kMostSpans = 512;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

constexpr int kStatusError = 2;

std::string hex(const TraceId& id) { return fmt::format("{:016x}{:016x}", id.high, id.low); }
std::string hex(SpanId id) { return fmt::format("{:016x}", id); }

// Nanoseconds since 1970, as a string. The log has microseconds: the last three digits of a double would be noise.
std::string nanoseconds(double seconds) {
  constexpr double kLatest = 9e9;  // the year 2255 fits into 64 bits
  const double sane = std::clamp(std::isfinite(seconds) ? seconds : 0.0, 0.0, kLatest);
  return std::to_string(std::llround(sane * 1e6) * 1000);
}

std::string to_json(const AttributeValue& value) {
  JsonText json;
  if (const auto* text = std::get_if<std::string>(&value)) json.add("stringValue", repair_utf8(*text));
  else if (const auto* number = std::get_if<std::int64_t>(&value)) json.add("intValue", std::to_string(*number));
  else json.add("doubleValue", std::get<double>(value));
  return json.take();
}

std::string to_json(const Attributes& attributes) {
  std::vector<std::string> elements;
  for (const auto& [key, value] : attributes) {
    JsonText json;
    json.add("key", key);
    json.add_json("value", to_json(value));
    elements.push_back(json.take());
  }
  return json_array(elements);
}

std::string to_json(const SpanLink& link) {
  JsonText json;
  json.add("traceId", hex(link.to.trace));
  json.add("spanId", hex(link.to.span));
  json.add_json("attributes", to_json(link.attributes));
  return json.take();
}

std::string to_json(const SpanError& error) {
  JsonText json;
  if (!error.message.empty()) json.add("message", repair_utf8(error.message));
  json.add("code", kStatusError);
  return json.take();
}

}  // namespace

std::string to_otlp(const TraceSpan& span) {
  JsonText json;
  json.add("traceId", hex(span.self.trace));
  json.add("spanId", hex(span.self.span));
  if (span.parent) json.add("parentSpanId", hex(*span.parent));
  json.add("name", repair_utf8(span.name));
  json.add("kind", static_cast<int>(span.kind));
  json.add("startTimeUnixNano", nanoseconds(span.start));
  json.add("endTimeUnixNano", nanoseconds(span.end));
  json.add_json("attributes", to_json(span.attributes));
  if (!span.links.empty()) {
    std::vector<std::string> links;
    for (const SpanLink& link : span.links) links.push_back(to_json(link));
    json.add_json("links", json_array(links));
  }
  if (span.error) json.add_json("status", to_json(*span.error));
  return json.take();
}

OtlpBatches::OtlpBatches(const Attributes& resource, Send send)
    : head_(fmt::format(R"({{"resourceSpans":[{{"resource":{{"attributes":{}}},"scopeSpans":[{{)"
                        R"("scope":{{"name":"teamkit","version":"{}"}},"spans":[)",
                        to_json(resource), TEAMKIT_VERSION)),
      send_(std::move(send)) {}

void OtlpBatches::add(const TraceSpan& span) {
  const std::string json = to_otlp(span);
  if (count_ > 0 && (count_ == kMostSpans || batch_.size() + json.size() > kMostBytes)) finish();
  if (count_ > 0) batch_ += ',';
  batch_ += json;
  ++count_;
}

void OtlpBatches::finish() {
  if (count_ == 0) return;
  const std::string request = head_ + batch_ + "]}]}]}";
  const std::size_t count = std::exchange(count_, 0);
  batch_.clear();
  send_(request, count);
}

}  // namespace team
