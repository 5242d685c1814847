// Requests and answers in the formats of the services.
#include "libteam/agent/model/wire.h"

#include <nlohmann/json.hpp>

#include "libteam/agent/model/address.h"
#include "libteam/agent/model/anthropic.h"
#include "libteam/agent/model/openai.h"
#include "libteam/agent/model/responses.h"
#include "libteam/agent/model/tuning.h"
#include "tests/unit/check.h"

using namespace team;
using Kind = ModelError::Kind;
using Stop = ModelAnswer::Stop;
using test::fails_with;

namespace {

const Anthropic kAnthropic("claude-x");
const OpenAi kOpenAi("gpt-x", OpenAi::Limit::max_tokens);
const Responses kResponses("gpt-5-x");

Part result_part(std::string id, std::string text) {
  Part part;
  part.kind = Part::Kind::tool_result;
  part.id = std::move(id);
  part.name = "bash";
  part.text = std::move(text);
  return part;
}

Part whole_call(std::string id, std::string arguments) {
  Part part = call_part(std::move(id), "bash");
  part.arguments = std::move(arguments);
  return part;
}

Turn user(std::vector<Part> parts) { return {Turn::Role::user, std::move(parts)}; }
Turn model(std::vector<Part> parts) { return {Turn::Role::model, std::move(parts)}; }

// Three turns of the user, two of the model, two tools.
ModelRequest request() {
  ModelRequest request;
  request.system = "You are a teammate.";
  Part failed = result_part("c2", "no such file");
  failed.is_error = true;
  request.turns = {user({text_part("Begin.")}),
                   model({text_part("I look."), whole_call("c1", "{\"command\":\"ls\"}"), whole_call("c2", "{\"comm")}),
                   user({text_part("And hurry."), result_part("c1", ""), failed}),
                   model({text_part(" \n")}),
                   user({text_part("Well?"), text_part("")}),
                   model({text_part("Done.")}),
                   user({text_part("More.")})};
  request.tools = {{"bash", "runs a command", R"({"type":"object","properties":{"command":{"type":"string"}}})"},
                   {"read_file", "reads", R"({"type":"object"})"}};
  request.max_tokens = 100;
  return request;
}

void anthropic_request() {
  const Json body = Json::parse(kAnthropic.body(request()));
  CHECK(body["model"] == "claude-x" && body["max_tokens"] == 100 && body["stream"] == true);
  const Json mark = {{"type", "ephemeral"}};
  CHECK(body["system"][0]["text"] == "You are a teammate." && body["system"][0]["cache_control"] == mark);
  CHECK(body["tools"].size() == 2 && !body["tools"][0].contains("cache_control"));
  CHECK(body["tools"][1]["cache_control"] == mark && body["tools"][1]["input_schema"]["type"] == "object");

  // The blank turn of the model is dropped, so the turns of the user around it are merged.
  const Json& messages = body["messages"];
  CHECK(messages.size() == 5);
  CHECK(messages[1]["role"] == "assistant" && messages[1]["content"].size() == 3);
  CHECK(messages[1]["content"][1]["input"] == Json({{"command", "ls"}}));
  CHECK(messages[1]["content"][2]["input"] == Json({{"INVALID_JSON", "{\"comm"}}));
  const Json& answered = messages[2]["content"];
  CHECK(answered.size() == 4);
  CHECK(answered[0]["type"] == "tool_result" && answered[0]["tool_use_id"] == "c1" &&
        answered[0]["content"] == "(empty)");
  CHECK(!answered[0].contains("is_error") && answered[1]["is_error"] == true);
  CHECK(answered[2]["text"] == "And hurry." && answered[3]["text"] == "Well?");

  // At most four cache marks are allowed.
  CHECK(!messages[0]["content"][0].contains("cache_control"));
  CHECK(answered[3]["cache_control"] == mark && messages[4]["content"][0]["cache_control"] == mark);
  const std::string text = kAnthropic.body(request());
  int marks = 0;
  for (std::size_t at = 0; (at = text.find("cache_control", at)) != std::string::npos; ++at) ++marks;
  CHECK(marks == 4);
  CHECK(kAnthropic.headers("k") == Headers({{"anthropic-version", "2023-06-01"}, {"x-api-key", "k"}}));
  CHECK(kAnthropic.headers("").size() == 1);
}

void openai_request() {
  const Json body = Json::parse(kOpenAi.body(request()));
  CHECK(body["model"] == "gpt-x" && body["max_tokens"] == 100 && body["stream"] == true);
  CHECK(body["stream_options"]["include_usage"] == true && !body.contains("max_completion_tokens"));
  CHECK(body["tools"][0]["type"] == "function" && body["tools"][0]["function"]["name"] == "bash");
  CHECK(body["tools"][1]["function"]["parameters"]["type"] == "object");
  const Json& messages = body["messages"];
  CHECK(messages.size() == 8);
  CHECK(messages[0] == Json({{"role", "system"}, {"content", "You are a teammate."}}));
  CHECK(messages[2]["role"] == "assistant" && messages[2]["content"] == "I look.");
  CHECK(messages[2]["tool_calls"][0]["function"]["arguments"] == "{\"command\":\"ls\"}");
  CHECK(Json::parse(messages[2]["tool_calls"][1]["function"]["arguments"].get<std::string>())["INVALID_JSON"] ==
        "{\"comm");
  CHECK(messages[3] == Json({{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "(empty)"}}));
  CHECK(messages[4]["content"] == "Error: no such file");
  CHECK(messages[5] == Json({{"role", "user"}, {"content", "And hurry.\n\nWell?"}}));
  CHECK(messages[7]["content"] == "More.");
  CHECK(kOpenAi.headers("k") == Headers({{"authorization", "Bearer k"}}) && kOpenAi.headers("").empty());
  ModelRequest silent = request();
  silent.tools.clear();
  silent.turns = {user({text_part("Go.")}), model({whole_call("c", "")}), user({result_part("c", "1")})};
  const Json calls = Json::parse(kOpenAi.body(silent));
  CHECK(!calls.contains("tools") && calls["messages"][2]["content"].is_null());
  CHECK(calls["messages"][2]["tool_calls"][0]["function"]["arguments"] == "{}");
}

void difficult_requests() {
  ModelRequest hard;
  hard.system = "a\xFF";
  hard.turns = {user({text_part("")}), model({whole_call("functions.bash:0", "[1]")}),
                user({result_part("functions.bash:0", std::string("x\0y\xC3", 4))})};
  hard.turns[1].parts[0].name = "multi_tool_use.parallel";
  const Json body = Json::parse(kAnthropic.body(hard));
  CHECK(body["system"][0]["text"] == "a\xEF\xBF\xBD" && !body.contains("tools"));
  CHECK(body["messages"][0]["content"][0]["text"] == "(empty)");
  const Json& call = body["messages"][1]["content"][0];
  CHECK(call["id"] == "functions_bash_0" && call["name"] == "multi_tool_use_parallel");
  CHECK(call["input"] == Json({{"INVALID_JSON", "[1]"}}));
  const Json& answered = body["messages"][2]["content"][0];
  CHECK(answered["tool_use_id"] == "functions_bash_0" && answered["content"] == "x\xEF\xBF\xBDy\xEF\xBF\xBD");
}

struct Read {
  ModelAnswer answer;
  std::string heard;
  std::optional<Kind> kind;  // the kind of the error
  std::string error;
};

Read read_in_pieces(const WireFormat& format, std::string_view body, std::size_t size) {
  Read read;
  const auto reader = format.read([&](std::string_view text) { read.heard += text; });
  try {
    for (; !body.empty(); body.remove_prefix(std::min(size, body.size()))) reader->feed(body.substr(0, size));
    read.answer = reader->finish();
  } catch (const ModelError& error) {
    read.kind = error.kind();
    read.error = error.what();
  }
  return read;
}

// The result must not depend on how the body is split.
Read read_answer(const WireFormat& format, const std::string& body) {
  Read whole = read_in_pieces(format, body, body.size() + 1);
  for (const std::size_t size : {1, 2, 7, 64}) {
    const Read cut = read_in_pieces(format, body, size);
    CHECK(cut.heard == whole.heard && cut.error == whole.error);
    CHECK(to_line(model(cut.answer.parts)) == to_line(model(whole.answer.parts)));
  }
  return whole;
}

std::string events(const std::vector<std::string>& data) {
  std::string body;
  for (const std::string& one : data) {
    const Json json = Json::parse(one);
    body += fmt::format("event: {}\ndata: {}\n\n", json.value("type", ""), one);
  }
  return body;
}

std::string chunks(const std::vector<std::string>& data) {
  std::string body;
  for (const std::string& one : data) body += "data: " + one + "\n\n";
  return body;
}

const std::string kStart =
    R"({"type":"message_start","message":{"id":"m","role":"assistant","content":[],"model":"claude-x-1","usage":)"
    R"({"input_tokens":10,"cache_creation_input_tokens":200,"cache_read_input_tokens":3000,"output_tokens":1}}})";

std::string stop(const std::string& reason) {
  return fmt::format(R"({{"type":"message_delta","delta":{{"stop_reason":"{}","stop_sequence":null}},)"
                     R"("usage":{{"output_tokens":42}}}})",
                     reason);
}
const std::string kStop = R"({"type":"message_stop"})";

std::string starts(int index, const char* id, const char* name) {
  return fmt::format(R"({{"type":"content_block_start","index":{},"content_block":)"
                     R"({{"type":"tool_use","id":"{}","name":"{}","input":{{}}}}}})",
                     index, id, name);
}

std::string adds(int index, const char* escaped) {
  return fmt::format(R"({{"type":"content_block_delta","index":{},)"
                     R"("delta":{{"type":"input_json_delta","partial_json":"{}"}}}})",
                     index, escaped);
}

void anthropic_answers() {
  const Read read = read_answer(
      kAnthropic,
      events({kStart,
              R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}})",
              R"({"type":"content_block_stop","index":0})",
              R"({"type":"ping"})",
              R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
              R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I l\u00f6"}})",
              R"({"type":"something_new","index":1,"delta":7})",
              R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ok."}})",
              R"({"type":"content_block_stop","index":1})",
              starts(2, "toolu_1", "bash"),
              adds(2, R"()"),
              adds(2, R"({\"comm)"),
              starts(3, "toolu_2", "read_file"),
              adds(3, R"({\"path\":1)"),
              adds(2, R"(and\":\"ls\"})"),
              R"({"type":"content_block_stop","index":2})",
              starts(4, "toolu_3", "TaskList"),
              R"({"type":"content_block_start","index":5,"content_block":{"type":"text","text":""}})",
              stop("tool_use"),
              kStop,
              R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"late"}})"}));
  CHECK(!read.kind && read.heard == "I löok.");
  const ModelAnswer& answer = read.answer;
  CHECK(answer.stop == Stop::tool_calls && answer.model == "claude-x-1");
  CHECK(answer.parts.size() == 5 && answer.parts[1].text == "I löok.");
  CHECK(answer.parts[0].kind == Part::Kind::reasoning);
  CHECK(Json::parse(answer.parts[0].arguments) ==
        Json({{"type", "thinking"}, {"thinking", "Hm."}, {"signature", "x"}}));
  CHECK(answer.parts[2].id == "toolu_1" && answer.parts[2].name == "bash");
  CHECK(answer.parts[2].arguments == "{\"command\":\"ls\"}");
  CHECK(answer.parts[3].arguments == "{\"path\":1" && answer.parts[4].arguments == "{}");
  CHECK(answer.usage.input == 10 && answer.usage.output == 42);
  CHECK(answer.usage.cache_read == 3000 && answer.usage.cache_written == 200);
}

