// plan-reject - reject a plan: its author must make another

#include "libteam/cli/plan_answer.h"

int plan_reject(int argc, char** argv) { return team::answer_plan(argc, argv, team::PlanDecision::reject); }
