#include "libteam/agent/acp/turn.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

using Cause = AcpTurnEnd::Cause;

constexpr double kSecondsToCancel = 2;
constexpr std::size_t kMostText = std::size_t{4} << 20;

std::string prompt_parameters(const std::string& session, const std::string& prompt) {
  return dump_line({{"sessionId", session}, {"prompt", Json::array({{{"type", "text"}, {"text", prompt}}})}});
}

void append(std::string& to, const std::string& text) {
  to += text.substr(0, kMostText - std::min(kMostText, to.size()));
}

// The tools of our own server (see ToolServer), as agents name them: they change the board, not the files.
bool is_of_team(const AgentToolCall& call) {
  for (const std::string& name : {call.name, call.title}) {
    for (const std::string_view prefix : {"mcp__team__", "mcp_team_", "mcp.team.", "team_"}) {
      if (name.starts_with(prefix)) return true;
    }
    if (name.ends_with("(team MCP Server)")) return true;
  }
  return false;
}

}  // namespace

std::string describe(const AgentToolCall& call) {
  constexpr std::size_t kShown = 400;
  const std::string& what = !call.title.empty() ? call.title : !call.name.empty() ? call.name : call.id;
  return fmt::format("{}: {}", name_of(call.kind.value_or(ToolKind::other)), cut_characters(one_line(what), kShown));
}

AcpTurn::AcpTurn(AcpAgent& agent, const Work& work, const AcpTurnRules& rules, ModelEvents& events, LoopGuard& guard,
                 CallInterrupter& interrupter, const Signals& signals)
    : agent_(agent),
      work_(work),
      rules_(rules),
      events_(events),
      guard_(guard),
      interrupter_(interrupter),
      signals_(signals) {}

AcpTurnEnd AcpTurn::run(const std::string& prompt, Deadline limit) {
  while (agent_.connection().next()) continue;  // what came between two turns
  const auto id =
      std::to_string(agent_.connection().request("session/prompt", prompt_parameters(agent_.session().id, prompt)));
  try {
    loop(id, limit);
  } catch (...) {
    agent_.connection().kill();
    throw;
  }
  drop_questions();
  report_end();
  return std::move(end_);
}

// The last text names the model and what the turn used.
void AcpTurn::report_end() {
  if (!end_.failure.empty() || end_.cause != Cause::none) {
    events_.end_message(ModelEvents::Counts::no);
  } else if (is_nothing(end_.answer.usage) && end_.usd <= 0) {
    events_.end_message();
  } else {
    ModelAnswer answer;
    answer.usage = end_.answer.usage;
    answer.usage.usd += end_.usd;
    answer.model = end_.answer.model;
    events_.end_answer(answer);
  }
}

void AcpTurn::loop(const std::string& id, Deadline limit) {
  AgentConnection& connection = agent_.connection();
  quiet_ = Deadline::in(rules_.silence);
  look_around();
  while (true) {
    while (!has_ended_) {
      const auto message = connection.next();
      if (!message) break;
      take_message(*message, id);
    }
    if (has_ended_) return;
    if (connection.has_ended()) {
      end_.has_died = true;
      end_.failure = connection.describe_end();
      return;
    }
    const double began = now();
    const bool waits_for_answer = !asked_.empty();
    // Once cancelled, only a signal matters: urgent mail would wake it again and again.
    const Child::Woke woke = connection.wait(next_look(limit), cancelled_ ? signals_.fd() : interrupter_.fd());
    if (waits_for_answer) limit = limit.later_by(now() - began);
    if (woke == Child::Woke::heard || waits_for_answer) quiet_ = Deadline::in(rules_.silence);
    if (woke == Child::Woke::interrupted) look_around();
    if (!asked_.empty()) look_at_answers();
    check_limits(limit);
  }
}

// The next time at which something is due.
Deadline AcpTurn::next_look(const Deadline& limit) const {
  if (cancelled_) return *cancelled_;
  // An answer is noted, sent and then final: the last step wakes nobody.
  constexpr double kLookAtAnswers = 0.5;
  if (!asked_.empty()) return Deadline::in(kLookAtAnswers);
  return has_open_call() ? limit : limit.or_at(quiet_);
}

void AcpTurn::check_limits(const Deadline& limit) {
  if (cancelled_ && cancelled_->passed()) {
    end_.has_died = true;
    end_.failure = "the agent did not cancel its turn and was killed";
    has_ended_ = true;
    agent_.connection().kill();
  } else if (!cancelled_ && asked_.empty() && limit.passed()) {
    cancel(Cause::too_late);
  } else if (!cancelled_ && asked_.empty() && !has_open_call() && quiet_.passed()) {
    cancel(Cause::silent);
  }
}

void AcpTurn::take_message(const RpcMessage& message, const std::string& id) {
  switch (message.kind) {
    case RpcMessage::Kind::request:
      if (message.method == "session/request_permission") take_question(message);
      else agent_.connection().refuse(message.id, RpcCode::method_not_found, "not offered: " + message.method);
      return;
    case RpcMessage::Kind::notification:
      if (message.method == "session/update") take_update(update_of(*message.body));
      return;
    case RpcMessage::Kind::result:
      if (message.id != id) return;
      end_.answer = prompt_answer_of(*message.body);
      break;
    case RpcMessage::Kind::error:
      if (message.id != id) return;
      end_.failure = error_text_of(*message.body);
      break;
  }
  has_ended_ = true;
}

