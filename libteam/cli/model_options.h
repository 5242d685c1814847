// The options by which a model is chosen, the same in every command that takes them.
#pragma once

#include "libteam/cli/command.h"
#include "libteam/record/model_choice.h"

namespace team {

// --model, --provider, --base-url.
void takes_model(Command& command, ModelChoice& choice);
// For one who talks to it: --context, --max-turns, --budget, --allow, --record, --replay.
void takes_conversation(Command& command, ModelChoice& choice);

}  // namespace team