void anthropic_stops() {
  const auto stopped = [](const std::string& reason) {
    return read_answer(kAnthropic, events({kStart, stop(reason), kStop})).answer.stop;
  };
  CHECK(stopped("end_turn") == Stop::end && stopped("stop_sequence") == Stop::end && stopped("news") == Stop::end);
  CHECK(stopped("max_tokens") == Stop::too_long && stopped("model_context_window_exceeded") == Stop::too_long);
  CHECK(stopped("pause_turn") == Stop::paused);
  CHECK(stopped("refusal") == Stop::refused);
  // Without a call there is nothing to answer.
  CHECK(stopped("tool_use") == Stop::end);
}

// A turn that has thinking, and its tool call, go back to the service as they came; other models get none of it.
void anthropic_thinking() {
  const auto thought = [](const std::string& reason) {
    return read_answer(
               kAnthropic,
               events(
                   {kStart,
                    R"({"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"zz"}})",
                    R"({"type":"content_block_start","index":1,"content_block":{"type":"thinking","thinking":"","signature":""}})",
                    R"({"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"I \u00fc"}})",
                    stop(reason), kStop}))
        .answer;
  };
  // Thinking that was cut has no signature.
  CHECK(thought("max_tokens").parts.size() == 1 && thought("refusal").parts.size() == 1);
  ModelRequest back = request();
  back.turns = {user({text_part("Begin.")}),
                model({reasoning_part({"anthropic", "claude-x"}, R"({"type":"redacted_thinking","data":"zz"})"),
                       reasoning_part({"anthropic", "claude-y"}, R"({"type":"thinking"})"),
                       reasoning_part({"openai-chat", "claude-x"}, R"({"reasoning":"no"})"), whole_call("c1", "{}")}),
                user({result_part("c1", "1")}), model({reasoning_part({"anthropic", "claude-x"}, "{}")}),
                user({text_part("Go.")})};
  const Json messages = Json::parse(kAnthropic.body(back))["messages"];
  CHECK(messages.size() == 3);
  CHECK(messages[1]["content"].size() == 2);
  CHECK(messages[1]["content"][0] == Json({{"type", "redacted_thinking"}, {"data", "zz"}}));

  const auto with = [](const std::string& name, const std::string& effort, const std::string& how) {
    return Json::parse(Anthropic(name, {effort, how}).body(request()));
  };
  CHECK(!with("claude-x", "", "").contains("thinking") && !with("claude-x", "", "").contains("output_config"));
  CHECK(with("claude-opus-4-6", "", "")["thinking"]["type"] == "adaptive");
  CHECK(with("claude-opus-4-6", "", "off")["thinking"]["type"] == "disabled");
  CHECK(with("claude-x", "high", "adaptive")["output_config"]["effort"] == "high");
  // A budget that the service would refuse is left out.
  CHECK(!with("claude-x", "", "5000").contains("thinking"));
  ModelRequest large = back;
  large.max_tokens = 4000;
  const Anthropic with_budget("claude-x", {"", "5000"});
  CHECK(Json::parse(with_budget.body(large))["thinking"] == Json({{"type", "enabled"}, {"budget_tokens", 3000}}));
  // It does not begin between the calls of an answer that had none.
  large.turns = {user({text_part("Go.")}), model({whole_call("c1", "{}")}), user({result_part("c1", "1")})};
  CHECK(!Json::parse(with_budget.body(large)).contains("thinking"));
  // With thinking off, no block of an earlier answer is sent; nor at the end of a turn.
  CHECK(Json::parse(Anthropic("claude-x", {"", "off"}).body(back))["messages"][1]["content"].size() == 1);
  ModelRequest ending = request();
  ending.turns = {user({text_part("Go.")}),
                  model({text_part("I."), reasoning_part({"anthropic", "claude-x"}, R"({"type":"thinking"})")}),
                  user({text_part("Well?")})};
  CHECK(Json::parse(kAnthropic.body(ending))["messages"][1]["content"].size() == 1);
  Anthropic older("claude-sonnet-5");
  CHECK(!older.adapt(400, {"", "", "something else"}));
  CHECK(older.adapt(400, {"", "", "adaptive thinking is not supported on this model"}));
  CHECK(!Json::parse(older.body(request())).contains("thinking"));
  CHECK(!older.adapt(400, {"", "", "thinking"}));
  // Blocks that the service refuses are left out, and the conversation goes on.
  Anthropic moved("claude-x");
  CHECK(moved.adapt(400, {"", "", "messages.1.content.0: Invalid `signature` in `thinking` block"}));
  CHECK(Json::parse(moved.body(back))["messages"][1]["content"].size() == 1);
  CHECK(!moved.adapt(400, {"", "", "messages.1.content.0: Invalid `signature` in `thinking` block"}));

  const std::string refused = R"({"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":)"
                              R"({"type":"refusal","category":"cyber","explanation":"It could harm."}},"usage":{}})";
  CHECK(read_answer(kAnthropic, events({kStart, refused, kStop})).answer.refusal == "cyber: It could harm.");
}

