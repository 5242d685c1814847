#include "libteam/report/graph_reading.h"
#include "libteam/report/report_reading.h"
#include "libteam/serve/request_body.h"
#include "libteam/serve/router.h"

namespace team {

namespace {

WebResponse picture(std::string document) {
  WebResponse response;
  response.type = "image/svg+xml; charset=utf-8";
  response.body = std::move(document);
  return response;
}

const ReportTroubles kNoTroubles = {[](TaskId, const Error&) {}, [](std::size_t) {}};

WebResponse draw_graph(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const TaskGraph graph = read_graph(session->board().view(), {}, kNoTroubles.broken);
  const auto ids = ids_in_query(request, "ids");
  if (!ids) return picture(graph_document(graph, {}));
  for (const TaskId id : *ids) session->board().view().get(id);
  return picture(graph_document(graph.upstream_of(*ids), {}));
}

WebResponse draw_time(const Service& service, const WebRequest& request) {
  const auto session = service.open_session(request);
  const Report report =
      read_report(service.engine(), session->team(), session->mail(), session->board().view(), kNoTroubles);
  return picture(timeline_document(report.history));
}

}  // namespace

std::vector<Route> picture_routes() {
  return {{"GET", "/api/graph.svg", Route::Kind::read, draw_graph},
          {"GET", "/api/timeline.svg", Route::Kind::read, draw_time}};
}

}  // namespace team
