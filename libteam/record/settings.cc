#include "libteam/record/settings.h"

#include <algorithm>
#include <charconv>

#include "libteam/base/error.h"
#include "libteam/base/json_text.h"
#include "libteam/base/number.h"
#include "libteam/base/spelling.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/time_text.h"
#include "libteam/base/utf8.h"
#include "libteam/record/json_fields.h"
#include "libteam/record/prices.h"
#include "libteam/record/usage_limit.h"

namespace team {

namespace {

constexpr std::string_view kCount = "a whole number";
constexpr std::string_view kDuration = "seconds (2, 0.5, 500ms, 3m, 1h)";
constexpr std::string_view kSwitch = "true or false";
constexpr std::string_view kDollars = "US dollars (2, 0.5)";
constexpr std::string_view kText = "a text";
constexpr std::string_view kTexts = R"(JSON, ["text", ...]; * stands for any characters)";
constexpr std::string_view kPrices = R"(JSON, {"model": [input, output, cache_read, cache_written]})";

std::optional<double> parse_dollars(std::string_view text) {
  double dollars = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dollars, std::chars_format::fixed);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && dollars >= 0 && dollars < 1e9 ? std::optional(dollars) : std::nullopt;
}

const SettingRule& rule_of(std::string_view key) {
  for (const SettingRule& rule : setting_rules()) {
    if (rule.key == key) return rule;
  }
  std::vector<std::string> known;
  for (const SettingRule& rule : setting_rules()) known.emplace_back(rule.key);
  fail(Code::not_found, "no setting '{}'{}", one_line(key), did_you_mean(key, known));
}

// The JSON text of a value. Throws usage if the rule does not allow the value.
std::string encode(const SettingRule& rule, std::string_view value) {
  const auto refuse = [&]() { fail(Code::usage, "{} takes {}, not '{}'", rule.key, rule.values, one_line(value)); };
  if (rule.values == kCount) {
    if (!parse_integer(value)) refuse();
    return std::string(value);
  }
  if (rule.values == kDuration) {
    const auto seconds = parse_seconds(value);
    if (!seconds) refuse();
    return fmt::format("{}", *seconds);
  }
  if (rule.values == kSwitch) {
    if (value != "true" && value != "false") refuse();
    return std::string(value);
  }
  if (rule.values == kDollars) {
    const auto dollars = parse_dollars(value);
    if (!dollars) refuse();
    return fmt::format("{}", *dollars);
  }
  if (rule.values == kText) {
    std::string text;
    append_quoted(text, repair_utf8(std::string(value)));
    return text;
  }
  if (rule.values == kTexts) {
    const auto texts = tidy_texts(value);
    if (!texts) refuse();
    return *texts;
  }
  if (rule.values == kPrices) {
    const auto prices = tidy_prices(value);
    if (!prices) refuse();
    return *prices;
  }
  const auto choices = split(rule.values, '|');
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) refuse();
  return fmt::format("\"{}\"", value);
}

std::string_view stored(const Team& team, const SettingRule& rule) {
  for (const Setting& setting : team.settings) {
    if (setting.key == rule.key) return setting.value;
  }
  return rule.fallback;
}

}  // namespace

const std::vector<SettingRule>& setting_rules() {
  static const std::vector<SettingRule> rules = {
      {"tasks.perMember", "1", kCount},
      {"tasks.max", "0", kCount},
      {"tasks.lease", "0", kDuration},
      {"tasks.backoff", "1", kDuration},  // before the second attempt; doubles up to a minute
      {"exchange.limit", "5", kCount},
      {"digest.enabled", "true", kSwitch},
      {"digest.messages", "10", kCount},
      {"digest.width", "200", kCount},
      {"digest.total", "4000", kCount},
      {"rotation.enabled", "true", kSwitch},
      {"idle.notify", "false", kSwitch},
      {"idle.poll", "2", kDuration},
      {"budget.tokens", "0", kCount},  // of the whole team, in all runs; 0: no limit
      {"budget.usd", "0", kDollars},
      {"budget.time", "0", kDuration},  // of work, added up over members
      {"limits.texts", "[]", kTexts},   // further texts of usage limits
      {"model.concurrency", "4", kCount},
      {"model.silence", "300", kDuration},  // longest time without a byte of the answer
      {"model.answer", "1800", kDuration},  // longest time for a whole answer
      {"model.tries", "8", kCount},         // per call
      {"model.prices", "{}", kPrices},      // dollars per million tokens
      {"tasks.check", "\"\"", kText},       // of tasks that have no check of their own
      {"tasks.checkTime", "1800", kDuration},
      {"tasks.checkClean", "false", kSwitch},
      {"git.trees", "false", kSwitch},          // every teammate works in a tree
      {"git.treesDir", "\"\"", kText},          // where the trees are; empty: beside the root
      {"git.base", "\"\"", kText},              // where a new line starts; empty: HEAD
      {"git.largestFile", "52428800", kCount},  // bytes, in a snapshot; 0: no limit
      {"teammates.max", "10", kCount},
      {"teammates.createTeams", "false", kSwitch},
      {"teammate.mode", "\"auto\"", "auto|background|tmux"},
      {"hooks.timeout", "30", kDuration},  // 0: no limit
      {"durability", "\"power\"", "power|process"},
  };
  return rules;
}

std::string setting(const Team& team, std::string_view key) {
  std::string_view value = stored(team, rule_of(key));
  if (value.starts_with('"') && value.find('\\') != std::string_view::npos) {
    const std::string object = fmt::format(R"({{"value":{}}})", value);
    return Fields(object, key).text("value").value_or("");
  }
  if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return std::string(value);
}

double number_setting(const Team& team, std::string_view key) {
  const std::string text = setting(team, key);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) fail(Code::corrupt, "setting {} of team {} is '{}', not a number", key, team.name, text);
  return value;
}

bool switch_setting(const Team& team, std::string_view key) { return setting(team, key) == "true"; }

void set_setting(Team& team, std::string_view key, std::string_view value) {
  const std::string encoded = encode(rule_of(key), value);
  for (Setting& setting : team.settings) {
    if (setting.key == key) {
      setting.value = encoded;
      return;
    }
  }
  team.settings.push_back({std::string(key), encoded});
}

void unset_setting(Team& team, std::string_view key) {
  rule_of(key);
  std::erase_if(team.settings, [&](const Setting& setting) { return setting.key == key; });
}

}  // namespace team