// The present state stands behind the last cache mark.
void present_state() {
  ModelRequest asked = request();
  asked.present = "The board";
  const Json last = Json::parse(kAnthropic.body(asked))["messages"].back();
  CHECK(last["content"].size() == 2 && last["content"][0].contains("cache_control"));
  CHECK(last["content"][1] == Json({{"type", "text"}, {"text", "The board"}}));
  CHECK(Json::parse(kOpenAi.body(asked))["messages"].back()["content"] == "More.\n\nThe board");
  CHECK(Json::parse(kResponses.body(asked))["input"].back()["content"] == "The board");
  // With and without it the rest of the request is the same.
  Json with = Json::parse(kAnthropic.body(asked));
  with["messages"].back()["content"].erase(1);
  CHECK(with == Json::parse(kAnthropic.body(request())));
}

void anthropic_errors() {
  const auto after_start = [](const std::string& event) { return read_answer(kAnthropic, events({kStart}) + event); };
  const auto says = [&](const std::string& type) {
    return after_start("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"" + type +
                       "\",\"message\":\"Over\\nloaded\"}}\n\n");
  };
  CHECK(says("overloaded_error").kind == Kind::limited);
  CHECK(says("overloaded_error").error == "the service broke off: overloaded_error: Over loaded");
  CHECK(says("rate_limit_error").kind == Kind::limited);
  CHECK(says("api_error").kind == Kind::passing && says("timeout_error").kind == Kind::passing);
  CHECK(says("invalid_request_error").kind == Kind::final);
  CHECK(after_start("data: {\"type\":\"content_blo\n\n").kind == Kind::passing);
  CHECK(after_start("data: [1]\n\n").kind == Kind::passing);
  CHECK(after_start("data: {\"type\":\"content_block_start\"}\n\n").kind == Kind::passing);
  CHECK(after_start("data: {\"type\":\"content_block_delta\",\"index\":\"a\",\"delta\":{}}\n\n").kind == Kind::passing);
  CHECK(after_start("").kind == Kind::passing);
  CHECK(read_answer(kAnthropic, "").kind == Kind::passing);
  CHECK(read_answer(kAnthropic, events({kStart, stop("end_turn")})).kind == Kind::passing);
  // The last event is incomplete.
  CHECK(read_answer(kAnthropic, events({kStart, stop("end_turn")}) + "data: " + kStop + "\n").kind == Kind::passing);
}