void AcpTurn::take_update(const AgentUpdate& update) {
  switch (update.kind) {
    case AgentUpdate::Kind::text:
      events_.say(update.text);
      append(end_.text, update.text);
      append(end_.last, update.text);
      return;
    case AgentUpdate::Kind::user_text:
      // The conversation so far, or our prompt: what came before it is not of this turn.
      if (end_.calls == 0) end_.text = end_.last = "";
      return;
    case AgentUpdate::Kind::tool_call: take_call(update.call); return;
    case AgentUpdate::Kind::usage:
      if (update.usd) {
        const double more = agent_.add_cost(*update.usd);
        end_.usd += more;
        rules_.charge(more);
      }
      if (!cancelled_ && work_.over_budget) {
        if (const auto reason = work_.over_budget()) {
          end_.reason = *reason;
          cancel(Cause::over_budget);
        }
      }
      return;
    case AgentUpdate::Kind::thought:
    case AgentUpdate::Kind::other: return;
  }
}

// A call is reported when its arguments are known: agents tell them late.
void AcpTurn::take_call(const AgentToolCall& news) {
  if (news.id.empty()) return;
  const bool is_new = !calls_.contains(news.id);
  AgentToolCall& call = calls_[news.id];
  const bool was_over = call.has_ended();
  call.id = news.id;
  call.update(news);
  if (!call.plan.empty()) end_.plan = call.plan;
  if (is_new) {
    ++end_.calls;
    end_.last.clear();
    events_.end_message();
  }
  if (was_over || !call.has_ended()) return;
  const std::string name = !call.name.empty() ? call.name : call.title;
  Part part;
  part.kind = Part::Kind::tool_call;
  part.id = call.id;
  part.name = name.empty() ? "tool" : cut_characters(one_line(name), 80);
  part.arguments = call.input.value_or("{}");
  events_.call(part);
  events_.result(part, {call.output, call.status == "failed"});
  const auto verdict = std::max(guard_.add_call(part.name, part.arguments, call.output), guard_.end_turn());
  if (verdict == LoopGuard::Verdict::stop && !cancelled_) {
    end_.reason = guard_.reason();
    cancel(Cause::looping);
  }
}

// An agent may ask without having reported the call.
void AcpTurn::take_question(const RpcMessage& message) {
  Asked asked{message.id, question_of(*message.body)};
  if (!asked.question.call.id.empty()) {
    take_call(asked.question.call);
    asked.question.call = calls_[asked.question.call.id];
  }
  const Permission rule = cancelled_ ? Permission::reject : rule_for(asked.question.call);
  if (rule != Permission::ask) {
    settle(asked, rule);
    return;
  }
  const std::string text = "Permission to " + describe(asked.question.call);
  const std::string input = asked.question.call.input.value_or("");
  const std::string request =
      work_.permissions.ask(input.empty() || input == "{}" ? text : fmt::format("{}\n\n{}", text, input));
  asked_.emplace(request, std::move(asked));
}

Permission AcpTurn::rule_for(const AgentToolCall& call) const {
  const ToolKind kind = call.kind.value_or(ToolKind::other);
  const bool is_gated = rules_.phase == Phase::plan || (work_.is_approved && !work_.is_approved());
  if (is_gated) {
    // Whatever is not known to change nothing is closed; the end of the planning, too.
    if (may_change(kind) || (kind == ToolKind::other && !is_of_team(call))) return Permission::reject;
  }
  return rules_.permissions.of(kind);
}

void AcpTurn::settle(const Asked& asked, Permission answer) {
  const auto option = asked.question.option_for(answer);
  if (answer == Permission::reject) {
    end_.rejected = describe(asked.question.call);
    events_.note("rejected " + end_.rejected);
    AgentToolCall over;  // not every agent tells it
    over.id = asked.question.call.id;
    over.status = "failed";
    over.output = "rejected";
    take_call(over);
  }
  const Json outcome =
      option && !cancelled_ ? Json{{"outcome", "selected"}, {"optionId", *option}} : Json{{"outcome", "cancelled"}};
  agent_.connection().answer(asked.request, dump_line({{"outcome", outcome}}));
}

void AcpTurn::look_at_answers() {
  for (auto one = asked_.begin(); one != asked_.end();) {
    const auto answer = work_.permissions.answer(one->first);
    if (!answer) {
      ++one;
      continue;
    }
    settle(one->second, answer->approved ? Permission::allow : Permission::reject);
    one = asked_.erase(one);
  }
}

// After the interrupter rang: a signal, an answer to a request, or urgent mail.
void AcpTurn::look_around() {
  if (const auto signal = signals_.take()) {
    if (end_.signal) cancelled_ = Deadline::in(0);  // the second one does not wait
    end_.signal = signal;
    if (!cancelled_) cancel(Cause::signal);
  }
  if (work_.permissions.collect) work_.permissions.collect();
  if (!asked_.empty()) look_at_answers();
  if (!cancelled_ && work_.meanwhile.is_urgent && work_.meanwhile.is_urgent()) cancel(Cause::urgent);
  if (!cancelled_) interrupter_.rest();
}

void AcpTurn::cancel(Cause cause) {
  end_.cause = cause;
  cancelled_ = Deadline::in(kSecondsToCancel);
  drop_questions();
  agent_.connection().notify("session/cancel", dump_line({{"sessionId", agent_.session().id}}));
}

void AcpTurn::drop_questions() {
  for (auto& [request, asked] : asked_) {
    agent_.connection().answer(asked.request, R"({"outcome":{"outcome":"cancelled"}})");
    work_.permissions.withdraw(request);
  }
  asked_.clear();
}

bool AcpTurn::has_open_call() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const auto& entry) { return !entry.second.has_ended(); });
}

}  // namespace team
