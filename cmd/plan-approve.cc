// plan-approve - approve a plan: its author may go on

#include "libteam/cli/plan_answer.h"

int plan_approve(int argc, char** argv) { return team::answer_plan(argc, argv, team::PlanDecision::approve); }
