// One event stream: the bytes that are left to send, independent of the socket.
#pragma once

#include <string>
#include <string_view>

#include "libteam/serve/event_feed.h"
#include "libteam/serve/http.h"
#include "libteam/serve/service.h"

namespace team {

class StreamSender {
 public:
  // `head` is the head of the response. `counts` outlives this.
  StreamSender(EventStream what, std::string head, ServiceCounts& counts);

  const std::string& team() const { return what_.team; }

  // Passes bytes to `write`, as EventFeed::send(). Throws what the log throws.
  enum class Sent { all, some, full, ended };
  Sent send(EventFeed& feed, const EventFeed::Write& write);

  // Sends a comment, which keeps proxies from closing the stream.
  void comment();
  // Ends the stream with a comment or, if the team was deleted, an event. False if the stream is inside of an event:
  // then it can only be cut off.
  bool end(std::string_view last);

 private:
  bool translate(EventFeed& feed);

  EventStream what_;
  ServiceCounts& counts_;
  StreamPosition position_;
  std::string pending_;  // goes before any event
  bool ends_ = false;
};

}  // namespace team
