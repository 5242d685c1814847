#include "libteam/agent/tools/skills.h"

#include <algorithm>

#include "libteam/base/name.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"
#include "libteam/base/utf8.h"

namespace team {

namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

// An agent obeys a skill, so nobody else may write it.
void check_folder(const Folder& folder) {
  const std::string reason = folder.distrust();
  if (!reason.empty()) fail(Code::permission_denied, "'{}' is not to be trusted: {}", folder.path(), reason);
}

std::optional<std::string> read_text(const Folder& skills, const std::string& name) {
  const auto folder = skills.find_beneath(name);
  const auto contents = folder ? folder->read("SKILL.md", kLargest) : std::nullopt;
  if (!contents) return std::nullopt;
  check_folder(skills);
  check_folder(*folder);
  check_trusted(*contents, folder->path_of("SKILL.md"));
  return repair_utf8(contents->text);
}

// `description:` between two lines of dashes at the beginning.
std::string describe(const std::string& text) {
  constexpr std::string_view kKey = "description:";
  constexpr std::size_t kLongest = 200;
  auto lines = split(text, '\n');
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  std::string description;
  if (!lines.empty() && lines.front() == "---") {
    for (std::size_t i = 1; i < lines.size() && lines[i] != "---"; ++i) {
      if (lines[i].starts_with(kKey)) description = lines[i].substr(kKey.size());
    }
  } else {
    description = lines.empty() ? "" : lines.front();
  }
  description.erase(0, description.find_first_not_of(" #\"'"));
  description.erase(description.find_last_not_of(" \"'") + 1);
  return cut_characters(one_line(description), kLongest);
}

}  // namespace

std::vector<Skill> list_skills(const Folder& root) {
  std::vector<Skill> found;
  const auto skills = root.find_beneath(".skills");
  if (!skills) return found;
  skills->each_name([&](const char* name) {
    if (!is_name(name)) return;
    try {
      if (const auto text = read_text(*skills, name)) found.push_back({name, describe(*text)});
    } catch (const Error& error) {
      // A broken skill is reported when it is read. An untrusted one is reported at once, with the way out.
      if (error.code() != Code::permission_denied) return;
      found.push_back({name, fmt::format("cannot be read: {}", error.what())});
    }
  });
  std::sort(found.begin(), found.end(), [](const Skill& one, const Skill& other) { return one.name < other.name; });
  return found;
}

std::string read_skill(const Folder& root, const std::string& name) {
  const auto skills = root.find_beneath(".skills");
  const auto text = skills && is_name(name) ? read_text(*skills, name) : std::nullopt;
  if (text) return *text;
  std::vector<std::string> names;
  for (const Skill& skill : list_skills(root)) names.push_back(skill.name);
  fail(Code::not_found, "no skill '{}'; there {}", one_line(name),
       names.empty() ? "are none" : "is " + join(names, ", "));
}

}  // namespace team
