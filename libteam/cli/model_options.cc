#include "libteam/cli/model_options.h"

namespace team {

void takes_model(Command& command, ModelChoice& choice) {
  command.option("--model MODEL", choice.model, "the model that does the work (else that of the role, or TEAM_MODEL)");
  command.option("--provider NAME", choice.provider, "anthropic or openai, whose format it speaks");
  command.option("--base-url URL", choice.base_url, "the server of the model (else the service's own)");
}

void takes_conversation(Command& command, ModelChoice& choice) {
  command.option("--context TOKENS", choice.context, "how much the model can hold (200000; openai 128000)");
  command.option("--max-turns N", choice.most_turns, "so many answers of the model at the most (else any number)");
  command.option("--budget TOKENS", choice.budget, "end when so many are used (else never)");
  command.option("--allow DIR", choice.allowed, "a folder beside the root for its file tools (repeated)");
  command.option("--record FILE", choice.record, "keep the answers of the model");
  command.option("--replay FILE", choice.replay, "play such answers back, without a model");
}

}  // namespace team
