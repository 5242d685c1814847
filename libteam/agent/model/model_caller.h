// Calls a model with the conversation so far, and shortens a conversation that is too long for the model.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "libteam/agent/life/driver.h"
#include "libteam/agent/model/call_interrupter.h"
#include "libteam/agent/model/memory.h"
#include "libteam/agent/model/model_events.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/tools/tool.h"

namespace team {

// Joins all texts of an answer.
std::string text_of(const std::vector<Part>& parts);

class ModelCaller {
 public:
  struct Limits {
    std::int64_t context = 200'000;      // tokens
    std::int64_t longest_answer = 8192;  // tokens to keep free for the answer
    std::int64_t max_tokens = 8192;      // the limit that the service is told; 0: that of the model
  };
  // The texts of a request besides the conversation; called for each request.
  struct Texts {
    std::function<std::string()> system;
    std::function<std::string()> present;  // see ModelRequest
  };
  // `used` is the token count of earlier runs. References outlive this.
  ModelCaller(Provider& provider, const Toolbox& tools, Texts texts, const Limits& limits, const Usage& used);

  // The piece of work that the calls belong to.
  struct Place {
    Memory& memory;
    CallInterrupter& interrupter;
    ModelEvents& events;
    const Audience& audience;
  };
  // Returns none if the call was interrupted. Shortens the conversation further each time the service refuses its
  // length. Throws ModelError.
  std::optional<ModelAnswer> ask(const Place& at);

  // Tokens used in all runs.
  const Usage& used() const { return used_; }
  const Limits& limits() const { return limits_; }

 private:
  ModelAnswer call(const Place& at, const ModelRequest& request, const Provider::Hear& hear);
  ModelRequest request() const;
  bool is_too_long(const Place& at, const ModelRequest& request) const;
  std::int64_t estimate(const Place& at, const ModelRequest& request) const;
  bool make_room(const Place& at, int attempt);
  std::string ask_for_summary(const Place& at);

  Provider& provider_;
  const Toolbox& tools_;
  Texts texts_;
  Limits limits_;
  Usage used_;
  double tokens_per_byte_ = 0.25;  // measured from the token counts of the service
};

}  // namespace team
