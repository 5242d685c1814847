#include "libteam/store/team_summary.h"

#include <algorithm>
#include <set>

#include "libteam/base/clock.h"
#include "libteam/base/markup.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/event.h"
#include "libteam/record/status.h"
#include "libteam/store/status.h"

namespace team {

namespace {

constexpr std::size_t kLongest = 200;          // characters of what a member wrote
constexpr std::size_t kMostQuestions = 2'000;  // events that are searched for questions

std::string shorten(const std::string& text) { return quoted(cut_characters(one_line(text), kLongest)); }

std::string describe_state(const MemberStatus& member, MemberDetail detail) {
  if (member.state == "-") return "not run by teamkit";
  std::string text = member.state;
  if (!member.reason.empty()) text += ": " + cut_characters(one_line(member.reason), kLongest);
  if (detail == MemberDetail::states) return text;
  if (member.since && member.is_running) text += fmt::format(", for {}", describe_seconds(now() - *member.since));
  if (!member.is_running) text += " (Task with its name starts it again)";
  return text;
}

std::string describe_plan(const Request& plan) {
  const std::string task = plan.task ? fmt::format(" for task #{}", *plan.task) : "";
  return fmt::format("    its {} {}{} waits for {}: {}\n", name_of(plan.kind), plan.id, task, plan.to,
                     shorten(plan.content));
}

}  // namespace

std::string summarize_members(const TeamEngine& engine, const Team& team, MemberDetail detail) {
  auto members = look_at_members(engine, team);
  std::vector<Request> plans;
  std::vector<OpenQuestion> questions;
  if (detail == MemberDetail::all) {
    find_last_words(members, engine.events());
    plans = engine.pending_requests([](const Error&) {});
    std::erase_if(plans, [](const Request& request) { return !is_for_approval(request.kind); });
    questions = open_questions(engine.events(), kMostQuestions);
  }
  std::string text = "user: the person whom all of this is for\n";
  for (std::size_t i = 0; i < members.size(); ++i) {
    const MemberStatus& member = members[i];
    const bool leads = member.name == team.lead;
    if (leads) {
      text += member.name + ": the lead\n";
    } else {
      const std::string role = member.role ? fmt::format(" ({})", one_line(*member.role)) : "";
      const std::string helper = team.members[i].helper ? ", a helper" : "";
      text += fmt::format("{}{}{}: {}\n", member.name, role, helper, describe_state(member, detail));
      if (!member.last_words.empty()) text += fmt::format("    last said: {}\n", shorten(member.last_words));
    }
    for (const Request& plan : plans) {
      if (plan.from == member.name) text += describe_plan(plan);
    }
    for (const OpenQuestion& question : questions) {
      if (question.from == member.name) text += fmt::format("    asked the user: {}\n", shorten(question.text));
    }
  }
  return text;
}

bool asks(std::string_view text) {
  for (std::size_t at = text.find('?'); at != std::string_view::npos; at = text.find('?', at + 1)) {
    if (at + 1 == text.size() || std::string_view(" \t\r\n\"')*_").find(text[at + 1]) != std::string_view::npos) {
      return true;
    }
  }
  return text.find("？") != std::string_view::npos;
}

std::vector<OpenQuestion> open_questions(const EventLog& events, std::size_t most_lines) {
  std::vector<OpenQuestion> questions;
  std::set<std::string> answered;
  std::size_t lines = 0;
  events.each_backward([&](std::string_view line) {
    if (++lines > most_lines) return false;
    if (line.find("\"MESSAGE_SENT\"") == std::string_view::npos) return true;
    const auto envelope = find_envelope(line);
    if (!envelope || envelope->type != "MESSAGE_SENT") return true;
    const std::string sender = detail(*envelope, "sender"), recipient = detail(*envelope, "recipient");
    if (sender == "user") answered.insert(recipient);
    const bool to_user = recipient == "user" && detail(*envelope, "message_type") == "message";
    if (!to_user || answered.contains(sender)) return true;
    const std::string text = detail(*envelope, "text");
    if (asks(text)) questions.push_back({sender, text});
    return true;
  });
  return questions;
}

}  // namespace team
