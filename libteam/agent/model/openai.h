// The Chat Completions API of OpenAI, which many other servers offer too.
//
// The servers differ: some refuse max_tokens, some cannot count tokens in a stream, some demand their reasoning back
// and some refuse it. The format adapts once to a refusal of each kind.
#pragma once

#include <string>

#include "libteam/agent/model/tuning.h"
#include "libteam/agent/model/wire.h"

namespace team {

class OpenAi : public WireFormat {
 public:
  // The parameter that limits the length of an answer.
  enum class Limit { max_tokens, max_completion_tokens, none };
  OpenAi(std::string model, Limit limit, ModelTuning tuning = {})
      : model_(std::move(model)), limit_(limit), tuning_(std::move(tuning)) {}

  std::string_view home() const override { return "https://api.openai.com"; }
  std::string_view path() const override { return "/chat/completions"; }
  Headers headers(const std::string& key) const override { return bearer_header(key); }
  std::string body(const ModelRequest& request) const override;
  std::unique_ptr<AnswerReader> read(Provider::Hear hear) const override;
  bool adapt(int status, const ServiceError& refusal) override;

 private:
  std::string model_;
  Limit limit_;
  ModelTuning tuning_;
  bool renamed_limit_ = false;
  bool counts_tokens_ = true;
  bool returns_reasoning_ = true;
};

}  // namespace team