std::string chunk(const std::string& delta, const std::string& reason = "null") {
  return fmt::format(
      R"({{"id":"c","object":"chat.completion.chunk","model":"gpt-x-1","choices":[{{"index":0,"delta":{},)"
      R"("finish_reason":{}}}],"usage":null}})",
      delta, reason);
}
const std::string kUsage = R"({"id":"c","model":"gpt-x-1","choices":[],"usage":{"prompt_tokens":100,)"
                           R"("completion_tokens":42,"prompt_tokens_details":{"cached_tokens":60}}})";

std::string begins(int index, const char* id, const char* name, const char* escaped) {
  return fmt::format(R"({{"tool_calls":[{{"index":{},"id":"{}","type":"function",)"
                     R"("function":{{"name":"{}","arguments":"{}"}}}}]}})",
                     index, id, name, escaped);
}

void openai_answers() {
  const Read read =
      read_answer(kOpenAi, chunks({chunk(R"({"role":"assistant","content":""})"), chunk(R"({"content":"I l\u00f6"})"),
                                   chunk(R"({"reasoning_content":"Hm."})"), "", chunk(R"({"content":"ok."})"),
                                   chunk(begins(0, "call_1", "bash", R"()")),
                                   chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"{\"comm"}}]})"),
                                   chunk(begins(1, "call_2", "read_file", R"({\"path\":1)")),
                                   chunk(R"({"tool_calls":[{"index":0,"function":{"arguments":"and\":\"ls\"}"}}]})"),
                                   chunk(R"({})", "\"tool_calls\""), kUsage, "[DONE]", "not JSON"}));
  CHECK(!read.kind && read.heard == "I löok.");
  const ModelAnswer& answer = read.answer;
  CHECK(answer.stop == Stop::tool_calls && answer.model == "gpt-x-1" && answer.parts.size() == 4);
  CHECK(answer.parts[0].kind == Part::Kind::reasoning);
  CHECK(answer.parts[0].arguments == R"({"reasoning_content":"Hm."})");
  CHECK(answer.parts[1].text == "I löok." && answer.parts[2].id == "call_1" && answer.parts[2].name == "bash");
  CHECK(answer.parts[2].arguments == "{\"command\":\"ls\"}" && answer.parts[3].arguments == "{\"path\":1");
  CHECK(answer.usage.input == 40 && answer.usage.cache_read == 60 && answer.usage.output == 42);
}

