// The streams of /agui and /team: whatever is in the log, the events are in the order that AG-UI demands, and every
// frame is JSON.
//
// The input makes envelopes, four bytes each, from a few members, types and ids; the rest of the input after a zero
// byte is lines as they are.

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "libteam/base/json.h"
#include "libteam/serve/agui_stream.h"
#include "libteam/serve/team_api.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

constexpr std::array kTypes = {"RUN_STARTED",    "RUN_FINISHED",   "RUN_ERROR",       "TEXT_MESSAGE_START",
                               "STEP_STARTED",   "STEP_FINISHED",  "TOOL_CALL_START", "TEXT_MESSAGE_CONTENT",
                               "TOOL_CALL_ARGS", "TOOL_CALL_END",  "MEMBER_STATE",    "TEXT_MESSAGE_END",
                               "MESSAGE_SENT",   "PLAN_SUBMITTED", "TEAM_RUN_ENDED",  "TOOL_CALL_RESULT",
                               "TEAM_FINISHED",  "TASK_CREATED"};

std::string make_line(fuzz::Source& source, std::int64_t seq) {
  const std::string agent = std::array{"lead", "ann", "bob"}[source.below(3)];
  const std::string id = std::to_string(source.below(3));
  const std::uint8_t more = source.byte();
  const Json event = {{"type", kTypes[source.below(kTypes.size())]},
                      {"message_id", "m" + id},
                      {"tool_call_id", "c" + id},
                      {"tool_call_name", "bash"},
                      {"step_name", "s" + id},
                      {"delta", more % 5 == 0 ? "" : "words"},
                      {"to", more % 2 == 0 ? "idle" : "shutdown"},
                      {"recipient", more % 3 == 0 ? "user" : "ann"},
                      {"request_id", "r" + id},
                      {"usage", {{"input", more}}},
                      {"exit_status", more % 2 == 0 ? "0" : "1"}};
  const Json run = more % 7 == 0 ? Json(nullptr) : Json("run-" + agent);
  return Json({{"seq", seq},
               {"timestamp", 1.5},
               {"team_id", "alpha"},
               {"agent_id", agent},
               {"role_name", nullptr},
               {"run_id", run},
               {"event", event}})
      .dump();
}

// The order of AG-UI.
class Order {
 public:
  void take(const Json& event) {
    REQUIRE(!has_ended_);
    const std::string type = event.at("type");
    if (!has_started_) REQUIRE(type == "RUN_STARTED");
    has_started_ = true;
    if (event.contains("timestamp")) REQUIRE(event["timestamp"].is_number_integer());
    check_pair(type, "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", event, "messageId");
    check_pair(type, "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", event, "toolCallId");
    check_pair(type, "SUBAGENT_STARTED", "", "SUBAGENT_FINISHED", event, "subagentRunId");
    if (type == "SUBAGENT_ERROR")
      REQUIRE(open_.erase("SUBAGENT_STARTED " + event.at("subagentRunId").get<std::string>()) == 1);
    if (type == "TEXT_MESSAGE_CONTENT") REQUIRE(!event.at("delta").get<std::string>().empty());
    const std::string step = event.value("subagentRunId", "") + "/" + event.value("stepName", "");
    if (type == "STEP_STARTED") REQUIRE(open_.insert("STEP " + step).second);
    if (type == "STEP_FINISHED") REQUIRE(open_.erase("STEP " + step) == 1);
    if (type != "RUN_FINISHED" && type != "RUN_ERROR") return;
    REQUIRE(open_.empty());
    has_ended_ = true;
  }
  bool has_ended() const { return has_ended_; }

 private:
  void check_pair(const std::string& type, const std::string& start, const std::string& middle, const std::string& end,
                  const Json& event, const char* key) {
    if (type != start && type != middle && type != end) return;
    const std::string open = start + " " + event.at(key).get<std::string>();
    const bool fits = type == start ? open_.insert(open).second
                      : type == end ? open_.erase(open) == 1
                                    : open_.contains(open);
    REQUIRE(fits);
  }

  std::set<std::string> open_;
  bool has_started_ = false, has_ended_ = false;
};

// The data of the frames.
std::vector<std::string> data_of(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    const std::size_t end = text.find("\n\n");
    REQUIRE(end != text.npos);
    std::string_view frame = text.substr(0, end);
    text.remove_prefix(end + 2);
    if (frame.starts_with("id: ") || frame.starts_with("event: ")) frame.remove_prefix(frame.find('\n') + 1);
    REQUIRE(frame.starts_with("data: "));
    REQUIRE(frame.find('\n') == frame.npos && fuzz::is_utf8(frame));
    all.emplace_back(frame.substr(6));
    REQUIRE(fuzz::is_json(all.back()));
  }
  return all;
}

void check_agui(const std::vector<std::string>& lines, bool lead_runs, std::optional<std::int64_t> last) {
  AguiRun run{.thread = "t", .run = "r", .lead = "lead", .lead_runs = lead_runs, .last = last};
  Order order;
  for (const std::string& data : data_of(agui_start(run))) order.take(Json::parse(data));
  AguiTranslator translator(std::move(run), RunProgress("lead", {"lead"}));
  for (const std::string& line : lines) {
    std::string text;
    const bool goes_on = translator.translate(line, text);
    for (const std::string& data : data_of(text)) order.take(Json::parse(data));
    REQUIRE(goes_on == !order.has_ended());
    if (!goes_on) return;
  }
}

void check_api(const std::vector<std::string>& lines, ApiStreamOptions::Format format) {
  Team team;
  team.name = "alpha";
  team.members = {{"lead", std::nullopt, 0, false, "{}"}, {"ann", "coder", 0, false, "{}"}};
  ApiStreamOptions options;
  options.format = format;
  const auto translator = make_api_translator(team, RunProgress("lead", {"lead"}), options);
  for (const std::string& line : lines) {
    std::string text;
    const bool goes_on = translator->translate(line, text);
    const auto all = data_of(text);
    if (goes_on) continue;
    const std::string type = Json::parse(all.back()).at("type");
    REQUIRE(type == "complete" || type == "error");
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz::Source source(fuzz::text_of(bytes, size));
  const std::uint8_t form = source.byte();
  std::vector<std::string> lines;
  fuzz::Source made(source.piece());
  while (!made.is_empty()) lines.push_back(make_line(made, static_cast<std::int64_t>(lines.size()) + 1));
  std::string_view rest = source.rest();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    lines.emplace_back(line);
  }
  const auto last = form % 4 == 0 ? std::optional(static_cast<std::int64_t>(form / 4)) : std::nullopt;
  check_agui(lines, form % 2 == 1, last);
  check_api(lines, form % 2 == 0 ? ApiStreamOptions::Format::wrapped : ApiStreamOptions::Format::envelope);
  return 0;
}
