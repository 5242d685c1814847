// Quotas and budgets: the ledger, the names of quotas, amounts, and the guard against loops.
#include "libteam/record/quota.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libteam/agent/model/loop_guard.h"
#include "libteam/record/budget.h"
#include "libteam/record/model_choice.h"
#include "libteam/record/settings.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;

namespace {

constexpr double kNow = 1'000'000;

void back_off() {
  Quotas quotas;
  double now = kNow;
  bool is_news = true;
  for (const double minutes : {1.0, 2.0, 4.0, 8.0, 15.0, 15.0}) {
    CHECK(quotas.enter("claude", {"full", {}}, "bob", now) == is_news);
    is_news = false;
    CHECK(quotas.find("claude")->until == now + 60 * minutes);
    // Another member reports the same limit: nothing changes.
    CHECK(!quotas.enter("claude", {"full", {}}, "ann", now + 1) && quotas.find("claude")->until == now + 60 * minutes);
    CHECK(quotas.find("claude")->by == "bob");
    now = quotas.find("claude")->until;
    CHECK(!is_in_force(*quotas.find("claude"), now));
  }
  CHECK(quotas.remove("claude") && !quotas.remove("claude"));
  CHECK(quotas.enter("claude", {"full", {}}, "bob", now) && quotas.find("claude")->until == now + 60);
}

void reset_times() {
  Quotas quotas;
  CHECK(quotas.enter("claude", {"full", {}}, "bob", kNow));
  CHECK(!quotas.enter("claude", {"resets later", kNow + 5000}, "ann", kNow + 1));
  CHECK(quotas.find("claude")->until == kNow + 5000 && quotas.find("claude")->by == "ann");
  CHECK(!quotas.enter("claude", {"resets soon", kNow + 10}, "ann", kNow + 2));
  CHECK(quotas.find("claude")->until == kNow + 5000 && quotas.all.size() == 1);
  CHECK(quotas.enter("codex", {"full", kNow + 10}, "eve", kNow) && quotas.all.size() == 2);
  CHECK(quotas.enter_budget("budget.usd", "spent", "eve", kNow) &&
        !quotas.enter_budget("budget.usd", "x", "ann", kNow));
  CHECK(is_in_force(*quotas.find("budget.usd"), 1e12) && is_budget("budget.usd") && is_budget("limits.usd of bob"));
  CHECK(!is_budget("claude"));
}

void ledger_text() {
  Quotas quotas;
  quotas.enter("claude", {"a \"reason\"", kNow + 10}, "bob", kNow);
  quotas.enter_budget("budget.usd", "spent", "eve", kNow);
  const std::string text = to_file(quotas);
  CHECK(to_file(parse_quotas(text, "quotas.jsonl")) == text);
  CHECK(parse_quotas("", "q").all.empty() && parse_quotas("\n\n", "q").all.empty());
  CHECK(parse_quotas(R"({"quota":"x"})", "q").all[0].until == 0);
  for (const char* wrong :
       {"{", "[]", "5", "{}", R"({"quota":""})", R"({"quota":1})", R"({"quota":"x","until":"y"})"}) {
    CHECK(fails_with(Code::corrupt, [&] { parse_quotas(wrong, "q"); }));
  }
}

void programs() {
  CHECK(program_of("claude -p") == "claude" && program_of("/usr/bin/codex exec -") == "codex");
  CHECK(program_of("  FOO=1 BAR='x' gemini") == "gemini" && program_of("cd src && claude -p") == "claude");
  CHECK(program_of("env A=1 timeout 5 opencode run") == "opencode" && program_of("exec nice -n 5 claude") == "claude");
  CHECK(program_of("cd a; cd b && X=1 claude | tee log") == "claude");
  CHECK(program_of("") == "" && program_of("FOO=1") == "FOO=1");
  ModelChoice choice;
  choice.model = "claude-x";
  CHECK(quota_of(choice) == "anthropic");
  choice.base_url = "http://127.0.0.1:8080/v1";
  CHECK(quota_of(choice) == "anthropic@127.0.0.1:8080");
}

void amounts() {
  CHECK(parse_budget("100000").tokens == 100000 && parse_budget("100k tokens").tokens == 100000);
  CHECK(parse_budget("1.5M tokens").tokens == 1500000 && parse_budget("2k").tokens == 2000);
  CHECK(parse_budget("2 USD").usd == 2 && parse_budget("$0.5").usd == 0.5 && parse_budget("3usd").usd == 3);
  CHECK(parse_budget("1h").seconds == 3600 && parse_budget("90s").seconds == 90 && parse_budget("5m").seconds == 300);
  for (const char* wrong : {"", "0", "-1", "x", "2 EUR", "0 USD", "$", "tokens", "0h", "1.5", "9999999999999999 USD"}) {
    CHECK(fails_with(Code::usage, [&] { parse_budget(wrong); }));
  }
}

void budgets() {
  Team team;
  CHECK(budget_of(team).is_unlimited());
  set_budget(team, parse_budget("0.00001 USD"));
  CHECK(budget_of(team).usd == 0.00001);
  set_budget(team, parse_budget("2 USD"));
  set_budget(team, parse_budget("1000"));
  const Budget budget = budget_of(team);
  CHECK(budget.usd == 2 && budget.tokens == 1000 && !budget.seconds);
  Spending spent;
  CHECK(!find_end(budget, spent));
  spent.usage = {999, 0, 0, 0};
  CHECK(!find_end(budget, spent));
  spent.usage.output = 1;
  CHECK(find_end(budget, spent)->name == "tokens");
  CHECK(find_end(budget, spent)->reason == "the budget of 1000 tokens is used up (1000)");
  spent.usage = {};
  spent.usd = 2.5;
  CHECK(find_end(budget, spent)->reason == "the budget of 2 USD is used up (2.5000)");
  spent.seconds = 60;
  CHECK(find_end({.tokens = {}, .usd = {}, .seconds = 60}, spent)->name == "time");
}

void repeated_calls() {
  using Verdict = LoopGuard::Verdict;
  LoopGuard guard(0, ".");
  for (int i = 1; i <= 8; ++i) {
    const Verdict expected = i == 5 ? Verdict::warn : i == 8 ? Verdict::stop : Verdict::fine;
    CHECK(guard.add_call("bash", "{}", "same") == expected && guard.end_turn() == Verdict::fine);
  }
  CHECK(guard.reason() == "the same call of bash 8 times in a row");
  CHECK(guard.add_call("bash", "{}", "other") == Verdict::fine);
  for (int i = 0; i < 20; ++i) CHECK(guard.add_call("bash", i % 2 == 0 ? "{}" : "[]", "same") == Verdict::fine);
}

void still_turns() {
  using Verdict = LoopGuard::Verdict;
  const std::string folder = std::filesystem::temp_directory_path() / ("limits-guard-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  LoopGuard guard(3, folder);
  const auto turns = [&](int count) {
    Verdict last = Verdict::fine;
    for (int i = 0; i < count; ++i) last = guard.end_turn();
    return last;
  };
  CHECK(turns(2) == Verdict::fine);
  std::ofstream(folder + "/file") << "new";
  CHECK(turns(1) == Verdict::fine);  // a command wrote a file
  CHECK(turns(2) == Verdict::fine && turns(1) == Verdict::warn && turns(2) == Verdict::fine);
  CHECK(turns(1) == Verdict::stop);
  CHECK(guard.reason() == "6 turns without a change of the board, the mail or a file");
  guard.note_change();
  CHECK(turns(2) == Verdict::fine && is_changing("edit_file") && !is_changing("read_file"));
  std::filesystem::remove_all(folder);
}

}  // namespace

int main() {
  back_off();
  reset_times();
  ledger_text();
  programs();
  amounts();
  budgets();
  repeated_calls();
  still_turns();
  return test::report();
}