void openai_reasoning() {
  const ModelAnswer answer =
      read_answer(
          kOpenAi,
          chunks(
              {chunk(R"({"reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","index":0}]})"),
               chunk(R"({"reasoning":"see","reasoning_details":[{"type":"reasoning.text","text":"see","index":0}]})"),
               chunk(R"({"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]})"),
               chunk(R"({"reasoning_details":[{"type":"reasoning.encrypted","data":"zz","index":1}]})"),
               chunk(begins(0, "call_1", "bash", "{}")), chunk("{}", "\"tool_calls\""), "[DONE]"}))
          .answer;
  ModelRequest back;
  back.turns = {user({text_part("Begin.")}), model(answer.parts), user({result_part("call_1", "1")})};
  OpenAi format("gpt-x", OpenAi::Limit::max_tokens, {"low", ""});
  const Json body = Json::parse(format.body(back));
  CHECK(body["reasoning_effort"] == "low");
  const Json& said = body["messages"][1];
  CHECK(said["reasoning"] == "I see" && said["reasoning_details"].size() == 2 && said["tool_calls"].size() == 1);
  CHECK(said["reasoning_details"][0] ==
        Json({{"type", "reasoning.text"}, {"text", "I see"}, {"index", 0}, {"signature", "s"}}));
  // A server that demands it is not adapted to; one that refuses it is.
  CHECK(!format.adapt(400, {"", "", "The reasoning_content in the thinking mode must be passed back to the API."}));
  CHECK(format.adapt(422, {"", "", "messages.1.reasoning: Extra inputs are not permitted"}));
  CHECK(!Json::parse(format.body(back))["messages"][1].contains("reasoning"));
  CHECK(!format.adapt(422, {"", "", "messages.1.reasoning: Extra inputs are not permitted"}));
}

void responses_request() {
  ModelRequest asked = request();
  asked.turns[1].parts.insert(
      asked.turns[1].parts.begin(),
      reasoning_part({"openai-responses", "gpt-5-x"},
                     R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"})"));
  asked.may_call = false;
  const Json body = Json::parse(Responses("gpt-5-x", {"high", ""}).body(asked));
  CHECK(body["model"] == "gpt-5-x" && body["stream"] == true && body["store"] == false);
  CHECK(body["include"] == Json({"reasoning.encrypted_content"}) && body["reasoning"]["effort"] == "high");
  CHECK(body["instructions"] == "You are a teammate." && body["max_output_tokens"] == 100);
  CHECK(body["tools"][0]["type"] == "function" && body["tools"][0]["name"] == "bash" && body["tool_choice"] == "none");
  const Json& input = body["input"];
  CHECK(input[0] == Json({{"type", "message"}, {"role", "user"}, {"content", "Begin."}}));
  CHECK(input[1]["type"] == "reasoning" && input[1]["encrypted_content"] == "e");
  CHECK(input[2]["role"] == "assistant" && input[2]["content"] == "I look.");
  CHECK(input[3] ==
        Json({{"type", "function_call"}, {"call_id", "c1"}, {"name", "bash"}, {"arguments", "{\"command\":\"ls\"}"}}));
  CHECK(input[5] == Json({{"type", "function_call_output"}, {"call_id", "c1"}, {"output", "(empty)"}}));
  CHECK(input[6]["output"] == "Error: no such file");
  ModelRequest unlimited = request();
  unlimited.max_tokens = 0;
  CHECK(!Json::parse(kResponses.body(unlimited)).contains("max_output_tokens"));
  CHECK(kResponses.headers("k") == Headers({{"authorization", "Bearer k"}}) && kResponses.headers("").empty());
  Responses simple("gpt-5-x");
  CHECK(simple.adapt(400, {"", "", "Encrypted content is not supported with this model."}));
  CHECK(!Json::parse(simple.body(asked)).contains("include"));
  CHECK(Json::parse(simple.body(asked))["input"][1]["role"] == "assistant");
}

