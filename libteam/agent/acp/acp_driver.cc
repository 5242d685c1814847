#include "libteam/agent/acp/acp_driver.h"

#include <algorithm>
#include <cstring>

#include "libteam/agent/life/prompt.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/usage_limit.h"

namespace team {

namespace {

using Kind = Outcome::Kind;
using Cause = AcpTurnEnd::Cause;

Outcome interrupted_by(int signal) {
  return {.kind = Kind::interrupted,
          .reason = fmt::format("interrupted by {}", ::strsignal(signal)),
          .status = 128 + signal};
}

// The answer to a task: the text after the last tool call, or all if that is blank.
std::string result_of(const AcpTurnEnd& end, const Work& work) {
  std::string text = is_blank(end.last) ? end.text : end.last;
  if (work.wants_plan && !is_blank(end.plan)) text = end.plan;
  text = repair_utf8(text);
  const std::size_t begin = text.find_first_not_of(" \n\r\t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \n\r\t") + 1 - begin);
}

std::string describe_stop(const std::string& stop) {
  if (stop == "max_tokens") return "the answer was cut at the longest answer of the model";
  if (stop == "max_turn_requests") return "the agent reached its limit of requests in one turn";
  if (stop == "refusal") return "the model refused";
  if (stop == "cancelled") return "the agent cancelled its turn";
  return fmt::format("the agent ended its turn with '{}'", one_line(stop));
}

}  // namespace

// One piece of work, while it is done.
struct AcpDriver::Piece {
  const Work& work;
  const Audience& audience;
  ModelEvents events;
  LoopGuard guard;
  CallInterrupter interrupter;
  AcpTurnRules rules;
  Deadline limit;
  Usage used = {};
  std::string model = {};
  std::vector<Message> heard = {};

  // While the agent starts: true for what ends the work, or cancels a turn.
  bool must_stop(const Signals& signals) const {
    return can_be_read(signals.fd()) || (work.meanwhile.is_urgent && work.meanwhile.is_urgent());
  }
};

AcpDriver::AcpDriver(AcpRules rules, std::function<std::optional<AgentSession>()> remembered, const Signals& signals)
    : rules_(std::move(rules)), remembered_(std::move(remembered)), signals_(signals) {}

Outcome AcpDriver::work(const Work& work, const Audience& audience) {
  Piece piece{
      work,
      audience,
      ModelEvents(audience),
      LoopGuard(rules_.still_turns, rules_.program.folder),
      {work.meanwhile.watch_mail(), signals_, work.meanwhile.is_urgent, Deadline::never()},
      {rules_.permissions, work.phase, rules_.program.silence, [&](double usd) { audience.charge(Usage{.usd = usd}); }},
      rules_.time_limit ? Deadline::in(*rules_.time_limit) : Deadline::never()};
  piece.events.begin_step(work);
  Outcome outcome;
  try {
    outcome = run(piece);
  } catch (const Error&) {
    agent_.reset();  // nobody knows what it does by now
    throw;
  }
  if (agent_ && agent_->connection().has_ended()) agent_.reset();
  outcome.used = piece.used;
  if (!piece.model.empty()) outcome.used_model = piece.model;
  outcome.heard = std::move(piece.heard);
  piece.events.end_step(work, outcome);
  return outcome;
}

Outcome AcpDriver::run(Piece& piece) {
  const Work& work = piece.work;
  std::string prompt = work.introduction + work.prompt;
  if (work.is_left) prompt += "\nYou may have begun this before: look at what is done already.\n";
  AcpTurnEnd end;
  try {
    end = take_turn(piece, prompt);
    while (end.cause == Cause::urgent && !end.signal) {
      if (!hear_urgent(piece, end)) return {.kind = Kind::stopped, .reason = "asked to end"};
    }
  } catch (const AgentFailure& failure) {
    agent_.reset();
    if (const auto signal = signals_.take()) return interrupted_by(*signal);
    if (failure.kind() == AgentFailure::Kind::hopeless) {
      return {.kind = Kind::hopeless, .reason = failure.what(), .status = failure.status()};
    }
    return failed(failure.what(), "");
  }
  return judge(piece, end);
}

// Starts the agent if it does not run, and puts it into the mode of the phase. Throws AgentFailure.
void AcpDriver::make_ready(Piece& piece) {
  const AcpAgent::Interruption interruption{piece.interrupter.fd(), [&] { return piece.must_stop(signals_); }};
  if (agent_ && agent_->connection().wait(Deadline::in(0), -1) == Child::Woke::ended) {
    piece.audience.note(agent_->connection().describe_end());
    agent_.reset();
  }
  const bool is_new = !agent_;
  if (is_new) agent_ = std::make_unique<AcpAgent>(rules_.program, session_, piece.audience, interruption);
  session_ = agent_->session();
  const bool is_in_mode = agent_->enter(piece.rules.phase, piece.audience, interruption);
  if (!is_in_mode && piece.rules.phase == Phase::plan && is_new) {
    piece.audience.note("the agent has no mode for plans: all that would change something is rejected");
  }
}

