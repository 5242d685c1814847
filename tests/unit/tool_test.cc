// Whatever a model sends, a call returns a result and never throws.
#include "libteam/agent/tools/tool.h"

#include <stdexcept>

#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "id": {"type": "integer", "minimum": 1},
    "text": {"type": "string"},
    "share": {"type": "number"},
    "sure": {"type": "boolean"},
    "status": {"type": "string", "enum": ["open", "done"]},
    "ids": {"type": "array", "items": {"type": "integer"}},
    "more": {"type": "object", "properties": {"deep": {"type": "string"}}, "required": ["deep"]}
  },
  "required": ["id", "text"]
})";

std::string show(const Arguments& arguments) {
  std::string ids;
  for (const auto id : arguments.integers("ids")) ids += fmt::format(",{}", id);
  return fmt::format("{} {} {} {} {} {}{}", arguments.find_integer("id").value_or(-1), arguments.text("text"),
                     arguments.find_number("share").value_or(-1), arguments.flag("sure"), arguments.text("status"),
                     arguments.find_flag("sure").has_value(), ids);
}

Toolbox toolbox() {
  Toolbox tools;
  tools.add({"TaskUpdate", "", kSchema}, [](const Arguments& arguments, int) {
    return ToolResult{show(arguments), false};
  });
  tools.add({"refuse", "", R"({"type":"object"})"},
            [](const Arguments&, int) -> ToolResult { fail(Code::conflict, "task 3 is owned by backend"); });
  tools.add({"break", "", R"({"type":"object"})"},
            [](const Arguments&, int) -> ToolResult { throw std::runtime_error("broken \xFF"); });
  tools.add({"bytes", "", R"({"type":"object"})"}, [](const Arguments&, int) {
    return ToolResult{std::string("a\0\xC3(\xFF", 5), false};
  });
  return tools;
}