std::string done(int index, const std::string& item) {
  return fmt::format(R"({{"type":"response.output_item.done","output_index":{},"item":{}}})", index, item);
}

std::string ends(const std::string& how, const std::string& more) {
  return fmt::format(R"({{"type":"response.{}","response":{{"model":"gpt-5-x-1","usage":{{"input_tokens":100,)"
                     R"("input_tokens_details":{{"cached_tokens":60}},"output_tokens":42}}{}}}}})",
                     how, more);
}

void responses_answers() {
  const Read read = read_answer(
      kResponses,
      events(
          {R"({"type":"response.created","response":{}})",
           done(0, R"({"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e","status":"completed"})"),
           R"({"type":"response.output_text.delta","output_index":1,"delta":"I l\u00f6"})",
           R"({"type":"response.output_text.delta","output_index":1,"delta":"ok."})",
           done(
               1,
               R"({"type":"message","id":"m","role":"assistant","content":[{"type":"output_text","text":"I l\u00f6ok."}]})"),
           R"({"type":"response.function_call_arguments.delta","output_index":2,"delta":"{"})",
           done(2,
                R"({"type":"function_call","id":"f","call_id":"c1","name":"bash","arguments":"{\"command\":\"ls\"}"})"),
           ends("completed", "")}));
  CHECK(!read.kind && read.heard == "I löok.");
  const ModelAnswer& answer = read.answer;
  CHECK(answer.stop == Stop::tool_calls && answer.model == "gpt-5-x-1" && answer.parts.size() == 3);
  CHECK(Json::parse(answer.parts[0].arguments) ==
        Json({{"type", "reasoning"}, {"id", "rs_1"}, {"summary", Json::array()}, {"encrypted_content", "e"}}));
  CHECK(answer.parts[1].text == "I löok." && answer.parts[2].id == "c1" && answer.parts[2].name == "bash");
  CHECK(answer.usage.input == 40 && answer.usage.cache_read == 60 && answer.usage.output == 42);
  // Reasoning without its content cannot be sent back.
  const std::string empty = done(0, R"({"type":"reasoning","id":"rs_1","summary":[]})");
  CHECK(read_answer(kResponses, events({empty, ends("completed", "")})).answer.parts.empty());

  const auto stopped = [](const std::string& how, const std::string& more) {
    return read_answer(kResponses, events({ends(how, more)})).answer.stop;
  };
  CHECK(stopped("completed", "") == Stop::end);
  CHECK(stopped("incomplete", R"(,"incomplete_details":{"reason":"max_output_tokens"})") == Stop::too_long);
  CHECK(stopped("incomplete", R"(,"incomplete_details":{"reason":"content_filter"})") == Stop::refused);
  const auto fails = [](const std::string& event) { return read_answer(kResponses, events({event})); };
  CHECK(fails(R"({"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"Slow"}}})")
            .kind == Kind::limited);
  CHECK(fails(R"({"type":"error","code":"server_error","message":"Over"})").kind == Kind::passing);
  CHECK(fails(R"({"type":"response.created","response":{}})").kind == Kind::passing);
  CHECK(fails(R"({"type":"response.output_item.done","item":7})").kind == Kind::passing);
}

void model_names() {
  CHECK(claude_version("claude-opus-4-6") == std::pair(4, 6) &&
        claude_version("claude-3-5-sonnet-x") == std::pair(3, 5));
  CHECK(claude_version("claude-sonnet-5") == std::pair(5, 0) && !claude_version("claude-x"));
  CHECK(claude_version("claude-sonnet-4-20250514") == std::pair(4, 0));
  CHECK(thinks_adaptively("claude-haiku-5-5") && !thinks_adaptively("claude-haiku-4-5-20251001"));
  CHECK(longest_answer_of("claude-3-opus-20240229") == 4096 && longest_answer_of("claude-3-5-haiku-latest") == 8192);
  CHECK(longest_answer_of("claude-opus-4-1") == 32'000 && longest_answer_of("something") == 8192);
  CHECK(wants_responses("gpt-5.1-codex") && wants_responses("o3-pro") && wants_responses("codex-mini-latest"));
  CHECK(!wants_responses("gpt-4.1") && !wants_responses("gpt-5-chat-latest") && !wants_responses("qwen3"));
}

// Deviations of servers that call themselves compatible.
void openai_dialects() {
  const auto calls = [](const std::vector<std::string>& deltas) {
    std::vector<std::string> data;
    for (const std::string& delta : deltas) data.push_back(chunk(delta));
    data.push_back(chunk("{}", "\"stop\""));
    return read_in_pieces(kOpenAi, chunks(data), 1000).answer;
  };
  // All calls have the same index, the stop reason does not mention calls, [DONE] is missing, and arguments are an
  // object.
  const ModelAnswer same =
      calls({R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}]})",
             R"({"tool_calls":[{"index":0,"id":"b","function":{"name":"bash","arguments":{"command":"y"}}}]})"});
  CHECK(same.stop == Stop::tool_calls && same.parts.size() == 2);
  CHECK(same.parts[0].arguments == "{\"command\":\"x\"}" && same.parts[1].arguments == "{\"command\":\"y\"}");
  // The index and the id are missing.
  const ModelAnswer none =
      calls({R"({"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]})",
             R"({"tool_calls":[{"function":{"name":"b"}},{"function":{"name":"c","arguments":"{"}}]})",
             R"({"tool_calls":[{"function":{"arguments":"}"}}]})"});
  CHECK(none.parts.size() == 3 && none.parts[1].name == "b" && none.parts[1].arguments == "{}");
  CHECK(none.parts[2].arguments == "{}");
  CHECK(!none.parts[0].id.empty() && none.parts[0].id != none.parts[1].id && none.parts[1].id != none.parts[2].id);
  // Each piece repeats the name and the id.
  const ModelAnswer again =
      calls({R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{"}}]})",
             R"({"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"}"}}]})"});
  CHECK(again.parts.size() == 1 && again.parts[0].name == "bash" && again.parts[0].arguments == "{}");
  const ModelAnswer refusal = calls({R"({"refusal":"I will not."})"});
  CHECK(refusal.stop == Stop::refused && refusal.parts[0].text == "I will not.");
}

