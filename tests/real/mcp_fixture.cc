// A server with what the conformance suite of MCP wants to see, on our MCP code. Usage: mcp_fixture ROOT; it prints its
// address, and ends with its input.
//
// The suite says which tools, resources and prompts it calls, and what they must do. Everything below the features is
// the code of team-serve.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "libteam/base/json_text.h"
#include "libteam/base/text.h"
#include "libteam/mcp/features.h"
#include "libteam/serve/mcp_endpoint.h"
#include "libteam/serve/server.h"
#include "libteam/store/files/file_engine.h"

namespace team {
namespace {

constexpr const char* kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
constexpr const char* kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

std::atomic<int> tool_changes = 0, prompt_changes = 0;

McpOutcome content(const std::vector<std::string>& blocks, const char* key = "content") {
  JsonText result;
  result.add_json(key, json_array(blocks));
  McpOutcome outcome;
  outcome.result = result.take();
  return outcome;
}

McpOutcome text(const std::string& said) { return content({text_content(said)}); }

std::string media(const char* type, const char* data, const char* mime) {
  JsonText block;
  block.add("type", type);
  block.add("data", data);
  block.add("mimeType", mime);
  return block.take();
}

std::string resource_text(const std::string& uri, const char* mime, const std::string& said) {
  JsonText resource;
  resource.add("uri", uri);
  resource.add("mimeType", mime);
  resource.add("text", said);
  return resource.take();
}

std::string embedded(const std::string& resource) { return R"({"type":"resource","resource":)" + resource + "}"; }

std::string user_message(const std::string& block) { return R"({"role":"user","content":)" + block + "}"; }

// Steps with 50 ms between them.
class Steps : public McpWork {
 public:
  using Step = std::function<void(const McpNotifier&)>;
  Steps(std::vector<Step> steps, std::string said) : steps_(std::move(steps)), said_(std::move(said)) {}
  std::optional<McpOutcome> step(const McpNotifier& notifier) override {
    if (!next_.passed()) return std::nullopt;
    if (done_ == steps_.size()) return text(said_);
    steps_[done_++](notifier);
    next_ = Deadline::in(0.05);
    return std::nullopt;
  }
  Deadline due() const override { return next_; }

 private:
  std::vector<Step> steps_;
  std::string said_;
  std::size_t done_ = 0;
  Deadline next_ = Deadline::in(0);
};

McpOutcome in_steps(std::vector<Steps::Step> steps, const std::string& said) {
  McpOutcome outcome;
  outcome.work = std::make_unique<Steps>(std::move(steps), said);
  return outcome;
}

McpQuestion elicit(const std::string& key, const std::string& message, const std::string& schema) {
  JsonText params;
  params.add("message", message);
  params.add_json("requestedSchema", schema);
  return {key, "elicitation/create", params.take()};
}

McpQuestion sample(const std::string& key, const std::string& prompt, int tokens) {
  JsonText params;
  params.add_json("messages", json_array({user_message(text_content(prompt))}));
  params.add("maxTokens", tokens);
  return {key, "sampling/createMessage", params.take()};
}

McpQuestion list_roots() { return {"client_roots", "roots/list", "{}"}; }

std::string one_string(const char* name) {
  return fmt::format(R"({{"type":"object","properties":{{"{0}":{{"type":"string"}}}},"required":["{0}"]}})", name);
}

McpOutcome ask(std::vector<McpQuestion> questions, std::string state = "") {
  McpOutcome outcome;
  outcome.questions = std::move(questions);
  outcome.state = std::move(state);
  return outcome;
}

// Asks until the answers to all questions are there.
McpOutcome asked(const McpRequest& request, std::vector<McpQuestion> questions, const std::string& state,
                 const std::function<McpOutcome()>& then) {
  for (const McpQuestion& question : questions) {
    if (request.find_answer(question.key.c_str()) == nullptr) return ask(std::move(questions), state);
  }
  if (!state.empty() && request.state != state) refuse_params("the state is not ours");
  return then();
}

std::string said_in(const McpRequest& request, const char* key) {
  const Json* answer = request.find_answer(key);
  return answer != nullptr ? dump_line(*answer) : "nothing";
}

McpOutcome multi_round(const McpRequest& request) {
  if (request.state == "round-2" && request.find_answer("step2") != nullptr) return text("done");
  if (request.state == "round-1" && request.find_answer("step1") != nullptr) {
    return ask({elicit("step2", "Step 2: What is your favorite color?", one_string("color"))}, "round-2");
  }
  return ask({elicit("step1", "Step 1: What is your name?", one_string("name"))}, "round-1");
}

McpOutcome needs_sampling(const McpRequest& request) {
  if (request.client.samples) return text("the client samples");
  throw RpcError(mcp_code::kMissingCapability, "the client must sample", "",
                 R"({"requiredCapabilities":{"sampling":{}}})");
}

McpOutcome by_capability(const McpRequest& request) {
  std::vector<McpQuestion> questions;
  if (request.client.elicits) questions.push_back(elicit("name", "What is your name?", one_string("name")));
  if (request.client.samples) questions.push_back(sample("joke", "Tell a joke", 50));
  return asked(request, questions, "", [] { return text("done"); });
}

constexpr const char* kDefaults = R"({"type":"object","properties":{
  "name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
  "score":{"type":"number","default":95.5},
  "status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
  "verified":{"type":"boolean","default":true}}})";
