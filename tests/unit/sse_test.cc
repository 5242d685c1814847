// Server-sent events, however the body is split.
#include "libteam/agent/model/sse.h"

#include <vector>

#include "libteam/agent/model/provider.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

// The events of a body that arrives in pieces of `size` bytes: "type=data", each followed by ";".
std::string heard(std::string_view body, std::size_t size, std::size_t most = 1000) {
  std::string all;
  EventReader reader([&](const ServerEvent& event) { all += event.type + "=" + event.data + ";"; }, most);
  for (; !body.empty(); body.remove_prefix(std::min(size, body.size()))) reader.feed(body.substr(0, size));
  return all;
}

// True if pieces of any size give the same result.
bool always(std::string_view body, std::string_view expected) {
  for (std::size_t size = 1; size <= body.size(); ++size) {
    if (heard(body, size) != expected) return false;
  }
  return true;
}

void line_ends() {
  CHECK(always("event: a\ndata: 1\n\ndata: 2\n\n", "a=1;=2;"));
  CHECK(always("event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", "a=1;=2;"));
  CHECK(always("event: a\rdata: 1\r\rdata: 2\r\r", "a=1;=2;"));
  CHECK(always("event: a\rdata: 1\r\n\ndata: 2\n\r", "a=1;=2;"));
}

void fields() {
  CHECK(always(": hello\n\n:\n\ndata: 1\n: in between\n\n", "=1;"));
  CHECK(always("data: 1\ndata: 2\ndata\ndata:  3\n\n", "=1\n2\n\n 3;"));
  CHECK(always("data:{\"a\":1}\n\n", "={\"a\":1};"));
  CHECK(always("id: 7\nretry: 10\nother: x\ndata: 1\n\n", "=1;"));
  CHECK(
      always("\xEF\xBB\xBF"
             "data: 1\n\n",
             "=1;"));
  CHECK(always("data: \xC3\xA4\n\n", "=\xC3\xA4;"));
}

void ends() {
  CHECK(always("data: 1\n\ndata: 2\n", "=1;"));
  CHECK(always("data: 1\n\ndata: 2", "=1;"));
  CHECK(always("event: ping\n\ndata: 1\n\n", "=1;"));
  CHECK(always("data\n\n", "=;"));
  CHECK(always("\n\n\r\n", ""));
}

bool is_refused(std::string_view body, std::size_t size, std::size_t most) {
  try {
    heard(body, size, most);
  } catch (const ModelError& error) {
    return error.kind() == ModelError::Kind::final;
  }
  return false;
}

void limits() {
  const std::string line = "data: " + std::string(90, 'x') + "\n";
  CHECK(!is_refused(line + "\n" + line + "\n" + line + "\n", 7, 100));
  CHECK(is_refused(line + line + "\n", 7, 100));
  CHECK(is_refused(line + line + "\n", 1000, 100));
  CHECK(is_refused(std::string(101, 'x'), 1, 100));
  CHECK(is_refused(std::string(101, ':'), 1, 100));
}

}  // namespace

int main() {
  line_ends();
  fields();
  ends();
  limits();
  return test::report();
}
