// Messages of JSON-RPC, refused ones, and lines out of a stream of bytes.
#include "libteam/base/json_rpc.h"

#include <nlohmann/json.hpp>

#include "tests/unit/check.h"

using namespace team;

namespace {

using Kind = RpcMessage::Kind;

// The code of the refusal, and the id that it names.
std::pair<int, std::string> refusal(std::string_view line) {
  try {
    parse_rpc(line);
  } catch (const RpcError& error) {
    return {error.code(), error.id()};
  }
  return {0, ""};
}

void kinds() {
  const RpcMessage request = parse_rpc(R"({"jsonrpc":"2.0","id":"a","method":"tools/list"})");
  CHECK(request.kind == Kind::request && request.id == "\"a\"" && request.method == "tools/list");
  CHECK(request.body->is_object() && request.body->empty());
  CHECK(parse_rpc(R"({"jsonrpc":"2.0","id":7,"method":"m","params":{"k":1}})").body->at("k") == 1);
  CHECK(parse_rpc(R"({"jsonrpc":"2.0","id":0,"method":"m","params":null})").id == "0");
  CHECK(parse_rpc(R"({"jsonrpc":"2.0","method":"n"})").kind == Kind::notification);
  const RpcMessage result = parse_rpc(R"({"jsonrpc":"2.0","id":1,"result":null})");
  CHECK(result.kind == Kind::result && result.id == "1" && result.body->is_null());
  const RpcMessage error = parse_rpc(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}})");
  CHECK(error.kind == Kind::error && error.id.empty() && error.error_code() == -32601 && error.error_text() == "no");
}

void refusals() {
  CHECK(refusal("{") == std::pair(-32700, std::string()));
  CHECK(refusal("[]") == std::pair(-32600, std::string()));
  CHECK(refusal(R"({"id":3,"method":"m"})") == std::pair(-32600, std::string("3")));
  CHECK(refusal(R"({"jsonrpc":"2.0","id":{},"method":"m"})") == std::pair(-32600, std::string()));
  CHECK(refusal(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})").first == -32600);
  CHECK(refusal(R"({"jsonrpc":"2.0","id":3,"method":4})") == std::pair(-32600, std::string("3")));
  CHECK(refusal(R"({"jsonrpc":"2.0","id":3,"method":"m","params":"x"})") == std::pair(-32600, std::string("3")));
  CHECK(refusal(R"({"jsonrpc":"2.0","id":3})").first == -32600);
  CHECK(refusal(R"({"jsonrpc":"2.0","id":3,"result":1,"error":{}})").first == -32600);
  CHECK(refusal(R"({"jsonrpc":"2.0","id":3,"error":"x"})").first == -32600);
}

void texts() {
  CHECK(rpc_request("1", "m", "") == R"({"jsonrpc":"2.0","id":1,"method":"m"})");
  CHECK(rpc_notification("n", "{}") == R"({"jsonrpc":"2.0","method":"n","params":{}})");
  CHECK(rpc_result("\"a\"", "[]") == R"({"jsonrpc":"2.0","id":"a","result":[]})");
  CHECK(rpc_error("", -32700, "a \"b\"") ==
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a \"b\""}})");
  CHECK(parse_rpc(rpc_error("2", -1, "x", "[1]")).body->at("data")[0] == 1);
}

void lines() {
  LineSplitter splitter(10);
  splitter.add("one\r\ntw");
  CHECK(splitter.next()->text == "one");
  CHECK(!splitter.next());
  splitter.add("o\n\n  \n");
  CHECK(splitter.next()->text == "two");
  CHECK(!splitter.next());
  // A line above the limit is reported once, whether or not its end has come.
  splitter.add("0123456789a");
  CHECK(splitter.next()->is_too_long);
  CHECK(!splitter.next());
  splitter.add(std::string(100, 'b'));
  CHECK(!splitter.next());
  splitter.add("\n0123456789a\nlast\n");
  CHECK(splitter.next()->is_too_long);
  const auto last = splitter.next();
  CHECK(last->text == "last" && !last->is_too_long);
  CHECK(!splitter.next());
}

// The place of a line in the stream, also after lines that were dropped.
void offsets() {
  LineSplitter splitter(10);
  splitter.add("one\n\ntwo\n");
  CHECK(splitter.next()->offset == 0);
  CHECK(splitter.next()->offset == 5);
  CHECK(!splitter.next());
  splitter.add("x");
  CHECK(!splitter.next());
  splitter.add("\n" + std::string(20, 'a'));
  CHECK(splitter.next()->offset == 9);
  CHECK(splitter.next()->offset == 11);
  splitter.add("\nlast\n");
  const auto last = splitter.next();
  CHECK(last->text == "last" && last->offset == 32);
}

}  // namespace

int main() {
  kinds();
  refusals();
  texts();
  lines();
  offsets();
  return test::report();
}
