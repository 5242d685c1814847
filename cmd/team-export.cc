// team-export - export the event log of a team as OpenTelemetry spans

#include "libteam/agent/telemetry/otlp_sender.h"
#include "libteam/base/environment_variable.h"
#include "libteam/base/secrets.h"
#include "libteam/cli/command.h"
#include "libteam/record/settings.h"
#include "libteam/record/span_builder.h"
#include "libteam/report/otlp.h"
#include "libteam/system/environment.h"
#include "libteam/system/replaced_file.h"

namespace {

struct Options {
  std::string target;
  bool content = false;
  std::optional<double> timeout;
};

std::function<std::string(std::string)> redactor() {
  std::vector<std::string> secrets;
  for (const auto& [name, ignored] : team::without_secrets()) {
    secrets.push_back(team::environment_variable(name.c_str()).value_or(""));
  }
  return [secrets](std::string text) {
    for (const std::string& secret : secrets) text = team::redact(std::move(text), secret);
    return team::redact_keys(std::move(text));
  };
}

// Reads the log and passes on its spans in requests; returns the number of spans.
std::size_t read(team::Context& context, const Options& options, const team::OtlpBatches::Send& send) {
  const team::Team& team = context.team();
  std::size_t spans = 0, strange = 0;
  team::OtlpBatches batches({{"service.name", team::environment_variable("OTEL_SERVICE_NAME").value_or("teamkit")},
                             {"teamkit.team", team.name}},
                            send);
  using Content = team::SpanBuilder::Options::Content;
  team::SpanBuilder builder({team.name, team.created_at, options.content ? Content::yes : Content::no, redactor()},
                            [&](team::TraceSpan span) {
                              batches.add(span);
                              ++spans;
                            });
  context.session().mail().events().each_after(0, [&](std::string_view line) {
    const auto envelope = team::find_envelope(line);
    if (envelope) builder.add(*envelope);
    else ++strange;
    return !context.out().failed();
  });
  const std::size_t open = builder.close(
      [&](const std::string& member) { return context.engine().life_of(team.name, member) == team::Life::running; });
  batches.finish();
  if (strange > 0) team::warn(fmt::format("left out {} lines of the log that are no events", strange));
  if (open > 0) team::warn(fmt::format("left out {} operations that have not ended", open));
  return spans;
}

team::Exit export_spans(team::Context& context, const Options& options) {
  if (options.target == "-") {
    read(context, options, [&](const std::string& request, std::size_t) {
      context.out().line(request);
      context.out().flush();
    });
    return team::Exit::done;
  }
  std::size_t spans = 0;
  if (options.target.starts_with("http://") || options.target.starts_with("https://")) {
    const auto headers = team::environment_variable("OTEL_EXPORTER_OTLP_HEADERS").value_or("");
    team::OtlpSender sender(options.target, team::parse_otlp_headers(headers), options.timeout.value_or(30),
                            [](const std::string& line) { team::warn(line); });
    spans = read(context, options, [&](const std::string& request, std::size_t) { sender.send(request); });
  } else {
    if (options.timeout) team::fail(team::Code::usage, "--timeout needs an address, not a file");
    context.team();
    context.changes();
    team::ReplacedFile file(options.target, team::Durability::power);
    spans = read(context, options, [&](const std::string& request, std::size_t) { file.write(request + "\n"); });
    file.commit();
    context.made();
  }
  context.out().line(std::to_string(spans));
  return team::Exit::done;
}

}  // namespace

int team_export(int argc, char** argv) {
  Options options;
  team::Command command("team-export", "export the event log of a team as OpenTelemetry spans",
                        "[options] --otlp TARGET");
  command.option("--otlp TARGET", options.target, "an http(s) address of a collector, a file, or - for stdout");
  command.flag("--content", options.content, "include the texts of models, and arguments and results of tools");
  command.seconds("--timeout SECONDS", options.timeout, "retry for at most this long (30) if the collector is busy");
  command.exactly_one({"--otlp"});
  command.takes_team();
  command.example("team-export --otlp http://127.0.0.1:4318");
  command.example("team-export --otlp - | jq '.resourceSpans[].scopeSpans[].spans[].name'");
  return command.run(argc, argv, [&](team::Context& context) { return export_spans(context, options); });
}
