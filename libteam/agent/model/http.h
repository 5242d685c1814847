// Posts a request to a server and reads the streamed answer; the only code that knows curl.
//
// Certificates are checked and redirects are not followed. Headers hold the key: they are never shown.
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
  std::string body;       // at most 64 KiB, of an answer that was not heard
  bool is_heard = false;  // a stream, and it ended as it should or the hearer had enough
};

class Http {
 public:
  struct Limits {
    double connect_seconds = 20;
    double silence_seconds = 300;  // without a byte
  };
  explicit Http(const Limits& limits);
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  ~Http();

  // Gets the body of a stream, piece by piece; what it throws comes out of post().
  enum class Wants { more, nothing };
  using Hear = std::function<Wants(std::string_view piece)>;
  // Blocks until the answer is over. An answer with an error or with something else than a stream is given back whole.
  // Connections are kept for the next time. Throws ModelError: passing if there is no connection or it breaks, final if
  // the server is not who it says, interrupted as soon as `interrupt` (a descriptor, or -1) can be read from.
  HttpAnswer post(const HttpRequest& request, int interrupt, const Hear& hear);

 private:
  struct Curl;
  Limits limits_;
  std::unique_ptr<Curl> curl_;
};

}  // namespace team
