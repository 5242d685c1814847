// Spans from the events of a team: their tree, their ids, their errors, and their form for OpenTelemetry.
#include "libteam/record/span_builder.h"

#include <algorithm>

#include "libteam/report/otlp.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

using Content = SpanBuilder::Options::Content;

struct Line {
  double at;
  std::string agent, run, type, details;
};

class Spans {
 public:
  explicit Spans(const std::vector<Line>& log, Content content = Content::no,
                 const std::vector<std::string>& running = {}) {
    const auto redact = [](std::string text) {
      for (std::size_t at = 0; (at = text.find("secret")) != std::string::npos;) text.replace(at, 6, "[key]");
      return text;
    };
    SpanBuilder builder({"alpha", 7, content, redact}, [&](TraceSpan span) { all_.push_back(std::move(span)); });
    std::int64_t seq = 1;
    for (const Line& line : log) {
      Envelope envelope{seq++, line.at, line.agent, line.type, line.details, "", std::nullopt, std::nullopt};
      if (!line.run.empty()) envelope.run = line.run;
      builder.add(envelope);
    }
    open_ = builder.close(
        [&](const std::string& member) { return std::find(running.begin(), running.end(), member) != running.end(); });
  }

  const std::vector<TraceSpan>& all() const { return all_; }
  std::size_t open() const { return open_; }
  const TraceSpan& named(const std::string& name) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const TraceSpan& span) { return span.name == name; });
    CHECK(found != all_.end());
    static const TraceSpan none;
    return found != all_.end() ? *found : none;
  }

 private:
  std::vector<TraceSpan> all_;
  std::size_t open_ = 0;
};

std::string value(const TraceSpan& span, const std::string& key) {
  for (const auto& [name, attribute] : span.attributes) {
    if (name != key) continue;
    if (const auto* text = std::get_if<std::string>(&attribute)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&attribute)) return std::to_string(*number);
    return fmt::format("{:.3f}", std::get<double>(attribute));
  }
  return "none";
}

const std::string kUsage = R"("usage":{"input":10,"output":3,"cache_read":5,"cache_written":2})";

std::vector<Line> one_run() {
  return {
      {1, "lead", "r1", "RUN_STARTED", "{}"},
      {2, "lead", "r1", "STEP_STARTED", "{}"},
      {2.5, "lead", "r1", "TEXT_MESSAGE_START", R"({"message_id":"m1"})"},
      {3, "lead", "r1", "TEXT_MESSAGE_CONTENT", R"({"message_id":"m1","delta":"a secret word"})"},
      {4, "lead", "r1", "TEXT_MESSAGE_END", R"({"message_id":"m1","model":"claude-x",)" + kUsage + "}"},
      {5, "lead", "r1", "TOOL_CALL_START", R"({"tool_call_id":"c1","tool_call_name":"bash"})"},
      {5, "lead", "r1", "TOOL_CALL_ARGS", R"({"tool_call_id":"c1","delta":"{\"command\":\"ls\"}"})"},
      {6, "lead", "r1", "TOOL_CALL_RESULT", R"({"tool_call_id":"c1","content":"no secret","is_error":true})"},
      {7, "lead", "r1", "STEP_FINISHED", "{}"},
      {8, "lead", "r1", "RUN_FINISHED", "{}"},
      {9, "lead", "r1", "TEAM_RUN_ENDED", R"({"exit_status":"0"})"},
  };
}

void makes_a_tree() {
  const Spans spans(one_run());
  CHECK(spans.all().size() == 4 && spans.open() == 0);
  const TraceSpan& team = spans.named("invoke_workflow alpha");
  const TraceSpan& run = spans.named("invoke_agent lead");
  const TraceSpan& chat = spans.named("chat claude-x");
  const TraceSpan& tool = spans.named("execute_tool bash");
  CHECK(!team.parent && team.start == 1 && team.end == 8 && !team.error);
  CHECK(run.parent == team.self.span && chat.parent == run.self.span && tool.parent == run.self.span);
  for (const TraceSpan& span : spans.all()) CHECK(span.self.trace == team.self.trace);
  // A call begins when the member was ready for it, and not with the first word.
  CHECK(chat.start == 2 && chat.end == 4 && value(chat, "gen_ai.response.time_to_first_chunk") == "0.500");
  CHECK(chat.kind == TraceSpan::Kind::client && value(chat, "gen_ai.provider.name") == "anthropic");
  CHECK(value(chat, "gen_ai.usage.input_tokens") == "17" && value(chat, "gen_ai.usage.output_tokens") == "3");
  CHECK(value(run, "gen_ai.usage.cache_read.input_tokens") == "5" && value(run, "gen_ai.conversation.id") == "r1");
  CHECK(tool.start == 5 && tool.end == 6 && tool.error && tool.error->type == "tool_error");
  CHECK(value(tool, "error.type") == "tool_error");
}

void keeps_content_back() {
  const Spans without(one_run());
  for (const TraceSpan& span : without.all()) {
    const std::string json = to_otlp(span);
    CHECK(json.find("secret") == std::string::npos && json.find("word") == std::string::npos &&
          json.find("command") == std::string::npos);
  }
  const Spans spans(one_run(), Content::yes);
  CHECK(value(spans.named("chat claude-x"), "gen_ai.output.messages") ==
        R"([{"role":"assistant","parts":[{"type":"text","content":"a [key] word"},)"
        R"({"type":"tool_call","id":"c1","name":"bash","arguments":"{\"command\":\"ls\"}"}],)"
        R"("finish_reason":"tool_call"}])");
  CHECK(value(spans.named("execute_tool bash"), "gen_ai.tool.call.result") == "no [key]");
}

