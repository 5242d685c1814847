// What agents report, ask and answer; and the rules for their tools.
#include "libteam/agent/acp/messages.h"

#include <nlohmann/json.hpp>

#include "tests/unit/check.h"

using namespace team;

namespace {

Json json(const char* text) { return parse_json(text, "test"); }

void modes() {
  const AgentModes claude = modes_of(json(
      R"({"modes":{"availableModes":[{"id":"default"},{"id":"acceptEdits"},{"id":"plan"}],"currentModeId":"default"}})"));
  CHECK(claude.for_plan() == "plan" && claude.for_work(AgentModes::Asking::may_work) == "default" &&
        claude.option.empty());
  const AgentModes codex = modes_of(json(
      R"({"modes":{"availableModes":[{"id":"read-only"},{"id":"workspace-write"}],"currentModeId":"read-only"}})"));
  CHECK(codex.for_plan() == "read-only" && codex.for_work(AgentModes::Asking::may_work) == "workspace-write");
  CHECK(codex.for_work(AgentModes::Asking::must_ask) == "read-only");
  CHECK(claude.for_work(AgentModes::Asking::must_ask) == "default");
  const AgentModes opencode = modes_of(json(
      R"({"configOptions":[{"id":"model"},{"id":"mode","currentValue":"build","options":[{"value":"build"},{"value":"plan"}]}]})"));
  CHECK(opencode.option == "mode" && opencode.for_plan() == "plan" &&
        opencode.for_work(AgentModes::Asking::may_work) == "build");
  for (const char* none : {"{}", "[]", "null", R"({"modes":7})", R"({"modes":{"availableModes":{}}})"}) {
    CHECK(!modes_of(json(none)).for_plan() && !modes_of(json(none)).for_work(AgentModes::Asking::may_work));
  }
}

void updates() {
  using Kind = AgentUpdate::Kind;
  CHECK(update_of(json(R"({"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}})"))
            .text == "a");
  const AgentUpdate call = update_of(json(
      R"({"update":{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","title":"ls","rawInput":{"b":1},
          "content":[{"type":"content","content":{"type":"text","text":"x"}},{"type":"diff","path":"/f"}]}})"));
  CHECK(call.kind == Kind::tool_call && call.call.id == "c" && call.call.kind == ToolKind::execute);
  CHECK(call.call.input == R"({"b":1})" && call.call.output == "x\nchanged /f" && !call.call.has_ended());
  CHECK(update_of(json(R"({"update":{"sessionUpdate":"usage_update","cost":{"amount":2,"currency":"USD"}}})")).usd ==
        2.0);
  CHECK(!update_of(json(R"({"update":{"sessionUpdate":"usage_update","cost":{"amount":2,"currency":"EUR"}}})")).usd);
  for (const char* odd : {"{}", "[]", R"({"update":[]})", R"({"update":{"sessionUpdate":7}})",
                          R"({"update":{"sessionUpdate":"dance"}})"}) {
    CHECK(update_of(json(odd)).kind == Kind::other);
  }
}

void questions() {
  const PermissionQuestion asked = question_of(json(
      R"({"toolCall":{"toolCallId":"c","kind":"edit"},"options":[{"optionId":"a","kind":"allow_always"},
          {"optionId":"b","kind":"allow_once"},{"optionId":"c","kind":"reject_always"}]})"));
  CHECK(asked.call.kind == ToolKind::edit);
  CHECK(asked.option_for(Permission::allow) == "b" && asked.option_for(Permission::reject) == "c");
  CHECK(!question_of(json("{}")).option_for(Permission::reject));
}

void answers() {
  const PromptAnswer claude = prompt_answer_of(json(
      R"({"stopReason":"end_turn","usage":{"inputTokens":3,"outputTokens":4,"cachedReadTokens":5,"cachedWriteTokens":-1}})"));
  CHECK(claude.stop == "end_turn" && claude.usage.input == 3 && claude.usage.cache_read == 5);
  CHECK(claude.usage.cache_written == 0 && !claude.denies_usage);
  CHECK(prompt_answer_of(json(R"({"stopReason":"end_turn","usage":null})")).denies_usage);
  CHECK(!prompt_answer_of(json(R"({"stopReason":"end_turn"})")).denies_usage);
  const PromptAnswer gemini = prompt_answer_of(json(
      R"({"_meta":{"quota":{"token_count":{"input_tokens":1,"output_tokens":2},"model_usage":[{"model":"g"}]}}})"));
  CHECK(gemini.usage.input == 1 && gemini.usage.output == 2 && gemini.model == "g");
  CHECK(error_text_of(json(R"({"message":"Internal error","data":{"details":"400"}})")) == "Internal error: 400");
  CHECK(error_text_of(json(R"({"data":["x"]})")) == "an error without a message");
}

void permissions() {
  const auto asks = Permissions::parse("ask");
  CHECK(asks && asks->of(ToolKind::read) == Permission::ask && asks->of(ToolKind::other) == Permission::ask);
  const auto some = Permissions::parse("all=reject,read=allow,delete=ask");
  CHECK(some && some->of(ToolKind::read) == Permission::allow && some->of(ToolKind::remove) == Permission::ask);
  CHECK(some->of(ToolKind::edit) == Permission::reject);
  for (const char* wrong : {"", "maybe", "edit", "edit=", "edit=maybe", "edits=ask", "edit=ask,", "=ask"}) {
    CHECK(!Permissions::parse(wrong));
  }
  CHECK(tool_kind_of("search") == ToolKind::read && tool_kind_of("switch_mode") == ToolKind::other);
}

}  // namespace

int main() {
  modes();
  updates();
  questions();
  answers();
  permissions();
  return test::report();
}
