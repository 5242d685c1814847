#include "libteam/repo/merge.h"

#include <charconv>
#include <string_view>

#include "libteam/base/error.h"
#include "libteam/base/terminal_text.h"
#include "libteam/base/text.h"

namespace team {

namespace {

// "CONFLICT (modify/delete)" is modify/delete. Other messages, such as "Auto-merging", are no conflicts.
std::string kind_of(const std::string& type) {
  constexpr std::string_view kStart = "CONFLICT (";
  if (!type.starts_with(kStart) || !type.ends_with(')')) return "";
  return type.substr(kStart.size(), type.size() - kStart.size() - 1);
}

// The records after the conflicted files: a count of paths, the paths, the type, the text for people.
std::vector<Conflict> read_messages(const std::vector<std::string>& records, std::size_t at) {
  std::vector<Conflict> conflicts;
  while (at < records.size()) {
    std::size_t count = 0;
    const std::string& number = records[at];
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    const bool is_whole = error == std::errc() && end == number.data() + number.size();
    if (!is_whole || count > records.size() || at + count + 2 >= records.size()) {
      fail(Code::io, "git merge-tree: cannot read its answer");
    }
    const auto paths = records.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const auto paths_end = paths + static_cast<std::ptrdiff_t>(count);
    const std::string kind = kind_of(*paths_end);
    if (!kind.empty()) conflicts.push_back({kind, {paths, paths_end}});
    at += count + 3;
  }
  return conflicts;
}

}  // namespace

Merge merge_commits(const Git& git, const std::string& ours, const std::string& theirs) {
  const auto answer = git.ask({"merge-tree", "--write-tree", "--messages", "-z", ours, theirs});
  const auto records = split_records(answer.out);
  if (answer.status > 1 || records.empty()) fail(Code::io, "git merge-tree: {}", answer.error);
  Merge merge{records[0], {}};
  if (answer.status == 0) return merge;
  std::size_t at = 1;
  while (at < records.size() && !records[at].empty()) ++at;  // the conflicted files, one record per stage
  merge.conflicts = read_messages(records, at + 1);
  if (merge.conflicts.empty()) merge.conflicts.push_back({"unknown", {}});
  return merge;
}

std::string describe(const std::vector<Conflict>& conflicts) {
  constexpr std::size_t kMost = 50;
  std::vector<std::string> lines;
  for (const Conflict& conflict : conflicts) {
    if (lines.size() == kMost) {
      lines.push_back(fmt::format("and {} more", conflicts.size() - kMost));
      break;
    }
    std::vector<std::string> paths;
    for (const std::string& path : conflict.paths) paths.push_back(one_line(path));
    lines.push_back(fmt::format("{}: {}", conflict.kind, join(paths, ", ")));
  }
  return join(lines, "\n");
}

}  // namespace team
