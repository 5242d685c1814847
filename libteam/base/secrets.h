// The rules for secrets: which environment variables hold one, and how one is removed from a text.
//
// This is the only list. Hooks, the bash tool, tmux and error messages all use it.
#pragma once

#include <string>
#include <string_view>

namespace team {

// True if an environment variable of this name holds the key of a model service. Case does not matter.
bool is_secret(std::string_view variable);

// Replaces each occurrence of `secret` in `text` by "[key]". A secret of fewer than 8 characters stays: no service has
// such keys, and ordinary words contain so short a text.
std::string redact(std::string text, std::string_view secret);

// Replaces each word that has the form of a key of a known service, such as "sk-...", by "[key]".
std::string redact_keys(std::string text);

}  // namespace team
