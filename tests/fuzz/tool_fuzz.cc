// Tool calls of a model: any input gives a result, and the tool changes nothing but the files that it may change.
//
// The first byte selects the tool; the rest is its arguments.

#include "libteam/agent/tools/tool.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "libteam/agent/tools/file_tools.h"
#include "tests/fuzz/fuzz.h"

using namespace team;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSchema = R"({"type": "object", "properties": {
  "text": {"type": "string"}, "count": {"type": "integer", "minimum": 1}, "share": {"type": "number"},
  "flag": {"type": "boolean"}, "ids": {"type": "array", "items": {"type": "integer"}},
  "kind": {"type": "string", "enum": ["a", "b"]}, "inner": {"type": "object", "properties": {"x": {"type": "integer"}}}},
  "required": ["text"]})";

constexpr const char* kText = "one\ntwo\nthree\ntwo and a half\n\xc3\xa4\n";

std::string base() { return fuzz::scratch() + "/base"; }

void make_tree() {
  fuzz::make_empty(base());
  for (const char* folder : {"/root/work", "/root/.tasks", "/secret"}) fs::create_directories(base() + folder);
  fuzz::put_file(base() + "/secret/key", "secret");
  fuzz::put_file(base() + "/root/.tasks/1.json", "{}");
  fuzz::put_file(base() + "/root/work/a.txt", kText);
  fs::create_symlink("../../secret", base() + "/root/work/out");
}

Toolbox make_tools() {
  Toolbox tools;
  tools.add({"check", "Checks.", kSchema}, [](const Arguments& arguments, int) {
    REQUIRE(arguments.find_text("text") && arguments.find_integer("count").value_or(1) >= 1);
    const std::string kind = arguments.text("kind");
    REQUIRE(kind.empty() || kind == "a" || kind == "b");
    arguments.integers("ids");
    return ToolResult{arguments.text("text"), arguments.flag("flag")};
  });
  const auto lock = [] { return Lock::acquire(*Folder::find(fuzz::scratch()), ".files.lock", 1); };
  add_file_tools(tools, {base() + "/root/work", {base() + "/root"}, [] { return std::vector<std::string>{}; }, lock});
  return tools;
}

// Checks the file after a successful edit.
void check_edit(std::string_view arguments) {
  const auto path = fuzz::string_in(arguments, "path");
  const auto old_text = fuzz::string_in(arguments, "old_text");
  const auto new_text = fuzz::string_in(arguments, "new_text");
  if (!path || *path != "a.txt" || !old_text || !new_text) return;
  std::string wanted = kText;
  const std::size_t at = wanted.find(*old_text);
  REQUIRE(at != std::string::npos && wanted.find(*old_text, at + 1) == std::string::npos);
  wanted.replace(at, old_text->size(), *new_text);
  REQUIRE(fuzz::get_file(base() + "/root/work/a.txt") == wanted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string pristine = (make_tree(), fuzz::snapshot_of(base()));
  static const Toolbox tools = make_tools();
  fuzz::Source source(fuzz::text_of(bytes, size));
  const char* const names[] = {"check", "read_file", "write_file", "edit_file"};
  const std::size_t which = source.below(5);
  const std::string_view arguments = source.rest();
  const ToolResult result = which < 4 ? tools.call(names[which], arguments, -1) : tools.call(arguments, "{}", -1);
  REQUIRE(fuzz::is_utf8(result.text));
  const std::string after = fuzz::snapshot_of(base());
  const bool may_change = which == 2 || which == 3;
  if (result.is_error || !may_change) REQUIRE(after == pristine);
  if (which == 3 && !result.is_error) check_edit(arguments);
  REQUIRE(fuzz::get_file(base() + "/secret/key") == "secret" && fuzz::get_file(base() + "/root/.tasks/1.json") == "{}");
  REQUIRE(std::distance(fs::directory_iterator(base()), fs::directory_iterator()) == 2);
  REQUIRE(std::distance(fs::directory_iterator(base() + "/secret"), fs::directory_iterator()) == 1);
  if (after != pristine) make_tree();
  return 0;
}