AcpTurnEnd AcpDriver::take_turn(Piece& piece, const std::string& prompt) {
  try {
    make_ready(piece);
  } catch (const AgentFailure& failure) {
    if (failure.kind() != AgentFailure::Kind::stopped) throw;
    agent_.reset();
    AcpTurnEnd end;
    end.signal = signals_.take();
    end.cause = end.signal ? Cause::signal : Cause::urgent;
    return end;
  }
  AcpTurn turn(*agent_, piece.work, piece.rules, piece.events, piece.guard, piece.interrupter, signals_);
  AcpTurnEnd end = turn.run(prompt, piece.limit);
  piece.used += end.answer.usage;
  if (!end.answer.model.empty()) piece.model = end.answer.model;
  if (end.usd > 0) {
    session_ = agent_->session();
    piece.audience.keep_session(session_);
  }
  if (end.has_died) agent_.reset();
  return end;
}

// Passes the mail that cancelled the turn to the agent, as its next prompt. False if the teammate must end. The mail
// counts as processed after that turn: if this process dies before, it comes again.
bool AcpDriver::hear_urgent(Piece& piece, AcpTurnEnd& end) {
  bool is_heard = false;
  const bool stays = piece.work.meanwhile.hear([&](const std::vector<Message>& messages) {
    is_heard = true;
    piece.heard.insert(piece.heard.end(), messages.begin(), messages.end());
    piece.guard.note_change();
    piece.interrupter.rest();
    end = take_turn(piece, "You were interrupted by messages:\n\n" + tagged_messages(messages) +
                               "\nThen go on with what you were doing, unless they say otherwise: " + piece.work.title +
                               ".\n");
  });
  if (!stays) return false;
  piece.interrupter.rest();
  if (!is_heard) end = take_turn(piece, "Go on with what you were doing.");
  return true;
}

Outcome AcpDriver::judge(const Piece& piece, const AcpTurnEnd& end) const {
  if (end.signal) return interrupted_by(*end.signal);
  switch (end.cause) {
    case Cause::too_late: return failed(fmt::format("not done within {:g} s", *rules_.time_limit), "");
    case Cause::silent:
      return failed(fmt::format("the agent was silent for {:g} s (model.silence)", rules_.program.silence), end.text);
    case Cause::over_budget: return {.kind = Kind::over_budget, .reason = end.reason};
    case Cause::looping: return {.kind = Kind::looping, .reason = end.reason};
    default: break;
  }
  if (!end.failure.empty()) return failed(end.failure, end.text);
  return judge_answer(piece, end);
}

Outcome AcpDriver::judge_answer(const Piece& piece, const AcpTurnEnd& end) const {
  const Work& work = piece.work;
  const std::string result = result_of(end, work);
  const PromptAnswer& answer = end.answer;
  if (answer.stop != "end_turn") {
    const std::string why = describe_stop(answer.stop);
    const std::string& about = end.rejected.empty() ? result : "rejected " + end.rejected;
    return failed(about.empty() ? why : fmt::format("{}: {}", why, cut_characters(one_line(about), 200)), end.text);
  }
  // codex reports an error of its model like this.
  if (answer.denies_usage) {
    return failed(result.empty() ? "the agent gave an empty answer" : most_useful_line(result, ""), end.text);
  }
  if (const auto limit = find_usage_limit(0, end.text, "", rules_.limit_texts, now())) {
    return {.kind = Kind::limited, .reason = limit->reason, .until = limit->until};
  }
  // Messages need no answer. A task and a prompt do.
  const bool may_be_silent = !work.task && !work.messages.empty() && end.calls > 0 && end.rejected.empty();
  if (result.empty() && !may_be_silent) {
    return failed(end.rejected.empty() ? "the agent gave an empty answer"
                                       : "the agent gave an empty answer after a rejection: " + end.rejected,
                  "");
  }
  return {.kind = Kind::done, .result = result};
}

// `said` is the text of the agent, which may tell about a usage limit too.
Outcome AcpDriver::failed(std::string reason, const std::string& said) const {
  if (auto limit = find_usage_limit(1, said, reason, rules_.limit_texts, now())) {
    return {.kind = Kind::limited, .reason = std::move(limit->reason), .until = limit->until};
  }
  return {.kind = Kind::failed, .reason = std::move(reason), .status = 1};
}

}  // namespace team
