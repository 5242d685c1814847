// The Responses API of OpenAI, the only one for several of its models.
//
// The service stores nothing: every request has the whole conversation. The service returns the reasoning of the model
// encrypted, and a later request sends it back together with the tool calls that followed from it.
#pragma once

#include <string>

#include "libteam/agent/model/tuning.h"
#include "libteam/agent/model/wire.h"

namespace team {

class Responses : public WireFormat {
 public:
  explicit Responses(std::string model, ModelTuning tuning = {})
      : model_(std::move(model)), tuning_(std::move(tuning)) {}

  std::string_view home() const override { return "https://api.openai.com"; }
  std::string_view path() const override { return "/responses"; }
  Headers headers(const std::string& key) const override { return bearer_header(key); }
  std::string body(const ModelRequest& request) const override;
  std::unique_ptr<AnswerReader> read(Provider::Hear hear) const override;
  bool adapt(int status, const ServiceError& refusal) override;

 private:
  std::string model_;
  ModelTuning tuning_;
  bool wants_reasoning_ = true;  // false once the service has refused to give it: a model that does not reason
};

}  // namespace team
