// The interface of a wire format, and the steps of building a request that all formats share.
//
// Nothing here uses a network: tests compare texts, and programs that use it do not need curl.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/agent/model/answer_reader.h"
#include "libteam/agent/model/headers.h"
#include "libteam/agent/model/provider.h"
#include "libteam/agent/model/service_error.h"
#include "libteam/base/json.h"

namespace team {

class WireFormat {
 public:
  virtual ~WireFormat() = default;
  virtual std::string_view home() const = 0;  // base URL of the service
  virtual std::string_view path() const = 0;  // path below the version
  virtual Headers headers(const std::string& key) const = 0;
  virtual std::string body(const ModelRequest& request) const = 0;
  virtual std::unique_ptr<AnswerReader> read(Provider::Hear hear) const = 0;
  // Called after a refusal. True if body() has changed and the request may succeed now.
  virtual bool adapt(int /*status*/, const ServiceError& /*refusal*/) { return false; }
};

// The source of reasoning. Only reasoning of the same format and model is sent back.
struct ReasoningSource {
  std::string_view format, model;
};

Part text_part(std::string text);
Part call_part(std::string id, std::string name);
Part reasoning_part(const ReasoningSource& source, std::string data);
// Turns in the form that every service accepts. There are no blank texts, and results precede texts. Two turns of one
// role become one. Reasoning of another source, or at the end of a turn, is left out.
std::vector<Turn> normalize_turns(const std::vector<Turn>& turns, const ReasoningSource& source);
// The same, with the present state of the team at the end of the last turn of the user. For services that cache by
// prefix and take no marks.
std::vector<Turn> turns_with_present(const ModelRequest& request, const ReasoningSource& source);
// True if the arguments of a call are one complete object.
bool is_object(const std::string& arguments);
// The arguments of a call as an object; other values are wrapped in an object. Services refuse malformed arguments.
Json as_object(const std::string& arguments);
// The schema on one line.
std::string schema_of(const ToolSpec& spec);
// The header with the key, as many services expect it. None without a key.
Headers bearer_header(const std::string& key);
// Makes a name or id that every service accepts. The original may come from another service.
std::string sanitize_name(std::string_view name);
// The same for the name of a tool, which services limit to 64 characters.
std::string sanitize_tool_name(std::string_view name);

}  // namespace team
