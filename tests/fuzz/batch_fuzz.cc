// Requests of team-batch: whatever the lines are, each gets exactly one answer of one line, which repeats its id and is
// no internal error. The store is in memory.
//
// The input is lines of requests. Requests that wait are left out.

#include <nlohmann/json.hpp>

#include "libteam/base/json_rpc.h"
#include "libteam/record/team.h"
#include "libteam/serve/batch/runner.h"
#include "libteam/store/memory/memory_engine.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

namespace {

Team make_team() {
  Team team;
  team.name = "alpha";
  team.members = {{"lead", {}, 1}, {"ann", "coder", 1}, {"bob", {}, 1}};
  return team;
}

// The id of a request as the answer must repeat it; null if the line is no object.
Json id_of(const std::string& line) {
  try {
    const Json request = parse_json(line, "line");
    if (request.is_object() && request.contains("id")) return request["id"];
  } catch (const Error&) {
  }
  return nullptr;
}

void check_answer(const std::string& answer, const std::string& line) {
  REQUIRE(answer.ends_with('\n') && answer.find('\n') == answer.size() - 1);
  const Json json = Json::parse(answer);
  REQUIRE(json.is_object() && json.size() >= 3);
  REQUIRE(json["id"] == id_of(line));
  if (json["status"] == "ok") {
    REQUIRE(json.contains("result"));
    return;
  }
  REQUIRE(json["status"] == "error");
  REQUIRE(json["code"] != "unknown" && json["code"] != "io" && !json["error"].get<std::string>().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  MemoryEngine engine;
  engine.create(make_team(), [](const Error&) {});
  SessionPool pool(engine, {.team = {}, .as = {}, .member = {}, .run = {}});
  std::string answers;
  const BatchRunner::Write write = [&](std::string_view line) {
    answers += line;
    return true;
  };
  BatchRunner batch(pool, write);
  LineSplitter lines(kLongestBatchLine);
  lines.add(fuzz::text_of(bytes, size));
  lines.add("\n");
  while (const auto line = lines.next()) {
    if (line->text.find("wait") != line->text.npos || line->text.find("stop") != line->text.npos) continue;
    answers.clear();
    REQUIRE(batch.run(line->text));
    check_answer(answers, line->text);
  }
  return 0;
}
