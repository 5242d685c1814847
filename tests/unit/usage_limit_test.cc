// Usage limits in the output of programs: the texts, the reset times with time zones, the most useful line.
#include "libteam/record/usage_limit.h"

#include <cmath>
#include <set>
#include <utility>

#include "libteam/base/time_zone.h"
#include "libteam/record/reset_time.h"
#include "tests/unit/check.h"

using namespace team;

namespace {

constexpr double kNow = 1'795'014'896;  // Wed 2026-11-18 15:14:56 UTC

std::optional<UsageLimit> failed(std::string_view out, std::string_view err = "") {
  return find_usage_limit(1, out, err, {}, kNow);
}

// Each known text, as its program prints it. Together they use every line of the table.
void known_texts() {
  const std::pair<const char*, const char*> kPrinted[] = {
      {"claude ai usage limit reached", "Claude AI usage limit reached|1795020000"},
      {"claude usage limit reached", "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5)."},
      {"you've hit your limit", "You've hit your limit · resets 3:30am (Asia/Calcutta)"},
      {"you've hit your * limit", "You’ve hit your session limit · resets 8:30pm (Asia/Tokyo)"},
      {"5-hour limit reached", "5-hour limit reached ∙ resets 3am"},
      {"session limit reached", "Session limit reached ∙ resets 5pm"},
      {"weekly limit reached", "Opus weekly limit reached ∙ resets Nov 24, 9am"},
      {"you're out of extra usage", "You're out of extra usage · resets 6pm (UTC)"},
      {"exceed your account's rate limit",
       "Error: This request would exceed your account's rate limit. Please try again later."},
      {"credit balance is too low", "Credit balance is too low"},
      {"\"rate_limit_error\"", R"(API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"x"}})"},
      {"\"overloaded_error\"", R"(API Error: 529 {"type":"error","error":{"type":"overloaded_error"}})"},
      {"you've hit your usage limit",
       "■ You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 "
       "hours 11 minutes."},
      {"usage_limit_reached", R"({"error":{"type":"usage_limit_reached","resets_in_seconds":602705}})"},
      {"the usage limit has been reached", "The usage limit has been reached"},
      {"exceeded retry limit, last status: 429", "ERROR: exceeded retry limit, last status: 429 Too Many Requests"},
      {"quota exceeded. check your plan and billing details", "Quota exceeded. Check your plan and billing details."},
      {"insufficient_quota", R"({"error":{"code":"insufficient_quota"}})"},
      {"exhausted your capacity on this model",
       "You have exhausted your capacity on this model. Your quota will reset after 21h53m56s."},
      {"exhausted your daily quota", "You have exhausted your daily quota on this model."},
      {"reached your daily * quota limit", "You have reached your daily gemini-2.5-pro quota limit."},
      {"reached your daily quota limit", "⚡ You have reached your daily quota limit."},
      {"usage limit reached for ", "Usage limit reached for gemini-3-flash-preview. Access resets at 10:57 PM GMT-3."},
      {"you exceeded your current quota",
       "You exceeded your current quota, please check your plan and billing details."},
      {"resource has been exhausted", "[API Error: Resource has been exhausted (e.g. check quota).]"},
      {"resource_exhausted", R"(    "status": "RESOURCE_EXHAUSTED")"},
      {"terminalquotaerror", "TerminalQuotaError: quota"},
      {"free usage exceeded", "Free usage exceeded, subscribe to Go\nretrying in 6h16m - attempt #1"},
      {"usagelimiterror", R"({"type":"FreeUsageLimitError","message":"x"})"},
      {"rate limit exceeded. please try again later", "AI_APICallError: Rate limit exceeded. Please try again later."},
  };
  std::set<std::string_view> unused;
  for (const LimitText& known : known_limit_texts()) unused.insert(known.text);
  for (const auto& [text, printed] : kPrinted) {
    CHECK(unused.erase(text) == 1);
    CHECK(failed("", printed).has_value());
    CHECK(failed(printed).has_value());
    CHECK(failed(std::string("first\n") + printed + "\nlast\n", "").has_value());
    if (!failed(printed)) std::fprintf(stderr, "  %s\n", printed);
  }
  CHECK(unused.empty());
}

void no_limits() {
  CHECK(!failed("", "") && !failed("all is well", "Error: no such file"));
  CHECK(!failed("", "the limit of 3 retries was reached"));
  // The work itself may be about limits.
  const auto succeeded = [](const char* out) { return find_usage_limit(0, out, "", {}, kNow).has_value(); };
  CHECK(!succeeded("I wrote the text \"You've hit your limit\" into limits.cc."));
  CHECK(!succeeded("You've hit your limit\nis the text that I added."));
  CHECK(!succeeded("") && !succeeded("done"));
  CHECK(succeeded("You've hit your limit · resets 3pm (UTC)\n"));
  CHECK(succeeded(R"x({"type":"result","is_error":true,"result":"You've hit your limit · resets 3pm (UTC)"})x"));
  CHECK(!succeeded(R"({"type":"result","is_error":false,"result":"You've hit your limit"})"));
  // gemini tells of its own retries on stderr, also if it succeeds.
  CHECK(!find_usage_limit(0, "4", "Attempt 1 failed: You have exhausted your capacity on this model.", {}, kNow));
}

void tempfail() {
  const auto limit = find_usage_limit(75, "", "the line is busy\n", {}, kNow);
  CHECK(limit && limit->reason == "the line is busy" && !limit->until);
  CHECK(find_usage_limit(75, "", "", {}, kNow)->reason == "exit status 75: try again later");
  CHECK(find_usage_limit(75, "busy; try again in 90 s\n", "", {}, kNow)->until == kNow + 90);
}

void own_texts() {
  const std::vector<std::string> more = {"No seats*left", ""};
  CHECK(find_usage_limit(1, "", "sorry: no seats are LEFT today", more, kNow).has_value());
  CHECK(!find_usage_limit(1, "", "no seats", more, kNow));
}

void reasons() {
  CHECK(failed("", "x\nYou've hit your limit · resets 3pm (UTC)\ny")->reason ==
        "You've hit your limit · resets 3pm (UTC)");
  // codex --json
  const auto codex =
      failed(R"({"type":"turn.failed","error":{"message":"You've hit your usage limit. Try again at 4:16 PM."}})"
             "\n",
             "");
  CHECK(codex && codex->reason == "You've hit your usage limit. Try again at 4:16 PM.");
  CHECK(codex && codex->until.has_value());
  CHECK(failed("Free usage exceeded, subscribe to Go\nretrying in 6h16m - attempt #1")->until ==
        kNow + 6 * 3600 + 16 * 60);
}

// Seconds from now; -1 for none.
double wait(const char* text) {
  const auto until = find_reset_time(text, kNow);
  return until ? *until - kNow : -1;
}

double at(int day, int hour, int minute) {  // of November 2026, UTC
  return (day - 18) * 86400.0 + (hour - 15) * 3600.0 + (minute - 14) * 60.0 - 56;
}

void durations() {
  CHECK(wait("try again in 2 hours 5 minutes") == 7500);
  CHECK(wait("or try again in 5 days 22 hours 11\nminutes.") == 5 * 86400 + 22 * 3600);
  CHECK(wait("Try again in 4 days, 20 hours and 9 minutes.") == 4 * 86400 + 20 * 3600 + 9 * 60);
  CHECK(wait("Your quota will reset after 21h53m56s.") == 21 * 3600 + 53 * 60 + 56);
  CHECK(std::abs(wait("Please retry in 36.5s.") - 36.5) < 1e-6);
  CHECK(std::abs(wait(R"("retryDelay": "34.25s")") - 34.25) < 1e-6);
  CHECK(wait("retry-after: 120") == 120 && wait("Retry-After: 7\r") == 7 && wait(R"("retry_after":30)") == 30);
  CHECK(wait(R"({"resets_in_seconds":602705})") == 602705);
  CHECK(wait("retry_after_ms: 1500") == 1.5);
  CHECK(wait("retrying in 20h28m - attempt #1") == 20 * 3600 + 28 * 60);
  CHECK(wait("resets in 3 days") == 3 * 86400);
}

void moments() {
  CHECK(wait("Claude AI usage limit reached|1795020000") == 1795020000 - kNow);
  CHECK(wait("limit|1795020000123") > 1795020000 - kNow);
  CHECK(wait(R"("resets_at":1795020000)") == 1795020000 - kNow);
  CHECK(wait("resets at 2026-11-18T16:00:00Z") == at(18, 16, 0));
  CHECK(wait("until 2026-11-18T17:00:00.5+01:00") == at(18, 16, 0) + 0.5);
  CHECK(wait("reset: 2026-11-19 00:00:00Z") == at(19, 0, 0));
  CHECK(wait("resets 6pm (UTC)") == at(18, 18, 0) && wait("resets 18:30 UTC") == at(18, 18, 30));
  CHECK(wait("resets 3am (UTC)") == at(19, 3, 0) && wait("resets 12am (UTC)") == at(19, 0, 0));
  CHECK(wait("resets 12:30pm (UTC)") == at(19, 12, 30));
  CHECK(wait("resets 6pm (Europe/Berlin)") == at(18, 17, 0));
  CHECK(wait("resets 8:30pm (Asia/Tokyo)") == at(19, 11, 30));
  CHECK(wait("resets 1:30am (Asia/Calcutta)") == at(18, 20, 0));
  CHECK(wait("will reset at 1pm (Etc/GMT+5)") == at(18, 18, 0));
  CHECK(wait("Access resets at 10:57 PM GMT-3.") == at(19, 1, 57));
  CHECK(wait("resets Nov 20, 4pm (Europe/Rome)") == at(20, 15, 0));
  CHECK(wait("resets Nov 27 at 4:30am (Asia/Calcutta)") == at(26, 23, 0));
  CHECK(wait("resets Nov 24 (UTC)") == at(24, 0, 0));
  CHECK(wait("resets Monday 9am (UTC)") == at(23, 9, 0));
  CHECK(wait("resets tomorrow at 9am (UTC)") == at(19, 9, 0));
  // A summer time that has not begun or ended when the text is read counts for the moment itself.
  const double march = 1'774'674'000;  // Sat 2026-03-28 05:00 UTC; Berlin changes on the 29th
  CHECK(find_reset_time("resets Mar 30, 9am (Europe/Berlin)", march) == march + 2 * 86400 + 2 * 3600);
  CHECK(find_reset_time("resets Jan 2, 9am (UTC)", 1'798'700'000) == 1'798'880'400);  // from 2026-12-31
}

void local_time() {
  ::setenv("TZ", "America/New_York", 1);
  ::tzset();
  CHECK(wait("try again at 12:16 PM.") == at(18, 17, 16));
  CHECK(wait("try again at Nov 19th, 2026 8:19 PM.") == at(20, 1, 19));
  CHECK(wait("resets 5:10pm") == at(18, 22, 10));
  ::setenv("TZ", "UTC", 1);
  ::tzset();
}

void no_moments() {
  for (const char* text :
       {"", "resets", "reset (every 5h and every week.)", "try again later", "resets at 25:00", "resets 13pm",
        "resets 3:99pm", "resets Foo 3", "reset after 0s", "resets 1", "|123", "resets 2026-13-40T00:00Z",
        "try again in 99999999 days", "resets Nov 18, 3pm (UTC)", "resets at 2020-01-01T00:00:00Z"}) {
    CHECK(wait(text) == -1);
    if (wait(text) != -1) std::fprintf(stderr, "  %s\n", text);
  }
  // A moment ago: the text is old, and no reason to wait for a day.
  CHECK(wait("resets 3pm (UTC)") == -1 && wait("resets 2pm (UTC)") == at(19, 14, 0));
  // An unknown zone is taken for the local one.
  CHECK(wait("resets 6pm (Mars/Olympus)") == at(18, 18, 0));
}

void zones() {
  CHECK(zone_offset("UTC", kNow) == 0 && zone_offset("GMT", kNow) == 0 && zone_offset("Z", kNow) == 0);
  CHECK(zone_offset("UTC+5:30", kNow) == 19800 && zone_offset("-0330", kNow) == -12600);
  CHECK(!zone_offset("../../etc/passwd", kNow) && !zone_offset("/etc/passwd", kNow) && !zone_offset("Europe", kNow));
  CHECK(!zone_offset("Nowhere/Land", kNow) && !zone_offset("+99", kNow));
  const char* berlin = "CET-1CEST,M3.5.0,M10.5.0/3";
  CHECK(offset_by_rule(berlin, kNow) == 3600 && offset_by_rule(berlin, 1'782'864'000) == 7200);
  CHECK(offset_by_rule(berlin, 1'774'745'999) == 3600 && offset_by_rule(berlin, 1'774'746'000) == 7200);
  CHECK(offset_by_rule(berlin, 1'792'889'999) == 7200 && offset_by_rule(berlin, 1'792'890'000) == 3600);
  const char* sydney = "AEST-10AEDT,M10.1.0,M4.1.0/3";
  CHECK(offset_by_rule(sydney, kNow) == 39600 && offset_by_rule(sydney, 1'782'864'000) == 36000);
  CHECK(offset_by_rule("<+0530>-5:30", kNow) == 19800 && offset_by_rule("EST5", kNow) == -18000);
  CHECK(offset_by_rule("XXX3YYY,J60/2,300/2", kNow) == -10800);
  for (const char* wrong : {"", "CET", "C-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                            "CET-1CEST,M3.5.0,M10.5.0/3 ", "<CET-1", "CET-99"}) {
    CHECK(!offset_by_rule(wrong, kNow));
  }
}

void useful_lines() {
  CHECK(most_useful_line("", "") == "" && most_useful_line("a\nb\n", "") == "b");
  CHECK(most_useful_line("Error: of stdout\n", "no abacus\n") == "no abacus");
  CHECK(most_useful_line("API Error: 400 bad\n", "\n  \n") == "API Error: 400 bad");
  // gemini
  CHECK(
      most_useful_line("", "Error when talking to Gemini API\nAn unexpected critical error occurred:[object Object]") ==
      "Error when talking to Gemini API");
  CHECK(most_useful_line("the answer", "[object Object]\n") == "the answer");
  CHECK(most_useful_line("", "Error: Cannot find module 'x'\n    at Module.load (node:1)\n}\nNode.js v22.1.0\n") ==
        "Error: Cannot find module 'x'");
  CHECK(most_useful_line("", "Traceback:\n  File \"x\"\nValueError: bad\n") == "ValueError: bad");
  CHECK(most_useful_line("", "x.c:1: error: expected ';'\n1 error generated.\nmake: *** [x] Error 1\n") ==
        "x.c:1: error: expected ';'");
  CHECK(most_useful_line(R"({"type":"result","is_error":true,"result":"API Error: 500"})", "") == "API Error: 500");
  CHECK(most_useful_line("{\n \"error\": {\n  \"message\": \"no key\"\n }\n}\n", "") == "no key");
  CHECK(most_useful_line(R"({"type":"error","error":{"name":"APIError","data":{"message":"bad model"}}})", "") ==
        "bad model");
  CHECK(most_useful_line("", std::string(500, 'x')).size() < 210);
}

}  // namespace

int main() {
  ::setenv("TZ", "UTC", 1);
  known_texts();
  no_limits();
  tempfail();
  own_texts();
  reasons();
  durations();
  moments();
  local_time();
  no_moments();
  zones();
  useful_lines();
  return test::report();
}
