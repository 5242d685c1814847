// plan-approve and plan-reject: one answer, two names.
#pragma once

namespace team {

enum class PlanDecision { approve, reject };

// The whole command.
int answer_plan(int argc, char** argv, PlanDecision decision);

}  // namespace team
