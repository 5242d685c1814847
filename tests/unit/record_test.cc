// The files of a team: valid contents, the position in error messages, and the keys that survive a rewrite.
#include <cstdlib>

#include "libteam/record/exchange.h"
#include "libteam/record/member_state.h"
#include "libteam/record/message.h"
#include "libteam/record/model_choice.h"
#include "libteam/record/prices.h"
#include "libteam/record/request.h"
#include "libteam/record/role.h"
#include "libteam/record/settings.h"
#include "libteam/record/task.h"
#include "libteam/record/team.h"
#include "libteam/record/usage.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

template <class Parse>
bool refuses(const Parse& parse, std::string_view text, std::string_view why) {
  const std::string message = message_of([&] { parse(text); });
  const bool as_expected = message.find(why) != std::string::npos && fails_with(Code::corrupt, [&] { parse(text); });
  if (!as_expected) std::fprintf(stderr, "%s: %s\n", std::string(text).c_str(), message.c_str());
  return as_expected;
}

void messages() {
  const auto parse = [](std::string_view text) { return parse_message(text, "bob", "inbox:1"); };
  CHECK(refuses(parse, R"({"sender":"ann","type":"song"})", "'type' must be a type of message"));
  CHECK(refuses(parse, R"({"sender":"../x"})", "'sender' must be a name"));
  CHECK(refuses(parse, "{}", "'sender' must be a name"));
  const Message read = parse(R"({"sender":"ann","type":"error","content":"one\ntwo","interrupt":true,"mine":[1]})");
  CHECK(read.recipient == "bob" && read.summary == "one" && read.interrupt && read.extra == "{\"mine\":[1]}");
  const std::string line = to_line(read);
  CHECK(line.find("\"interrupt\":true") != std::string::npos && line.find("\"mine\":[1]") != std::string::npos);
  CHECK(to_line(parse(line)) == line);
  const Message answer = parse(R"({"sender":"ann","reply_to":"1"})");
  CHECK((MessageFilter{.from = {}, .type = {}, .reply_to = "1", .id = {}}.fits(answer)));
  CHECK((!MessageFilter{.from = {}, .type = {}, .reply_to = "2", .id = {}}.fits(answer)));
}

void requests() {
  const auto parse = [](std::string_view text) { return parse_request(text, "r.json"); };
  CHECK(refuses(parse, R"({"kind":"dance","status":"pending"})", "'kind' must be shutdown, plan or permission"));
  CHECK(refuses(parse, R"({"kind":"plan","status":"maybe"})", "'status' must be pending, approved or rejected"));
  for (const char* status : {"pending", "approved", "rejected"}) {
    const Request read = parse(fmt::format(R"({{"id":"1","kind":"shutdown","status":"{}","mine":1}})", status));
    CHECK(name_of(read.status) == status && read.extra == "{\"mine\":1}");
    CHECK(to_file(parse(to_file(read))) == to_file(read));
  }
}

void exchanges() {
  const auto parse = [](std::string_view text) { return parse_exchanges(text, "exchange.json"); };
  CHECK(refuses(parse, "{}", "not a JSON array"));
  CHECK(refuses(parse, "[1]", "not a JSON object"));
  CHECK(refuses(parse, R"([{"between":["a"]}])", "'between' must be two names"));
  CHECK(parse(R"([{"from":"a","to":"b","count":2}])").all.empty());
  Exchanges read = parse(R"([{"between":["a","b"],"rounds":2,"since":7},{"between":["a","c"],"told":true}])");
  CHECK(!read.all[0].told && read.all[1].told && read.find("b", "a")->rounds == 2);
  CHECK(&read.between("b", "a", 9) == &read.all[0] && read.all[0].since == 7);
  CHECK(to_file(parse(to_file(read))) == to_file(read));
  CHECK(read.between("d", "b", 9).one == "b" && read.all[2].since == 9);
  CHECK(!read.forget("e") && read.forget("a") && read.all.size() == 1);
}

void rounds() {
  using Step = Exchange::Step;
  Exchange exchange{.one = "a", .other = "b"};
  CHECK(exchange.count("a") == Step::opened && exchange.count("a") == Step::repeated && exchange.rounds == 0);
  CHECK(describe(exchange) == "a and b sent 0 rounds without progress");
  CHECK(exchange.count("b") == Step::answered && exchange.rounds == 1 && exchange.opener.empty());
  CHECK(describe(exchange) == "a and b sent 1 round without progress");
  exchange.take_back("b", Step::answered);
  CHECK(exchange.rounds == 0 && exchange.opener == "a");
  exchange.take_back("b", Step::repeated);
  exchange.take_back("b", Step::opened);
  CHECK(exchange.opener == "a");
  exchange.take_back("a", Step::opened);
  CHECK(exchange.opener.empty());
  exchange.take_back("a", Step::answered);  // the count was reset meanwhile
  CHECK(exchange.rounds == 0 && exchange.opener.empty());
}