std::string answer(std::string_view arguments) {
  const ToolResult result = toolbox().call("TaskUpdate", arguments, -1);
  return (result.is_error ? "error: " : "") + result.text;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

void arguments_that_fit() {
  CHECK(answer(R"({"id":3,"text":"x"})") == "3 x -1 false  false");
  CHECK(answer(R"({"id":"3","text":"x","share":0.5,"sure":true,"status":"done","ids":[1,"2",3.0]})") ==
        "3 x 0.5 true done true,1,2,3");
  CHECK(answer(R"({"id":3.0,"text":"x","share":2})") == "3 x 2 false  false");
  CHECK(answer(R"({"id":3,"text":"x","surprise":[1],"share":null,"ids":null})") == "3 x -1 false  false");
  CHECK(answer("{\"id\":3,\"text\":\"a\xFF\"}") == "3 a\xEF\xBF\xBD -1 false  false");
  CHECK(answer(R"({"id":3,"text":"x","more":{"deep":"y"}})") == "3 x -1 false  false");
}

void arguments_that_do_not_fit() {
  CHECK(answer(R"({"id":"abc","text":"x"})") == R"(error: TaskUpdate: 'id' must be an integer, not "abc")");
  CHECK(answer(R"({"id":3})") == "error: TaskUpdate: 'text' is missing (a string)");
  CHECK(answer(R"({"id":3,"text":null})") == "error: TaskUpdate: 'text' is missing (a string)");
  CHECK(answer("") == "error: TaskUpdate: 'id' is missing (an integer); 'text' is missing (a string)");
  CHECK(answer(" \n\t") == answer("{}"));
  CHECK(answer(R"({"id":[1],"text":7,"sure":"yes"})") ==
        "error: TaskUpdate: 'id' must be an integer, not a list; 'text' must be a string, not 7; 'sure' must be true "
        "or false, not \"yes\"");
  CHECK(answer(R"({"id":0,"text":"x"})") == "error: TaskUpdate: 'id' must be at least 1, not 0");
  CHECK(answer(R"({"id":"0","text":"x"})") == R"(error: TaskUpdate: 'id' must be at least 1, not "0")");
  CHECK(answer(R"({"id":1.5,"text":"x"})") == "error: TaskUpdate: 'id' must be an integer, not 1.5");
  CHECK(has(answer(R"({"id":18446744073709551615,"text":"x"})"), "must be an integer"));
  CHECK(has(answer(R"({"id":1e300,"text":"x"})"), "must be an integer"));
  CHECK(has(answer(R"({"id":99999999999999999999,"text":"x"})"), "out of range"));
  CHECK(answer(R"({"id":3,"text":"x","status":"finished"})") ==
        R"(error: TaskUpdate: 'status' must be one of open, done, not "finished")");
  CHECK(answer(R"({"id":3,"text":"x","ids":[1,"x"]})") == R"(error: TaskUpdate: 'ids[1]' must be an integer, not "x")");
  CHECK(answer(R"({"id":3,"text":"x","more":{}})") == "error: TaskUpdate: 'more.deep' is missing (a string)");
  CHECK(answer("[1]") == "error: TaskUpdate: the arguments must be an object, not a list");
}

void hostile_arguments() {
  CHECK(has(answer("{"), "error: TaskUpdate: the arguments:1:"));
  CHECK(has(answer(R"({"id":1,"id":2,"text":"x"})"), "duplicate key"));
  CHECK(has(answer(std::string(100000, '[')), "deeper than 64 levels"));
  CHECK(has(answer(R"({"id":1,"text":)" + std::string(100000, '{') + "}"), "error: "));
  CHECK(has(answer("{\"id\":1,\"text\":\"\\ud800\"}"), "error: "));
  CHECK(has(answer("\xFF\xFE{}"), "error: "));
  const std::string large(10 << 20, 'x');
  CHECK(answer(R"({"id":1,"text":")" + large + R"("})").size() > large.size());
  CHECK(answer(R"({"text":"x","id":")" + large + R"("})").size() < 200);
  CHECK(has(answer(std::string(std::size_t{65} << 20, ' ') + "{}"), "larger than"));
  std::string list;
  for (int i = 0; i < 100000; ++i) list += R"(,"x")";
  const std::string many = answer(R"({"id":1,"text":"x","ids":[1)" + list + "]}");
  CHECK(many.size() < 1000);
  CHECK(has(many, "; and 99995 more"));
}

void results() {
  const Toolbox tools = toolbox();
  const ToolResult refused = tools.call("refuse", "{}", -1);
  CHECK(refused.is_error);
  CHECK(refused.text == "conflict: task 3 is owned by backend");
  const ToolResult broken = tools.call("break", "", -1);
  CHECK(broken.is_error);
  CHECK(broken.text == "break: broken \xEF\xBF\xBD");
  CHECK(tools.call("bytes", "", -1).text == "a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD");
  CHECK(!tools.call("bytes", "", -1).is_error);
}

void names() {
  Toolbox tools = toolbox();
  const ToolResult near = tools.call("TaskUpdat", "{}", -1);
  CHECK(near.is_error);
  CHECK(near.text == "no tool 'TaskUpdat'; did you mean TaskUpdate?; there is TaskUpdate, refuse, break, bytes");
  CHECK(tools.call(std::string(10 << 20, '\xFF'), "{}", -1).text.size() < 1000);
  CHECK(Toolbox().call("x", "{}", -1).text == "no tool 'x'; there is none");

  tools.close({"refuse", "TaskUpdate"}, "not before the plan is approved");
  CHECK(tools.call("TaskUpdate", "{", -1).text == "not before the plan is approved");
  CHECK(tools.call("TaskUpdate", "{", -1).is_error);
  CHECK(!tools.call("bytes", "", -1).is_error);
  int asked = 0;
  tools.guard({"TaskUpdate"}, [&] { return ++asked == 1 ? std::nullopt : std::optional<std::string>("not any more"); });
  CHECK(!tools.call("TaskUpdate", R"({"id":1,"text":""})", -1).is_error);
  CHECK(tools.call("TaskUpdate", R"({"id":1,"text":""})", -1).text == "not any more");
  CHECK(!tools.call("bytes", "", -1).is_error && asked == 2);
  tools.close({}, "");
  CHECK(!tools.call("TaskUpdate", R"({"id":1,"text":""})", -1).is_error);

  CHECK(fails_with(Code::usage, [&] { tools.keep_only({"bytes", "nothing"}); }));
  CHECK(has(message_of([&] { tools.keep_only({"nothing"}); }), "there is TaskUpdate, refuse, break, bytes"));
  CHECK(tools.specs().size() == 4);
  tools.keep_only({"bytes", "TaskUpdate"});
  CHECK(tools.specs().size() == 2);
  CHECK(tools.specs()[0].name == "TaskUpdate");
  CHECK(!tools.has("refuse"));
  CHECK(tools.call("bytes", "", -1).text.starts_with("a"));
  CHECK(fails_with(Code::corrupt, [&] { tools.add({"x", "", "{"}, {}); }));
}

}  // namespace

int main() {
  arguments_that_fit();
  arguments_that_do_not_fit();
  hostile_arguments();
  results();
  names();
  return test::report();
}
