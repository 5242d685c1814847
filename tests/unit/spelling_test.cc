// The known word that an unknown word resembles.
#include "libteam/base/spelling.h"

#include "tests/unit/check.h"

using namespace team;

namespace {

const std::vector<std::string> kTask = {"subject", "description", "activeForm", "owner",      "blockedBy",
                                        "role",    "priority",    "metadata",   "deliverable"};
const std::vector<std::string> kRole = {"prompt", "command", "model",          "tools",
                                        "plan",   "limits",  "limits.retries", "limits.time"};

void words() {
  CHECK(did_you_mean("codr", {"coder", "tester"}) == "; did you mean coder?");
  CHECK(did_you_mean("coder-3", {"coder-1", "coder-2"}) == "; did you mean coder-1 or coder-2?");
  CHECK(did_you_mean("banana", {"coder", "tester"}).empty());
  CHECK(did_you_mean("banana", {}).empty());
}

void other_spellings() {
  for (const char* key : {"blocked_by", "blocked-by", "BlockedBy", "blockedby", "BLOCKED_BY", "blockedBye"}) {
    CHECK(meant_key(key, kTask) == "blockedBy");
  }
  CHECK(meant_key("active_form", kTask) == "activeForm");
  CHECK(meant_key("discription", kTask) == "description");
  CHECK(meant_key("prioritty", kTask) == "priority");
}

void synonyms() {
  for (const char* key : {"dependsOn", "depends_on", "dependencies", "deps"}) {
    CHECK(meant_key(key, kTask) == "blockedBy");
  }
  CHECK(meant_key("title", kTask) == "subject");
  CHECK(meant_key("timeout", {"time", "idle"}) == "time");
  CHECK(meant_key("retry", {"retries", "time"}) == "retries");
  // A synonym counts only if the key itself is known.
  CHECK(!meant_key("timeout", kTask));
}

void other_levels() {
  CHECK(meant_key("retries", kRole) == "limits.retries");
  CHECK(meant_key("max_retries", kRole) == "limits.retries");
  CHECK(meant_key("timeout", kRole) == "limits.time");
  CHECK(meant_key("limit", kRole) == "limits");
}

void others() {
  for (const char* key : {"estimate", "labels", "x", "", "_", "due", "jira", "note", "$schema", "commentary"}) {
    CHECK(!meant_key(key, kTask));
    CHECK(!meant_key(key, kRole));
  }
  CHECK(!meant_key("anything", {}));
}

}  // namespace

int main() {
  words();
  other_spellings();
  synonyms();
  other_levels();
  others();
  return test::report();
}
