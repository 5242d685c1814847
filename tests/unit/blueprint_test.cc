// The file of team-up: its contents, and a one-line message for each kind of error.
#include "libteam/record/blueprint.h"

#include <string_view>
#include <utility>

#include "libteam/record/settings.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

using Teammates = std::vector<std::pair<std::string, std::int64_t>>;

Blueprint parse(std::string_view text) { return parse_blueprint(text, "team.json"); }

std::string refusal(std::string_view text) {
  return message_of([&] { parse(text); });
}

// A team with the role `coder`, and `rest`.
std::string with_coder(const std::string& rest) {
  return "{\"team\":\"demo\",\"roles\":{\"coder\":{\"command\":\"true\"}}," + rest + "}";
}

// True if the message is a usage error of one line that begins with the file and ends with `end`.
bool refused(const std::string& text, std::string_view end) {
  const std::string said = refusal(text);
  const bool holds = said.starts_with("team.json:") && said.ends_with(end) && said.find('\n') == std::string::npos;
  if (!holds) std::fprintf(stderr, "%s\n  said: %s\n", text.c_str(), said.c_str());
  return holds && fails_with(Code::usage, [&] { parse(text); });
}

void smallest_file() {
  const Blueprint made = parse("{\"team\":\"demo\"}");
  CHECK(made.team.name == "demo" && made.team.lead == "lead" && made.team.board == ".tasks");
  CHECK(made.team.roles.empty() && made.team.settings.empty() && made.teammates.empty() && made.tasks.empty());
  CHECK(parse(R"({"team":"demo","roles":{"ada":{"model":"m"}},"teammates":{"ada":1}})").teammates.size() == 1);
}

void all_keys() {
  const Blueprint made = parse(
      "{\"team\":\"demo\",\"lead\":\"boss\",\"board\":\"work\",\"settings\":{\"tasks.perMember\":2,"
      "\"idle.notify\":true,\"teammate.mode\":\"background\",\"tasks.lease\":\"5m\"},"
      "\"roles\":{\"coder\":{\"command\":\"true\",\"mine\":1},\"tester\":{\"command\":\"make check\"}},"
      "\"teammates\":{\"coder\":3,\"tester\":0},"
      "\"tasks\":[{\"key\":\"a\",\"subject\":\"one\",\"role\":\"coder\"},{\"subject\":\"two\",\"blockedBy\":[\"a\"]}]"
      "}");
  CHECK(made.team.name == "demo" && made.team.lead == "boss" && made.team.board == "work");
  CHECK(setting(made.team, "tasks.perMember") == "2" && setting(made.team, "idle.notify") == "true");
  CHECK(setting(made.team, "teammate.mode") == "background" && setting(made.team, "tasks.lease") == "300");
  CHECK(made.team.roles.size() == 2 && made.team.find_role("tester") != nullptr);
  CHECK(made.team.find_role("coder")->definition == "{\"command\":\"true\",\"mine\":1}");
  CHECK(made.teammates == (Teammates{{"coder", 3}, {"tester", 0}}));
  CHECK(made.tasks.size() == 2 && made.tasks[0].key == "a" && made.tasks[0].task.role == "coder");
  CHECK(made.tasks[1].blocked_by_keys == std::vector<std::string>{"a"});
}

void one_teammate_per_role_by_default() {
  const Blueprint made =
      parse("{\"team\":\"demo\",\"roles\":{\"tester\":{\"command\":\"true\"},\"coder\":{\"command\":\"true\"}}}");
  CHECK(made.teammates == (Teammates{{"tester", 1}, {"coder", 1}}));  // in the order of the file
  // A role without teammates needs no command.
  const Blueprint none = parse("{\"team\":\"demo\",\"roles\":{\"coder\":{}},\"teammates\":{}}");
  CHECK(none.teammates.empty() && none.team.roles.size() == 1);
  CHECK(parse("{\"team\":\"demo\",\"roles\":{\"coder\":{}},\"teammates\":{\"coder\":0}}").teammates.size() == 1);
}

void not_json() {
  CHECK(refused("", "unexpected end of input; expected a value"));
  CHECK(refusal("{\"team\":\"demo\",}").starts_with("team.json:1:16: "));
  CHECK(refusal("{\n  \"team\": 'demo'\n}").starts_with("team.json:2:11: "));
  CHECK(refused("{\"team\":\"demo\",\"team\":\"other\"}", "duplicate key \"team\""));
  for (const char* other : {"[]", "3", "null", "\"demo\""}) CHECK(refused(other, "not a JSON object"));
  CHECK(fails_with(Code::usage, [] { parse("{\"team\":" + std::string(100, '[')); }));
}

void wrong_team() {
  CHECK(refused("{}", "'team' must be the name of the team"));
  CHECK(refused("{\"team\":\"\"}", "'team' must be the name of the team"));
  CHECK(refused("{\"team\":null}", "'team' must be the name of the team"));
  CHECK(refusal("{\n\"team\":7}") == "team.json:2:1: 'team' must be a string");
  CHECK(refused("{\"team\":\"demo\",\"lead\":[]}", "'lead' must be a string"));
  CHECK(refused("{\"team\":\"demo\",\"board\":1}", "'board' must be a string"));
}

