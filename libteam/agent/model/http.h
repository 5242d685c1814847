// Posts a request to a server and reads the streamed answer; the only code that knows curl.
//
// Certificates are checked and redirects are not followed. Headers contain the key, so they are never shown.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libteam/agent/model/headers.h"

namespace team {

struct HttpRequest {
  std::string url;
  Headers headers;
  std::string body;
};

struct HttpAnswer {
  int status = 0;
  Headers headers;
  std::string body;       // at most 64 KiB, if the answer was not streamed
  bool is_heard = false;  // true for a stream that ended normally or that the hearer ended
};

class Http {
 public:
  struct Limits {
    double connect_seconds = 20;
    double silence_seconds = 300;  // time-out: seconds without a byte; 0: no limit
    double answer_seconds = 1800;  // time-out: seconds for the whole answer, which may consist of pings; 0: no limit
  };
  explicit Http(const Limits& limits);
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  ~Http();

  // Gets the body of a stream, piece by piece. post() passes on its exceptions.
  enum class Wants { more, nothing };
  using Hear = std::function<Wants(std::string_view piece)>;
  // Blocks until the answer ends. Without `hear` no stream is asked for. Returns the body whole if the answer is an
  // error or not a stream. Keeps connections open for later calls. Throws ModelError: `unreachable` if there is no
  // connection, `passing` if it breaks, `final` if the certificate is invalid, `interrupted` as soon as `interrupt` (a
  // descriptor, or -1) is readable.
  HttpAnswer post(const HttpRequest& request, int interrupt, const Hear& hear);

 private:
  struct Curl;
  Limits limits_;
  std::unique_ptr<Curl> curl_;
};

}  // namespace team