constexpr const char* kEnums = R"({"type":"object","properties":{
  "untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
  "titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
    {"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
  "legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
  "untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
  "titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},
    {"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}})";
constexpr const char* kUser = R"({"type":"object","properties":{
  "username":{"type":"string","description":"User's response"},
  "email":{"type":"string","description":"User's email address"}},"required":["username","email"]})";
constexpr const char* kSchema2020 = R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
  "$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},
    "city":{"type":"string"}}}},
  "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
    "contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
  "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
  "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
  "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";

McpOutcome elicited(const McpRequest& request, const std::string& message, const char* schema, const char* said) {
  return asked(request, {elicit("form", message, dump_line(Json::parse(schema)))}, "", [&] {
    const Json& answer = *request.find_answer("form");
    const auto fields = answer.find("content");
    return text(fmt::format("{}: action={}, content={}", said, answer.value("action", ""),
                            fields == answer.end() ? "{}" : dump_line(*fields)));
  });
}

using Run = std::function<McpOutcome(const McpRequest& request, const Json& arguments)>;
struct FixtureTool {
  std::string schema;
  Run run;
};

McpOutcome done() { return text("done"); }

const std::map<std::string, FixtureTool>& fixture_tools() {
  static const std::string none = R"({"type":"object","properties":{}})";
  static const std::map<std::string, FixtureTool> tools = {
      {"test_simple_text", {none, [](auto&, auto&) { return text("This is a simple text response for testing."); }}},
      {"test_image_content", {none, [](auto&, auto&) { return content({media("image", kPng, "image/png")}); }}},
      {"test_audio_content", {none, [](auto&, auto&) { return content({media("audio", kWav, "audio/wav")}); }}},
      {"test_embedded_resource",
       {none,
        [](auto&, auto&) {
          return content({embedded(
              resource_text("test://embedded-resource", "text/plain", "This is an embedded resource content."))});
        }}},
      {"test_multiple_content_types",
       {none,
        [](auto&, auto&) {
          return content({text_content("Multiple content types test:"), media("image", kPng, "image/png"),
                          embedded(resource_text("test://mixed-content-resource", "application/json",
                                                 R"({"test":"data","value":123})"))});
        }}},
      {"test_error_handling",
       {none,
        [](auto&, auto&) {
          McpOutcome outcome;
          outcome.result = tool_error("This tool intentionally returns an error for testing");
          return outcome;
        }}},
      {"test_tool_with_logging",
       {none,
        [](auto&, auto&) {
          return in_steps({[](auto& to) { to.log("info", "Tool execution started"); },
                           [](auto& to) { to.log("info", "Tool processing data"); },
                           [](auto& to) { to.log("info", "Tool execution completed"); }},
                          "logged");
        }}},
      {"test_logging_tool",
       {none, [](auto&, auto&) { return in_steps({[](auto& to) { to.log("info", "a log message"); }}, "logged"); }}},
      {"test_tool_with_progress",
       {none,
        [](auto&, auto&) {
          return in_steps({[](auto& to) { to.progress(0, 100, ""); }, [](auto& to) { to.progress(50, 100, ""); },
                           [](auto& to) { to.progress(100, 100, ""); }},
                          "progressed");
        }}},
      {"test_sampling",
       {one_string("prompt"),
        [](const McpRequest& request, const Json& arguments) {
          return asked(request, {sample("answer", arguments.value("prompt", ""), 100)}, "",
                       [&] { return text("LLM response: " + said_in(request, "answer")); });
        }}},
      {"test_elicitation",
       {one_string("message"),
        [](const McpRequest& request, const Json& arguments) {
          return elicited(request, arguments.value("message", ""), kUser, "User response");
        }}},
      {"test_elicitation_sep1034_defaults",
       {none,
        [](const McpRequest& request, const Json&) {
          return elicited(request, "Please complete the form", kDefaults, "Elicitation completed");
        }}},
      {"test_elicitation_sep1330_enums",
       {none, [](const McpRequest& request,
                 const Json&) { return elicited(request, "Please choose", kEnums, "Elicitation completed"); }}},
      {"json_schema_2020_12_tool", {dump_line(Json::parse(kSchema2020)), [](auto&, auto&) { return done(); }}},
      {"test_missing_capability", {none, [](const McpRequest& request, auto&) { return needs_sampling(request); }}},
      {"test_streaming_elicitation",
       {none,
        [](const McpRequest& request, const Json&) {
          return asked(request, {elicit("name", "What is your name?", one_string("name"))}, "", done);
        }}},
      {"test_trigger_tool_change", {none, [](auto&, auto&) { return ++tool_changes, done(); }}},
      {"test_trigger_prompt_change", {none, [](auto&, auto&) { return ++prompt_changes, done(); }}},
      {"test_input_required_result_elicitation",
       {none,
        [](const McpRequest& request, const Json&) {
          return asked(request, {elicit("user_name", "What is your name?", one_string("name"))}, "",
                       [&] { return text("Hello, " + said_in(request, "user_name") + "!"); });
        }}},
      {"test_input_required_result_sampling",
       {none,
        [](const McpRequest& request, const Json&) {
          return asked(request, {sample("capital_question", "What is the capital of France?", 100)}, "",
                       [&] { return text(said_in(request, "capital_question")); });
        }}},
      {"test_input_required_result_list_roots",
       {none,
        [](const McpRequest& request, const Json&) {
          return asked(request, {list_roots()}, "", [&] { return text(said_in(request, "client_roots")); });
        }}},
      {"test_input_required_result_request_state",
       {none,
        [](const McpRequest& request, const Json&) {
          const char* schema = R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})";
          return asked(request, {elicit("confirm", "Please confirm", schema)}, "state-of-request",
                       [] { return text("state-ok"); });
        }}},
      {"test_input_required_result_multiple_inputs",
       {none,
        [](const McpRequest& request, const Json&) {
          return asked(request,
                       {elicit("user_name", "What is your name?", one_string("name")),
                        sample("greeting", "Generate a greeting", 50), list_roots()},
                       "state-of-many", done);
        }}},
      {"test_input_required_result_multi_round",
       {none, [](const McpRequest& request, auto&) { return multi_round(request); }}},
      {"test_input_required_result_tampered_state",
       {none,
        [](const McpRequest& request, const Json&) {
          const char* schema = R"({"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]})";
          return asked(request, {elicit("confirm", "Please confirm", schema)}, "signed-state", done);
        }}},
      {"test_input_required_result_capabilities",
       {none, [](const McpRequest& request, auto&) { return by_capability(request); }}},
  };
  return tools;
}

