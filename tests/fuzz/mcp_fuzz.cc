// Messages of an MCP client: any bytes get answers that are JSON-RPC, and each request gets at most one.
//
// The lines go to a server on a team in memory, as the lines of a client of team-mcp.

#include <map>
#include <nlohmann/json.hpp>

#include "libteam/mcp/server.h"
#include "libteam/mcp/team_features.h"
#include "libteam/record/actor.h"
#include "libteam/store/memory/memory_engine.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

struct Store {
  Store() {
    Team alpha;
    alpha.name = "alpha";
    alpha.members = {{"lead", std::nullopt, 0, false, "{}"}, {"bob", "coder", 0, false, "{}"}};
    engine.create(alpha, [](const Error&) {});
    session = std::make_unique<TeamSession>(engine, "alpha", make_actor("bob", std::nullopt, &alpha));
    Draft draft;
    draft.task.subject = "one";
    session->tasks().create({draft});
  }
  MemoryEngine engine;
  std::unique_ptr<TeamSession> session;
};

void check_message(const std::string& text, std::map<std::string, int>& answers) {
  REQUIRE(text.find('\n') == std::string::npos);
  const RpcMessage message = parse_rpc(text);
  if (message.kind == RpcMessage::Kind::result || message.kind == RpcMessage::Kind::error) ++answers[message.id];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  Store store;
  McpDeliveries deliveries;
  std::uint64_t moment = 0;
  McpServer server(deliveries, [&] { return moment; });
  const auto features = std::make_shared<TeamFeatures>([&]() -> TeamSession& { return *store.session; },
                                                       TeamFeatureOptions{.self = "bob", .tools = {}});
  std::map<std::string, int> requests, answers;
  const McpSend send = [&](const std::string& text) {
    check_message(text, answers);
    return true;
  };
  LineSplitter lines(1000);
  std::vector<std::shared_ptr<McpCall>> calls;
  std::string_view rest = fuzz::text_of(bytes, size);
  while (!rest.empty()) {
    // The pieces of a pipe may end anywhere.
    const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + static_cast<unsigned char>(rest.front()));
    lines.add(rest.substr(0, piece));
    rest.remove_prefix(piece);
    while (const auto line = lines.next()) {
      REQUIRE(line->offset <= size);
      if (line->is_too_long) continue;
      try {
        const RpcMessage message = parse_rpc(line->text);
        if (message.kind == RpcMessage::Kind::request) ++requests[message.id];
      } catch (const RpcError& error) {
        if (!error.id().empty()) ++requests[error.id()];
      }
      const auto receipt = server.receive(line->text, {features, send, ++moment});
      if (receipt.call) calls.push_back(receipt.call);
      std::erase_if(calls, [](const auto& call) { return call->step(); });
    }
  }
  for (const auto& [id, count] : answers) REQUIRE(id.empty() || count <= requests[id]);
  return 0;
}
