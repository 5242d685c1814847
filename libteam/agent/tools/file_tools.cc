#include "libteam/agent/tools/file_tools.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libteam/agent/tools/allowed_files.h"
#include "libteam/agent/tools/file_excerpt.h"
#include "libteam/base/error.h"
#include "libteam/base/text.h"

namespace team {

namespace {

constexpr std::int64_t kDefaultLines = 2000;
constexpr std::size_t kChunk = 256 * 1024;
constexpr std::size_t kMostEdited = std::size_t{16} << 20;

constexpr const char* kReadSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file"},
    "offset": {"type": "integer", "minimum": 1, "description": "The first line to show; 1 by default"},
    "limit": {"type": "integer", "minimum": 1, "description": "How many lines; 2000 by default"}
  },
  "required": ["path"]
})";

constexpr const char* kWriteSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file; missing folders are made"},
    "content": {"type": "string", "description": "All that is to stand in it"}
  },
  "required": ["path", "content"]
})";

constexpr const char* kEditSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "The file"},
    "old_text": {"type": "string", "description": "What stands there exactly once, with its blanks and newlines"},
    "new_text": {"type": "string", "description": "What is to stand there instead"}
  },
  "required": ["path", "old_text", "new_text"]
})";

// Calls `take` for each piece of the file until it returns false. The file may have any size.
template <class Take>
void each_chunk(const Fd& file, const std::string& asked, int interrupt, Take take) {
  std::string buffer(kChunk, '\0');
  constexpr std::size_t kQuick = 64;  // so many pieces are quick: no check for an interruption
  for (std::size_t count = 0;; ++count) {
    pollfd waiting{interrupt, POLLIN, 0};
    if (count > kQuick && interrupt >= 0 && ::poll(&waiting, 1, 0) > 0) fail(Code::again, "interrupted");
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno("cannot read", asked);
    if (got == 0 || !take(std::string_view(buffer.data(), static_cast<std::size_t>(got)))) return;
  }
}

ToolResult read_file(const AllowedFiles& files, const Arguments& arguments, int interrupt) {
  const AllowedPath place = files.find(arguments.text("path"));
  const Fd file = open_to_read(place);
  FileExcerpt excerpt(arguments.find_integer("offset").value_or(1),
                      arguments.find_integer("limit").value_or(kDefaultLines));
  bool saw_all = true;
  each_chunk(file, place.asked, interrupt, [&](std::string_view chunk) { return saw_all = excerpt.take(chunk); });
  return excerpt.result(place.asked, saw_all);
}

ToolResult write_file(const AllowedFiles& files, const Arguments& arguments) {
  const std::string path = arguments.text("path");
  const std::string content = arguments.text("content");
  const AllowedPath place = files.find(path);
  if (path.ends_with('/')) fail(Code::usage, "'{}' names a folder", place.asked);
  const Lock lock = files.lock();
  files.write(place, content, nullptr);
  return {fmt::format("Wrote {} bytes to {}.", content.size(), place.asked), false};
}

std::string read_whole(const Fd& file, const std::string& asked) {
  std::string text;
  each_chunk(file, asked, -1, [&](std::string_view chunk) {
    text += chunk;
    if (text.size() > kMostEdited) fail(Code::invalid_state, "'{}' is larger than {} bytes", asked, kMostEdited);
    return true;
  });
  return text;
}

// All places where `wanted` begins in `text`, up to a limit of time.
std::vector<std::size_t> find_all(std::string_view text, std::string_view wanted) {
  constexpr std::size_t kEffort = std::size_t{1} << 28;
  const std::size_t most = std::clamp<std::size_t>(kEffort / wanted.size(), 16, 1'000'000);
  std::vector<std::size_t> found;
  std::size_t at = 0;
  while (found.size() < most) {
    // Not string::find, which is quadratic for repetitive texts.
    const void* hit = ::memmem(text.data() + at, text.size() - at, wanted.data(), wanted.size());
    if (hit == nullptr) break;
    found.push_back(static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()));
    at = found.back() + 1;
  }
  return found;
}

std::ptrdiff_t line_of(std::string_view text, std::size_t at) {
  return std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
}

[[noreturn]] void refuse_edit(const AllowedPath& place, std::string_view text, std::string_view old_text,
                              const std::vector<std::size_t>& found) {
  if (found.empty()) {
    const bool other_ends = text.find("\r\n") != std::string_view::npos &&
                            old_text.find('\n') != std::string_view::npos &&
                            old_text.find('\r') == std::string_view::npos;
    fail(Code::not_found, "old_text occurs 0 times in '{}'{}", place.asked,
         other_ends ? ": its lines end in \\r\\n" : "");
  }
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i) {
    lines.push_back(std::to_string(line_of(text, found[i])));
  }
  fail(Code::conflict, "old_text occurs {} times in '{}', in lines {}{}: give more of what stands around it",
       found.size(), place.asked, join(lines, ", "), found.size() > kMostNamed ? ", …" : "");
}

ToolResult edit_file(const AllowedFiles& files, const Arguments& arguments) {
  const std::string old_text = arguments.text("old_text");
  const std::string new_text = arguments.text("new_text");
  if (old_text.empty()) fail(Code::usage, "old_text is empty");
  if (old_text == new_text) fail(Code::usage, "old_text and new_text are the same");
  const AllowedPath place = files.find(arguments.text("path"));
  const Lock lock = files.lock();
  const Fd file = open_to_read(place);
  const struct stat version = status_of(file, place.asked);
  std::string text = read_whole(file, place.asked);
  const auto found = find_all(text, old_text);
  if (found.size() != 1) refuse_edit(place, text, old_text, found);
  const auto line = line_of(text, found.front());
  text.replace(found.front(), old_text.size(), new_text);
  files.write(place, text, &version);
  return {fmt::format("Edited {} at line {}.", place.asked, line), false};
}

}  // namespace

void add_file_tools(Toolbox& tools, const FileScope& scope) {
  const auto files = std::make_shared<const AllowedFiles>(scope);
  tools.add({"read_file", "Shows a file, or some of its lines.", kReadSchema},
            [files](const Arguments& arguments, int interrupt) { return read_file(*files, arguments, interrupt); });
  tools.add({"write_file", "Writes a file: a new one, or in place of what stood there.", kWriteSchema},
            [files](const Arguments& arguments, int) { return write_file(*files, arguments); });
  tools.add({"edit_file", "Replaces a text that stands exactly once in a file.", kEditSchema},
            [files](const Arguments& arguments, int) { return edit_file(*files, arguments); });
}

}  // namespace team
