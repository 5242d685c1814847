// An HTTP request and its response as values, independent of the library that reads and writes them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libteam/base/error.h"

namespace team {

using NameValues = std::vector<std::pair<std::string, std::string>>;

struct WebRequest {
  std::string method;                   // GET, POST, …
  std::string path;                     // decoded, begins with "/"
  NameValues query;                     // decoded, in order
  NameValues headers;                   // names in lower case
  std::string body;                     // a JSON object, or empty
  std::vector<std::string> parameters;  // the values of the braces in the pattern of the route

  // The first value of a query key; none if it is absent.
  std::optional<std::string> find_query(std::string_view key) const;
  // The value of a header, by its name in lower case; none if it is absent.
  std::optional<std::string> find_header(std::string_view name) const;
};

// Reads a request target ("/api/tasks?status=pending") into path and query. Throws usage if it is not one, has a wrong
// percent escape or a control character.
void parse_target(std::string_view target, WebRequest& request);

// Makes the bytes of a stream from the events of a team. One stream uses one translator, from one thread at a time.
class EventTranslator {
 public:
  virtual ~EventTranslator() = default;

  // Appends what the client gets for this envelope, a line of the log without its newline; it may append nothing.
  // Returns false if the stream ends after that.
  virtual bool translate(std::string_view envelope, std::string& to) = 0;
};

// A response whose body goes on with the event log of a team. The server keeps only a position for it, and calls the
// translator when the client can take more.
struct EventStream {
  enum class Form { sse, ndjson };
  std::string team;
  std::int64_t after = 0;  // only events after this number
  Form form = Form::sse;
  std::string type;                             // Content-Type; empty: that of the form
  std::string first;                            // sent before any event
  std::unique_ptr<EventTranslator> translator;  // none: the envelopes, which all such streams share
};

class PushedBody;

struct WebResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  NameValues headers;
  std::unique_ptr<EventStream> stream;  // if set, `body` and `type` are not used
  std::shared_ptr<PushedBody> pushed;   // if set, `body` is not used: another thread writes it
};

// A response with a JSON text.
WebResponse json_response(std::string json, int status = 200);
// The response for an error: {"status":"error","code":…,"error":…}.
WebResponse error_response(const Error& error);
WebResponse error_response(int status, Code code, std::string_view text);
// The HTTP status of an error code.
int status_of(Code code);

// A frame of an event stream: "id: 7\ndata: …\n\n". Without an id if `seq` is 0. `data` is one line.
std::string sse_frame(std::int64_t seq, std::string_view data);

}  // namespace team
