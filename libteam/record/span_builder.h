// Builds spans from the events of a log, one event at a time: memory is needed only for the operations that are open.
//
// Four kinds of spans follow the semantic conventions of OpenTelemetry for generative AI. A team run (invoke_workflow)
// contains the runs of its members (invoke_agent). A run contains model calls (chat) and tool calls (execute_tool). The
// work on a task is a span of its own kind. It links to the work that unblocked the task.
//
// A team run begins when the first member starts, and ends when no member runs any more. The ids of spans are computed
// from the team and the numbers of events, so the same log always gives the same spans.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libteam/base/json.h"
#include "libteam/record/event.h"
#include "libteam/record/span.h"
#include "libteam/record/usage.h"

namespace team {

class SpanBuilder {
 public:
  struct Options {
    std::string team;
    double created_at = 0;  // tells teams of the same name apart
    enum class Content { no, yes };
    Content content = Content::no;                        // the texts of models, and arguments and results of tools
    std::function<std::string(std::string text)> redact;  // removes secrets from each text; may be empty
  };
  // `visit` gets each span when it has ended.
  using Visit = std::function<void(TraceSpan span)>;
  SpanBuilder(Options options, Visit visit);

  void add(const Envelope& envelope);
  // Ends the log. A run of a member for which `runs` returns false has ended with its last event. Returns the number of
  // operations that have not ended: they are no spans yet.
  std::size_t close(const std::function<bool(const std::string& member)>& runs);

 private:
  struct Chat {
    TraceSpan span;
    std::string message;
    std::string text;
    std::vector<std::string> calls;  // for the content, as JSON
    int failures = 0;                // answers that broke off and were repeated
    bool has_ended = false;
  };
  struct Tool {
    TraceSpan span;
    std::string name, arguments;
  };
  struct Run {
    TraceSpan span;
    std::string id;
    std::string model, provider;
    Usage usage;
    bool has_usage = false;
    double last_sign = 0;
    std::optional<double> ready;  // when the next model call can begin
    std::optional<Chat> chat;
    std::map<std::string, Tool> tools;
  };
  struct Work {  // on a task
    TraceSpan span;
    std::string owner;
  };

  void begin_run(const Envelope& envelope);
  void end_run(const std::string& agent, double time, std::optional<SpanError> error);
  Run* run_of(const Envelope& envelope);
  Run& need_run(const Envelope& envelope);
  void end_team_run();
  void begin_answer(const Envelope& envelope, const Json& details);
  void end_answer(const Envelope& envelope, const Json& details);
  void end_chat(Run& run);
  void begin_tool(const Envelope& envelope, const Json& details);
  void end_tool(const Envelope& envelope, const Json& details);
  void finish_step(const Envelope& envelope);
  void abandon_tools(Run& run, double time);
  void add_task(const Envelope& envelope, const Json& details);
  void begin_work(const Envelope& envelope, TaskId id, const Json& details);
  void end_work(TaskId id, std::optional<SpanError> error);

  TraceSpan begin(std::string_view kind, std::int64_t seq, std::string name, Run* run) const;
  std::uint64_t hash(std::string_view kind, std::int64_t seq) const;
  std::string clean(std::string text) const;
  void emit(TraceSpan span, double end);

  Options options_;
  Visit visit_;
  double now_ = 0;
  std::optional<TraceSpan> team_run_;
  bool team_run_ended_ = false;  // waits for the exit status of team-run
  double team_run_end_ = 0;
  std::map<std::string, Run> runs_;  // by member
  std::map<TaskId, Work> works_;
  std::map<TaskId, std::vector<SpanLink>> unblocked_by_;            // of tasks that nobody has claimed since
  std::optional<std::pair<TaskId, SpanReference>> last_completed_;  // its unblocked tasks are the next events
};

}  // namespace team
