// The limits of the server, and what a client may send, over a socket.
#include "libteam/base/json_text.h"
#include "libteam/store/team_session.h"
#include "tests/unit/check.h"
#include "tests/unit/running_server.h"

using namespace team;
using test::Client;
using test::request_head;
using test::RunningServer;

namespace {

using std::chrono::seconds;

const std::string kPath = "/tmp/teamkit-server-" + std::to_string(::getpid());
const std::string kRead = request_head("GET /api/tasks") + "\r\n";

// The status of a response; 0 if there is none.
int status_of(std::string_view response) {
  return response.starts_with("HTTP/1.1 ") ? std::atoi(response.data() + 9) : 0;
}

// Sends one request and returns the whole response. The server closes the connection, or this does.
std::string ask(const std::string& request) {
  Client client(kPath);
  client.send(request);
  client.end_sending();
  return client.read_all();
}

void sizes() {
  const RunningServer server(kPath);
  CHECK(status_of(ask(kRead)) == 200);
  const std::string filler = request_head("GET /api/tasks") + "X-Filler: ";
  CHECK(status_of(ask(filler + std::string(16 * 1024 - filler.size() - 4, 'x') + "\r\n\r\n")) == 200);
  CHECK(status_of(ask(filler + std::string(16 * 1024, 'x') + "\r\n\r\n")) == 431);
  const std::string json = "Content-Type: application/json\r\n";
  const auto post = [&](std::size_t size) {
    return request_head("POST /api/tasks") + json + "Content-Length: " + std::to_string(size) + "\r\n\r\n";
  };
  const std::string body = R"({"subject":"one","description":")";
  CHECK(status_of(ask(post(1024 * 1024) + body + std::string(1024 * 1024 - body.size() - 2, 'x') + "\"}")) == 201);
  CHECK(status_of(ask(post(1024 * 1024 + 1))) == 413);
  const std::string chunked = request_head("POST /api/tasks") + json + "Transfer-Encoding: chunked\r\n\r\n";
  CHECK(status_of(ask(chunked + "11\r\n{\"subject\":\"two\"}\r\n0\r\n\r\n")) == 201);
  std::string large = chunked;
  for (int i = 0; i < 17; ++i) large += "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  CHECK(status_of(ask(large)) == 413);
}

void forms() {
  const RunningServer server(kPath);
  CHECK(status_of(ask("hello\r\n\r\n")) == 400);
  CHECK(status_of(ask("GET /api/tasks HTTP/1.1\r\nno colon\r\n\r\n")) == 400);
  CHECK(ask("").empty());
  CHECK(ask("GET /api/tasks HT").empty());
  CHECK(ask(request_head("HEAD /api/tasks") + "\r\n").ends_with("\r\n\r\n"));
  // Two requests at once are answered one after the other.
  const std::string both = ask(kRead + request_head("GET /healthz") + "\r\n");
  CHECK(both.find("[]\n") < both.find("{\"status\":\"ok\"}\n"));
  // A client that waits for the word of the server before it sends its body.
  Client careful(kPath);
  careful.send(request_head("POST /api/tasks") +
               "Content-Type: application/json\r\nContent-Length: 17\r\nExpect: 100-continue\r\n\r\n");
  CHECK(careful.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  careful.send("{\"subject\":\"one\"}");
  CHECK(status_of(careful.read_until("}\n")) == 201);
  // A refused request with a body ends the connection: the body must not be read as the next request.
  Client refused(kPath);
  refused.send("POST /api/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n");
  CHECK(status_of(refused.read_all()) == 401);
  CHECK(refused.has_ended());
}

void times() {
  ServerLimits limits;
  limits.request = seconds(2);
  limits.keep_alive = seconds(4);
  limits.stuck = seconds(2);
  limits.comment = seconds(2);
  const RunningServer server(kPath, limits);
  Client slow_header(kPath), slow_body(kPath), silent(kPath), kept(kPath), stream(kPath), stuck(kPath);
  slow_header.send("GET /api/tasks HTTP/1.1\r\nX-Slow: ");
  slow_body.send(request_head("POST /api/tasks") + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{");
  kept.send(kRead);
  CHECK(status_of(kept.read_until("[]\n")) == 200);
  // More than fits into the buffers of a socket.
  auto session = server.session();
  for (int i = 0; i < 1500; ++i) {
    session.mail().record(session.self(), {make_event("NOTE", {{"text", std::string(1000, 'x')}})});
  }
  stuck.send(request_head("GET /api/events") + "\r\n");
  stream.send(request_head("GET /api/events?after=now") + "\r\n");
  CHECK(status_of(slow_header.read_all()) == 408);
  CHECK(slow_header.has_ended());
  CHECK(status_of(slow_body.read_all()) == 408);
  CHECK(silent.read_all().find("408") != std::string::npos);
  CHECK(stream.read_until("\n:\n\n").ends_with("\n:\n\n\r\n"));
  // A stream whose client reads goes on, and one whose client does not read is cut off.
  CHECK(!stream.has_ended());
  CHECK(kept.read_all().empty());
  CHECK(kept.has_ended());
  const std::string rest = stuck.read_all();
  CHECK(stuck.has_ended());
  CHECK(status_of(rest) == 200);
  CHECK(rest.find("0\r\n\r\n") == std::string::npos);
}

void counts() {
  ServerLimits limits;
  limits.streams = 2;
  limits.other_connections = 2;
  const RunningServer server(kPath, limits);
  Client first(kPath), second(kPath), third(kPath);
  const std::string follow = request_head("GET /api/events") + "\r\n";
  for (Client* one : {&first, &second}) {
    one->send(follow);
    CHECK(status_of(one->read_until(": events")) == 200);
  }
  third.send(follow);
  CHECK(status_of(third.read_until("}\n")) == 503);
  // Of four connections one was refused a stream and two wait. A fifth one takes the place of the one that waits
  // longest.
  Client slow(kPath);
  slow.send("GET / HTTP/1.1\r\n");
  Client last(kPath);
  last.send(kRead);
  CHECK(status_of(last.read_until("[]\n")) == 200);
  CHECK(third.read_all().empty());
  CHECK(third.has_ended());
  CHECK(server.service().counts().streams == 2);
}

void rates() {
  AccessRules rules;
  rules.most_changes = 3;
  rules.most_wrong_tokens = 2;
  const RunningServer server(kPath, {}, rules);
  const std::string create = request_head("POST /api/tasks") +
                             "Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"subject\":\"one\"}";
  const std::string wrong = "GET /api/tasks HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n";
  int refused = 0, wrong_refused = 0;
  for (int i = 0; i < 20; ++i) {
    refused += status_of(ask(create)) == 429 ? 1 : 0;
    wrong_refused += status_of(ask(wrong)) == 429 ? 1 : 0;
  }
  // A second may end meanwhile.
  CHECK(refused >= 20 - 3 * 6);
  CHECK(wrong_refused >= 20 - 2 * 6);
  CHECK(status_of(ask(kRead)) == 200);
}

}  // namespace

int main() {
  sizes();
  forms();
  times();
  counts();
  rates();
  return test::report();
}
