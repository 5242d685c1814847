// A connection to the server of team-serve: any bytes in any pieces, through the parser of HTTP, the limits, the
// handlers and the event streams, on a team in memory.
//
// The first byte of the input selects how the rest is cut into pieces. The server answers with whole responses of HTTP,
// goes on to serve others, and shows nothing of the team to a client without the token.

#include <poll.h>

#include "libteam/store/team_session.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/running_server.h"

using namespace team;

namespace {

constexpr const char* kSecret = "confidential-subject";

// Changes pile up in a team, so the server is made anew from time to time.
class Servers {
 public:
  const std::string& path() {
    constexpr int kInputs = 2000;
    if (left_-- == 0) restart(kInputs);
    return path_;
  }

 private:
  void restart(int inputs) {
    AccessRules rules;
    rules.most_changes = rules.most_wrong_tokens = 1 << 30;
    server_.reset();
    server_ = std::make_unique<test::RunningServer>(path_, ServerLimits{}, rules);
    left_ = inputs - 1;
    Draft draft;
    draft.task.subject = kSecret;
    server_->session().tasks().create({draft});
  }

  std::string path_ = fuzz::scratch() + "/socket";
  std::unique_ptr<test::RunningServer> server_;
  int left_ = 0;
};

// Sends the bytes, with a moment after some of the pieces, so that the server reads them apart.
void send_pieces(const test::Client& client, std::uint8_t cut, std::string_view bytes) {
  const std::size_t most = cut < 128 ? bytes.size() : 1 + cut % 64;
  for (int pieces = 0; !bytes.empty(); ++pieces) {
    const std::string_view piece = pieces < 8 ? bytes.substr(0, most) : bytes;
    if (!client.send(piece)) return;
    bytes.remove_prefix(piece.size());
    if (pieces < 2 && !bytes.empty()) ::poll(nullptr, 0, 1);
  }
}

bool is_status_line(std::string_view text) {
  return text.starts_with("HTTP/1.1 ") && text.size() > 12 && text[9] >= '1' && text[9] <= '5';
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Servers servers;
  fuzz::Source source(fuzz::text_of(bytes, size));
  const std::uint8_t cut = source.byte();
  const std::string path = servers.path();
  test::Client client(path);
  REQUIRE(client.is_connected());
  send_pieces(client, cut, source.rest());
  client.end_sending();
  const std::string answer = client.read_all();
  REQUIRE(client.has_ended());
  REQUIRE(answer.empty() || is_status_line(answer));
  const bool has_token = source.rest().find(test::kToken) != std::string_view::npos;
  REQUIRE(has_token || answer.find(kSecret) == std::string::npos);
  test::Client next(path);
  next.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  REQUIRE(next.read_all().ends_with("{\"status\":\"ok\"}\n"));
  return 0;
}
