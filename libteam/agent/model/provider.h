// The interface to a model: one request, one streamed answer.
//
// A provider knows the wire format of its service. It knows nothing of teams, retries or limits. Its errors say whether
// a retry may help.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/agent/model/conversation.h"
#include "libteam/agent/tools/tool_spec.h"

namespace team {

struct ModelRequest {
  std::string system;       // the system prompt
  std::vector<Turn> turns;  // ends with a turn of the user's
  std::vector<ToolSpec> tools;
  bool may_call = true;  // tools; false: they are only named because the turns speak of them
  std::int64_t max_tokens = 8192;
};

struct ModelAnswer {
  enum class Stop { end, tool_calls, too_long, refused };  // too_long: max_tokens was reached
  std::vector<Part> parts;                                 // texts and tool calls
  Stop stop = Stop::end;
  Usage usage;
  std::string model;  // as the service names it
};

class ModelError : public std::runtime_error {
 public:
  enum class Kind {
    passing,      // try again: overloaded, 408/409/429/5xx/529, a connection that broke, a stream that ended too early
    limited,      // the same, and others are to slow down too: 429, 529
    window_full,  // the request is longer than the model's context
    final,        // a wrong key, an unknown model, an answer that makes no sense
    interrupted,  // we were told to stop
  };
  ModelError(Kind kind, const std::string& text, std::optional<double> retry_after = std::nullopt)
      : std::runtime_error(text), kind_(kind), retry_after_(retry_after) {}
  Kind kind() const { return kind_; }
  // Seconds, if the service said so.
  std::optional<double> retry_after() const { return retry_after_; }

 private:
  Kind kind_;
  std::optional<double> retry_after_;
};

class Provider {
 public:
  virtual ~Provider() = default;
  // `hear` gets the text as it comes. Throws ModelError. Stops with `interrupted` as soon as `interrupt` (a descriptor,
  // or -1) can be read from.
  using Hear = std::function<void(std::string_view text)>;
  virtual ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) = 0;
};

}  // namespace team