void member_states() {
  const auto parse = [](std::string_view text) { return parse_member_state(text, "bob.state"); };
  CHECK(refuses(parse, R"({"state":"dancing"})", "'state' must be spawn, active"));
  CHECK(refuses(parse, R"({"state":"idle","start":{"arguments":[1]}})", "'arguments' must be an array of strings"));
  CHECK(refuses(parse, R"({"state":"idle","usage":[]})", "'usage' must be an object"));
  const MemberState least = parse(R"({"state":"idle","start":{}})");
  CHECK(least.start.arguments.empty() && least.start.mode == "foreground" && least.usage == "{}" && least.resumable);
  CHECK(parse(R"({"state":"paused"})").start.arguments.empty());
  CHECK(is_idle(State::paused) && is_idle(State::idle) && !is_idle(State::error));
  const std::string whole =
      to_file(parse(R"({"state":"error","start":{"arguments":["-x"]},"usage":{"a":1},"mine":1})"));
  CHECK(to_file(parse(whole)) == whole);
}

void teams() {
  const auto parse = [](std::string_view text) { return parse_team(text, "alpha", "config.json"); };
  CHECK(refuses(parse, R"({"lead":"lead"})", "'name' must be a name"));
  CHECK(refuses(parse, R"({"name":"alpha","lead":"../x"})", "'lead' must be a name"));
  CHECK(refuses(parse, R"({"name":"beta","lead":"lead"})", "'name' must be 'alpha', as the folder is named"));
  for (const char* roles : {R"({"../x":{}})", R"({"coder":1})"}) {
    CHECK(refuses(parse, fmt::format(R"({{"name":"alpha","lead":"lead","roles":{}}})", roles), "'roles' must be"));
  }
  CHECK(make_role("coder", " \n", "f").definition.find("\"prompt\":\" \\n\"") != std::string::npos);
  CHECK(make_role("coder", "You code.", "f").definition == R"({"prompt":"You code."})");
  Team team = parse(R"({"name":"alpha","lead":"lead"})");
  const std::string wrong = message_of([&] { set_setting(team, "zzzzzzzz", "1"); });
  CHECK(wrong == "no setting 'zzzzzzzz'");
  CHECK(message_of([&] { set_setting(team, "tasks.mix", "1"); }).find("did you mean tasks.max") != std::string::npos);
}

void tasks() {
  const auto parse = [](std::string_view text) { return parse_task(text, 3, "3.json"); };
  for (const char* lease :
       {R"({"until":1})", R"({"boot":1,"until":1})", R"({"boot":"b"})", R"({"boot":"b","until":"x"})"}) {
    CHECK(refuses(parse, fmt::format(R"({{"subject":"x","lease":{}}})", lease), "'lease' must be {\"boot\": string"));
  }
  CHECK(refuses(parse, R"({"subject":"x","blockedBy":[16777217]})", "'blockedBy' must be an array of task ids"));
  Task ended = parse(R"({"subject":"x"})");
  CHECK(to_line(ended, {{}, {1}}).find("\"blocked\":true") != std::string::npos);
  ended.status = Status::failed;
  CHECK(to_line(ended, {{}, {1}}).find("\"blocked\":false") != std::string::npos);
  const auto draft = [](std::string_view line) { return message_of([&] { parse_draft(line, "line 3"); }); };
  CHECK(draft("{\"subject\":}").starts_with("line 3, column "));
  CHECK(draft(std::string(std::size_t{20} << 20, ' ')).starts_with("line 3: larger than"));
  CHECK(draft(R"({"subject":"x","blockedBy":1})").find("'blockedBy' must be an array") != std::string::npos);
}

void prices() {
  const Usage usage{1'000'000, 0, 0, 0};
  CHECK(cost_of(usage, "mine-1", R"({"mine":[2,3]})") == 2);
  CHECK(!cost_of(usage, "mine-1", "{}"));
  for (const char* bad : {"[]", R"({"a":[1]})", R"({"a":[1,"x"]})", R"({"a":[1,-1]})", R"({"a":[1,1e999]})", "{"}) {
    CHECK(!tidy_prices(bad));
  }
}

// Values that the role leaves open come from the environment, and then from the provider.
void model_choices() {
  ModelChoice choice;
  choice.model = "claude-x";
  CHECK(provider_of(choice) == "anthropic" && key_variable(choice) == "ANTHROPIC_API_KEY");
  CHECK(fails_with(Code::usage, [&] { check_key(choice, ""); }));
  check_key(choice, "key");
  choice.base_url = "https://localhost";
  check_key(choice, "");
  complete(choice, {});
  choice.base_url = "ftp://localhost";
  CHECK(fails_with(Code::usage, [&] { complete(choice, {}); }));
  choice.base_url.reset();
  choice.replay = "file";
  check_key(choice, "");
  CHECK(is_chosen(choice) && !is_chosen({}));
  choice.provider = "nobody";
  CHECK(fails_with(Code::usage, [&] { complete(choice, {}); }));
  for (const char* provider : {"anthropic", "openai"}) {
    choice.provider = provider;
    complete(choice, {});
    CHECK(provider_of(choice) == provider && !choice.base_url);
  }
}

}  // namespace

int main() {
  for (const char* variable :
       {"TEAM_MODEL", "TEAM_PROVIDER", "TEAM_BASE_URL", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"}) {
    ::unsetenv(variable);
  }
  messages();
  requests();
  exchanges();
  rounds();
  member_states();
  teams();
  tasks();
  prices();
  model_choices();
  return test::report();
}