// Tells of changes of the lists of tools and prompts.
class ListWatch : public McpWork {
 public:
  explicit ListWatch(std::shared_ptr<const McpInterests> interests) : interests_(std::move(interests)) {}
  std::optional<McpOutcome> step(const McpNotifier& notifier) override {
    const auto wanted = interests_->get();
    if (std::exchange(tools_, tool_changes) != tool_changes && wanted.tools) {
      notifier.notify("notifications/tools/list_changed", "{}");
    }
    if (std::exchange(prompts_, prompt_changes) != prompt_changes && wanted.prompts) {
      notifier.notify("notifications/prompts/list_changed", "{}");
    }
    return std::nullopt;
  }
  Deadline due() const override { return Deadline::never(); }

 private:
  std::shared_ptr<const McpInterests> interests_;
  int tools_ = tool_changes, prompts_ = prompt_changes;
};

class PollWaiting : public McpWaiting {
 public:
  explicit PollWaiting(std::vector<int> descriptors) : descriptors_(std::move(descriptors)) {}
  void wait(const Deadline& deadline) override {
    std::vector<pollfd> polled;
    for (const int fd : descriptors_) polled.push_back({fd, POLLIN, 0});
    ::poll(polled.data(), polled.size(), deadline.or_in(0.02).left_ms());
  }

