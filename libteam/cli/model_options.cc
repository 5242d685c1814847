#include "libteam/cli/model_options.h"

namespace team {

void takes_model(Command& command, ModelChoice& choice) {
  command.option("--model MODEL", choice.model, "the model that does the work (else of the role, else TEAM_MODEL)");
  command.option("--provider NAME", choice.provider, "the API format of the service: anthropic or openai");
  command.option("--base-url URL", choice.base_url, "the address of the service (else the provider's own)");
  command.option("--api NAME", choice.api, "of openai: chat or responses (else by the model)");
  command.option("--effort LEVEL", choice.effort, "none, minimal, low, medium, high, xhigh or max");
  command.option("--thinking HOW", choice.thinking, "of anthropic: off, adaptive or a number of tokens");
  command.option("--max-tokens N", choice.max_tokens, "the longest answer (else by the model)");
}

void takes_conversation(Command& command, ModelChoice& choice) {
  command.option("--context TOKENS", choice.context, "the context size of the model (200000; openai 128000)");
  command.option("--max-turns N", choice.most_turns, "at most this many model calls (else no limit)");
  command.option("--budget AMOUNT", choice.budget,
                 "pause when so much is used: 100k tokens, 2 USD, 1h (else no limit)");
  command.option("--allow DIR", choice.allowed, "a folder outside the root for its file tools (repeatable)");
  command.option("--record PATH", choice.record, "record a model in a file, or a team in a folder");
  command.option("--replay PATH", choice.replay, "replay that recording, without a model");
}

}  // namespace team
