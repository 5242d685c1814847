#include "libteam/agent/life/recording_files.h"

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"

namespace team {

std::string answers_file(const std::string& member) { return member + ".jsonl"; }

Folder find_folder(const std::string& path) {
  auto folder = Folder::find(path);
  if (!folder) fail(Code::not_found, "no folder '{}'", one_line(path));
  return std::move(*folder);
}

}  // namespace team
