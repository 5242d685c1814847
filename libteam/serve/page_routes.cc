#include "libteam/serve/assets.h"
#include "libteam/serve/router.h"

namespace team {

namespace {

// The page loads its own parts only. Pictures of the server are shown from memory (blob:).
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

std::string type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml; charset=utf-8";
  return "text/plain; charset=utf-8";
}

Route serve_asset(const Asset& asset, std::string path) {
  const auto handler = [asset](const Service&, const WebRequest&) {
    WebResponse response;
    response.type = type_of(asset.name);
    response.body = asset.text;
    response.headers = {{"Content-Security-Policy", std::string(kPolicy)}};
    return response;
  };
  return {"GET", std::move(path), Route::Kind::read, handler, Route::Place::loop, Route::Access::open};
}

WebResponse show_health(const Service&, const WebRequest&) { return json_response(R"({"status":"ok"})"); }

}  // namespace

std::vector<Route> page_routes() {
  std::vector<Route> routes = {
      {"GET", "/healthz", Route::Kind::read, show_health, Route::Place::loop, Route::Access::open}};
  for (const Asset& asset : web_assets()) {
    routes.push_back(serve_asset(asset, "/" + std::string(asset.name)));
    if (asset.name == "index.html") routes.push_back(serve_asset(asset, "/"));
  }
  return routes;
}

}  // namespace team
