// Messages of JSON-RPC 2.0, one object a line: the framing of MCP and ACP. Pure values, no descriptors.
//
// Ids are kept as JSON text (`7`, `"a"`), so that an answer names exactly the id that came. Batches are refused:
// neither protocol has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libteam/base/error.h"
#include "libteam/base/json.h"

namespace team {

// The error codes of the standard.
enum class RpcCode {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
};

struct RpcMessage {
  enum class Kind { request, notification, result, error };
  Kind kind = Kind::notification;
  std::string id;                    // JSON text; empty for a notification, and for an error without an id
  std::string method;                // of a request or a notification
  std::shared_ptr<const Json> body;  // params (an empty object if absent), the result, or the error object; never null

  // Of an error: its code and message, with defaults for missing ones.
  int error_code() const;
  std::string error_text() const;
};

// A message that is not JSON-RPC. `id` is that of the message if it has a readable one, else empty.
class RpcError : public std::runtime_error {
 public:
  RpcError(RpcCode code, const std::string& text, std::string id) : RpcError(static_cast<int>(code), text, id) {}
  RpcError(int code, const std::string& text, std::string id = "", std::string data = "")
      : std::runtime_error(text), code_(code), id_(std::move(id)), data_(std::move(data)) {}
  int code() const { return code_; }
  const std::string& id() const { return id_; }
  const std::string& data() const { return data_; }  // JSON text; empty: none

 private:
  int code_;
  std::string id_, data_;
};

// Throws RpcError: parse_error for a text that is not JSON, invalid_request for any other that is no message.
RpcMessage parse_rpc(std::string_view line, const JsonLimits& limits = {});

// The messages as one line without the newline. `id` and the bodies are JSON text; an empty `params` is left out.
std::string rpc_request(std::string_view id, std::string_view method, std::string_view params);
std::string rpc_notification(std::string_view method, std::string_view params);
std::string rpc_result(std::string_view id, std::string_view result);
// An empty `id` is written as null, an empty `data` is left out.
std::string rpc_error(std::string_view id, int code, std::string_view text, std::string_view data = "");

// Splits a stream of bytes into lines, in bounded memory.
class LineSplitter {
 public:
  explicit LineSplitter(std::size_t most) : most_(most) {}

  void add(std::string_view bytes) { text_ += bytes; }
  struct Line {
    std::string text;
    bool is_too_long = false;  // then `text` is only its beginning, and the rest was dropped
    std::uint64_t offset = 0;  // bytes of the stream before it
  };
  // The next whole line without its newline and carriage return; none until more bytes are added. Blank lines are
  // skipped.
  std::optional<Line> next();

 private:
  std::size_t most_;
  std::string text_;
  std::uint64_t erased_ = 0;  // bytes of the stream before `text_`
  std::size_t start_ = 0;     // the bytes before it were returned
  std::size_t scanned_ = 0;   // no newline before it
  bool drops_ = false;        // inside a line that is too long
};

}  // namespace team
