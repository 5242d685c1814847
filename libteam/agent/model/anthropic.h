// The Messages API of Anthropic.
//
// Constant parts of a request are marked for the cache: the tools, the system prompt, and the conversation up to each
// of the last two turns of the user.
#pragma once

#include <string>

#include "libteam/agent/model/wire.h"

namespace team {

class Anthropic : public WireFormat {
 public:
  explicit Anthropic(std::string model) : model_(std::move(model)) {}

  std::string_view home() const override { return "https://api.anthropic.com"; }
  std::string_view path() const override { return "/messages"; }
  Headers headers(const std::string& key) const override;
  std::string body(const ModelRequest& request) const override;
  std::unique_ptr<AnswerReader> read(Provider::Hear hear) const override;

 private:
  std::string model_;
};

}  // namespace team