void openai_stops() {
  const auto stopped = [](const std::string& reason) {
    return read_answer(kOpenAi, chunks({chunk("{}", "\"" + reason + "\""), "[DONE]"})).answer.stop;
  };
  CHECK(stopped("stop") == Stop::end && stopped("length") == Stop::too_long);
  CHECK(stopped("content_filter") == Stop::refused && stopped("tool_calls") == Stop::end);
}

void openai_errors() {
  const auto read = [](const std::string& more) {
    return read_answer(kOpenAi, chunks({chunk(R"({"content":"I"})")}) + more);
  };
  CHECK(read("").kind == Kind::passing && read("").error == "the stream ended before the answer did");
  CHECK(read("data: [DONE]\n\n").kind == Kind::passing);
  CHECK(read("data: {\"choices\":[{\n\n").kind == Kind::passing);
  CHECK(read("data: {\"choices\":[7]}\n\n").kind == Kind::passing);
  CHECK(read("data: {\"error\":{\"message\":\"Too much\",\"type\":\"server_error\"}}\n\n").kind == Kind::passing);
  CHECK(read("data: {\"error\":{\"message\":\"Too much\",\"code\":\"rate_limit_exceeded\"}}\n\n").kind ==
        Kind::limited);
  CHECK(read("data: {\"error\":\"context length exceeded\"}\n\n").kind == Kind::window_full);
}

void refusals() {
  const auto kind = [](int status, std::string_view body, const Headers& headers = {}) {
    return error_of(status, parse_service_error(body), headers).kind();
  };
  const std::string limited = R"({"type":"error","error":{"type":"rate_limit_error","message":"Slow"}})";
  CHECK(kind(429, limited) == Kind::limited && kind(529, "") == Kind::limited);
  CHECK(kind(408, "") == Kind::passing && kind(409, "") == Kind::passing);
  CHECK(kind(500, "") == Kind::passing && kind(503, "<html>") == Kind::passing);
  CHECK(kind(400, "") == Kind::final && kind(401, "") == Kind::final && kind(404, "") == Kind::final);
  CHECK(kind(500, "", {{"x-should-retry", "false"}}) == Kind::final);
  CHECK(kind(400, "", {{"x-should-retry", "true"}}) == Kind::passing);
  // A used-up quota is not a rate limit.
  CHECK(kind(429, R"({"error":{"message":"x","type":"insufficient_quota","code":"insufficient_quota"}})") ==
        Kind::final);
  CHECK(kind(429, R"({"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}})") ==
        Kind::final);
  for (const char* message :
       {"prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens.",
        "the request exceeds the available context size. try increasing the context size"}) {
    CHECK(kind(400, Json({{"error", {{"message", message}, {"type", "invalid_request_error"}}}}).dump()) ==
          Kind::window_full);
  }
  CHECK(kind(400, R"({"error":{"message":"x","code":"context_length_exceeded"}})") == Kind::window_full);
  CHECK(kind(413, "") == Kind::window_full);
  CHECK(kind(401, R"({"error":{"message":"the context window is fine, the key is not"}})") == Kind::final);

  const auto text = [](int status, std::string_view body) {
    return std::string(error_of(status, parse_service_error(body), {}).what());
  };
  CHECK(text(429, limited) == "429 rate_limit_error: Slow");
  CHECK(text(500, "") == "500" && text(502, "<html><body>") == "502 a page of HTML");
  CHECK(text(404, R"({"detail":"Not Found"})") == "404 Not Found");
  CHECK(text(404, R"({"error":"model 'x' not found"})") == "404 model 'x' not found");
  CHECK(text(400, R"({"object":"error","message":"bad\nrequest","type":"BadRequestError","code":400})") ==
        "400 BadRequestError: bad request");
  CHECK(text(503, "upstream\tis\ngone") == "503 upstream is gone");
  CHECK(text(500, std::string(10000, 'x')).size() < 500);

  const auto wait = [](const Headers& headers) { return error_of(429, {}, headers).retry_after(); };
  CHECK(!wait({}) && wait({{"retry-after", "2"}}) == 2 && wait({{"retry-after", "0.5"}}) == 0.5);
  CHECK(wait({{"retry-after", "2"}, {"retry-after-ms", "1500"}}) == 1.5);
  CHECK(wait({{"retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"}}) == 0);
  CHECK(wait({{"retry-after", "Wed, 21 Oct 2999 07:28:00 GMT"}}).value_or(0) > 1e9);
  CHECK(!wait({{"retry-after", "soon"}}) && !wait({{"retry-after", "-1"}}));
}

