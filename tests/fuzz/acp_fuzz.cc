// The output of an agent that speaks the Agent Client Protocol: lines, messages and what they report.
//
// The input is what the agent writes, in pieces of the length that its first byte gives.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/agent/acp/messages.h"
#include "libteam/base/json_rpc.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

// All readers get each message: an agent may answer anything with anything.
void read(const Json& body) {
  const AgentModes modes = modes_of(body);
  const auto has = [&](const std::optional<std::string>& mode) {
    return !mode || *mode == modes.current || std::find(modes.all.begin(), modes.all.end(), *mode) != modes.all.end();
  };
  REQUIRE(has(modes.for_plan()) && has(modes.for_work(AgentModes::Asking::may_work)));
  if (modes.for_plan()) REQUIRE(modes.for_plan() != modes.for_work(AgentModes::Asking::may_work));
  AgentToolCall call;
  const AgentUpdate update = update_of(body);
  call.update(update.call);
  if (update.usd) REQUIRE(*update.usd >= 0);
  const PermissionQuestion question = question_of(body);
  for (const Permission answer : {Permission::allow, Permission::reject}) {
    const auto option = question.option_for(answer);
    const std::string_view word = answer == Permission::allow ? "allow" : "reject";
    const auto offered = [&](const auto& one) { return one.id == option && one.kind.starts_with(word); };
    if (option) REQUIRE(std::any_of(question.options.begin(), question.options.end(), offered));
  }
  const PromptAnswer answer = prompt_answer_of(body);
  REQUIRE(answer.usage.input >= 0 && answer.usage.output >= 0 && answer.usage.cache_read >= 0);
  session_id_of(body);
  can_load_session(body);
  REQUIRE(!error_text_of(body).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view input = fuzz::text_of(bytes, size);
  if (input.empty()) return 0;
  const std::size_t piece = std::max<std::size_t>(1, static_cast<unsigned char>(input.front()));
  input.remove_prefix(1);
  LineSplitter lines(4096);
  while (!input.empty()) {
    lines.add(input.substr(0, piece));
    input.remove_prefix(std::min(piece, input.size()));
    while (const auto line = lines.next()) {
      REQUIRE(line->text.find('\n') == std::string::npos && line->text.size() <= 4096);
      if (line->is_too_long) continue;
      try {
        const RpcMessage message = parse_rpc(line->text, {.bytes = 4096, .depth = 64});
        read(*message.body);
        // What is answered is one line again, with the same id.
        const bool asks = message.kind == RpcMessage::Kind::request;
        if (asks) REQUIRE(parse_rpc(rpc_result(message.id, "{}")).id == message.id);
      } catch (const RpcError& error) {
        REQUIRE(error.code() != 0);
      }
    }
  }
  return 0;
}
