// The Messages API of Anthropic.
//
// Constant parts of a request are marked for the cache: the tools, the system prompt, and the conversation up to each
// of the last two turns of the user. The present state of the team follows behind the last mark.
//
// Thinking blocks are kept with their signatures and sent back as they came. A default that an older model refuses is
// left out from then on.
#pragma once

#include <string>

#include "libteam/agent/model/tuning.h"
#include "libteam/agent/model/wire.h"

namespace team {

class Anthropic : public WireFormat {
 public:
  explicit Anthropic(std::string model, ModelTuning tuning = {})
      : model_(std::move(model)), tuning_(std::move(tuning)), has_default_thinking_(tuning_.thinking.empty()) {}

  std::string_view home() const override { return "https://api.anthropic.com"; }
  std::string_view path() const override { return "/messages"; }
  Headers headers(const std::string& key) const override;
  std::string body(const ModelRequest& request) const override;
  std::unique_ptr<AnswerReader> read(Provider::Hear hear) const override;
  bool adapt(int status, const ServiceError& refusal) override;

 private:
  // The configuration for a conversation; empty if the service decides.
  std::string thinking(const std::vector<Turn>& turns, std::int64_t max_tokens) const;

  std::string model_;
  ModelTuning tuning_;
  bool has_default_thinking_;     // false from the moment the service refuses it
  bool returns_thinking_ = true;  // the same, for blocks of earlier answers
};

}  // namespace team
