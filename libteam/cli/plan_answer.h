// plan-approve and plan-reject: the same command with two decisions.
#pragma once

namespace team {

enum class PlanDecision { approve, reject };

// The whole command.
int answer_plan(int argc, char** argv, PlanDecision decision);

}  // namespace team
