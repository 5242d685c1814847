// The options that choose a model, the same in every command that has them.
#pragma once

#include "libteam/cli/command.h"
#include "libteam/record/model_choice.h"

namespace team {

// --model, --provider, --base-url, --api, --effort, --thinking, --max-tokens.
void takes_model(Command& command, ModelChoice& choice);
// For commands that talk to the model: --context, --max-turns, --budget, --allow, --record, --replay.
void takes_conversation(Command& command, ModelChoice& choice);

}  // namespace team
