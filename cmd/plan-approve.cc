// plan-approve - approve a plan: its author may go on

#include "libteam/cli/plan_answer.h"

int main(int argc, char** argv) { return team::answer_plan(argc, argv, team::Verdict::approve); }
