// A span: one operation with its beginning and end, as OpenTelemetry defines it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace team {

struct TraceId {
  std::uint64_t high = 0, low = 0;
  bool operator==(const TraceId&) const = default;
};
using SpanId = std::uint64_t;

// Names a span from another one.
struct SpanReference {
  TraceId trace;
  SpanId span = 0;
  bool operator==(const SpanReference&) const = default;
};

using AttributeValue = std::variant<std::string, std::int64_t, double>;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

struct SpanLink {
  SpanReference to;
  Attributes attributes;
};

// Why an operation failed. `type` has few different values, `message` is for people.
struct SpanError {
  std::string type, message;
};

struct TraceSpan {
  enum class Kind { internal = 1, client = 3 };  // the numbers of OTLP

  SpanReference self;
  std::optional<SpanId> parent;  // in the same trace
  std::string name;
  Kind kind = Kind::internal;
  double start = 0, end = 0;  // Unix seconds
  Attributes attributes;
  std::vector<SpanLink> links;
  std::optional<SpanError> error;
};

}  // namespace team