void unknown_keys() {
  CHECK(refusal("{\"team\":\"demo\",\"role\":{}}") == "team.json:1:16: unknown key 'role'; did you mean roles?");
  CHECK(refusal("{\"team\":\"demo\",\"teamates\":{}}") ==
        "team.json:1:16: unknown key 'teamates'; did you mean teammates?");
  CHECK(parse("{\"team\":\"demo\",\"whatever\":1,\"a\\nb\":1}").ignored ==
        (std::vector<std::string>{"whatever", "a\nb"}));
  CHECK(parse(R"({"team":"demo","roles":{"coder":{"command":"x","note":1,"limits":{"colour":2}}}})").ignored ==
        (std::vector<std::string>{"roles.coder.limits.colour", "roles.coder.note"}));
  CHECK(refused(R"({"team":"demo","roles":{"coder":{"command":"x","timeout":1}}})",
                "unknown key 'timeout'; did you mean limits.time?"));
  CHECK(refused(R"({"team":"demo","tasks":[{"subject":"x","blocked_by":[1]}]})",
                "task 1: unknown key 'blocked_by'; did you mean blockedBy?"));
}

void wrong_settings() {
  CHECK(refused("{\"team\":\"demo\",\"settings\":[]}", "'settings' must be an object"));
  CHECK(refused("{\"team\":\"demo\",\"settings\":{\"exchange.limt\":1}}",
                "no setting 'exchange.limt'; did you mean exchange.limit?"));
  CHECK(refused("{\"team\":\"demo\",\"settings\":{\"tasks.max\":-1}}", "tasks.max takes a whole number, not '-1'"));
  CHECK(refused("{\"team\":\"demo\",\"settings\":{\"tasks.max\":1.5}}", "tasks.max takes a whole number, not '1.5'"));
  CHECK(refused("{\"team\":\"demo\",\"settings\":{\"idle.notify\":1}}", "idle.notify takes true or false, not '1'"));
  CHECK(refused("{\"team\":\"demo\",\"settings\":{\"teammate.mode\":\"window\"}}",
                "teammate.mode takes auto|background|tmux, not 'window'"));
  CHECK(refused("{\"team\":\"demo\",\"settings\":{\"tasks.lease\":{}}}",
                "tasks.lease takes seconds (2, 0.5, 500ms, 3m, 1h), not '{}'"));
}

void wrong_roles() {
  for (const char* roles : {"[]", "\"coder\"", "1"}) {
    CHECK(refused(std::string("{\"team\":\"demo\",\"roles\":") + roles + "}", "'roles' must be an object"));
  }
  for (const char* roles : {"{\"a b\":{}}", "{\"\":{}}", "{\"../x\":{}}", "{\"coder\":\"claude -p\"}",
                            "{\"coder\":null}", "{\"coder\":[]}"}) {
    CHECK(refused(std::string("{\"team\":\"demo\",\"roles\":") + roles + "}",
                  "'roles' must be an object of named objects"));
  }
  CHECK(refused("{\"team\":\"demo\",\"roles\":{\"coder\":{}}}",
                "role coder has no command, no agent (acp) and no model"));
  CHECK(refused("{\"team\":\"demo\",\"roles\":{\"coder\":{\"prompt\":\"x\"}}}",
                "role coder has no command, no agent (acp) and no model"));
  CHECK(refused("{\"team\":\"demo\",\"roles\":{\"coder\":{\"command\":1}}}", "'command' must be a string"));
  CHECK(refused("{\"team\":\"demo\",\"roles\":{\"coder\":{\"command\":\"x\",\"limits\":{\"time\":\"soon\"}}}}",
                "'time' must be seconds (2, 0.5, 500ms, 3m, 1h)"));
  // A role without teammates is checked, too.
  CHECK(refused("{\"team\":\"demo\",\"roles\":{\"coder\":{\"plan\":3}},\"teammates\":{\"coder\":0}}",
                "'plan' must be true or false"));
}

void wrong_teammates() {
  CHECK(refused(with_coder("\"teammates\":[\"coder\"]"), "'teammates' must be an object"));
  CHECK(refused(with_coder("\"teammates\":3"), "'teammates' must be an object"));
  CHECK(refused(with_coder("\"teammates\":{\"codr\":1}"), "teammates: no role 'codr'; did you mean coder?"));
  CHECK(refused(with_coder("\"teammates\":{\"a\\tb\":1}"), "teammates: no role 'a b'"));
  for (const char* count : {"-1", "1001", "1.5", "\"2\"", "true", "[1]", "99999999999999999999"}) {
    const std::string text = with_coder(std::string("\"teammates\":{\"coder\":") + count + "}");
    CHECK(fails_with(Code::usage, [&] { parse(text); }));
  }
  CHECK(refused(with_coder("\"teammates\":{\"coder\":-1}"), "'coder' must be a whole number from 0 to 1000"));
}

void wrong_tasks() {
  CHECK(refused(with_coder("\"tasks\":{}"), "'tasks' must be an array"));
  CHECK(refused(with_coder("\"tasks\":[\"one\"]"), "task 1: not a JSON object"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":\"one\"},{}]"), "task 2: the subject is empty"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":\" \"}]"), "task 1: the subject is empty"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":1}]"), "task 1: 'subject' must be a string"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":\"x\",\"status\":\"completed\"}]"),
                "task 1: 'status' cannot be given: the board sets it"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":\"x\",\"id\":7}]"),
                "task 1: 'id' cannot be given: the board sets it"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":\"x\",\"deliverable\":\"/etc/passwd\"}]"),
                "task 1: deliverable '/etc/passwd' is not a path beneath the root"));
  CHECK(refused(with_coder("\"tasks\":[{\"subject\":\"x\",\"role\":\"tester\"}]"),
                "task 1: no teammate has the role 'tester'"));
  CHECK(refused(with_coder("\"teammates\":{\"coder\":0},\"tasks\":[{\"subject\":\"x\",\"role\":\"coder\"}]"),
                "task 1: no teammate has the role 'coder'"));
}

}  // namespace

int main() {
  smallest_file();
  all_keys();
  one_teammate_per_role_by_default();
  not_json();
  wrong_team();
  unknown_keys();
  wrong_settings();
  wrong_roles();
  wrong_teammates();
  wrong_tasks();
  return test::report();
}
