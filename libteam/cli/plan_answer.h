// plan-approve and plan-reject: one answer, two names.
#pragma once

namespace team {

enum class Verdict { approve, reject };

// The whole command.
int answer_plan(int argc, char** argv, Verdict verdict);

}  // namespace team
