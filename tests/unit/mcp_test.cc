// MCP without a transport: revisions, headers, deliveries, questions to the user.
#include "libteam/mcp/server.h"

#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "libteam/serve/mcp_headers.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

// Counts what happens to a delivery.
struct Fate {
  int confirmed = 0, dropped = 0;
};

class Counted : public McpDelivery {
 public:
  explicit Counted(Fate& fate, bool fails = false) : fate_(fate), fails_(fails) {}
  ~Counted() override { fate_.dropped += is_confirmed_ ? 0 : 1; }
  void confirm() override {
    if (fails_) fail(Code::io, "the disk is full");
    is_confirmed_ = true;
    ++fate_.confirmed;
  }

 private:
  Fate& fate_;
  bool fails_;
  bool is_confirmed_ = false;
};

void deliveries() {
  Fate fate;
  McpDeliveries waiting;
  waiting.add(std::make_unique<Counted>(fate), 10);
  waiting.add(std::make_unique<Counted>(fate), 20);
  waiting.confirm_until(9);  // a call that was on its way before
  CHECK(fate.confirmed == 0 && fate.dropped == 0);
  waiting.confirm_until(10);
  CHECK(fate.confirmed == 1 && fate.dropped == 0);
  waiting.take_back();
  CHECK(fate.confirmed == 1 && fate.dropped == 1);
  waiting.add(std::make_unique<Counted>(fate, true), 1);
  waiting.confirm_until(2);
  CHECK(fate.confirmed == 1 && fate.dropped == 2);
}

void revisions() {
  CHECK(name_of(settle_revision("2025-06-18")) == "2025-06-18");
  CHECK(name_of(settle_revision("2026-07-28")) == "2025-11-25");
  CHECK(name_of(settle_revision("")) == "2025-11-25");
  CHECK(parse_client(Json::parse(R"({"elicitation":{}})")).elicits);
  CHECK(parse_client(Json::parse(R"({"elicitation":{"form":{}}})")).elicits);
  CHECK(!parse_client(Json::parse(R"({"elicitation":{"url":{}}})")).elicits);
  CHECK(!parse_client(Json::parse(R"([1])")).elicits);
}

