#include <algorithm>
#include <cmath>

#include "libteam/base/markup.h"
#include "libteam/base/text.h"
#include "libteam/mcp/team_features.h"
#include "libteam/store/taken_messages.h"

namespace team {

namespace {

constexpr double kUsualWait = 50;          // opencode gives up after 60 s without progress
constexpr double kLongestWait = 3600;      // seconds
constexpr double kProgress = 10;           // between two reports of progress
constexpr std::size_t kMostMessages = 50;  // in one answer

std::string describe_message(const Message& message) {
  std::string attributes = attribute("from", message.sender) + attribute("id", message.id);
  if (message.type != "message") attributes += attribute("type", message.type);
  if (message.request_id) attributes += attribute("request_id", *message.request_id);
  if (message.reply_to) attributes += attribute("reply_to", *message.reply_to);
  if (message.approve) attributes += attribute("approve", *message.approve ? "true" : "false");
  std::string text = message.content;
  if (message.feedback && text.find(*message.feedback) == std::string::npos) text += "\n" + *message.feedback;
  return enclose("message", attributes, text);
}

class MailDelivery : public McpDelivery {
 public:
  explicit MailDelivery(std::unique_ptr<TakenMessages> taken) : taken_(std::move(taken)) {}
  void confirm() override { taken_->acknowledge(); }

 private:
  std::unique_ptr<TakenMessages> taken_;
};

enum class Claiming { no, yes };

// Waits for a message or, if it claims, for a task. Several of one member may wait at once: each message goes to one.
class WorkWait : public McpWork {
 public:
  WorkWait(TeamFeatures& features, Claiming claiming, double seconds)
      : features_(features), claiming_(claiming), seconds_(seconds), end_(Deadline::in(seconds)) {}

  std::optional<McpOutcome> step(const McpNotifier& notifier) override {
    McpOutcome outcome;
    try {
      if (auto found = look()) return found;
    } catch (const Error& error) {
      outcome.result = tool_error(fmt::format("{}: {}", name_of(error.code()), error.what()));
      return outcome;
    }
    if (end_.passed()) {
      outcome.result = tool_text(fmt::format("Nothing came in {} s. Call wait again.", std::round(seconds_)));
      return outcome;
    }
    if (next_progress_.passed()) {
      done_ += kProgress;
      next_progress_ = Deadline::in(kProgress);
      notifier.progress(done_, seconds_, "waiting");
    }
    return std::nullopt;
  }

  Deadline due() const override { return end_.or_at(next_progress_); }

 private:
  // Messages come first, as for a teammate.
  std::optional<McpOutcome> look() {
    TeamSession& session = features_.session();
    McpOutcome outcome;
    if (session.team_or_none() != nullptr) {
      if (auto taken = take_messages(session, kMostMessages)) {
        std::vector<std::string> texts;
        for (const Message& message : taken->messages()) texts.push_back(describe_message(message));
        outcome.result = tool_text(join(texts, "\n"));
        outcome.delivery = std::make_unique<MailDelivery>(std::move(taken));
        return outcome;
      }
    }
    if (claiming_ == Claiming::no) return std::nullopt;
    const auto claimed = session.claim_next();
    if (!claimed) return std::nullopt;
    outcome.result = tool_text(describe_claim(session, claimed->task));
    return outcome;
  }

  TeamFeatures& features_;
  Claiming claiming_;
  double seconds_;
  Deadline end_;
  Deadline next_progress_ = Deadline::in(kProgress);
  double done_ = 0;
};

void add_send(Toolbox& tools, TeamFeatures& features) {
  const ToolSpec spec{"send", "Sends a message to a member, the lead's name, user, or all.",
                      R"({"type":"object","properties":{
    "to":{"type":"string"},
    "text":{"type":"string"},
    "reply_to":{"type":"string","description":"id of the message that this answers"}},
    "required":["to","text"]})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    OutgoingMessage outgoing;
    outgoing.to = arguments.text("to");
    outgoing.content = arguments.text("text");
    outgoing.reply_to = arguments.find_text("reply_to");
    if (is_blank(outgoing.to)) fail(Code::usage, "'to' is empty");
    if (is_blank(outgoing.content)) fail(Code::usage, "the message is empty");
    if (outgoing.to == "all") {
      outgoing.type = "broadcast";
      outgoing.to.clear();
    }
    const SentMessages sent = features.session().messages().send(outgoing);
    std::vector<std::string> names;
    for (const Message& message : sent.messages) names.push_back(message.recipient);
    if (names.empty()) return {"There is nobody to send it to.", true};
    std::string text = fmt::format("Sent to {}: {}.", join(names, ", "), sent.messages.front().id);
    if (!sent.absent.empty()) text += fmt::format(" Not running now, so it waits: {}.", join(sent.absent, ", "));
    return {text};
  });
}

void add_wait(Toolbox& tools, TeamFeatures& features, TeamToolCall& call) {
  const ToolSpec spec{"wait",
                      "Waits for a message to you or, with claim, for a task, and gives it. Messages come first.",
                      R"({"type":"object","properties":{
    "seconds":{"type":"number","minimum":0,"description":"default 50"},
    "claim":{"type":"boolean","description":"claim the next ready task too"}}})"};
  tools.add(spec, [&](const Arguments& arguments, int) -> ToolResult {
    const double seconds = std::min(arguments.find_number("seconds").value_or(kUsualWait), kLongestWait);
    const Claiming claiming = arguments.flag("claim") ? Claiming::yes : Claiming::no;
    if (claiming == Claiming::no) features.session().team();  // throws not_found
    call.outcome.work = std::make_unique<WorkWait>(features, claiming, seconds);
    return {};
  });
}

void add_status(Toolbox& tools, TeamFeatures& features) {
  const ToolSpec spec{"status", "Shows members, board and pending plans in a few lines.",
                      R"({"type":"object","properties":{}})"};
  tools.add(spec, [&](const Arguments&, int) -> ToolResult {
    return {join(brief(features.session().status([](TaskId, const Error&) {})), "\n")};
  });
}

}  // namespace

void add_mail_tools(Toolbox& tools, TeamFeatures& features, TeamToolCall& call) {
  add_send(tools, features);
  add_wait(tools, features, call);
  add_status(tools, features);
}

}  // namespace team
