// A provider that talks to a service over HTTP, in the wire format of that service.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/tuning.h"

namespace team {

struct ProviderChoice {
  std::string provider;  // anthropic or openai
  std::string api;       // of openai: chat or responses; empty: by the model and the address
  std::string model;
  std::optional<std::string> base_url;  // none: the address of the service itself
  std::string key;                      // may be empty for a local server
  double connect_seconds = 20;
  double silence_seconds = 300;  // time-out: seconds without a byte of the answer
  double answer_seconds = 1800;  // time-out: seconds for a whole answer
  ModelTuning tuning;
};

// Throws usage for an unknown provider.
std::unique_ptr<Provider> make_provider(const ProviderChoice& choice);

}  // namespace team