void headers() {
  CHECK(decode_header("plain") == "plain");
  CHECK(decode_header("=?base64?SGVsbG8=?=") == "Hello");
  CHECK(decode_header("=?base64?w6TDtg==?=") == "\xc3\xa4\xc3\xb6");
  CHECK(!decode_header("=?base64?SGVsbG8?="));
  CHECK(!decode_header("=?base64?SGVs*G8=?="));
  CHECK(decode_header("=?base64?=") == "=?base64?=");
  const auto refusal = [](NameValues given) {
    WebRequest request;
    request.headers = std::move(given);
    const auto message = parse_rpc(R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"send"}})");
    try {
      check_mcp_headers(request, message);
    } catch (const RpcError& error) {
      CHECK(error.id() == "4");
      return error.code();
    }
    return 0;
  };
  const NameValues good = {{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", "send"}};
  CHECK(refusal(good) == 0);
  for (std::size_t i = 0; i < good.size(); ++i) {
    NameValues missing = good;
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(refusal(missing) == -32020);
  }
  NameValues wrong = good;
  wrong[2].second = "Send";
  CHECK(refusal(wrong) == -32020);
}

// A tool that asks its user, and then says what the user said.
class AskingFeatures : public McpFeatures {
 public:
  std::string name() const override { return "asking"; }
  std::string instructions() const override { return ""; }
  McpOffer offer() const override { return {}; }
  std::vector<std::string> tools() override { return {}; }
  McpOutcome call_tool(const McpRequest& request, const std::string&, const Json&) override {
    McpOutcome outcome;
    const Json* answer = request.find_answer("q");
    if (answer == nullptr) {
      outcome.questions = {{"q", "elicitation/create", "{}"}};
      outcome.state = "s";
    } else {
      outcome.result = tool_text(*request.state + answer->value("action", "?"));
    }
    return outcome;
  }
  std::unique_ptr<McpWork> subscribe(std::shared_ptr<const McpInterests>) override { return nullptr; }
  std::unique_ptr<McpWaiting> begin_waiting(const std::vector<int>&) override { return nullptr; }
};

void questions() {
  McpDeliveries waiting;
  McpServer server(waiting, [] { return 0; });
  std::vector<Json> sent;
  const McpServer::Exchange exchange{std::make_shared<AskingFeatures>(), [&](const std::string& message) {
                                       sent.push_back(Json::parse(message));
                                       return true;
                                     }};
  const auto receive = [&](std::string_view line) { return server.receive(line, exchange); };
  receive(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
  const auto receipt = receive(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}})");
  CHECK(receipt.call && !receipt.call->step());
  CHECK(sent.back()["method"] == "elicitation/create" && sent.back()["id"] == "t1");
  receive(R"({"jsonrpc":"2.0","id":"t9","result":{"action":"accept"}})");  // nobody asked
  CHECK(!receipt.call->step());
  receive(R"({"jsonrpc":"2.0","id":"t1","result":{"action":"accept"}})");
  CHECK(receipt.call->step());
  CHECK(sent.back()["result"]["content"][0]["text"] == "saccept");
  // A client that answers with an error has not answered the question.
  const auto again = receive(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}})");
  receive(R"({"jsonrpc":"2.0","id":"t2","error":{"code":-1,"message":"no form"}})");
  CHECK(again.call->step());
  CHECK(sent.back()["result"]["content"][0]["text"] == "scancel");
  // Without initialize the question is a result.
  const std::string meta =
      fmt::format(R"("_meta":{{"{}":"2026-07-28","{}":{{}}}})", mcp_meta::kVersion, mcp_meta::kCapabilities);
  receive(fmt::format(R"({{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{{"name":"x",{}}}}})", meta));
  CHECK(sent.back()["result"]["resultType"] == "input_required");
  CHECK(sent.back()["result"]["inputRequests"]["q"]["method"] == "elicitation/create");
  CHECK(sent.back()["result"]["requestState"] == "s");
  receive(fmt::format(R"({{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"x","requestState":"s",)"
                      R"("inputResponses":{{"q":{{"action":"decline"}}}},{}}}}})",
                      meta));
  CHECK(sent.back()["result"]["content"][0]["text"] == "sdecline");
  CHECK(sent.back()["result"]["resultType"] == "complete");
}

// A tool that delivers a message.
class DeliveringFeatures : public AskingFeatures {
 public:
  explicit DeliveringFeatures(Fate& fate) : fate_(fate) {}
  McpOutcome call_tool(const McpRequest&, const std::string& name, const Json&) override {
    McpOutcome outcome;
    outcome.result = tool_text("a message");
    if (name == "wait") outcome.delivery = std::make_unique<Counted>(fate_);
    return outcome;
  }

 private:
  Fate& fate_;
};

// A fast client sends its next call while the answer to the first one is still being sent.
void fast_clients() {
  Fate fate;
  McpDeliveries waiting;
  std::uint64_t sent_by_client = 0;
  McpServer server(waiting, [&] { return sent_by_client; });
  McpServer::Exchange exchange{std::make_shared<DeliveringFeatures>(fate), [&](const std::string&) {
                                 sent_by_client += 100;
                                 return true;
                               }};
  server.receive(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
                 exchange);
  server.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}})", exchange);
  CHECK(sent_by_client == 200);
  exchange.moment = 99;  // it was on its way before
  server.receive(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status"}})", exchange);
  CHECK(fate.confirmed == 0);
  exchange.moment = 100;
  server.receive(R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"status"}})", exchange);
  CHECK(fate.confirmed == 1);
}

}  // namespace

int main() {
  deliveries();
  revisions();
  headers();
  questions();
  fast_clients();
  return test::report();
}
