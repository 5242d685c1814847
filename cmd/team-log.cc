// team-log - print the event log of a team

#include "libteam/cli/command.h"
#include "libteam/cli/event_output.h"
#include "libteam/record/event_types.h"
#include "libteam/system/watch.h"

namespace {

struct Options {
  bool follow = false;
  std::optional<std::int64_t> after;
  std::optional<std::string> agent, type;
  std::optional<double> since;
};

bool fits(const team::Envelope& envelope, const Options& options) {
  return (!options.agent || envelope.agent == *options.agent) && (!options.type || envelope.type == *options.type) &&
         (!options.since || envelope.timestamp >= team::now() - *options.since);
}

team::Exit log(team::Context& context, const Options& options) {
  constexpr int kLinesBetween = 512;  // how often to check whether the reader, such as head(1), has left
  int lines = 0;
  if (options.type) team::check_event_type(*options.type);
  bool is_known = !options.agent || options.follow || options.after;
  std::int64_t last = options.after.value_or(0);
  const auto show = [&](std::string_view line) {
    const team::Envelope envelope = team::parse_envelope(line, context.session().mail().events().place());
    last = envelope.seq;
    is_known = is_known || envelope.agent == *options.agent;
    if (fits(envelope, options)) team::print_event(context, envelope);
    if (++lines % kLinesBetween == 0 || options.follow) context.out().flush();
    return !context.out().failed() && (lines % kLinesBetween != 0 || !context.out().is_deserted());
  };
  if (!options.follow) context.session().mail().events().each_after(last, show);
  const auto is_deserted = [&] { return context.out().is_deserted(); };
  while (options.follow &&
         !context.session().mail().events().follow(last, team::Output::kDescriptor, show, is_deserted)) {
    context.session().reopen(team::Deadline::never());
    // The same log may come back a moment after its folder; otherwise it is a new log.
    const team::Deadline moment = team::Deadline::in(1);
    const auto is_another = [&] { return context.session().mail().events().last_sequence() < last; };
    while (is_another() && !moment.passed()) sleep_until(moment.or_in(0.1));
    if (is_another()) last = 0;
  }
  if (!is_known && options.agent != "system") context.session().mail().check_member(*options.agent, "member");
  return team::Exit::done;
}

}  // namespace

int team_log(int argc, char** argv) {
  Options options;
  team::Command command("team-log", "print the event log of a team", "[options]");
  command.flag("-f,--follow", options.follow, "continue, and print each event when it arrives");
  command.option("--after SEQ", options.after, "only events after this number");
  command.option("--agent NAME", options.agent, "only events of this member");
  command.option("--type TYPE", options.type, "only events of this type, such as TASK_CLAIMED");
  command.seconds("--since SECONDS", options.since, "only events of the last seconds (30, 5m, 2h)");
  command.takes_team();
  command.takes_json();
  command.example("team-log --type TASK_COMPLETED");
  command.example("team-log -f --json | jq -r '.event.type'");
  return command.run(argc, argv, [&](team::Context& context) { return log(context, options); });
}
