// team-recv - receive messages

#include <limits>

#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/message_output.h"

namespace {

struct Options {
  team::MessageFilter filter;
  bool peek = false, hold = false, follow = false;
  std::optional<std::optional<double>> wait;
  std::optional<std::int64_t> most;
};

team::Exit receive(team::Context& context, const Options& options) {
  if (options.most == 0) team::fail(team::Code::usage, "--max takes a number from 1 on");
  if (options.filter.type && !team::is_message_type(*options.filter.type)) {
    team::fail(team::Code::usage, "'{}' is not a type of message", team::one_line(*options.filter.type));
  }
  std::size_t left = options.most ? static_cast<std::size_t>(*options.most) : std::numeric_limits<std::size_t>::max();
  std::size_t seen = 0;
  const auto take = [&](const team::Mailbox& mailbox) {
    const team::Taking taking = options.hold ? team::Taking::hold : team::Taking::acknowledge;
    const std::size_t taken = options.peek ? team::peek(context, mailbox, options.filter, left)
                                           : team::receive(context, mailbox, options.filter, left, taking);
    left -= taken;
    seen += taken;
    return taken > 0;
  };
  const auto deadline = options.wait && *options.wait ? team::Deadline::in(**options.wait) : team::Deadline::never();
  if (options.follow) {
    context.session().wait_mail(deadline, team::Output::kDescriptor, [&](const team::Mailbox& mailbox) {
      take(mailbox);
      return left == 0 || context.out().is_deserted();
    });
  } else if (options.wait) {
    context.session().wait_mail(deadline, team::Output::kDescriptor, [&](const team::Mailbox& mailbox) {
      return take(mailbox) || context.out().is_deserted();
    });
  } else {
    take(context.session().mailbox());
  }
  if (seen > 0 || options.follow) return team::Exit::done;
  context.out().check();  // there were messages, but nobody reads the output
  return team::no(context, "no message");
}

}  // namespace

int team_recv(int argc, char** argv) {
  Options options;
  team::Command command("team-recv", "receive messages", "[options]");
  command.flag("--peek", options.peek, "print the messages and leave them in the mailbox");
  command.flag("--hold", options.hold, "hold the messages until team-ack acknowledges them");
  command.optional_seconds("--wait SECONDS", options.wait, "wait for a message, without limit or this long");
  command.flag("--follow", options.follow, "continue, and print each message when it arrives");
  command.option("--from NAME", options.filter.from, "only messages from this sender");
  command.option("--type TYPE", options.filter.type, "only messages of this type");
  command.option("--max N", options.most, "at most this many messages");
  command.at_most_one({"--peek", "--hold"});
  command.at_most_one({"--peek", "--follow"});
  command.takes_all();
  command.example("team-recv --as backend");
  command.example("team-recv --wait 60 --json | jq -r .content");
  return command.run(argc, argv, [&](team::Context& context) { return receive(context, options); });
}
