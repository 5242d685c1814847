// Sends requests to an OpenTelemetry collector, over OTLP/HTTP with JSON.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "libteam/agent/model/headers.h"
#include "libteam/agent/model/http.h"
#include "libteam/base/clock.h"

namespace team {

// Reads headers in the form of OTEL_EXPORTER_OTLP_HEADERS, "name=value,name=value" with percent-encoded values. Throws
// usage.
Headers parse_otlp_headers(std::string_view text);

class OtlpSender {
 public:
  // `base` is the address of the collector, with or without the path /v1/traces. `note` is called before each delay.
  // Throws usage for an address that is not http or https.
  using Note = std::function<void(const std::string& line)>;
  OtlpSender(std::string_view base, Headers headers, double retry_seconds, Note note);

  // Blocks until the collector has accepted the request. If the collector is busy, retries until all retries together
  // took `retry_seconds`, at the times that the collector demands. Throws unavailable, without a secret in its text, if
  // the collector cannot be reached or refuses the request or some of its spans.
  void send(const std::string& request);

 private:
  // One line for people, without the values of headers.
  std::string clean(std::string text) const;
  // The number of seconds until the next try.
  double pause_after(const class ModelError& error, int tries) const;
  void check_accepted(const std::string& body) const;

  std::string url_;
  Headers headers_;
  double retry_seconds_;
  Note note_;
  Http http_;
  bool has_answered_ = false;
};

}  // namespace team
