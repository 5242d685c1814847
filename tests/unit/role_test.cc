// The definition of a role: its keys, and the messages for wrong ones.
#include "libteam/record/role.h"

#include <string_view>
#include <utility>

#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

RoleSpec parse(const std::string& definition) { return parse_role({"coder", definition}, "config.json"); }

std::string refusal(const std::string& definition) {
  return message_of([&] { parse(definition); });
}

bool ends_with(std::string_view text, std::string_view end) { return text.ends_with(end); }

void smallest_definition() {
  const RoleSpec role = parse("{}");
  CHECK(role.prompt.empty() && !role.plan);
  CHECK(!role.command && !role.model && !role.provider && !role.base_url && !role.tools);
  CHECK(!role.retries && !role.time_limit && !role.idle_timeout);
}

void all_keys() {
  const RoleSpec role = parse(
      "{\"prompt\":\"You write code.\",\"command\":\"claude -p\",\"model\":\"m\",\"provider\":\"openai\","
      "\"base_url\":\"http://localhost\",\"tools\":[\"bash\",\"read_file\"],\"plan\":true,"
      "\"limits\":{\"retries\":0,\"time\":90,\"idle\":\"5m\"}}");
  CHECK(role.prompt == "You write code." && role.command == "claude -p");
  CHECK(role.model == "m" && role.provider == "openai" && role.base_url == "http://localhost");
  CHECK(role.tools == (std::vector<std::string>{"bash", "read_file"}));
  CHECK(role.plan && role.retries == 0 && role.time_limit == 90 && role.idle_timeout == 300);
}

void empty_values() {
  const RoleSpec role = parse("{\"command\":null,\"tools\":null,\"plan\":null,\"limits\":{\"time\":null}}");
  CHECK(!role.command && !role.tools && !role.plan && !role.time_limit);
  CHECK(parse("{\"tools\":[]}").tools == std::vector<std::string>{});  // an empty list means no tools, not all tools
}

void durations() {
  const std::pair<const char*, double> good[] = {{"0", 0},         {"1.5", 1.5},    {"\"2\"", 2},
                                                 {"\"0.5\"", 0.5}, {"\"90s\"", 90}, {"\"500ms\"", 0.5},
                                                 {"\"3m\"", 180},  {"\"1h\"", 3600}};
  for (const auto& [text, seconds] : good) {
    CHECK(parse(std::string("{\"limits\":{\"time\":") + text + "}}").time_limit == seconds);
  }
  for (const char* bad : {"-1", "\"-1\"", "\"soon\"", "\"\"", "\"1d\"", "\"inf\"", "\"nan\""}) {
    const std::string text = std::string("{\"limits\":{\"idle\":") + bad + "}}";
    CHECK(ends_with(refusal(text), "'idle' must be seconds (2, 0.5, 500ms, 3m, 1h)"));
  }
  CHECK(ends_with(refusal("{\"limits\":{\"time\":true}}"), "'time' must be a number"));
}

void refusals() {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"prompt\":1}", "'prompt' must be a string"},
      {"{\"command\":[\"claude\",\"-p\"]}", "'command' must be a string"},
      {"{\"model\":{}}", "'model' must be a string"},
      {"{\"provider\":false}", "'provider' must be a string"},
      {"{\"base_url\":80}", "'base_url' must be a string"},
      {"{\"plan\":\"yes\"}", "'plan' must be true or false"},
      {"{\"plan\":1}", "'plan' must be true or false"},
      {"{\"tools\":\"bash\"}", "'tools' must be an array"},
      {"{\"tools\":[1]}", "'tools' must be an array of names"},
      {"{\"limits\":[]}", "'limits' must be an object"},
      {"{\"limits\":{\"retries\":-1}}", "'retries' must be a whole number from 0 to 1000"},
      {"{\"limits\":{\"retries\":1001}}", "'retries' must be a whole number from 0 to 1000"},
      {"{\"limits\":{\"retries\":1.5}}", "'retries' must be a whole number from 0 to 1000"},
      {"{\"limits\":{\"retries\":\"2\"}}", "'retries' must be a whole number from 0 to 1000"},
      {"[]", "not a JSON object"},
  };
  for (const auto& [definition, end] : cases) {
    const std::string text = refusal(definition);
    CHECK(text.starts_with("config.json: role coder") && ends_with(text, end));
    CHECK(fails_with(Code::corrupt, [&given = definition] { parse(given); }));
  }
}

// A definition from a file that is within the limits also fits into the configuration.
void from_files() {
  Team team;
  team.name = "alpha";
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  put_role(team, make_role("coder", nested(62), "coder.json"));
  CHECK(to_file(parse_team(to_file(team), "alpha", "config.json")) == to_file(team));
  CHECK(fails_with(Code::corrupt, [&] { make_role("coder", nested(63), "coder.json"); }));
}

void numbers() {
  const auto parse_numbers = [](const std::string& numbers) {
    return parse_team(R"({"name":"alpha","lead":"lead","numbers":)" + numbers + "}", "alpha", "config.json").numbers;
  };
  CHECK(parse_numbers(R"({"coder":3})")[0].second == 3);
  CHECK(parse_numbers(R"({"a\u0000b":7,"a":1})")[0].second == 7);
  for (const char* wrong : {R"({"a":-1})", R"({"a":"1"})", R"({"a":2147483648})", R"({"a":null})"}) {
    CHECK(fails_with(Code::corrupt, [&] { parse_numbers(wrong); }));
  }
}

void unknown_keys() {
  const std::pair<const char*, const char*> misspelt[] = {
      {"{\"limits\":{\"timeout\":\"1s\"}}", "unknown key 'timeout'; did you mean time?"},
      {"{\"limits\":{\"retry\":1}}", "unknown key 'retry'; did you mean retries?"},
      {"{\"retries\":1}", "unknown key 'retries'; did you mean limits.retries?"},
      {"{\"timeout\":1}", "unknown key 'timeout'; did you mean limits.time?"},
      {"{\"Plan\":true}", "unknown key 'Plan'; did you mean plan?"},
      {"{\"plan_mode_required\":true}", "unknown key 'plan_mode_required'; did you mean plan?"},
      {"{\"baseUrl\":\"x\"}", "unknown key 'baseUrl'; did you mean base_url?"},
      {"{\"limit\":{}}", "unknown key 'limit'; did you mean limits?"}};
  for (const auto& [definition, expected] : misspelt) CHECK(ends_with(refusal(definition), expected));
  CHECK(parse("{\"note\":1,\"limits\":{\"weight\":2}}").ignored == (std::vector<std::string>{"limits.weight", "note"}));
}

void unknown_roles() {
  Team team;
  team.name = "alpha";
  CHECK(!spec_of(team, "anything").plan);
  team.roles = {{"lead", "{\"prompt\":\"Lead.\"}"}};
  CHECK(!spec_of(team, "anything").plan);  // the definition of the lead does not affect other roles
  team.roles.push_back({"reviewer", "{\"plan\":true}"});
  CHECK(spec_of(team, "reviewer").plan && !spec_of(team, std::nullopt).plan);
  CHECK(fails_with(Code::not_found, [&] { spec_of(team, "reviewr"); }));
  CHECK(message_of([&] { check_role(team, "reviewr"); }) == "no role 'reviewr' in team alpha; did you mean reviewer?");
  CHECK(message_of([&] { check_role(team, "x"); }) == "no role 'x' in team alpha; there is lead, reviewer");
}

}  // namespace

int main() {
  from_files();
  numbers();
  smallest_definition();
  all_keys();
  empty_values();
  durations();
  refusals();
  unknown_keys();
  unknown_roles();
  return test::report();
}
