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
  std::vector<Turn> turns;  // ends with a turn of the user
  // The present state of the team. It follows the last turn of the user and all cache marks. It is not part of the
  // conversation, so that the next request has the same prefix.
  std::string present;
  std::vector<ToolSpec> tools;
  bool may_call = true;            // may call tools; false: they are listed only because the turns mention them
  std::int64_t max_tokens = 8192;  // 0: the limit of the model
};

struct ModelAnswer {
  // too_long: max_tokens was reached; paused: the model wants to continue
  enum class Stop { end, tool_calls, too_long, refused, paused };
  std::vector<Part> parts;  // texts, tool calls and reasoning
  Stop stop = Stop::end;
  Usage usage;
  std::string model;     // as the service names it
  std::string provider;  // anthropic or openai; empty for an old recording
  std::string refusal;   // why the service refused, if it said so
};

class ModelError : public std::runtime_error {
 public:
  enum class Kind {
    passing,      // retry: overloaded, 408/409/429/5xx/529, a broken connection, a stream that ended too early
    limited,      // retry, and other callers must slow down too: 429, 529
    window_full,  // the request is longer than the model's context
    unreachable,  // no connection: a refused port or an unknown host; retry once the service has answered before
    final,        // a wrong key, an unknown model, a malformed answer
    interrupted,  // `interrupt` became readable
  };
  ModelError(Kind kind, const std::string& text, std::optional<double> retry_after = std::nullopt)
      : std::runtime_error(text), kind_(kind), retry_after_(retry_after) {}
  Kind kind() const { return kind_; }
  // Seconds, if the service gave a time.
  std::optional<double> retry_after() const { return retry_after_; }

 private:
  Kind kind_;
  std::optional<double> retry_after_;
};

class Provider {
 public:
  virtual ~Provider() = default;
  // `hear` gets the text as it arrives. Throws ModelError. Throws `interrupted` as soon as `interrupt` (a descriptor,
  // or -1) is readable.
  using Hear = std::function<void(std::string_view text)>;
  virtual ModelAnswer ask(const ModelRequest& request, int interrupt, const Hear& hear) = 0;
};

}  // namespace team
