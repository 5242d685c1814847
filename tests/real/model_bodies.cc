// Prints request bodies as our wire formats build them, one a line: the type of the SDK that it must have, and the
// JSON.
#include <cstdio>
#include <string>

#include "libteam/agent/model/anthropic.h"
#include "libteam/agent/model/openai.h"
#include "libteam/agent/model/responses.h"

using namespace team;

namespace {

Part call(std::string id, std::string arguments) {
  Part part = call_part(std::move(id), "bash");
  part.arguments = std::move(arguments);
  return part;
}

Part result(std::string id, std::string text, bool is_error) {
  Part part;
  part.kind = Part::Kind::tool_result;
  part.id = std::move(id);
  part.text = std::move(text);
  part.is_error = is_error;
  return part;
}

// A conversation with everything that a request can have.
ModelRequest request() {
  ModelRequest request;
  request.system = "You are a teammate.";
  request.present = "The team as it is now.";
  request.turns = {
      {Turn::Role::user, {text_part("Begin.")}},
      {Turn::Role::model,
       {reasoning_part({"anthropic", "claude-opus-4-6"}, R"({"type":"thinking","thinking":"Hm.","signature":"s"})"),
        reasoning_part({"anthropic", "claude-opus-4-6"}, R"({"type":"redacted_thinking","data":"zz"})"),
        reasoning_part({"openai-chat", "gpt-5"}, R"({"reasoning_content":"Hm."})"),
        reasoning_part({"openai-responses", "gpt-5"},
                       R"({"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"e"})"),
        text_part("I look."), call("c1", R"({"command":"ls"})"), call("c2", R"({"comm)")}},
      {Turn::Role::user, {result("c1", "file", false), result("c2", "broken", true), text_part("And hurry.")}},
      {Turn::Role::model, {text_part("Done.")}},
      {Turn::Role::user, {text_part("More.")}}};
  request.tools = {{"bash", "Runs a command.", R"({"type":"object","properties":{"command":{"type":"string"}}})"}};
  return request;
}

void print(const char* type, const std::string& body) { std::printf("%s\t%s\n", type, body.c_str()); }

void print_all(const ModelRequest& request) {
  for (const char* thinking : {"", "off", "adaptive", "5000"}) {
    print("anthropic", Anthropic("claude-opus-4-6", {"", thinking}).body(request));
  }
  print("anthropic", Anthropic("claude-opus-4-6", {"high", ""}).body(request));
  print("anthropic", Anthropic("claude-x").body(request));
  print("chat", OpenAi("gpt-5", OpenAi::Limit::max_completion_tokens, {"low", ""}).body(request));
  print("chat", OpenAi("gpt-5", OpenAi::Limit::max_tokens).body(request));
  print("responses", Responses("gpt-5", {"medium", ""}).body(request));
  print("responses", Responses("gpt-5").body(request));
}

}  // namespace

int main() {
  ModelRequest asked = request();
  print_all(asked);
  asked.may_call = false;
  asked.max_tokens = 0;
  print_all(asked);
}
