// Spans in OTLP/JSON, the format in which OpenTelemetry collectors take them over HTTP or from a file.
//
// In this format ids are hexadecimal and 64-bit numbers are strings.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "libteam/record/span.h"

namespace team {

// One span as a JSON object.
std::string to_otlp(const TraceSpan& span);

// Collects spans into requests of limited size.
class OtlpBatches {
 public:
  // `send` gets each request, an ExportTraceServiceRequest on one line without a newline. `resource` describes the
  // sender of all spans.
  using Send = std::function<void(const std::string& request, std::size_t spans)>;
  OtlpBatches(const Attributes& resource, Send send);

  void add(const TraceSpan& span);
  // Sends the last spans, if there are any.
  void finish();

 private:
  std::string head_;  // of each request
  Send send_;
  std::string batch_;
  std::size_t count_ = 0;
};

}  // namespace team
