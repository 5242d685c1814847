// Skills: their list and their descriptions, and that no other file can be read through them.
#include "libteam/agent/tools/skills.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/check.h"

using namespace team;
using test::fails_with;
using test::message_of;

namespace {

class Place {
 public:
  Place() {
    char pattern[] = "/tmp/teamkit-skills-XXXXXX";
    path = ::mkdtemp(pattern);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { std::filesystem::remove_all(path); }

  Folder folder() const { return *Folder::find(path); }
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(path + "/.skills/" + name);
    std::ofstream(path + "/.skills/" + name + "/SKILL.md", std::ios::binary) << text;
  }
  std::string description(const std::string& name) const {
    for (const Skill& skill : list_skills(folder())) {
      if (skill.name == name) return skill.description;
    }
    return "(none)";
  }

  std::string path;
};

void none() {
  const Place place;
  CHECK(list_skills(place.folder()).empty());
  CHECK(fails_with(Code::not_found, [&] { read_skill(place.folder(), "pdf"); }));
  CHECK(message_of([&] { read_skill(place.folder(), "pdf"); }).find("'pdf'; there are none") != std::string::npos);
}

void skills_of_other_tools() {
  namespace fs = std::filesystem;
  const Place place;
  place.put("csv", "Tables as text\n");
  for (const char* part : {"", "/csv", "/csv/SKILL.md"}) {
    for (const fs::perms bit : {fs::perms::group_write, fs::perms::others_write}) {
      const std::string path = place.path + "/.skills" + part;
      fs::permissions(path, bit, fs::perm_options::add);
      CHECK(fails_with(Code::permission_denied, [&] { read_skill(place.folder(), "csv"); }));
      CHECK(place.description("csv").starts_with("cannot be read: "));
      fs::permissions(path, bit, fs::perm_options::remove);
      CHECK(read_skill(place.folder(), "csv") == "Tables as text\n");
    }
  }
}

void sorted_and_whole() {
  const Place place;
  place.put("writing", "# How to write\nshort\n");
  place.put("csv", "---\nname: other\ndescription: \"Tables as text\n---\nbody\n");
  place.put("mail", "");
  std::filesystem::create_directories(place.path + "/.skills/empty");
  std::ofstream(place.path + "/.skills/README.md") << "not a skill";
  const auto skills = list_skills(place.folder());
  CHECK(skills.size() == 3 && skills[0].name == "csv" && skills[1].name == "mail" && skills[2].name == "writing");
  CHECK(read_skill(place.folder(), "writing") == "# How to write\nshort\n");
  CHECK(read_skill(place.folder(), "mail").empty());
  const std::string refusal = message_of([&] { read_skill(place.folder(), "xls"); });
  CHECK(refusal.find("csv, mail, writing") != std::string::npos);
}

void descriptions() {
  const Place place;
  place.put("title", "# How to write\nshort\n");
  CHECK(place.description("title") == "How to write");
  place.put("front", "---\nname: x\ndescription: Tables as text\n---\ndescription: not this\n");
  CHECK(place.description("front") == "Tables as text");
  place.put("quoted", "---\ndescription: \"Tables\"\n---\n");
  CHECK(place.description("quoted") == "Tables");
  place.put("silent", "---\nname: x\n---\nbody\n");
  CHECK(place.description("silent").empty());
  place.put("open", "---\ndescription: no end");
  CHECK(place.description("open") == "no end");
  place.put("windows", "---\r\ndescription: lines of another kind\r\n---\r\nbody\r\n");
  CHECK(place.description("windows") == "lines of another kind");
  place.put("long", std::string(10'000, 'x'));
  CHECK(place.description("long").size() <= 203);
  place.put("raw", "a\xFF\x1B[31mb\nc");
  CHECK(place.description("raw").find('\x1B') == std::string::npos);
  CHECK(place.description("raw").find('\xFF') == std::string::npos);
}

void nothing_else() {
  const Place place;
  place.put("good", "fine");
  std::ofstream(place.path + "/SKILL.md") << "secret";
  for (const char* name : {"..", ".", "", "../..", "good/../..", "good/", "/etc", "good\n", ".hidden"}) {
    CHECK(fails_with(Code::not_found, [&] { read_skill(place.folder(), name); }));
  }
  CHECK(fails_with(Code::not_found, [&] { read_skill(place.folder(), std::string("good\0", 5)); }));
  CHECK(::symlink("..", (place.path + "/.skills/link").c_str()) == 0);
  CHECK(message_of([&] { read_skill(place.folder(), "link"); }) != "no error");
  place.put("leak", "x");
  std::filesystem::remove(place.path + "/.skills/leak/SKILL.md");
  CHECK(::symlink("/etc/passwd", (place.path + "/.skills/leak/SKILL.md").c_str()) == 0);
  std::string read = "(refused)";
  try {
    read = read_skill(place.folder(), "leak");
  } catch (const Error&) {
  }
  CHECK(read == "(refused)");
}

// A broken skill does not hide the others.
void broken_skills() {
  const Place place;
  place.put("good", "fine");
  place.put("huge", std::string((1 << 20) + 1, 'x'));
  std::filesystem::create_directories(place.path + "/.skills/folder/SKILL.md");
  std::vector<Skill> skills;
  try {
    skills = list_skills(place.folder());
  } catch (const Error&) {
  }
  CHECK(skills.size() == 1 && skills[0].name == "good");
  CHECK(read_skill(place.folder(), "good") == "fine");
}

}  // namespace

int main() {
  none();
  skills_of_other_tools();
  sorted_and_whole();
  descriptions();
  nothing_else();
  broken_skills();
  return test::report();
}
