// Refused JSON, and the position in the message.
#include "libteam/base/json.h"

#include <nlohmann/json.hpp>

#include "libteam/base/json_text.h"
#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

std::string refusal(std::string_view text) {
  return message_of([&] { parse_json(text, "f.json"); });
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

void limits() {
  CHECK(parse_json(nested(64), "f").is_array());
  CHECK(fails_with(Code::corrupt, [] { parse_json(nested(65), "f"); }));
  CHECK(fails_with(Code::corrupt, [] { parse_json(nested(100000), "f"); }));
  CHECK(fails_with(Code::corrupt, [] { parse_json("[1, 2, 3]", "f", {.bytes = 8}); }));
  CHECK(refusal("{\"a\": 1, \"a\": 2}").find("duplicate key \"a\"") != std::string::npos);
  std::string large = "{";
  for (int i = 0; i < 200; ++i) large += fmt::format("\"k{}\": {}, ", i, i);
  CHECK(parse_json(large + "\"last\": 0}", "f").size() == 201);
  CHECK(fails_with(Code::corrupt, [&] { parse_json(large + "\"k7\": 0}", "f"); }));
  CHECK(refusal(R"("\ud800\ue000")").find("half of a character") != std::string::npos);
  CHECK(refusal("{\"id\": 18446744073709551616}").find("out of range") != std::string::npos);
  CHECK(parse_json("18446744073709551615", "f") == UINT64_MAX);
  CHECK(fails_with(Code::corrupt, [] { parse_json("-9223372036854775809", "f"); }));
}

void places() {
  CHECK(refusal("{\n  \"a\": 1,\n  b\n}").starts_with("f.json:3:3: "));
  CHECK(refusal("").starts_with("f.json:1:1: "));
  CHECK(refusal("{} x").starts_with("f.json:1:4: "));
  CHECK(refusal("{\"a\": 1,\n \"a\": 2}") == "f.json:2:2: duplicate key \"a\"");
  // The same key can follow in a nested object.
  CHECK(refusal("{\"a\": 1,\n \"a\": 2,\n \"b\": {\"a\": 3}}") == "f.json:2:2: duplicate key \"a\"");
  CHECK(refusal("[18446744073709551616,\n18446744073709551616]") ==
        "f.json:1:2: number 18446744073709551616 is out of range");
  CHECK(refusal("[64,\n" + std::string(64, '[') + "64") == "f.json:2:64: deeper than 64 levels");
  CHECK(refusal(R"({"a": 1, "\u0061": 2})") == "f.json:1:10: duplicate key \"a\"");
  CHECK(refusal("{\n\"id\": 18446744073709551616}").starts_with("f.json:2:7: "));
  CHECK(locate_key("{\n  \"status\": 1\n}", "status", "f.json") == "f.json:2:3");
  CHECK(locate_key("{}", "status", "f.json") == "f.json");
}

void round_trips() {
  CHECK(dump_line(parse_json("{\"z\": 1, \"a\": [true, null, 1.5, \"ü\"]}", "f")) ==
        "{\"z\":1,\"a\":[true,null,1.5,\"ü\"]}");
  CHECK(dump_line(parse_json("\"a\xFF\"", "f")) == "\"a\xEF\xBF\xBD\"");
  CHECK(dump_line(parse_json("1709234567.89", "f")) == "1709234567.89");
  CHECK(dump_line(parse_json("[15E-1,15e-1]", "f")) == "[1.5,1.5]");
  // JsonText writes the same text without a document.
  JsonText text;
  text.add("a", std::numeric_limits<double>::quiet_NaN());
  text.add("b", std::numeric_limits<double>::infinity());
  text.add("c", 0.5);
  CHECK(text.take() == R"({"a":null,"b":null,"c":0.5})");
  CHECK(JsonText(JsonText::Layout::indented).take() == dump_indented(Json::object()));
}

}  // namespace

int main() {
  limits();
  places();
  round_trips();
  return test::report();
}
