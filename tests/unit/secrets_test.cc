// Variables with secrets, the environment of a program, and the removal of secrets from a text.
#include "libteam/base/secrets.h"

#include <algorithm>
#include <cstdlib>

#include "libteam/record/role.h"
#include "libteam/system/environment.h"
#include "libteam/system/keys.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

void names() {
  for (const char* secret : {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GROQ_API_KEY", "openai_api_key", "API_KEY",
                             "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "REPLICATE_API_TOKEN", "HF_TOKEN",
                             "AWS_BEARER_TOKEN_BEDROCK", "ANTHROPIC_CUSTOM_HEADERS", "GEMINI_API_KEYS", "X_APIKEY"}) {
    if (!is_secret(secret)) CHECK(std::string("not secret: ") + secret == "");
  }
  for (const char* plain : {"", "PATH", "API_KEY_FILE", "ANTHROPIC_BASE_URL", "TEAM_MODEL", "TOKENS", "KEY"}) {
    if (is_secret(plain)) CHECK(std::string("secret: ") + plain == "");
  }
}

void redaction() {
  CHECK(redact("no key sk-12345 here, sk-12345", "sk-12345") == "no key [key] here, [key]");
  CHECK(redact("a banana", "a") == "a banana");
  CHECK(redact("1234567", "1234567") == "1234567");  // 7 characters are too short for a secret
  CHECK(redact("12345678", "12345678") == "[key]");
  CHECK(redact("text", "") == "text");
  CHECK(redact("[key][key][key]", "[key][key]") == "[key][key]");  // the replacement is not searched again
}

bool removes(const Variables& changes, const std::string& name) {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const auto& change) { return change.first == name && !change.second; });
}

void environments() {
  for (const char* name : {"SOME_API_KEY", "TEAMKIT_A", "TEAMKIT_AB", "TEAMKIT_C"}) ::setenv(name, "value", 1);
  CHECK(removes(without_secrets(), "SOME_API_KEY") && !removes(without_secrets(), "TEAMKIT_A"));
  const Variables changes = only({"TEAMKIT_A", "TEAMKIT_C*"});
  CHECK(!removes(changes, "TEAMKIT_A") && removes(changes, "TEAMKIT_AB") && !removes(changes, "TEAMKIT_C"));
  CHECK(removes(changes, "SOME_API_KEY") && removes(changes, "PATH"));
  const Variables clean = clean_environment({"SOME_API_KEY"});
  CHECK(!removes(clean, "SOME_API_KEY") && !removes(clean, "PATH") && removes(clean, "TEAMKIT_A"));
}

void key_forms() {
  const std::string rest = "abcdefghijklmnop1234";
  CHECK(redact_keys("use sk-" + rest + " now") == "use [key] now");
  CHECK(redact_keys("ghp_abcdefghijklmnop1234") == "[key]" && redact_keys("\"hf_abcdefghijklmnop\"") == "\"[key]\"");
  CHECK(redact_keys("sk-short and task-abcdefghijklmnopqrstuv") == "sk-short and task-abcdefghijklmnopqrstuv");
  CHECK(redact_keys("") == "" && redact_keys("sk-") == "sk-");
}

void keys() {
  ::setenv("OTHER_API_KEY", "hidden", 1);
  const Keys keys = put_keys_away();
  CHECK(key_of(keys, "OTHER_API_KEY") == "hidden" && key_of(keys, "NO_API_KEY").empty());
  CHECK(std::getenv("OTHER_API_KEY") == nullptr);
}

void patterns() {
  for (const char* good : {"A", "_", "a_1", "LC_*"}) CHECK(is_variable_pattern(good));
  for (const char* bad : {"", "*", "1A", "A B", "A=B", "*A", "A**", "A-B"}) CHECK(!is_variable_pattern(bad));
}

}  // namespace

int main() {
  names();
  redaction();
  environments();
  key_forms();
  keys();
  patterns();
  return test::report();
}