void adaptations() {
  OpenAi format("m", OpenAi::Limit::max_tokens);
  const auto body = [&] { return Json::parse(format.body(request())); };
  CHECK(!format.adapt(400, {"", "", "something else"}) && !format.adapt(500, {"", "", "stream_options"}));
  const ServiceError limit = {"", "",
                              "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                              "'max_completion_tokens' instead."};
  CHECK(format.adapt(400, limit));
  CHECK(body()["max_completion_tokens"] == 100 && !body().contains("max_tokens"));
  CHECK(!format.adapt(400, limit));
  const ServiceError options = {"", "", "Extra inputs are not permitted: stream_options"};
  CHECK(format.adapt(422, options) && !body().contains("stream_options"));
  CHECK(!format.adapt(422, options));
  CHECK(format.adapt(400, {"", "", "max_tokens is too large: 8192. This model supports at most 4096"}));
  CHECK(!body().contains("max_completion_tokens") && !body().contains("max_tokens"));
  OpenAi other("m", OpenAi::Limit::max_tokens);
  CHECK(!other.adapt(400, {"", "", "max_tokens is too large: 8192. This model's maximum context length is 4096"}));
}

void addresses() {
  CHECK(endpoint("https://api.anthropic.com", "/messages") == "https://api.anthropic.com/v1/messages");
  CHECK(endpoint("http://localhost:11434/", "/m") == "http://localhost:11434/v1/m");
  CHECK(endpoint("http://localhost:11434/v1", "/m") == "http://localhost:11434/v1/m");
  CHECK(endpoint("http://localhost:11434/v1//", "/m") == "http://localhost:11434/v1/m");
  CHECK(endpoint("https://x.example/openai/v1", "/m") == "https://x.example/openai/v1/m");
  CHECK(endpoint("https://x.example/v1beta/openai/", "/m") == "https://x.example/v1beta/openai/m");
  CHECK(endpoint("https://x.example/v1/m/", "/m") == "https://x.example/v1/m");
  CHECK(endpoint("https://x.example/vault", "/m") == "https://x.example/vault/v1/m");
  CHECK(endpoint("https://v1.example", "/m") == "https://v1.example/v1/m");
  for (const char* wrong : {"", "localhost:8080", "ftp://x", "http://", "http:///v1", "http://a b", "https://x/?a=1"}) {
    CHECK(fails_with(Code::usage, [&] { endpoint(wrong, "/m"); }));
  }
  CHECK(host_of("https://user:secret@x.example:8080/v1/m") == "x.example:8080");
}

void limits() {
  const std::string piece = R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
                            std::string(1 << 20, 'x') + "\"}}";
  std::string body =
      events({kStart, R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}})"});
  for (int i = 0; i < 12; ++i) body += "data: " + piece + "\n\n";
  const std::string rest = events({stop("end_turn"), kStop});
  CHECK(read_in_pieces(kAnthropic, body + rest, 1 << 16).answer.parts[0].text.size() == 12 << 20);
  for (int i = 0; i < 24; ++i) body += "data: " + piece + "\n\n";
  CHECK(read_in_pieces(kAnthropic, body + rest, 1 << 16).kind == Kind::final);
  CHECK(read_in_pieces(kAnthropic, "data: " + std::string(20 << 20, 'x'), 1 << 16).kind == Kind::final);
}

// An exception of the receiver passes through.
void receivers_that_throw() {
  const auto reader = kOpenAi.read([](std::string_view) { fail(Code::io, "the disk is full"); });
  CHECK(fails_with(Code::io, [&] { reader->feed(chunks({chunk(R"({"content":"I"})")})); }));
}

}  // namespace

int main() {
  anthropic_request();
  openai_request();
  difficult_requests();
  anthropic_answers();
  anthropic_stops();
  anthropic_thinking();
  anthropic_errors();
  present_state();
  openai_answers();
  openai_reasoning();
  openai_dialects();
  openai_stops();
  openai_errors();
  responses_request();
  responses_answers();
  model_names();
  refusals();
  adaptations();
  addresses();
  limits();
  receivers_that_throw();
  return test::report();
}
