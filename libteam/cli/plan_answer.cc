#include "libteam/cli/plan_answer.h"

#include "libteam/cli/command.h"
#include "libteam/store/mail_operations.h"

namespace team {

namespace {

Exit answer(Context& context, PlanDecision decision, const std::string& id,
            const std::optional<std::string>& feedback) {
  const MailOperations operations = context.session().messages();
  context.changes();
  const std::string sent = operations.approve_or_reject(id, decision == PlanDecision::approve, feedback).id;
  context.out().line(context.json() ? fmt::format(R"({{"id":"{}"}})", sent) : sent);
  return Exit::done;
}

}  // namespace

int answer_plan(int argc, char** argv, PlanDecision decision) {
  const bool approves = decision == PlanDecision::approve;
  std::string id;
  std::optional<std::string> feedback;
  Command command(approves ? "plan-approve" : "plan-reject",
                  approves ? "approve a plan: its author may go on" : "reject a plan: its author must make another",
                  "[options] PLAN");
  command.operand("PLAN", id, "the id that plan-submit printed and plan-list lists");
  command.option("--feedback TEXT", feedback, approves ? "what to keep in mind" : "why, and what to do instead");
  command.takes_team();
  command.takes_actor();
  command.takes_json();
  command.takes_lock();
  command.example(approves ? "plan-approve 01JD0V8Z7Q4M3N2B1A0F9E8D7C"
                           : "plan-reject 01JD0V8Z7Q4M3N2B1A0F9E8D7C --feedback 'keep the old endpoints'");
  return command.run(argc, argv, [&](Context& context) { return answer(context, decision, id, feedback); });
}

}  // namespace team
