// plan-submit - submit a plan to the lead for approval

#include "libteam/cli/command.h"
#include "libteam/cli/message_output.h"

namespace {

struct Options {
  std::optional<std::string> text, summary;
  std::optional<team::TaskId> task;
};

team::Exit submit(team::Context& context, const Options& options) {
  team::OutgoingMessage outgoing;
  context.team();
  outgoing.summary = options.summary;
  outgoing.task = options.task;
  if (options.text && *options.text != "-") outgoing.content = *options.text;
  else team::read_content(outgoing.content, outgoing.more);
  const team::TeamSession& session = context.session();
  context.changes();
  const std::string id = session.submit_plan(outgoing);
  context.out().line(context.json() ? fmt::format(R"({{"id":"{}"}})", id) : id);
  return team::Exit::done;
}

}  // namespace

int plan_submit(int argc, char** argv) {
  Options options;
  team::Command command("plan-submit", "submit a plan to the lead for approval", "[options] [TEXT]");
  command.operand("[TEXT]", options.text, "the plan; without it, or with -, read from stdin");
  command.option("--summary TEXT", options.summary, "a title (else the first line, cut to 80 characters)");
  command.option("--task ID", options.task, "the task that the plan is for");
  command.takes_all();
  command.example("plan-submit 'Split the schema by module' --task 2 --as backend");
  return command.run(argc, argv, [&](team::Context& context) { return submit(context, options); });
}
