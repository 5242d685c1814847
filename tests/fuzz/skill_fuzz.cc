// Skills: whatever the file contains, its description is one short line and its text is UTF-8.

#include "libteam/agent/tools/skills.h"

#include <filesystem>

#include "libteam/base/utf8.h"
#include "tests/fuzz/fuzz.h"

using namespace team;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::string folder = fuzz::scratch() + "/.skills/review";
  std::filesystem::create_directories(folder);
  fuzz::put_file(folder + "/SKILL.md", fuzz::text_of(bytes, size));
  const auto root = Folder::find(fuzz::scratch());
  const auto skills = list_skills(*root);
  REQUIRE(skills.size() == 1 && skills[0].name == "review");
  REQUIRE(fuzz::is_safe_for_terminal(skills[0].description) && count_characters(skills[0].description) <= 200);
  REQUIRE(read_skill(*root, "review") == repair_utf8(fuzz::text_of(bytes, size)));
  REQUIRE(fuzz::refusal([&] { read_skill(*root, std::string(fuzz::text_of(bytes, size))); }) ||
          fuzz::text_of(bytes, size) == "review");
  return 0;
}
