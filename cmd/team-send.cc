// team-send - send a message to a member, or to all

#include "libteam/base/terminal_text.h"
#include "libteam/cli/command.h"
#include "libteam/cli/input.h"
#include "libteam/cli/message_output.h"

namespace {

struct Options {
  std::optional<std::string> to, text, status, wait;
  bool broadcast = false, approve = false, reject = false, interrupt = false;
  std::optional<double> timeout;
  std::optional<std::string> type, summary, request_id, reply_to, feedback;
};

team::OutgoingMessage compose_message(const Options& options) {
  team::OutgoingMessage outgoing;
  outgoing.type = options.type.value_or(options.broadcast ? "broadcast" : "message");
  if (outgoing.type == "broadcast" && options.to)
    team::fail(team::Code::usage, "a broadcast goes to all, not to {}", *options.to);
  if (outgoing.type != "broadcast" && !options.to)
    team::fail(team::Code::usage, "TO is missing (try team-send --help)");
  if (options.to && options.to->empty()) team::fail(team::Code::usage, "TO is empty");
  outgoing.to = options.to.value_or("");
  outgoing.summary = options.summary;
  outgoing.request_id = options.request_id;
  outgoing.reply_to = options.reply_to;
  outgoing.feedback = options.feedback;
  outgoing.interrupt = options.interrupt;
  if (options.approve || options.reject) outgoing.approve = options.approve;
  if (options.text && *options.text != "-") {
    outgoing.content = *options.text;
  } else if (options.text || !team::may_be_empty(outgoing.type)) {
    team::read_content(outgoing.content, outgoing.more);
  }
  return outgoing;
}

// The only operand of a broadcast is its text.
void sort_operands(Options& options) {
  const bool to_all = options.broadcast || options.type == "broadcast";
  if (to_all && options.to && !options.text) std::swap(options.to, options.text);
}

team::Exit wait_for(team::Context& context, const Options& options, const team::Message& sent) {
  const auto deadline = options.timeout ? team::Deadline::in(*options.timeout) : team::Deadline::never();
  bool come = false;
  if (*options.wait == "processed") {
    come = context.session().wait_processed(deadline, sent.id);
  } else {
    const team::MessageFilter reply{.from = {}, .type = {}, .reply_to = sent.id, .id = {}};
    come = context.session().wait_mail(deadline, team::Output::kDescriptor, [&](const team::Mailbox& mine) {
      return team::receive(context, mine, reply, 1) > 0;
    });
  }
  if (come) return team::Exit::done;
  return team::no(context, fmt::format("not {} within {} s", *options.wait == "reply" ? "answered" : "processed",
                                       *options.timeout));
}

team::Exit send(team::Context& context, Options& options) {
  if (options.status) {
    const std::string state = context.session().mail().state_of(*options.status);
    const std::string& id = *options.status;
    context.out().line(context.json() ? fmt::format(R"({{"id":"{}","status":"{}"}})", id, state)
                                      : fmt::format("{}\t{}", id, state));
    return team::Exit::done;
  }
  if (options.wait && options.wait != "processed" && options.wait != "reply") {
    team::fail(team::Code::usage, "--wait takes processed or reply, not '{}'", team::one_line(*options.wait));
  }
  sort_operands(options);
  const team::OutgoingMessage outgoing = compose_message(options);
  const team::TeamSession& session = context.session();
  context.changes();
  const auto [messages, absent, refused] = session.messages().send(outgoing);
  context.made();
  for (const team::Message& message : messages) context.out().line(context.json() ? to_line(message) : message.id);
  for (const std::string& name : absent) {
    team::warn(fmt::format("note: {} is not running; the message waits", name));
  }
  for (const std::string& name : refused) {
    team::warn(fmt::format("note: not sent to {}: the exchange limit", name));
  }
  if (outgoing.type == "broadcast") team::warn(fmt::format("sent to {}", messages.size()));
  if (!options.wait || messages.empty()) return team::Exit::done;
  context.out().flush();
  return wait_for(context, options, messages.front());
}

}  // namespace

int team_send(int argc, char** argv) {
  Options options;
  team::Command command("team-send", "send a message to a member, or to all",
                        "[options] TO [TEXT] | --broadcast [TEXT]");
  command.operand("[TO]", options.to, "the recipient: a member or user");
  command.operand("[TEXT]", options.text, "the text; without it, or with -, read from stdin");
  command.flag("--broadcast", options.broadcast, "send to every member except the sender");
  command.option("--type TYPE", options.type, "message, broadcast, shutdown_request, plan_approval_response, ...");
  command.option("--summary TEXT", options.summary, "one line (else the first line, cut to 80 characters)");
  command.option("--reply-to ID", options.reply_to, "the message that this one answers");
  command.option("--request-id ID", options.request_id, "the request that this message answers");
  command.flag("--approve", options.approve, "the answer is yes");
  command.flag("--reject", options.reject, "the answer is no");
  command.option("--feedback TEXT", options.feedback, "a text that goes with the answer");
  command.flag("--interrupt", options.interrupt, "interrupt the current model call of the recipient");
  command.option("--wait STATE", options.wait, "wait until processed, or for a reply and print it");
  command.seconds("--timeout SECONDS", options.timeout, "how long to wait (else no limit)");
  command.option("--status ID", options.status, "print the state of a message and send nothing");
  command.at_most_one({"--approve", "--reject"});
  command.at_most_one({"--status", "TO"});
  command.at_most_one({"--status", "--wait"});
  command.at_most_one({"--broadcast", "--wait"});
  command.takes_all();
  command.example("team-send backend 'The schema is final' --as lead");
  command.example("git diff | team-send reviewer --summary 'please look'");
  return command.run(argc, argv, [&](team::Context& context) { return send(context, options); });
}