void has_stable_ids() {
  const auto ids = [](const std::vector<Line>& log) {
    std::vector<std::string> all;
    const Spans spans(log);
    for (const TraceSpan& span : spans.all()) all.push_back(to_otlp(span));
    return all;
  };
  CHECK(ids(one_run()) == ids(one_run()));
  const auto all = ids(one_run());
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i] != all[i - 1]);
}

void repeats_belong_to_one_call() {
  std::vector<Line> log = one_run();
  log.insert(log.begin() + 4, {{3, "lead", "r1", "TEXT_MESSAGE_END", R"({"message_id":"m1","void":true})"},
                               {3.5, "lead", "r1", "TEXT_MESSAGE_START", R"({"message_id":"m2"})"}});
  const Spans spans(log, Content::yes);
  CHECK(spans.all().size() == 4 && value(spans.named("chat claude-x"), "teamkit.retries") == "1");
  CHECK(value(spans.named("chat claude-x"), "gen_ai.output.messages").find("word") == std::string::npos);
}

void a_killed_run_ends_with_its_last_event() {
  std::vector<Line> log = one_run();
  log.resize(6);
  const Spans living(log, Content::no, {"lead"});
  CHECK(living.all().empty() && living.open() == 4);
  const Spans dead(log);
  const TraceSpan& run = dead.named("invoke_agent lead");
  CHECK(dead.open() == 0 && run.end == 5 && run.error && run.error->type == "lost");
  CHECK(dead.named("execute_tool bash").error->type == "interrupted");
  // The same spans when the member has been started again.
  log.push_back({20, "lead", "r2", "MEMBER_STATE", "{}"});
  log.push_back({20, "lead", "r2", "RUN_STARTED", "{}"});
  const Spans again(log, Content::no, {"lead"});
  CHECK(to_otlp(again.named("invoke_agent lead")) == to_otlp(run));
  CHECK(to_otlp(again.named("invoke_workflow alpha")) == to_otlp(dead.named("invoke_workflow alpha")));
}

void reports_errors() {
  std::vector<Line> log = one_run();
  log[9] = {8, "lead", "r1", "RUN_ERROR", R"({"message":"a secret"})"};
  log[10].details = R"({"exit_status":"69","reason":"no model"})";
  const Spans spans(log);
  CHECK(spans.named("invoke_agent lead").error->message == "a [key]");
  CHECK(spans.named("invoke_workflow alpha").error->type == "exit_69");
}

std::string task(TaskId id, const std::string& owner) {
  return fmt::format(R"({{"task_id":{},"subject":"do {}","owner":"{}"}})", id, id, owner);
}

void tasks_link_to_the_work_that_unblocked_them() {
  const Spans spans({{1, "ann", "r1", "RUN_STARTED", "{}"},
                     {2, "ann", "r1", "TASK_CLAIMED", task(1, "ann")},
                     {3, "ann", "r1", "TASK_COMPLETED", task(1, "ann")},
                     {3, "ann", "r1", "TASK_UNBLOCKED", task(2, "bob")},
                     {4, "bob", "", "TASK_CLAIMED", task(2, "bob")},
                     {5, "ann", "r1", "RUN_FINISHED", "{}"},
                     {6, "bob", "", "TASK_FAILED", R"({"task_id":2,"reason":"too hard"})"},
                     {7, "bob", "", "TASK_CLAIMED", task(3, "bob")}});
  const TraceSpan &first = spans.named("task 1"), &second = spans.named("task 2");
  CHECK(first.parent == spans.named("invoke_agent ann").self.span && first.links.empty());
  CHECK(second.parent == spans.named("invoke_workflow alpha").self.span && second.links.size() == 1);
  CHECK(second.links.at(0).to == first.self && second.end == 6);
  CHECK(second.error && second.error->type == "task_failed" && value(second, "teamkit.task.subject") == "do 2");
  CHECK(spans.open() == 1);
}

void otlp_has_its_own_numbers() {
  TraceSpan span;
  span.self = {{1, 2}, 3};
  span.name = "n\xff";
  span.start = 1795015303.754057;
  span.end = 1e300;
  span.attributes = {{"i", std::int64_t{7}}, {"d", 0.5}, {"s", "x"}};
  CHECK(to_otlp(span) ==
        R"({"traceId":"00000000000000010000000000000002","spanId":"0000000000000003","name":"n�","kind":1,)"
        R"("startTimeUnixNano":"1795015303754057000","endTimeUnixNano":"9000000000000000000","attributes":[)"
        R"({"key":"i","value":{"intValue":"7"}},{"key":"d","value":{"doubleValue":0.5}},)"
        R"({"key":"s","value":{"stringValue":"x"}}]})");
}

void requests_are_limited() {
  std::vector<std::size_t> counts;
  std::size_t largest = 0;
  OtlpBatches batches({{"service.name", "teamkit"}}, [&](const std::string& request, std::size_t spans) {
    counts.push_back(spans);
    largest = std::max(largest, request.size());
  });
  batches.finish();
  CHECK(counts.empty());
  TraceSpan span;
  for (int i = 0; i < 513; ++i) batches.add(span);
  span.name = std::string(700'000, 'x');
  for (int i = 0; i < 2; ++i) batches.add(span);
  batches.finish();
  CHECK((counts == std::vector<std::size_t>{512, 2, 1}) && largest < 1'100'000);
}

}  // namespace

int main() {
  makes_a_tree();
  keeps_content_back();
  has_stable_ids();
  repeats_belong_to_one_call();
  a_killed_run_ends_with_its_last_event();
  reports_errors();
  tasks_link_to_the_work_that_unblocked_them();
  otlp_has_its_own_numbers();
  requests_are_limited();
  return test::report();
}
