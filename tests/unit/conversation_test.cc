// The turns of a conversation: written as lines and parsed again.
#include "libteam/agent/model/conversation.h"

#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

Turn model_turn() {
  Part text;
  text.text = "I look.\n\"quoted\" \\ ü";
  Part call;
  call.kind = Part::Kind::tool_call;
  call.id = "toolu_1";
  call.name = "bash";
  call.arguments = "{\"command\": \"ls";
  return {Turn::Role::model, {text, call}};
}

Turn user_turn() {
  Part result;
  result.kind = Part::Kind::tool_result;
  result.id = "toolu_1";
  result.name = "bash";
  result.text = "no";
  result.is_error = true;
  return {Turn::Role::user, {result}};
}

void round_trips() {
  const std::string line = to_line(model_turn());
  CHECK(line.find('\n') == std::string::npos);
  CHECK(to_line(parse_turn(line, "t:1")) == line);
  const Turn turn = parse_turn(line, "t:1");
  CHECK(turn.role == Turn::Role::model && turn.parts.size() == 2);
  CHECK(turn.parts[0].text == model_turn().parts[0].text);
  CHECK(turn.parts[1].arguments == "{\"command\": \"ls");
  const Turn result = parse_turn(to_line(user_turn()), "t:2");
  CHECK(result.role == Turn::Role::user && result.parts[0].is_error && result.parts[0].text == "no");
  CHECK(result.parts[0].id == "toolu_1" && result.parts[0].name == "bash");
  CHECK(parse_turn(to_line({Turn::Role::user, {}}), "t").parts.empty());
}

void difficult_texts() {
  Turn turn = user_turn();
  turn.parts[0].text = std::string("a\xFF") + '\0' + "b";
  const std::string line = to_line(turn);
  CHECK(to_line(parse_turn(line, "t")) == line);
  turn.parts[0].text = std::string(10'000'000, 'x');
  CHECK(parse_turn(to_line(turn), "t").parts[0].text.size() == 10'000'000);
}

void refusals() {
  const auto refuses = [](std::string_view line) {
    return fails_with(Code::corrupt, [&] { parse_turn(line, "t:7"); });
  };
  CHECK(refuses(""));
  CHECK(refuses("[]"));
  CHECK(refuses("{}"));
  CHECK(refuses("{\"role\":\"user\"}"));
  CHECK(refuses("{\"role\":\"lead\",\"parts\":[]}"));
  CHECK(refuses("{\"role\":\"user\",\"parts\":[1]}"));
  CHECK(refuses("{\"role\":\"user\",\"parts\":[{\"type\":\"text\"}]}"));
  CHECK(refuses("{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":1}]}"));
  CHECK(refuses("{\"role\":\"user\",\"parts\":[{\"type\":\"image\",\"text\":\"\"}]}"));
  CHECK(refuses("{\"role\":\"model\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"bash\"}]}"));
  CHECK(refuses("{\"role\":\"user\",\"parts\":[{\"type\":\"tool_result\",\"name\":\"bash\",\"text\":\"\"}]}"));
  CHECK(message_of([] { parse_turn("{\"role\":\"user\",\"parts\"", "t:7"); }).starts_with("t:7:1:"));
}

void sums() {
  Usage sum{1, 2, 3, 4};
  sum += {10, 20, 30, 40};
  CHECK(sum.input == 11 && sum.output == 22 && sum.cache_read == 33 && sum.cache_written == 44);
}

}  // namespace

int main() {
  round_trips();
  difficult_texts();
  refusals();
  sums();
  return test::report();
}
