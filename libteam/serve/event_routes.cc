#include "libteam/serve/request_body.h"
#include "libteam/serve/router.h"

namespace team {

namespace {

bool wants_lines(const WebRequest& request) {
  return request.find_header("accept").value_or("").find("application/x-ndjson") != std::string::npos;
}

// Where a client wants to go on; the header of a client that reconnects counts more than its first address.
std::int64_t start_of(const WebRequest& request, const EventLog& log) {
  WebRequest wanted;
  wanted.query.emplace_back("after", request.find_query("after").value_or("0"));
  const auto last = request.find_header("last-event-id");
  if (last && !last->empty()) wanted.query.front() = {"Last-Event-ID", *last};
  const std::int64_t newest = log.last_sequence();
  if (wanted.query.front() == std::pair<std::string, std::string>("after", "now")) return newest;
  const std::int64_t after = number_in_query(wanted, wanted.query.front().first, 0);
  // A larger number is of a log that was deleted with its team.
  return after > newest ? 0 : after;
}

WebResponse follow_events(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  WebResponse response;
  response.stream = std::make_unique<EventStream>();
  response.stream->team = session->team().name;
  response.stream->form = wants_lines(request) ? EventStream::Form::ndjson : EventStream::Form::sse;
  response.stream->after = start_of(request, session->mail().events());
  response.stream->first = wants_lines(request) ? "" : ": events\n\n";
  return response;
}

}  // namespace

std::vector<Route> event_routes() {
  return {{"GET", "/api/events", Route::Kind::read, follow_events, Route::Place::loop}};
}

}  // namespace team