 private:
  std::vector<int> descriptors_;
};

std::string named(const std::string& name, const std::string& more) {
  return fmt::format(R"({{"name":"{}","description":"A fixture of the suite."{}}})", name, more);
}

class FixtureFeatures : public McpFeatures {
 public:
  std::string name() const override { return "mcp-fixture"; }
  std::string instructions() const override { return "Fixtures of the conformance suite."; }
  McpOffer offer() const override { return {true, true, true, true, true}; }

  std::vector<std::string> tools() override {
    std::vector<std::string> all;
    for (const auto& [name, tool] : fixture_tools()) all.push_back(named(name, R"(,"inputSchema":)" + tool.schema));
    return all;
  }

  McpOutcome call_tool(const McpRequest& request, const std::string& name, const Json& arguments) override {
    const auto found = fixture_tools().find(name);
    if (found == fixture_tools().end()) refuse_params("no tool '" + name + "'");
    return found->second.run(request, arguments);
  }

  std::vector<std::string> resources() override {
    return {named("text", R"(,"uri":"test://static-text","mimeType":"text/plain")"),
            named("binary", R"(,"uri":"test://static-binary","mimeType":"image/png")"),
            named("watched", R"(,"uri":"test://watched-resource","mimeType":"text/plain")")};
  }
  std::vector<std::string> resource_templates() override {
    return {named("template", R"(,"uriTemplate":"test://template/{id}/data","mimeType":"application/json")")};
  }
  std::optional<std::vector<std::string>> read_resource(const std::string& uri) override {
    constexpr std::string_view kBegin = "test://template/";
    constexpr std::string_view kEnd = "/data";
    if (uri == "test://static-text") {
      return std::vector{resource_text(uri, "text/plain", "This is the content of the static text resource.")};
    }
    if (uri == "test://watched-resource") return std::vector{resource_text(uri, "text/plain", "watched")};
    if (uri == "test://static-binary") {
      return std::vector{fmt::format(R"({{"uri":"{}","mimeType":"image/png","blob":"{}"}})", uri, kPng)};
    }
    if (!uri.starts_with(kBegin) || !uri.ends_with(kEnd)) return std::nullopt;
    const std::string id = uri.substr(kBegin.size(), uri.size() - kBegin.size() - kEnd.size());
    return std::vector{resource_text(
        uri, "application/json", fmt::format(R"({{"id":"{0}","templateTest":true,"data":"Data for ID: {0}"}})", id))};
  }

  std::vector<std::string> prompts() override {
    const auto argument = [](const char* name) {
      return fmt::format(R"({{"name":"{}","description":"an argument","required":true}})", name);
    };
    return {named("test_simple_prompt", ""),
            named("test_prompt_with_arguments", R"(,"arguments":)" + json_array({argument("arg1"), argument("arg2")})),
            named("test_prompt_with_embedded_resource", R"(,"arguments":)" + json_array({argument("resourceUri")})),
            named("test_prompt_with_image", ""), named("test_input_required_result_prompt", "")};
  }
  McpOutcome get_prompt(const McpRequest& request, const std::string& name, const Json& arguments) override {
    const auto messages = [](const std::vector<std::string>& all) { return content(all, "messages"); };
    const auto say = [](const std::string& said) { return user_message(text_content(said)); };
    if (name == "test_simple_prompt") return messages({say("This is a simple prompt for testing.")});
    if (name == "test_prompt_with_arguments") {
      return messages({say(fmt::format("Prompt with arguments: arg1='{}', arg2='{}'", arguments.value("arg1", ""),
                                       arguments.value("arg2", "")))});
    }
    if (name == "test_prompt_with_embedded_resource") {
      return messages({user_message(embedded(resource_text(arguments.value("resourceUri", ""), "text/plain",
                                                           "Embedded resource content for testing."))),
                       say("Please process the embedded resource above.")});
    }
    if (name == "test_prompt_with_image") {
      return messages({user_message(media("image", kPng, "image/png")), say("Please analyze the image above.")});
    }
    if (name != "test_input_required_result_prompt") refuse_params("no prompt '" + name + "'");
    return asked(request, {elicit("user_context", "What context should the prompt use?", one_string("context"))}, "",
                 [&] { return messages({say(said_in(request, "user_context"))}); });
  }

  std::vector<std::string> complete(const McpRequest&) override { return {"paris", "park", "party"}; }
  std::unique_ptr<McpWork> subscribe(std::shared_ptr<const McpInterests> interests) override {
    return std::make_unique<ListWatch>(std::move(interests));
  }
  std::unique_ptr<McpWaiting> begin_waiting(const std::vector<int>& descriptors) override {
    return std::make_unique<PollWaiting>(descriptors);
  }
};

// Without a token, which the suite cannot send: only on the loopback address, and for no data.
void serve_fixture(const std::string& root) {
  const auto engine = open_engine({root, std::nullopt, false}, Missing::make, 5);
  const Service service(*engine, {});
  const auto features = std::make_shared<FixtureFeatures>();
  std::shared_ptr<McpFeatures> shared = features;
  auto routes = mcp_routes_of(std::make_shared<McpEndpoint>(
      [shared](const Service&, const WebRequest&) {
        return McpDoor{"fixture", [shared] { return shared; }};
      },
      INT64_MAX));
  for (Route& route : routes) route.access = Route::Access::open;
  const Router router(std::move(routes));
  const Listener listener(parse_listen("127.0.0.1:0"));
  AccessRules rules;
  rules.hosts = {"127.0.0.1", "localhost"};
  Access access(rules);
  Server server(listener, service, router, access, {});
  std::printf("http://127.0.0.1:%d/mcp\n", static_cast<int>(listener.address().port));
  std::fflush(stdout);
  std::thread([] {
    char byte = 0;
    while (::read(0, &byte, 1) > 0) continue;
    ::kill(::getpid(), SIGTERM);
  }).detach();
  server.run();
}

}  // namespace
}  // namespace team

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ::signal(SIGPIPE, SIG_IGN);
  team::serve_fixture(argv[1]);
}
