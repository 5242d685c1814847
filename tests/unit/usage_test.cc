// Tokens: as text, in sums, in dollars.
#include "libteam/record/usage.h"

#include <cmath>

#include "libteam/record/prices.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;

namespace {

bool equal(const Usage& one, const Usage& other) { return to_json_text(one) == to_json_text(other); }

void texts() {
  CHECK(to_json_text({1, 2, 3, 4}) == R"({"input":1,"output":2,"cache_read":3,"cache_written":4})");
  CHECK(equal(parse_usage(to_json_text({1, 2, 3, 4})), {1, 2, 3, 4}));
  CHECK(equal(parse_usage(R"({"output":2,"calls":9})"), {0, 2, 0, 0}));
  CHECK(equal(parse_usage(R"({"input":-1,"output":"2","cache_read":1.5,"cache_written":null})"), {}));
  CHECK(
      equal(parse_usage(R"({"input":1000000000000000,"output":1000000000000001})"), {1'000'000'000'000'000, 0, 0, 0}));
  CHECK(equal(parse_usage(R"({"input":18446744073709551615,"output":3})"), {0, 3, 0, 0}));
  for (const char* other : {"{}", "", "{", "[1,2]", "7", "null"}) CHECK(equal(parse_usage(other), {}));
}

void sums() {
  Usage sum{1, 2, 3, 4};
  sum += {10, 20, 30, 40};
  CHECK(equal(sum, {11, 22, 33, 44}));
  CHECK(total(sum) == 110);
  CHECK(total({}) == 0);
}

void counts() {
  CHECK(describe_count(0) == "0");
  CHECK(describe_count(950) == "950");
  CHECK(describe_count(999) == "999");
  CHECK(describe_count(1000) == "1.00k");
  CHECK(describe_count(1059) == "1.05k");
  CHECK(describe_count(12'345) == "12.3k");
  CHECK(describe_count(999'999) == "999k");
  CHECK(describe_count(1'000'000) == "1.00M");
  CHECK(describe_count(4'567'890) == "4.56M");
  CHECK(describe_count(999'999'999) == "999M");
  CHECK(describe_count(1'000'000'000) == "1.00G");
  CHECK(describe_count(7'000'000'000'000) == "7000G");
}

bool costs(double dollars, const Usage& usage, std::string_view model, std::string_view overrides = "{}") {
  const auto cost = cost_of(usage, model, overrides);
  return cost && std::abs(*cost - dollars) < 1e-9;
}

void known_prices() {
  const Usage million{1'000'000, 0, 0, 0};
  CHECK(costs(15, million, "claude-opus-4-20250514"));
  CHECK(costs(15, million, "claude-opus-4-0"));
  CHECK(costs(15, million, "claude-opus-4-1-20250805"));
  CHECK(costs(5, million, "claude-opus-4-5"));
  CHECK(costs(3, million, "claude-sonnet-4-5"));
  CHECK(costs(3, million, "claude-3-7-sonnet-latest"));
  CHECK(costs(1, million, "claude-haiku-4-5-20251001"));
  CHECK(costs(0.8, million, "claude-3-5-haiku-20241022"));
  CHECK(costs(2.5, million, "gpt-4o-2024-08-06"));
  CHECK(costs(0.15, million, "gpt-4o-mini"));
  CHECK(costs(2, million, "gpt-4.1"));
  CHECK(costs(0.4, million, "gpt-4.1-mini"));
  CHECK(costs(1.25, million, "gpt-5"));
  CHECK(costs(0.25, million, "gpt-5-mini-2025-08-07"));
  CHECK(costs(5 + 25 * 2 + 0.5 * 3 + 6.25 * 4, {1'000'000, 2'000'000, 3'000'000, 4'000'000}, "claude-opus-4-6"));
  CHECK(costs(0, {}, "gpt-5"));
  CHECK(!cost_of(million, "gpt-3", "{}"));
  CHECK(!cost_of(million, "my-claude-opus-4", "{}"));
  CHECK(!cost_of(million, "", "{}"));
}

void own_prices() {
  const Usage each{1'000'000, 1'000'000, 1'000'000, 1'000'000};
  CHECK(costs(10, each, "local-llama", R"({"local":[1,2,3,4]})"));
  CHECK(costs(1 + 2 + 3 + 1, each, "local-llama", R"({"local":[1,2,3]})"));
  CHECK(costs(1 + 2 + 1 + 1, each, "local-llama", R"({"local":[1,2]})"));
  CHECK(costs(0, each, "local-llama", R"({"local":[0,0]})"));
  CHECK(costs(7.5, each, "local-llama", R"({"local":[1,1],"local-l":[1.5,3],"local-llama-2":[9,9]})"));
  // Even a shorter prefix of the user wins over the built-in table, which serves all other models.
  CHECK(costs(4, each, "claude-opus-4-1", R"({"claude":[1,1]})"));
  CHECK(costs(36.75, each, "claude-opus-4-5", R"({"claude-opus-4-1":[1,1]})"));
  CHECK(costs(4, each, "whatever", R"({"":[1,1]})"));
}

void tables() {
  CHECK(tidy_prices(" {\n} ") == "{}");
  CHECK(tidy_prices(R"({"b": [1, 2.5], "a": [0, 1, 2, 3]})") == R"({"b":[1,2.5],"a":[0,1,2,3]})");
  for (const char* wrong : {"", "x", "[]", "7", R"({"a":1})", R"({"a":[1]})", R"({"a":[1,2,3,4,5]})", R"({"a":[1,-2]})",
                            R"({"a":[1,"2"]})", R"({"a":[1,null]})", R"({"a":[1,2],"a":[1,2]})"}) {
    CHECK(!tidy_prices(wrong));
    CHECK(fails_with(Code::corrupt, [&] { cost_of({}, "gpt-5", wrong); }));
  }
}

}  // namespace

int main() {
  texts();
  sums();
  counts();
  known_prices();
  own_prices();
  tables();
  return test::report();
}
