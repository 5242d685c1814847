// The parts of the server that need no socket: addresses, access, routes, frames.
#include <random>

#include "libteam/serve/access.h"
#include "libteam/serve/event_feed.h"
#include "libteam/serve/http.h"
#include "libteam/system/listener.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

void targets() {
  WebRequest request;
  parse_target("/api/tasks/a%20b?x=1+2&y=%41%3d&&z&x=3", request);
  CHECK(request.path == "/api/tasks/a b");
  CHECK((request.query == NameValues{{"x", "1 2"}, {"y", "A="}, {"z", ""}, {"x", "3"}}));
  CHECK(request.find_query("x") == "1 2");
  CHECK(!request.find_query("q"));
  for (const char* wrong :
       {"", "api", "*", "http://a/b", "/%", "/%4", "/%4g", "/%00", "/a%2fb", "/a b", "/a#b", "/\n"}) {
    WebRequest other;
    CHECK(test::fails_with(Code::usage, [&] { parse_target(wrong, other); }));
  }
}

void hosts() {
  CHECK(host_in_header("LocalHost:80") == "localhost");
  CHECK(host_in_header("127.0.0.1") == "127.0.0.1");
  CHECK(host_in_header("[::1]:8080") == "[::1]");
  for (const char* wrong :
       {"", ":80", "a:b", "a:", "a:70000", "[::1", "a/b", "a@b", "[::1]x", "a b", "127.0.0.1:80:80"}) {
    CHECK(host_in_header(wrong).empty());
  }
}

void listening() {
  CHECK(parse_listen("127.0.0.1:80").port == 80);
  CHECK(parse_listen("localhost:0").host == "127.0.0.1");
  CHECK(parse_listen(":1").is_loopback());
  CHECK(parse_listen("127.9.9.9:1").is_loopback());
  CHECK(parse_listen("[::1]:1").is_loopback());
  CHECK(parse_listen("[::1]:1").url_host() == "[::1]");
  CHECK(!parse_listen("0.0.0.0:1").is_loopback());
  CHECK(!parse_listen("[::]:1").is_loopback());
  CHECK(parse_listen("unix:a/b").path == "a/b");
  for (const char* wrong : {"", "80", "a:80", "127.0.0.1:65536", "127.0.0.1:-1", "unix:", "1.2.3.4.5:1"}) {
    CHECK(test::fails_with(Code::usage, [&] { parse_listen(wrong); }));
  }
}

void limits() {
  RateLimit limit(2);
  CHECK(limit.count(10.1));
  CHECK(limit.count(10.9));
  CHECK(!limit.count(10.95));
  CHECK(limit.count(11.0));
  CHECK(is_same_secret("abc", "abc"));
  for (const char* wrong : {"", "ab", "abd", "abcabc", "abcd"}) CHECK(!is_same_secret("abc", wrong));
  CHECK(make_token().size() == 64 && make_token() != make_token());
}

void routes() {
  const auto handler = [](const Service&, const WebRequest&) { return WebResponse(); };
  const Router router({{"POST", "/a/next", Route::Kind::read, handler},
                       {"GET", "/a/{id}", Route::Kind::read, handler},
                       {"POST", "/a/{id}/{verb}", Route::Kind::read, handler}});
  CHECK(router.find("GET", "/a/7").parameters == std::vector<std::string>{"7"});
  CHECK(router.find("HEAD", "/a/7").route != nullptr);
  CHECK(router.find("POST", "/a/next").route == &router.routes()[0]);
  CHECK((router.find("POST", "/a/7/x").parameters == std::vector<std::string>{"7", "x"}));
  CHECK((router.find("PUT", "/a/next").allowed == std::vector<std::string>{"POST", "GET"}));
  for (const char* unknown : {"", "/", "/a", "/a/", "/a/7/", "/a//x", "/b/7", "a/7"}) {
    CHECK(router.find("GET", unknown).route == nullptr);
  }
}

// However few bytes a client takes at a time, it gets every frame once.
void frames() {
  std::minstd_rand random(5);
  for (const auto form : {EventStream::Form::sse, EventStream::Form::ndjson}) {
    std::string wanted;
    std::vector<std::string> lines;
    for (int seq = 1; seq <= 200; ++seq) {
      lines.push_back(fmt::format("{{\"seq\":{},\"x\":\"{}\"}}", seq, std::string(random() % 90, 'y')));
      wanted += http_chunk(form == EventStream::Form::sse ? sse_frame(seq, lines.back()) : lines.back() + "\n");
    }
    std::string got;
    StreamPosition position;
    while (position.seq < 200) {
      // Each time from a block that begins elsewhere, as from memory or from the log.
      FrameBlock block(form);
      const auto first = position.seq - static_cast<std::int64_t>(random() % 3);
      for (std::int64_t seq = std::max<std::int64_t>(first, 0) + 1;
           seq <= std::min<std::int64_t>(200, position.seq + 4); ++seq) {
        block.add(seq, lines[static_cast<std::size_t>(seq - 1)]);
      }
      const std::string_view rest = block.rest(position);
      const std::size_t taken = random() % (rest.size() + 1);
      got += rest.substr(0, taken);
      block.advance(position, taken);
    }
    CHECK(got == wanted);
    CHECK(position.skip == 0);
  }
  CHECK(http_chunk("").empty());
}

}  // namespace

int main() {
  targets();
  hosts();
  listening();
  limits();
  routes();
  frames();
  return test::report();
}
